import { httpSource } from "../bundles/http-source.ts";
import { loadItemLines } from "../bundles/item-lines.ts";
import { loadBundle, type LoadOptions } from "../bundles/load-bundle.ts";
import type { BundleSource } from "../core/bundle/source.ts";
import type { AdaptiveBundle } from "./adaptive-session.ts";

/**
 * Loads a bundle with the names of all its items.
 * @throws AnchorEvalError as `loadBundle` and `readBundleFile`
 * @example const source = localAdaptive(await loadAdaptive(folderSource("out/helm-lite")));
 */
export async function loadAdaptive(
  source: string | URL | BundleSource,
  options: Omit<LoadOptions, "form"> = {},
): Promise<AdaptiveBundle> {
  const from = typeof source === "string" || source instanceof URL ? httpSource(source) : source;
  const bundle = await loadBundle(from, options);
  const items = await loadItemLines(from, bundle.manifest, options.signal ? { signal: options.signal } : {});
  return { bundle, items };
}
