import { inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import type {
  AnchorInput,
  AnchorMethod,
  SampleCoordination,
} from "../../../offline-trainer/src/anchors/anchor-method.ts";

/** Ids of the anchors that are still items, and the number of all anchors. */
export interface KeptAnchors {
  readonly kept: ReadonlySet<string>;
  readonly of: number;
}

export interface EarlierAnchors {
  readonly anchors: ReadonlyMap<string, ReadonlyMap<string, KeptAnchors>>;
  /** Ids of the items that weren't in the earlier version, and so couldn't be anchors. */
  readonly fresh: ReadonlySet<string>;
}

/**
 * A method that keeps an earlier version's anchors where it can, in a bundle's forms: folds draw without. Only methods that
 * draw nested samples are changed.
 */
export function keepAnchors(method: AnchorMethod, earlier: EarlierAnchors): AnchorMethod {
  return {
    ...method,
    prepare: (input) =>
      method.prepare(input.final ? { ...input, coordination: coordinateWith(earlier, input) } : input),
  };
}

function coordinateWith(
  { anchors, fresh }: EarlierAnchors,
  { scenario, items }: Pick<AnchorInput, "scenario" | "items">,
): SampleCoordination {
  const place = new Map(items.map(({ item_id: id }, i) => [id, i]));
  const forms = [...(anchors.get(scenario)?.values() ?? [])];
  return coordinateSamples({
    kept: new Map(forms.map(({ kept, of }) => [of, new Set(Array.from(kept, (id) => place.get(id)!))])),
    fresh: Uint8Array.from(items, ({ item_id: id }) => Number(fresh.has(id))),
  });
}

/**
 * Coordination of nested samples with earlier ones. The earlier sizes are drawn too, so that a size that they hadn't lies
 * between those that they had, and contains the next smaller one's anchors.
 * @param earlier - anchors by position, by number of anchors; and 1 for an item that couldn't be an anchor
 */
export function coordinateSamples(earlier: {
  readonly kept: ReadonlyMap<number, ReadonlySet<number>>;
  readonly fresh: Uint8Array;
}): SampleCoordination {
  const { kept, fresh } = earlier;
  const sizes = [...kept.keys()];
  return {
    sizes,
    begin: () => (pool, probabilities, size) => {
      const smaller = sizes.filter((before) => before <= size);
      if (smaller.length === 0) return probabilities;
      const larger = sizes.filter((before) => before > size && before < fresh.length);
      const outer = larger.length === 0 ? null : kept.get(Math.min(...larger))!;
      const isOpen = (item: number): boolean => (outer ? !outer.has(item) : fresh[item] === 1);
      return keepSampled(pool, probabilities, kept.get(Math.max(...smaller))!, isOpen);
    },
  };
}

/**
 * Probabilities of a draw that keeps earlier anchors where it can (positive coordination of samples). Items that couldn't
 * be anchors then are drawn with their own π; anchors stay; lost ones are replaced by items near them, in the same run of
 * total probability 1. Where too few places are left for the new items, anchors make room with equal chances. Over both
 * draws every item has its π, assuming that anchors are lost by chance alone.
 * @param pool - items in the order that samples are spread along
 * @param probabilities - π of the pool's items; their sum is whole
 * @param kept - earlier anchors @param isOpen - whether an item couldn't be one
 * @returns probabilities with the same sum
 * @see Keyfitz (1951), Journal of the American Statistical Association 46, 105–109; Ernst (1999), ISI Bulletin 52
 */
export function keepSampled(
  pool: readonly number[],
  probabilities: Float64Array,
  kept: ReadonlySet<number>,
  isOpen: (item: number) => boolean,
): Float64Array {
  const size = Math.round(probabilities.reduce((sum, probability) => sum + probability, 0));
  const positions = Array.from(pool.keys());
  const stays = new Set(positions.filter((k) => kept.has(pool[k]!)));
  const fresh = new Set(positions.filter((k) => !stays.has(k) && isOpen(pool[k]!)));
  const expected = Array.from(fresh).reduce((sum, k) => sum + probabilities[k]!, 0);
  const out = new Float64Array(pool.length);
  const places = size - stays.size;
  if (places <= expected) {
    for (const k of fresh) out[k] = probabilities[k]!;
    for (const k of stays) out[k] = (size - expected) / stays.size;
    return out;
  }
  for (const k of stays) out[k] = 1;
  const gaps = replacementWeights(probabilities, stays, fresh);
  const sum = gaps.reduce((total, gap) => total + gap, 0);
  const near = positions.filter((k) => fresh.has(k) || gaps[k]! > 0);
  const rest = near.length >= places ? near : positions.filter((k) => !stays.has(k));
  const weights = Float64Array.from(rest, (k) =>
    gaps[k]! > 0 ? (gaps[k]! / sum) * (places - expected) : Math.max(probabilities[k]!, 1e-12),
  );
  inclusionProbabilities(weights, places).forEach((probability, j) => (out[rest[j]!] = probability));
  return out;
}

/** For items that weren't anchors but could have been: π times the shortfall of their run of total probability 1. */
function replacementWeights(
  probabilities: Float64Array,
  stays: ReadonlySet<number>,
  fresh: ReadonlySet<number>,
): Float64Array {
  const mass = new Map<number, { free: number; lacks: number }>();
  let passed = 0;
  const runs = Array.from(probabilities, (probability, k) => {
    const run = Math.floor(passed + probability / 2);
    passed += probability;
    const at = mass.get(run) ?? { free: 0, lacks: 0 };
    mass.set(run, at);
    if (stays.has(k)) at.lacks += probability - 1;
    else if (!fresh.has(k)) {
      at.lacks += probability;
      at.free += probability;
    }
    return run;
  });
  const isCandidate = (k: number): boolean => !stays.has(k) && !fresh.has(k);
  const out = probabilities.map((probability, k) => {
    const { free, lacks } = mass.get(runs[k]!)!;
    return isCandidate(k) ? (probability / free) * Math.max(0, lacks) : 0;
  });
  return out.some((probability) => probability > 0)
    ? out
    : probabilities.map((probability, k) => (isCandidate(k) ? probability : 0));
}
