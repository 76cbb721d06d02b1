import { invalidOption } from "anchoreval/internal/core/errors";
import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "anchoreval/internal/bundles/read-file";
import { isSignedBy } from "anchoreval/internal/bundles/trusted-source";
import { isAccessScope } from "anchoreval/internal/core/bundle/names";
import {
  encodeSignatures,
  mergeSignatures,
  parseSignatures,
  SIGNATURE_FILE,
} from "anchoreval/internal/core/bundle/signature";
import { folderSource } from "anchoreval/internal/node/folder";
import { createFile } from "anchoreval/internal/node/write-file";
import { commandOfActions } from "../../../cli/src/program/actions.ts";
import { type Action, option, readExpiry } from "../../../cli/src/program/command.ts";
import { writing } from "../../../cli/src/program/errors.ts";
import { changeFile, publicKeyOf, readKey } from "./key-files.ts";
import { changeRoot, signRoot } from "./root.ts";

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

const signPlace: Action = {
  summary: "sign a bundle's manifest, in manifest.sig beside it; or a root",
  operands: { usage: "PLACE", option: "bundle" },
  options: {
    Data: {
      bundle: option("DIR", "the bundle's folder; or a root.json, whose newest version is signed", { required: true }),
      key: option("FILE", "the private key that anchoreval keys make wrote (PEM, Ed25519)", { required: true }),
    },
  },
  examples: ["keys sign bundles/quiz --key bundles.pem", "keys sign root.json --key a.pem"],
  run: async ({ options, output, signal }) => {
    const folder = options.required("bundle");
    const key = await readKey("--key", options.required("key"));
    if ((await stat(folder).catch(() => null))?.isFile()) return signRoot(folder, key, output);
    const source = folderSource(folder);
    const { manifest, bytes, digest } = await readManifest(source, { signal });
    const { benchmark, version } = manifest;
    const signature = key.sign(bytes);
    await changeFile(join(folder, SIGNATURE_FILE), async (there) => {
      const kept = [];
      // Those of another manifest that stood here before go.
      for (const other of (there && parseSignatures(there)) ?? []) if (await isSignedBy(bytes, other)) kept.push(other);
      return encodeSignatures(mergeSignatures(kept, [signature]));
    });
    output.result({ digest, ...signature }, [`${benchmark}@${version} (${digest}) is signed by ${signature.key}`]);
  },
};

const makeToken: Action = {
  summary: "a bearer token for a Worker, and the record that its secret TOKENS keeps",
  options: {
    Token: {
      id: option("NAME", "name of the token in logs and in the secret, such as its user", { required: true }),
      scope: option("ACTION:BENCHMARK", "permission: publish or read, and a benchmark or * for all; may be repeated", {
        multiple: true,
        required: true,
      }),
      expires: option("DATE", "last day (UTC), or an ISO 8601 time (default: never expires)"),
    },
  },
  examples: ["keys token --id ci --scope publish:quiz", "keys token --id team --scope read:* --expires 2027-01-31"],
  run: ({ options, output }) => {
    const id = options.required("id");
    if (id.length > 64) throw invalidOption("--id has at most 64 characters");
    const scopes = options.texts("scope");
    if (scopes.length === 0) throw invalidOption("--scope is needed, such as --scope publish:helm-lite");
    const wrong = scopes.find((scope) => !isAccessScope(scope));
    if (wrong !== undefined)
      throw invalidOption(`--scope must be publish:BENCHMARK or read:BENCHMARK, * for every one; got ${wrong}`);
    const expires = readExpiry(options.text("expires"));
    const token = `anchoreval_${randomBytes(32).toString("base64url")}`;
    const record = { id, sha256: createHash("sha256").update(token).digest("hex"), scopes, expires };
    if (output.json) output.document({ token, record });
    else {
      output.line(token);
      output.remark("That is the token: it is shown once and kept nowhere. Clients send it as ANCHOREVAL_TOKEN.");
      output.remark(
        "Add this record to the array in the Worker's secret TOKENS (npx wrangler secret put TOKENS --env production):",
      );
      output.line(JSON.stringify(record));
    }
    return Promise.resolve();
  },
};

export const keysCommand = commandOfActions({ make: makeKey, sign: signPlace, root: changeRoot, token: makeToken }, [
  "keys make --out bundles.pem",
  "keys sign bundles/quiz --key bundles.pem",
]);
