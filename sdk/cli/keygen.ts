import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { AnchorEvalError } from "../core/errors.ts";
import type { Command } from "./command.ts";

/** `anchoreval keygen`: a key that signs bundles. */
export const keygenCommand: Command = {
  name: "keygen",
  summary: "a key that signs bundles, and the public key that readers trust",
  options: {
    out: { type: "string", value: "FILE", description: "where the private key goes (PEM); never over a file" },
  },
  run: async ({ options, output }) => {
    const file = options.required("out");
    const { privateKey } = generateKeyPairSync("ed25519");
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    try {
      await writeFile(file, pem, { flag: "wx", mode: 0o600 });
    } catch (cause) {
      throw new AnchorEvalError("invalid_option", `${file} can't be written: ${(cause as Error).message}`, { cause });
    }
    const key = publicKeyOf(privateKey);
    if (output.json) output.document({ key });
    else {
      output.line(key);
      output.remark(`That is the public key: readers list it as trusted. ${file} signs; keep it secret.`);
    }
    return 0;
  },
};

/** The public key of a private one, in base64url. */
export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "jwk" }).x!;
}
