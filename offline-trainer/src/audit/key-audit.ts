import type { FittedAnswers } from "./fitted-answers.ts";
import { keyCurves, type CurveTable } from "./key-curves.ts";
import { keyPosteriors, type KeyPosterior } from "./key-posterior.ts";
import { familyWeights, meanLikeness, residualLikeness } from "./family-weights.ts";

/** Groups of models of like ability. */
const GROUPS = 20;
/** Nats below the likeliest curve at which a curve counts for nothing: past what float32 holds. */
const NOTHING = 100;
/**
 * How likely it is that an item's key is wrong: how well curves that rise, fall, stay or turn explain its answers, as
 * posterior probabilities over kinds ({@link keyPosteriors}). It reads the answers beside the models' general ability,
 * not the item's own fitted curve, which would follow them.
 *
 * Models of one family count for less, the more alike they answer the item beyond their ability: they are no
 * independent witnesses ({@link familyWeights}).
 * @param items - of one scenario, as indices
 * @param general - the models' general ability there
 * @param families - family of every model, numbered from 0
 * @returns aligned with `items`
 */
export function keyAudit(
  answers: FittedAnswers,
  items: readonly number[],
  general: Float64Array,
  families: Int32Array,
): KeyPosterior[] {
  const { models, signs } = answers;
  const { group, centres } = abilityGroups(general);
  const curves = keyCurves(centres);
  const width = curves.places.length;
  const answersOf = (item: number): Int8Array => signs.subarray(item * models, (item + 1) * models);
  const likelihood = new Float64Array(width);
  const fill = (item: number, weights?: Float64Array): void => {
    const right = new Float64Array(centres.length);
    const wrong = new Float64Array(centres.length);
    for (let m = 0; m < models; m++) {
      const sign = signs[item * models + m]!;
      if (sign !== 0) (sign > 0 ? right : wrong)[group[m]!]! += weights ? weights[m]! : 1;
    }
    logLikelihoods(curves, right, wrong, likelihood);
  };
  const related = new Set(families).size < models;
  const alike = related
    ? items.map((item) => {
        fill(item);
        const best = monotoneBest(curves, likelihood) * centres.length;
        const p = Float64Array.from(group, (g) => Math.exp(curves.right[best + g]!));
        return residualLikeness(answersOf(item), p, families);
      })
    : [];
  const mean = meanLikeness(alike);
  const rows = new Float32Array(items.length * width);
  items.forEach((item, k) => {
    if (related) fill(item, familyWeights(alike[k]!, mean, answersOf(item), families));
    else fill(item);
    let most = -Infinity;
    for (let c = 0; c < width; c++) most = Math.max(most, likelihood[c]!);
    for (let c = 0; c < width; c++)
      if (likelihood[c]! > most - NOTHING) rows[k * width + c] = Math.exp(likelihood[c]! - most);
  });
  return keyPosteriors(rows, curves);
}

/** Models in groups of equal size by ability, and each group's mean. */
function abilityGroups(general: Float64Array): { group: Int32Array; centres: Float64Array } {
  const models = general.length;
  const order = Array.from(general.keys()).sort((x, y) => general[x]! - general[y]! || x - y);
  const groups = Math.min(GROUPS, models);
  const group = new Int32Array(models);
  const centres = new Float64Array(groups);
  const sizes = new Float64Array(groups);
  order.forEach((m, rank) => {
    const g = Math.floor((rank * groups) / models);
    group[m] = g;
    centres[g]! += general[m]!;
    sizes[g]!++;
  });
  return { group, centres: centres.map((sum, g) => sum / sizes[g]!) };
}

function logLikelihoods(curves: CurveTable, right: Float64Array, wrong: Float64Array, out: Float64Array): void {
  const groups = right.length;
  for (let c = 0, at = 0; c < out.length; c++) {
    let sum = 0;
    for (let g = 0; g < groups; g++, at++) sum += right[g]! * curves.right[at]! + wrong[g]! * curves.wrong[at]!;
    out[c] = sum;
  }
}

/** The likeliest of the curves that only rise or only fall, which stand first. */
function monotoneBest({ counts }: CurveTable, likelihood: Float64Array): number {
  let best = 0;
  for (let c = 1; c < counts[0]! + counts[1]!; c++) if (likelihood[c]! > likelihood[best]!) best = c;
  return best;
}
