import type { ItemLines } from "../bundles/item-lines.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { ExposureManifest } from "../core/bundle/manifest.ts";
import { benchmarkPopulation, type PoolPopulation } from "./benchmark-population.ts";
import type { AdaptiveItem } from "./types.ts";

/** All items of a benchmark version, with their parameters: what an adaptive evaluation draws from. */
export interface ItemPool {
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** With their numbers of items. */
  readonly scenarios: readonly { readonly id: string; readonly items: number }[];
  /** The limits that its populations' exposure factors keep; absent where there are none. */
  readonly exposure?: ExposureManifest;
  /** The items of some of its scenarios. @throws AnchorEvalError `unknown_scenario` for one that isn't loaded */
  readonly population: (scenarios: readonly string[]) => PoolPopulation;
  /** @param line - of {@link PoolPopulation.lines} */
  readonly item: (line: number) => AdaptiveItem;
}

/**
 * The items of a bundle.
 * @param lines - its items.jsonl
 * @example
 * const bundle = await loadBundle(source);
 * const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
 */
export function itemPool(bundle: Bundle, lines: ItemLines): ItemPool {
  const { manifest, digest } = bundle;
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    digest,
    scenarios: manifest.scenarios,
    ...(manifest.exposure && { exposure: manifest.exposure }),
    population: (scenarios) => benchmarkPopulation(bundle, scenarios),
    item: (line) => {
      const { item_id, scenario, subscenario, hash } = lines.record(line);
      return {
        item_id,
        scenario,
        ...(subscenario !== undefined && { subscenario }),
        ...(hash !== undefined && { hash }),
      };
    },
  };
}
