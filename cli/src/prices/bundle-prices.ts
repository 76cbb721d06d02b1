import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import { type BundlePrices, bundlePrices, knownPrices } from "anchoreval/internal/prices/bundle-prices";
import { itemPrices } from "anchoreval/internal/prices/parse-prices";
import type { OptionReader } from "../command.ts";
import { openBundle } from "../open-bundle.ts";
import { commonUnit, type GivenPrices } from "./price-options.ts";

/**
 * The prices of a bundle's items: those of `--prices`, else those that it was fitted by; null without either.
 * @throws AnchorEvalError as `itemPrices` and `knownPrices`
 */
export async function readBundlePrices(
  bundle: Bundle,
  given: GivenPrices | null,
  options: OptionReader,
  signal: AbortSignal,
): Promise<BundlePrices | null> {
  if (given === null) return knownPrices(bundle);
  const lines = await loadItemLines(openBundle(options.required("bundle")), bundle.manifest, { signal });
  const items = Array.from({ length: lines.count }, (_, k) => lines.record(k));
  const unit = commonUnit(given.unit, null, "");
  return bundlePrices(bundle, itemPrices(given.named, items, unit), items);
}
