import type { BundleFileName, Manifest } from "../core/bundle/manifest.ts";
import type { BundleSource } from "../core/bundle/source.ts";
import { sha256 } from "../digest.ts";

export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly state: "ok" | "missing" | "damaged";
}

/** Reads every file of a bundle whole and compares it with the byte count and the digest that the manifest states. */
export async function checkFiles(
  source: BundleSource,
  manifest: Manifest,
  options: { signal?: AbortSignal } = {},
): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const { name, bytes, sha256: digest } of manifest.files) {
    const found = await source.read(name as BundleFileName, options);
    const matches = found !== null && found.length === bytes && (await sha256(found)) === digest;
    checked.push({ name, bytes, state: found === null ? "missing" : matches ? "ok" : "damaged" });
  }
  return checked;
}
