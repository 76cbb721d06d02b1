import { decodeRouting } from "../core/bundle/routing-file.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { parseManifest } from "../core/bundle/parse-manifest.ts";
import { AnchorEvalError } from "../core/errors.ts";
import { httpSource } from "../bundles/http-source.ts";
import { readBundleFile } from "../bundles/read-file.ts";
import { readManifest } from "../bundles/read-manifest.ts";
import type { BundleRouting } from "./types.ts";

/**
 * Loads what a bundle's routes are made from: two files, nothing of its anchors.
 * @param source - a bundle's address, or where its files are read
 * @throws AnchorEvalError `unsupported` for a bundle without routes; `not_found`, `bundle_corrupt`, `bundle_invalid`,
 * `bundle_format_unsupported`, `unavailable`, `aborted`
 * @example const routing = await loadRouting("https://evals.example.com/v1/bundles/quiz/1.0.0");
 */
export async function loadRouting(
  source: string | URL | BundleSource,
  options: { readonly signal?: AbortSignal } = {},
): Promise<BundleRouting> {
  const from = typeof source === "string" || source instanceof URL ? httpSource(source) : source;
  const { bytes, digest } = await readManifest(from, options);
  const manifest = parseManifest(bytes);
  const { benchmark, version, sources, files } = manifest;
  if (sources.names === null || !files.some(({ name }) => name === "routing.safetensors"))
    throw new AnchorEvalError(
      "unsupported",
      `${benchmark}@${version} carries no routes: fit it with --cold-start and --include-model-names`,
    );
  const file = await readBundleFile(from, manifest, "routing.safetensors", options);
  return {
    ...decodeRouting(manifest, file),
    manifest,
    digest,
    byteLength: file.length,
  };
}
