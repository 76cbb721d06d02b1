import { httpSource } from "../bundles/http-source.ts";
import { loadItemLines } from "../bundles/item-lines.ts";
import { loadBundle, type LoadOptions } from "../bundles/load-bundle.ts";
import type { BundleSource } from "../core/bundle/bundle.ts";
import { itemPool, type ItemPool } from "./item-pool.ts";

/**
 * Loads a bundle's items with their names and parameters.
 * @throws AnchorEvalError as `loadBundle` and `readBundleFile`
 * @example const source = localAdaptive(await loadAdaptive(folderSource("out/helm-lite")));
 */
export async function loadAdaptive(
  source: string | URL | BundleSource,
  options: Omit<LoadOptions, "form"> = {},
): Promise<ItemPool> {
  const from = typeof source === "string" || source instanceof URL ? httpSource(source) : source;
  const bundle = await loadBundle(from, options);
  const items = await loadItemLines(from, bundle.manifest, options.signal ? { signal: options.signal } : {});
  return itemPool(bundle, items);
}
