import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import type { Scenario } from "../matrix/benchmark.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import { mean } from "../numeric/statistics.ts";
import { type CalibratedScenario, dimsFor, fitBank, type FitBankOptions } from "./bank.ts";
import { cardSeconds } from "./calibration-work.ts";
import { DISCRIMINATION_SHRINKAGE } from "./scales.ts";
import type { CalibrationBackend } from "./types.ts";

/** Dimensions that `auto` tries. */
export const DIMENSION_CANDIDATES: readonly number[] = [1, 2, 3, 5];

/** Dimensions that `auto` goes on to on a device, half as many again each: candidates closer by differ less than by chance. */
const FURTHER_CANDIDATES: readonly number[] = [8, 12, 18, 27, 40];

/** One source in so many is held out: the training notebook's rule (Maia Polo et al., 2024). */
const HELD_OUT = 5;

/** Seconds of a cheap candidate. Chosen, not measured: a fit of six scenarios, with its folds, tries one some forty times. */
const CHEAP_SECONDS = 1;

/** CPU seconds of a held-out model's ability, an answer: measured on 2388 answers in 12 to 40 dimensions. */
const abilitySeconds = (dims: number): number => 1e-6 + 4e-9 * dims ** 2;

/**
 * Dimensions of a scenario that `auto` goes on to where a device does whole rounds, to their end, and neither that nor the
 * abilities of held-out models take long. It goes by sizes alone: a slower card tries the same.
 */
export function furtherCandidates(
  { openOptimizer, finish }: Pick<CalibrationBackend, "openOptimizer" | "finish">,
  { models, items }: { readonly models: number; readonly items: number },
): number[] {
  if (openOptimizer === undefined || finish !== undefined) return [];
  return FURTHER_CANDIDATES.filter((dims) => {
    const card = cardSeconds({ models, items, dims, scenarios: 1, calibrations: 1 });
    return card + (models / HELD_OUT) * (items / 2) * abilitySeconds(dims) <= CHEAP_SECONDS;
  });
}

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
 * @param asked - numbers of dimensions, those that are too many for the models left out; `auto`: {@link DIMENSION_CANDIDATES},
 *   and {@link furtherCandidates}, each where the one before it was the best
 * @param options - with every model's replicate group: a group is held out together
 * @returns the candidate of least error, and all errors; no choice (the least) below ten models
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
export async function chooseDimension(
  scenario: Scenario,
  rows: readonly number[],
  asked: "auto" | readonly number[],
  options: Omit<FitBankOptions, "dims" | "shrinkage"> & { readonly replicates: ArrayLike<number> },
): Promise<{ dims: number; dimensionErrors: DimensionError[] }> {
  const groups = [...new Set(rows.map((m) => options.replicates[m]!))];
  const candidates = asked === "auto" ? DIMENSION_CANDIDATES : asked;
  const least = Math.min(...candidates);
  if (groups.length < 10) return { dims: dimsFor(least, rows.length), dimensionErrors: [] };
  const isHeld = new Set(groups.filter((_, order) => order % HELD_OUT === 0));
  const [held, kept] = [true, false].map((side) => rows.filter((m) => isHeld.has(options.replicates[m]!) === side));
  const random = options.random.fork("dimension");
  const errors: DimensionError[] = [];
  const isPossible = (dims: number): boolean => dimsFor(dims, kept!.length) === dims;
  const judge = async (dims: number): Promise<void> => {
    const trained = await fitBank(scenario, kept!, {
      ...options,
      dims,
      shrinkage: DISCRIMINATION_SHRINKAGE,
      random: random.fork(`${dims} dimensions`),
    });
    errors.push({ dims, error: validationError(scenario, held!, trained) });
  };
  const best = (): DimensionError =>
    errors.reduce((before, candidate) => (candidate.error < before.error ? candidate : before));
  const possible = candidates.filter(isPossible);
  for (const dims of possible.length > 0 ? possible : [dimsFor(least, kept!.length)]) await judge(dims);
  if (asked === "auto") {
    const size = { models: rows.length, items: scenario.count };
    for (const dims of furtherCandidates(options.backend, size).filter(isPossible)) {
      if (best() !== errors.at(-1)) break;
      await judge(dims);
    }
  }
  return { dims: best().dims, dimensionErrors: errors };
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
