import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readManifest } from "../bundles/read-file.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { encodeSignatures, mergeSignatures, parseSignatures, SIGNATURE_FILE } from "../core/bundle/signature.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { folderSource } from "../node/folder.ts";
import { isSignedBy } from "../bundles/trusted-source.ts";
import type { Command } from "./command.ts";
import { publicKeyOf } from "./keygen.ts";

/** `anchoreval sign`: manifest.sig of a bundle, which it doesn't change. */
export const signCommand: Command = {
  name: "sign",
  summary: "sign a bundle's manifest, in manifest.sig beside it; the bundle and its digest stay as they are",
  positionals: "DIR",
  options: {
    key: { type: "string", value: "FILE", description: "the private key that anchoreval keygen made (PEM, Ed25519)" },
  },
  run: async ({ positionals, options, output, signal }) => {
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0)
      throw new AnchorEvalError("invalid_option", "sign takes one folder: anchoreval sign DIR --key FILE");
    const privateKey = await readKey(options.required("key"));
    const source = folderSource(folder);
    const { bytes, digest } = await readManifest(source, { signal });
    const { benchmark, version } = parseManifest(bytes);
    const own = { key: publicKeyOf(privateKey), signature: sign(null, bytes, privateKey).toString("base64url") };
    const there = (await source.readSignatures?.()) ?? null;
    const kept = [];
    // Those of another manifest that stood here before go.
    for (const other of (there && parseSignatures(there)) ?? []) if (await isSignedBy(bytes, other)) kept.push(other);
    await writeFile(join(folder, SIGNATURE_FILE), encodeSignatures(mergeSignatures(kept, [own])));
    if (output.json) output.document({ digest, ...own });
    else output.line(`${benchmark}@${version} (${digest}) is signed by ${own.key}`);
    return 0;
  },
};

async function readKey(file: string): Promise<KeyObject> {
  try {
    const key = createPrivateKey(await readFile(file));
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (cause) {
    throw new AnchorEvalError("invalid_option", `--key ${file}: no private key can be read there`, { cause });
  }
  throw new AnchorEvalError("invalid_option", `--key ${file} is no key of Ed25519: anchoreval keygen makes one`);
}
