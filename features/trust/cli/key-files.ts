import { invalidOption } from "anchoreval/internal/core/errors";
import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { basename, dirname } from "node:path";
import type { ManifestSignature } from "anchoreval/internal/core/bundle/signature";
import { folderStore } from "anchoreval/internal/node/folder";
import { readNamed } from "anchoreval/internal/node/whole-file";
import { changeObject } from "anchoreval/internal/bundles/bundle-store";

/** Far above a key's file with remarks in it. @unit bytes */
const LONGEST_KEY = 1 << 16;

/** A private key of a file: its public half in base64url, and its signatures. */
export interface FileKey {
  readonly key: string;
  readonly sign: (bytes: Uint8Array) => ManifestSignature;
}

/**
 * Reads a private key, as `anchoreval keys make` writes it.
 * @param option - that names the file, for messages: `--key`
 * @throws AnchorEvalError `invalid_option`
 */
export async function readKey(option: string, file: string): Promise<FileKey> {
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(await readNamed(file, LONGEST_KEY));
  } catch (cause) {
    throw invalidOption(`${option} ${file}: no private key can be read there`, cause);
  }
  if (privateKey.asymmetricKeyType !== "ed25519")
    throw invalidOption(`${option} ${file} isn't an Ed25519 key: anchoreval keys make writes one`);
  const key = publicKeyOf(privateKey);
  return { key, sign: (bytes) => ({ key, signature: sign(null, bytes, privateKey).toString("base64url") }) };
}

export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "jwk" }).x!;
}

/**
 * Changes a file by what it has; who changes it at the same time changes what the one before wrote.
 * @throws AnchorEvalError `unavailable`; what the change throws
 */
export async function changeFile(
  file: string,
  change: (there: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
): Promise<void> {
  await changeObject(folderStore(dirname(file)), basename(file), change);
}
