import { createPrivateKey, createPublicKey, type KeyObject, sign } from "node:crypto";
import { basename, dirname } from "node:path";
import type { ManifestSignature } from "anchoreval/internal/core/bundle/signature";
import { folderStore } from "anchoreval/internal/node/folder";
import { readNamed } from "anchoreval/internal/node/whole-file";
import { changeObject } from "anchoreval/internal/publish/bundle-store";
import { invalidOption } from "../../../cli/src/program/command.ts";

/** Far above a key's file with remarks in it. @unit bytes */
const LONGEST_KEY = 1 << 16;

/** A private key of a file: its public half in base64url, and its signatures. */
export interface FileKey {
  readonly key: string;
  readonly sign: (bytes: Uint8Array) => ManifestSignature;
}

/**
 * Reads a private key, as `anchoreval keygen` writes it.
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
    throw invalidOption(`${option} ${file} isn't an Ed25519 key: anchoreval keygen makes one`);
  const key = publicKeyOf(privateKey);
  return { key, sign: (bytes) => ({ key, signature: sign(null, bytes, privateKey).toString("base64url") }) };
}

export function publicKeyOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ format: "jwk" }).x!;
}

/**
 * The end of a day, or a time, that is still to come; null where none is given.
 * @example readExpiry("2099-01-31") // "2099-01-31T23:59:59.000Z"
 * @throws AnchorEvalError `invalid_option`
 */
export function readExpiry(text: string | undefined): string | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const time = new Date(day ? `${text}T23:59:59Z` : text);
  if (Number.isNaN(time.getTime()) || (!day && !/(Z|[+-]\d{2}:\d{2})$/.test(text)))
    throw invalidOption(
      `--expires must be a day like 2027-01-31, or a time with its zone like 2027-01-31T12:00:00Z; got ${text}`,
    );
  if (time.getTime() <= Date.now()) throw invalidOption(`--expires ${text} has passed`);
  return time.toISOString();
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
