import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import { logit, sigmoid } from "../../../sdk/core/numeric/functions.ts";
import type { RandomSource } from "../../../sdk/core/numeric/random.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import type { WholeScenario } from "../../../sdk/estimate/resolve-answers.ts";

/** Chances of a right answer that an item may have: even steps of its logit, from 1 in 1100 to all but that. */
export const CHANCES: Float64Array = Float64Array.from({ length: 57 }, (_, k) => sigmoid((k - 28) / 4));
/** Answers to one item in several runs of one model. A graded answer counts as that much right and the rest wrong. */
export interface AnswerCounts {
  readonly right: number;
  readonly wrong: number;
}

/** @throws AnchorEvalError `invalid_option` for fewer than two runs */
export function refuseOneRun(baselines: readonly unknown[]): void {
  if (baselines.length < 2)
    throw invalidOption("what differs between runs of one model takes two runs or more: give `baselines`");
}

/** An item that baselines answered, and where its answers are. */
export interface BaselineItem {
  readonly id: string;
  readonly scenario: string;
  readonly place: number;
  readonly counts: AnswerCounts;
  /** Of the overall score, summing to 1: the scenario's share by the design's weights of its answered items. */
  readonly weight: number;
}

/**
 * The items that one baseline or more have answered.
 * @param runs - their scores, per scenario aligned with the anchors
 * @param whole - of each run the scenarios of which all have answered every item, and all count. @default anchors only
 */
export function baselineItems(
  bundle: Bundle,
  form: string,
  runs: readonly ReadonlyMap<string, Float64Array>[],
  whole: readonly ReadonlyMap<string, WholeScenario>[] = [],
): BaselineItem[] {
  const items = scenarioShares(bundle.manifest).flatMap(({ id: scenario, share }) => {
    const { weights, forms } = bundle.scenarios.get(scenario)!;
    const { anchors, itemIds } = forms.get(form)!;
    const all = whole[0]?.get(scenario);
    const masses = all ? weights : anchors.mass;
    const answered = (all?.itemIds ?? itemIds).flatMap((id, place) => {
      const marks = runs
        .map((run, k) => (whole[k]?.get(scenario)?.scores ?? run.get(scenario)!)[place]!)
        .filter((score) => !Number.isNaN(score));
      const right = marks.reduce((sum, score) => sum + score, 0);
      const counts = { right, wrong: marks.length - right };
      return marks.length === 0 ? [] : [{ id, scenario, place, counts, mass: masses[place]! }];
    });
    const total = answered.reduce((sum, { mass }) => sum + mass, 0);
    return answered.map(({ mass, ...item }) => ({ ...item, weight: (share * mass) / total }));
  });
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  return items.map((item) => ({ ...item, weight: item.weight / total }));
}

/**
 * How the chances of a right answer are spread over a model's items: nonparametric maximum likelihood on
 * {@link CHANCES}, by EM from an even spread over logits, G ← weighted mean of the items' posteriors.
 * @param items - one or more
 * @param rounds - of EM; few leave the spread smoother than the likeliest
 * @param weights - of the items, summing to 1: with what drawn items stand for, the spread of the items that they were
 * drawn from. @default all the same
 * @returns weights of the chances, summing to 1
 * @see Kiefer & Wolfowitz (1956), Annals of Mathematical Statistics 27, 887–906; Laird (1978), JASA 73, 805–811
 */
export function learnChances(
  items: readonly AnswerCounts[],
  { rounds = 200, weights }: { readonly rounds?: number; readonly weights?: Float64Array } = {},
): Float64Array {
  const kinds = countedKinds(items, weights).map(({ counts, times }) => ({ likelihood: likelihoodOf(counts), times }));
  const all = weights ? 1 : items.length;
  let spread = new Float64Array(CHANCES.length).fill(1 / CHANCES.length);
  let next = new Float64Array(CHANCES.length);
  for (let round = 0; round < rounds; round++, [spread, next] = [next, spread]) {
    next.fill(0);
    for (const { likelihood, times } of kinds) {
      let total = 0;
      for (let g = 0; g < next.length; g++) total += likelihood[g]! * spread[g]!;
      const share = times / all / total;
      for (let g = 0; g < next.length; g++) next[g]! += likelihood[g]! * spread[g]! * share;
    }
  }
  return spread;
}

/** Rounds of EM for a spread that is little fitted. */
const FEW_ROUNDS = 20;

/**
 * A spread of chances that few items and runs don't fit too well: of {@link FEW_ROUNDS} rounds, mixed with items of even
 * chances. The likeliest spread has a few chances only: items of the same answers would hardly differ.
 * @param evenItems - so many, beside the others
 * @param weights - as `learnChances` takes them
 * @returns weights of the chances, summing to 1
 */
export function smoothSpread(items: readonly AnswerCounts[], evenItems: number, weights?: Float64Array): Float64Array {
  const learned = learnChances(items, { rounds: FEW_ROUNDS, ...(weights && { weights }) });
  const even = CHANCES.map((p) => p * (1 - p)); // an even density of chances, on logits
  const total = even.reduce((sum, weight) => sum + weight, 0);
  const { length } = items;
  return learned.map((weight, g) => (length * weight + (evenItems * even[g]!) / total) / (length + evenItems));
}

/** Items with the same counts once, and how many they are, or how much they weigh. */
export function countedKinds(
  items: readonly AnswerCounts[],
  weights?: Float64Array,
): { counts: AnswerCounts; times: number }[] {
  const kinds = new Map<string, { counts: AnswerCounts; times: number }>();
  items.forEach((counts, i) => {
    const key = `${counts.right} ${counts.wrong}`;
    kinds.set(key, { counts, times: (kinds.get(key)?.times ?? 0) + (weights?.[i] ?? 1) });
  });
  return [...kinds.values()];
}

/** An item's posterior over {@link CHANCES} given its answers. @param spread - of all items' chances */
export function chancePosterior(spread: Float64Array, counts: AnswerCounts): Float64Array {
  const weights = likelihoodOf(counts).map((value, g) => value * spread[g]!);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** The chance that two runs answer an item unlike, 2·E[p(1−p)]. */
export function flipChance(weights: Float64Array): number {
  return weights.reduce((sum, weight, g) => sum + 2 * weight * CHANCES[g]! * (1 - CHANCES[g]!), 0);
}

/** One of {@link CHANCES}, drawn by its weight. */
export function drawChance(weights: Float64Array, random: RandomSource): number {
  let left = random.next();
  for (const [g, weight] of weights.entries()) if ((left -= weight) < 0) return CHANCES[g]!;
  return CHANCES.at(-1)!;
}

/** A chance after its logit fell by `shift`; NaN stays NaN. */
export function shiftedChance(chance: number, shift: number): number {
  return shift === 0 || Number.isNaN(chance) ? chance : sigmoid(logit(chance) - shift);
}

/**
 * The shift of all logits by which the weighted mean of chances falls by `drop`, by bisection; the largest, 14, where none
 * does.
 * @param weights - of the items, summing to 1
 */
export function shiftForDrop(drop: number, chances: Float64Array, weights: Float64Array): number {
  const fall = (shift: number): number =>
    chances.reduce((sum, chance, i) => sum + weights[i]! * (chance - shiftedChance(chance, shift)), 0);
  let [low, high] = [0, 14];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (fall(middle) < drop) low = middle;
    else high = middle;
  }
  return high;
}

function likelihoodOf({ right, wrong }: AnswerCounts): Float64Array {
  const logs = CHANCES.map((p) => right * Math.log(p) + wrong * Math.log1p(-p));
  const most = Math.max(...logs);
  return logs.map((log) => Math.exp(log - most));
}
