import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { scoreAt } from "../matrix/response-matrix.ts";
import { mean } from "../numeric/statistics.ts";
import { type CalibratedScenario, dimsFor, fitBank, type FitBankOptions } from "./bank.ts";
import type { Scenario } from "../matrix/benchmark.ts";
import { DISCRIMINATION_SHRINKAGE } from "./scales.ts";

export const DIMENSION_CANDIDATES = [1, 2, 3, 5] as const;

/** A candidate's validation error: mean absolute error of the mean prediction, a fraction. */
export interface DimensionError {
  readonly dims: number;
  readonly error: number;
}

/**
 * Chooses the number of dimensions by held-out models: every fifth source (replicates count as one) is held out, its
 * ability is estimated on the even items, and the weighted mean prediction on the odd items is compared with the truth
 * there. The notebook's rule with its faults mended: abilities have the prior, weights are
 * normalised over the items that are compared, missing answers are left out.
 * @param rows - the source models; no other's answers are read
 * @param options - with every model's replicate group: a group is held out together
 * @returns the candidate of least error, and all errors; no choice (1 dimension) below ten models
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
export async function chooseDimension(
  scenario: Scenario,
  rows: readonly number[],
  options: Omit<FitBankOptions, "dims" | "shrinkage"> & { readonly replicates: ArrayLike<number> },
): Promise<{ dims: number; dimensionErrors: DimensionError[] }> {
  const groups = [...new Set(rows.map((m) => options.replicates[m]!))];
  if (groups.length < 10) return { dims: 1, dimensionErrors: [] };
  const isHeld = new Set(groups.filter((_, order) => order % 5 === 0));
  const [held, kept] = [true, false].map((side) => rows.filter((m) => isHeld.has(options.replicates[m]!) === side));
  const random = options.random.fork("dimension");
  const errors: DimensionError[] = [];
  for (const dims of DIMENSION_CANDIDATES) {
    if (dimsFor(dims, kept!.length) !== dims) continue;
    const trained = await fitBank(scenario, kept!, {
      ...options,
      dims,
      shrinkage: DISCRIMINATION_SHRINKAGE,
      random: random.fork(`${dims} dimensions`),
    });
    errors.push({ dims, error: validationError(scenario, held!, trained) });
  }
  const best = errors.reduce((least, candidate) => (candidate.error < least.error ? candidate : least));
  return { dims: best.dims, dimensionErrors: errors };
}

/**
 * How well a calibration predicts held-out models: abilities from the even items, then the mean over models of the weighted
 * mean prediction's absolute error on the odd items.
 * @returns a fraction; Infinity where no model can be compared
 */
function validationError(
  { matrix, weights }: Pick<Scenario, "matrix" | "weights">,
  held: readonly number[],
  { bank, scoreMap, abilities }: CalibratedScenario,
): number {
  const prior = scaledPrior(abilities.mean, abilities.covariance, 2); // half of all items are answered: the scale hardly matters
  const gaps: number[] = [];
  const even = Array.from({ length: Math.ceil(bank.count / 2) }, (_, k) => 2 * k);
  for (const model of held) {
    const gathered = gatherItems({ bank, items: even, scores: even.map((i) => scoreAt(matrix, model, i)) });
    if (gathered === null) continue;
    const predicted = predictedScores(mapAbility(gathered.bank, gathered, prior).theta, bank, scoreMap);
    let gap = 0;
    let mass = 0;
    for (let i = 1; i < bank.count; i += 2) {
      const score = scoreAt(matrix, model, i);
      if (Number.isNaN(score)) continue;
      gap += weights[i]! * (predicted[i]! - score);
      mass += weights[i]!;
    }
    if (mass > 0) gaps.push(Math.abs(gap / mass));
  }
  return gaps.length > 0 ? mean(gaps) : Infinity;
}
