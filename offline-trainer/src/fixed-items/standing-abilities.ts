import { itemBank, mapAbility, type AbilityPrior } from "anchoreval/core";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { KnownParameters } from "./known-parameters.ts";

/** Scores as they are calibrated: 0 and 1 by the base's threshold, or as they are; NaN where missing; M×N. */
export function calibratedAnswers(
  { matrix, scenarios }: Omit<ScenarioGroup, "families">,
  thresholds: readonly (number | null)[],
): Float64Array {
  const count = matrix.items.length;
  const answers = new Float64Array(matrix.subjects.length * count).fill(NaN);
  scenarios.forEach(({ begin, count: size }, s) => {
    const threshold = thresholds[s] ?? null;
    for (let m = 0; m < matrix.subjects.length; m++)
      for (let i = begin; i < begin + size; i++) {
        const score = scoreAt(matrix, m, i);
        answers[m * count + i] = threshold === null || Number.isNaN(score) ? score : Number(score > threshold);
      }
  });
  return answers;
}

/** Abilities by the answers to standing items; `known` is 0 for models without any. */
export function standingAbilities(
  answers: Float64Array,
  { is, a, b }: KnownParameters,
  dims: number,
  models: number,
): { values: Float64Array; known: Uint8Array } {
  const count = is.length;
  const stand = Array.from(is.keys()).filter((i) => is[i]);
  const bank = itemBank(
    Float64Array.from(stand.flatMap((i) => Array.from(a.subarray(i * dims, (i + 1) * dims)))),
    Float64Array.from(stand, (i) => b[i]!),
  );
  const prior = standardNormal(dims);
  const values = new Float64Array(models * dims);
  const known = new Uint8Array(models);
  for (let m = 0; m < models; m++) {
    const scores = stand.map((i) => answers[m * count + i]!);
    const items = scores.flatMap((score, j) => (Number.isNaN(score) ? [] : [j]));
    if (items.length === 0) continue;
    known[m] = 1;
    values.set(mapAbility(bank, { items, scores: items.map((j) => scores[j]!) }, prior).theta, m * dims);
  }
  return { values, known };
}

/** N(0, I), the prior of abilities in every calibration. */
export function standardNormal(dims: number): AbilityPrior {
  const precision = new Float64Array(dims * dims);
  for (let d = 0; d < dims; d++) precision[d * (dims + 1)] = 1;
  return { mean: new Float64Array(dims), precision };
}
