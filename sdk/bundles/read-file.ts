import type { Manifest } from "../core/bundle/manifest.ts";
import type { BundleFileName } from "../core/bundle/names.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { sha256 } from "../digest.ts";

/**
 * Reads a whole file that a bundle's manifest lists, checked against the byte count and the digest that stand there.
 * {@link loadBundle} reads neither the items nor the report: this does.
 * @throws AnchorEvalError `not_found` where the bundle has no such file; `bundle_corrupt` where its bytes are gone or
 * others, with an issue of the code `missing` or `damaged`; `unavailable`, `aborted`
 * @example await readBundleFile(folderSource("out/helm-lite"), bundle.manifest, "items.jsonl")
 */
export async function readBundleFile(
  source: BundleSource,
  manifest: Manifest,
  name: BundleFileName,
  options: { signal?: AbortSignal } = {},
): Promise<Uint8Array> {
  const file = manifest.files.find((candidate) => candidate.name === name);
  if (!file) throw new AnchorEvalError("not_found", `${manifest.benchmark}@${manifest.version} has no ${name}`);
  const bytes = await source.read(name, options);
  if (bytes?.length === file.bytes && (await sha256(bytes)) === file.sha256) return bytes;
  const state = bytes === null ? "missing" : "damaged";
  throw new AnchorEvalError(
    "bundle_corrupt",
    `${source.name}: ${name} is ${state}: the manifest states ${file.bytes} bytes, SHA-256 ${file.sha256}; copy or publish the bundle again`,
    { issues: [{ path: [name], code: state, message: `${name} is ${state}` }] },
  );
}
