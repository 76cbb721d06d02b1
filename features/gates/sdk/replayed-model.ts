import { commonWhole, resolveModels } from "../../compare/sdk/common-answers.ts";
import { namedRuns } from "../../compare/sdk/check-from-anchors.ts";
import type { CheckOptions } from "../../compare/sdk/check-types.ts";
import type { ComparedModel } from "../../compare/sdk/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { createRandom, type RandomSource } from "../../../sdk/core/numeric/random.ts";
import { type BaselineItem, baselineItems, CHANCES, chancePosterior, drawChance, learnChances, refuseOneRun, shiftedChance, shiftForDrop } from "./item-chances.ts"; // prettier-ignore

/** A baseline's own model, of which nights are replayed: its items, and what is known of each one's chance. */
export type ReplayedModel = ReturnType<typeof replayedModel>;

/** Items that a spread is learned from at least, spreads at most, and draws of each: docs/decisions/comparisons.md. */
const [FEWEST, MOST_SPREADS, DRAWS] = [12, 8, 100];

/**
 * Each item's chance of a right answer has a posterior given the runs, under a distribution of chances that is learned from
 * items of like weight (`learnChances`): by all alike, a form's items that weigh much would be replayed as flipping as often
 * as those that were drawn for it, and a score of the baseline's would seem a lucky one. What the runs leave open of a
 * distribution is drawn too, by random weights of its items (Rubin 1981, Annals of Statistics 9, 130–134).
 * Scenarios of which every run has all items count whole, as in a check.
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two runs
 */
export function replayedModel(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  { seed, ...options }: Pick<CheckOptions, "form" | "onChangedItem"> & { readonly seed: number },
) {
  refuseOneRun(baselines);
  const { scores, form, whole: answered } = resolveModels(bundle, baselines, namedRuns(baselines, "baseline"), options);
  const whole = commonWhole(answered);
  const items = baselineItems(bundle, form, scores, whole);
  const groups = alikeItems(items);
  const random = createRandom(seed).fork("spreads of chances");
  const draws = Array.from({ length: DRAWS }, () => drawPosteriors(items, groups, random));
  const spreads = draws.map((posteriors) => {
    const spread = new Float64Array(CHANCES.length);
    posteriors.forEach((posterior, i) => posterior.forEach((share, g) => (spread[g]! += items[i]!.weight * share)));
    return spread;
  });
  return { scores, form, whole, items, draws, spreads };
}

/** Places of items, those of about the same weight together. */
function alikeItems(items: readonly BaselineItem[]): number[][] {
  const sorted = items.map(({ weight }) => weight).sort((a, b) => a - b);
  const count = Math.max(1, Math.min(MOST_SPREADS, Math.floor(items.length / FEWEST)));
  const groups = Array.from({ length: count }, (): number[] => []);
  const bounds = groups.map((_, k) => sorted[Math.floor((k * items.length) / count)]! * (1 - 1e-9));
  items.forEach(({ weight }, i) => groups[bounds.findLastIndex((bound) => weight >= bound)]!.push(i));
  return groups;
}

/** The items' posteriors under spreads of randomly weighted items. */
function drawPosteriors(items: readonly BaselineItem[], groups: readonly number[][], random: RandomSource) {
  const posteriors = new Array<Float64Array>(items.length);
  for (const places of groups) {
    const weights = Float64Array.from(places, () => -Math.log(1 - random.next()));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const answers = places.map((i) => items[i]!.counts);
    const spread = learnChances(answers, { weights: weights.map((weight) => weight / total) });
    const kinds = new Map<string, Float64Array>();
    answers.forEach((counts, j) => {
      const kind = `${counts.right} ${counts.wrong}`;
      if (!kinds.has(kind)) kinds.set(kind, chancePosterior(spread, counts));
      posteriors[places[j]!] = kinds.get(kind)!;
    });
  }
  return posteriors;
}

/** The shifts of all logits by which the mean score of such models falls, one for each draw. @param drop - a fraction */
export function dropShifts({ spreads }: ReplayedModel, drop: number): number[] {
  return spreads.map((spread) => (drop === 0 ? 0 : shiftForDrop(drop, CHANCES, spread)));
}

/** One draw of what the items' chances may be, and of what they are after a drop. @param shifts - from {@link dropShifts} */
export function drawChances({ draws }: ReplayedModel, shifts: readonly number[], random: RandomSource) {
  const draw = random.below(draws.length);
  const before = Float64Array.from(draws[draw]!, (posterior) => drawChance(posterior, random));
  return { before, after: before.map((chance) => shiftedChance(chance, shifts[draw]!)) };
}

/** Mean of an item's answers in some runs. */
export function meanOfRuns(chance: number, runs: number, random: RandomSource): number {
  let right = 0;
  for (let run = 0; run < runs; run++) if (random.next() < chance) right++;
  return right / runs;
}
