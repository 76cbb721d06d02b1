import { MOST_MANIFEST_BYTES } from "./digest.ts";

/**
 * Most bytes of a bundle that are held at once, of one file or of the parts that are loaded together: items.jsonl of a
 * million items, 65 bytes each.
 */
export const MOST_FILE_BYTES = 1 << 26;

/** Longest of what lies beside a bundle's files, by its name, or by its folder where its name is a digest. @unit bytes */
const MOST_BESIDE: ReadonlyMap<string, number> = new Map([
  ["manifest.json", MOST_MANIFEST_BYTES],
  ["index.json", 1 << 22], // 16 000 versions, 250 bytes each
  ["trust.json", 1 << 22], // the same, signed
  ["log.jsonl", 1 << 24], // three entries for each of them, 350 bytes each
  ["card.md", 1 << 20], // a line for each of a thousand scenarios in six forms
  ["manifest.sig", 1 << 16], // 16 signatures have 3 kB
  ["yanked.json", 1 << 16], // a reason of 500 letters
  ["signatures", 1 << 16],
  ["publishers", 1 << 16],
]);

/**
 * Most bytes that are read of what was published, which may be anything by now.
 * @param name - a file's, or an object's key
 * @example mostBytes("bundles/quiz/index.json") // 4194304
 */
export function mostBytes(name: string): number {
  const [file = "", folder = ""] = name.split("/").reverse();
  return MOST_BESIDE.get(file) ?? MOST_BESIDE.get(folder) ?? MOST_FILE_BYTES;
}
