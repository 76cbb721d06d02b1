import { generateKeyPairSync } from "node:crypto";
import { createFile } from "anchoreval/internal/node/write-file";
import { commandOfActions } from "../../../cli/src/program/actions.ts";
import { type Action, option, invalidOption } from "../../../cli/src/program/command.ts";
import { writing } from "../../../cli/src/program/errors.ts";
import { publicKeyOf } from "./key-files.ts";
import { changeRoot } from "./root.ts";
import { signPlace } from "./sign.ts";
import { makeToken } from "./token.ts";

const makeKey: Action = {
  summary: "a key that signs bundles, and the public key that readers trust",
  options: {
    Output: {
      out: option("FILE", "file for the private key (PEM); an existing file is never replaced", { required: true }),
    },
  },
  examples: ["keys make --out bundles.pem", "keys make --out bundles.pem --json"],
  run: async ({ options, output }) => {
    const file = options.required("out");
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    if (!(await writing(file, () => createFile(file, pem, 0o600))))
      throw invalidOption(`${file} is there already, and a key is never replaced: choose another file`);
    const key = publicKeyOf(privateKey);
    if (output.json) output.document({ key });
    else {
      output.line(key);
      output.remark(`That is the public key: readers list it as trusted. ${file} signs; keep it secret.`);
    }
  },
};

/** Who may sign, publish and read. */
export const keysCommand = commandOfActions({ make: makeKey, sign: signPlace, root: changeRoot, token: makeToken }, [
  "keys make --out bundles.pem",
  "keys sign bundles/quiz --key bundles.pem",
]);
