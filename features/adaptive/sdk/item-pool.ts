import { partOf } from "../../../sdk/core/bundle/part.ts";
import { limitsPart } from "../core/limits.ts";
import { namedSource } from "../../../sdk/bundles/sources.ts";
import { loadItemLines } from "../../../sdk/bundles/read-file.ts";
import type { ItemLines } from "../../../sdk/core/bundle/item-lines.ts";
import { loadBundle, type LoadOptions } from "../../../sdk/bundles/load-bundle.ts";
import type { Population } from "../core/population.ts";
import {
  bankOf,
  refuseFullScores,
  type Bundle,
  type BundleScenario,
  type BundleSource,
} from "../../../sdk/core/bundle/bundle.ts";
import type { Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { AnchorEvalError, checkNames } from "../../../sdk/core/errors.ts";
import { pooledPrior, separatePrior } from "../../../sdk/estimate/bundle-scoring.ts";
import type { AdaptiveItem } from "./types.ts";

/** All items of a benchmark version, with their parameters: what an adaptive evaluation draws from. */
export interface ItemPool {
  readonly benchmark: string;
  readonly version: string;
  /** Digest of the bundle, `sha256:…`. */
  readonly digest: string;
  /** With their numbers of items. */
  readonly scenarios: readonly { readonly id: string; readonly items: number }[];
  /** Why its publisher took this version back; absent else. */
  readonly yanked?: string;
  /** The notes of the fit. */
  readonly fit: Manifest["fit"];
  /** The items of some of its scenarios. @throws AnchorEvalError `unknown_scenario` for one that isn't loaded */
  readonly population: (scenarios: readonly string[]) => PoolPopulation;
  /** @param line - of {@link PoolPopulation.lines} */
  readonly item: (line: number) => AdaptiveItem;
}

/**
 * The items of a bundle.
 * @param lines - its items.jsonl
 * @throws AnchorEvalError `unsupported` for a bundle of full scores on other items, or whose adaptive evaluations are limited
 * @example
 * const bundle = await loadBundle(source);
 * const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
 */
export function itemPool(bundle: Bundle, lines: ItemLines): ItemPool {
  const { manifest, digest } = bundle;
  refuseFullScores(manifest, "adaptive evaluations are");
  if (partOf(manifest, limitsPart) !== null)
    throw new AnchorEvalError(
      "unsupported",
      `${manifest.benchmark} ${manifest.version} limits how often adaptive evaluations give an item, which is no longer done: estimate from a form's anchors, or fit the bundle anew`,
    );
  return {
    benchmark: manifest.benchmark,
    version: manifest.version,
    digest,
    scenarios: manifest.scenarios,
    fit: manifest.fit,
    ...(bundle.yanked !== undefined && { yanked: bundle.yanked }),
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

/**
 * Loads a bundle's items with their names and parameters.
 * @throws AnchorEvalError as `loadBundle` and `readBundleFile`
 * @example const source = localAdaptive(await loadAdaptive(folderSource("out/helm-lite")));
 */
export async function loadAdaptive(
  source: string | URL | BundleSource,
  options: Omit<LoadOptions, "form"> = {},
): Promise<ItemPool> {
  checkNames(options, { scenarios: "list", items: true, digest: true, trustedKeys: true, signal: true });
  const from = namedSource(source);
  const bundle = await loadBundle(from, options);
  const items = await loadItemLines(from, bundle.manifest, options.signal ? { signal: options.signal } : {});
  return itemPool(bundle, items);
}

/** A population whose items have names. */
export interface PoolPopulation extends Population {
  /** By position, what an item pool knows the item by. */
  readonly lines: ArrayLike<number>;
}

/**
 * All items of some scenarios, weighted as the benchmark's score weights them.
 * @param wanted - ids, in any order
 * @throws AnchorEvalError `unknown_scenario` for one that the bundle lacks, or that wasn't loaded
 * @example benchmarkPopulation(bundle, ["gsm", "math"]).weights // sum to 1
 */
function benchmarkPopulation(
  bundle: {
    readonly manifest: Pick<Manifest, "scenarios" | "banks">;
    readonly scenarios: ReadonlyMap<string, Pick<BundleScenario, "bank" | "weights" | "scoreMap">>;
  },
  wanted: readonly string[],
): PoolPopulation {
  const { manifest } = bundle;
  const unknown = wanted.filter((id) => !bundle.scenarios.has(id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `this bundle has no scenario ${unknown.join(", ")}, or it wasn't loaded: there are ${[...bundle.scenarios.keys()].join(", ")}`,
    );
  const asked = manifest.scenarios.filter(({ id }) => wanted.includes(id));
  const total = asked.reduce((sum, { weight }) => sum + weight, 0);
  const linked = asked.length > 1 && asked.every(({ id }) => bankOf(manifest, id).prior.loadings !== undefined);
  const priorOf = (id: string) => (linked ? pooledPrior : separatePrior)(bankOf(manifest, id))!;
  let line = 0;
  const scenarios = manifest.scenarios.flatMap(({ id, weight, items }) => {
    const first = line;
    line += items;
    if (!wanted.includes(id)) return [];
    return [{ ...bundle.scenarios.get(id)!, id, prior: priorOf(id), share: weight / total, first }];
  });
  return stackedPopulation(scenarios);
}

export interface StackedScenario extends Omit<Population["scenarios"][number], "begin"> {
  /** Of its items in its own score, summing to 1. */
  readonly weights: ArrayLike<number>;
  /** Of the scenario in the score of all. */
  readonly share: number;
  /** The item pool's line of its first item. */
  readonly first: number;
}

/**
 * Scenarios one after another as one population.
 * @example
 * const scenario = { id: "gsm", bank, prior, weights, share: 1, first: 0, scoreMap: null };
 * stackedPopulation([scenario]).count // bank.count
 */
export function stackedPopulation(scenarios: readonly StackedScenario[]): PoolPopulation {
  const count = scenarios.reduce((sum, { bank }) => sum + bank.count, 0);
  const weights = new Float64Array(count);
  const lines = new Uint32Array(count);
  let end = 0;
  const stacked = scenarios.map(({ id, bank, prior, scoreMap, weights: masses, share, first }) => {
    const begin = end;
    end += bank.count;
    for (let i = 0; i < bank.count; i++) {
      weights[begin + i] = share * masses[i]!;
      lines[begin + i] = first + i;
    }
    return { id, begin, bank, scoreMap, prior };
  });
  return { scenarios: stacked, count, weights, factors: null, lines };
}
