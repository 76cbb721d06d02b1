import { commonWhole, resolveModels } from "../../compare/sdk/common-answers.ts";
import { namedRuns } from "../../compare/sdk/check-from-anchors.ts";
import type { CheckOptions } from "../../compare/sdk/check-types.ts";
import type { ComparedModel } from "../../compare/sdk/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import type { RandomSource } from "../../../sdk/core/numeric/random.ts";
import { baselineItems, chancePosterior, drawChance, learnChances, refuseOneRun, shiftedChance, shiftForDrop } from "./item-chances.ts"; // prettier-ignore

/** A baseline's own model, of which nights are replayed: its items, and what is known of each one's chance. */
export type ReplayedModel = ReturnType<typeof replayedModel>;

/**
 * Each item's chance of a right answer has a posterior given the runs, under a distribution of chances that is learned from
 * all items (`learnChances`). Scenarios of which every run has all items count whole, as in a check.
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two runs
 */
export function replayedModel(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  options: Pick<CheckOptions, "form" | "onChangedItem">,
) {
  refuseOneRun(baselines);
  const { scores, form, whole: answered } = resolveModels(bundle, baselines, namedRuns(baselines, "baseline"), options);
  const whole = commonWhole(answered);
  const items = baselineItems(bundle, form, scores, whole);
  const spread = learnChances(items.map(({ counts }) => counts));
  return { scores, form, whole, items, posteriors: items.map(({ counts }) => chancePosterior(spread, counts)) };
}

/** One draw of what the items' chances may be. */
export function drawChances({ posteriors }: ReplayedModel, random: RandomSource): Float64Array {
  return Float64Array.from(posteriors, (posterior) => drawChance(posterior, random));
}

/** Chances after all logits fell by as much as makes the drop of the score. @param drop - a fraction */
export function worseChances({ items }: ReplayedModel, chances: Float64Array, drop: number): Float64Array {
  if (drop === 0) return chances;
  const masses = new Map<number, number>(); // there are few chances, and many items
  chances.forEach((chance, i) => masses.set(chance, (masses.get(chance) ?? 0) + items[i]!.weight));
  const shift = shiftForDrop(drop, Float64Array.from(masses.keys()), Float64Array.from(masses.values()));
  return chances.map((chance) => shiftedChance(chance, shift));
}

/** Mean of an item's answers in some runs. */
export function meanOfRuns(chance: number, runs: number, random: RandomSource): number {
  let right = 0;
  for (let run = 0; run < runs; run++) if (random.next() < chance) right++;
  return right / runs;
}
