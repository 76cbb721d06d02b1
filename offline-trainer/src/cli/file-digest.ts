import { readFile } from "node:fs/promises";
import { sha256Hex } from "anchoreval/bundle";

/** SHA-256 of a file's bytes, as documents name what they were made from: `sha256:…`. */
export async function fileDigest(file: string): Promise<string> {
  return `sha256:${sha256Hex(await readFile(file))}`;
}
