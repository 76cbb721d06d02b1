import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { numbers, mean } from "../numeric/statistics.ts";
import type { FullScores } from "./scenarios.ts";

/** Models that are learned from, and models that are held out and estimated. Row numbers, ascending. */
export interface Split {
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/** Groups of the models, and which of them may be targets. */
export interface SplitInput {
  /** Replicate group of every model; a group is never on both sides. */
  readonly groups: ArrayLike<number>;
  /** Models observed well enough to be targets (98 % of the weight). */
  readonly eligible: readonly boolean[];
}

/** A split, and each scenario's part of it: sources with a score in it, and targets that are well enough observed. */
export interface BenchmarkSplit extends Split {
  readonly scenarios: readonly Split[];
}

/** Share of the models that are targets. */
const HELD_OUT = 0.25;

/** Shares of the models that are sources and targets where targets are stronger. */
const EXTRAPOLATION = { weakest: 0.5, strongest: 0.3 };

/** A random quarter of the models are targets, replicates together; the same quarter for every scenario. */
export function interpolationSplit(input: SplitInput, random: RandomSource): Split {
  const wanted = Math.max(1, Math.round(HELD_OUT * input.groups.length));
  const held = new Set<number>();
  let count = 0;
  for (const [group, size] of shuffledGroups(input, random)) {
    if (count >= wanted) break;
    held.add(group);
    count += size;
  }
  return splitByGroups(input, held);
}

/** The models dealt into k parts, each held out once, replicates together. */
export function folds(input: SplitInput, k: number, random: RandomSource): Split[] {
  const parts = Array.from({ length: k }, () => ({ groups: new Set<number>(), count: 0 }));
  for (const [group, size] of shuffledGroups(input, random)) {
    const smallest = parts.reduce((least, part) => (part.count < least.count ? part : least));
    smallest.groups.add(group);
    smallest.count += size;
  }
  return parts
    .map((part) => splitByGroups(input, part.groups))
    .filter((split) => split.targets.length > 0 && split.sources.length > 0);
}

/** The groups in random order, each with its number of models. */
function shuffledGroups({ groups }: SplitInput, random: RandomSource): (readonly [group: number, size: number])[] {
  const sizes = new Map<number, number>();
  for (const group of Array.from(groups)) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  return random.shuffle([...sizes]);
}

/** Held-out groups give the targets; the rest are sources. A model of a held-out group that can't be a target is neither. */
export function splitByGroups({ groups, eligible }: SplitInput, held: ReadonlySet<number>): Split {
  const sources: number[] = [];
  const targets: number[] = [];
  for (let m = 0; m < groups.length; m++) {
    if (!held.has(groups[m]!)) sources.push(m);
    else if (eligible[m]) targets.push(m);
  }
  return { sources, targets };
}

/**
 * Sources are the weakest half by score, targets the strongest 30 %; ties by hashed name. A source that replicates a
 * target is dropped.
 * @param scores - full scores; models without one are sources' neighbours of nobody, and left out
 * @param shares - other shares of the models that have a score
 */
export function extrapolationSplit(
  input: SplitInput & { readonly scores: ArrayLike<number>; readonly names: readonly string[] },
  shares: (models: number) => { readonly weakest: number; readonly strongest: number } = () => EXTRAPOLATION,
): Split {
  const { scores, names, groups, eligible } = input;
  const hash = names.map((name) => sha256Text(name));
  const ranked = [...names.keys()]
    .filter((m) => !Number.isNaN(scores[m]!))
    .sort((x, y) => scores[x]! - scores[y]! || (hash[x]! < hash[y]! ? -1 : 1));
  const share = shares(ranked.length);
  const weakest = ranked.slice(0, Math.floor(share.weakest * ranked.length));
  const strongest = ranked
    .slice(ranked.length - Math.round(share.strongest * ranked.length))
    .filter((m) => eligible[m]);
  const held = new Set(strongest.map((m) => groups[m]!));
  const side = (models: number[]): number[] => models.sort((x, y) => x - y);
  return { sources: side(weakest.filter((m) => !held.has(groups[m]!))), targets: side(strongest) };
}

/**
 * The newest quarter of the models are targets, as the tinyBenchmarks notebooks have it; a source that replicates a
 * target is dropped.
 * @param dates - any sortable text, one a model; without them the file's last rows are the newest
 */
export function newestSplit(input: SplitInput, dates: readonly string[] | null): Split {
  const count = input.groups.length;
  const order = Array.from({ length: count }, (_, m) => m);
  if (dates) order.sort((x, y) => (dates[x]! < dates[y]! ? -1 : dates[x]! > dates[y]! ? 1 : x - y));
  const newest = new Set(order.slice(count - Math.max(1, Math.round(HELD_OUT * count))));
  const { sources } = splitByGroups(input, new Set([...newest].map((m) => input.groups[m]!)));
  return { sources, targets: [...newest].filter((m) => input.eligible[m]).sort((x, y) => x - y) };
}

/** Share of every scenario's weight that a target must have observed, to have a full score. */
export const TARGET_OBSERVED = 0.98;

/** The same of source models that are held out within a fit: below {@link TARGET_OBSERVED}, of what they answered alone. */
export const HELD_OUT_OBSERVED = 0.3;

/** Rounding of an observed share, a sum of weights. */
const ROUNDING = 1e-9;

/** Whether a model has a full score. @param observed - share of a scenario's weight */
export function isWhole(observed: number): boolean {
  return observed >= TARGET_OBSERVED - ROUNDING;
}

/** Which models are observed well enough in all scenarios to be targets. */
export function eligibleTargets(
  scenarios: readonly Pick<FullScores, "observed">[],
  least: number = TARGET_OBSERVED,
): boolean[] {
  return Array.from(scenarios[0]!.observed, (_, m) =>
    scenarios.every(({ observed }) => observed[m]! >= least - ROUNDING),
  );
}

/**
 * How strong every model is over some scenarios: the mean of its full scores, each less the models' mean and in units of
 * their standard deviation, over the scenarios that it has. By one scenario the order is that of the scores.
 * @returns one a model; NaN for a model without any score
 */
export function strength(scenarios: readonly Pick<FullScores, "score">[]): Float64Array {
  const standard = scenarios.map(({ score }) => {
    const seen = numbers(score);
    const middle = mean(seen);
    const variance = mean(seen.map((value) => (value - middle) ** 2));
    return score.map((value) => (value - middle) / Math.sqrt(Math.max(variance, 1e-12)));
  });
  return scenarios[0]!.score.map((_, m) => mean(numbers(standard.map((scores) => scores[m]!))));
}
