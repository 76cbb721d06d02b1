import { blobKey, sweptKey } from "../core/bundle/names.ts";

/**
 * Reads a content of a published version by its digest. While a sweep moves it, or where one broke off, it is its copy that is
 * there; and a sweep that puts it back may do so between the two looks.
 * @param get - reads an object of the store; null where none is there
 * @returns null where storage has lost it
 */
export async function readContent<T>(
  get: (key: string) => Promise<T | null>,
  benchmark: string,
  sha256: string,
): Promise<T | null> {
  const key = blobKey(benchmark, sha256);
  return (await get(key)) ?? (await get(sweptKey(benchmark, sha256))) ?? (await get(key));
}
