import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { type Split } from "../matrix/splits.ts";
import { sourceSplits } from "../matrix/source-splits.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import { mean } from "../numeric/statistics.ts";
import { dimsFor, fitBank, type Bank, type FitBankOptions } from "./bank.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import { DISCRIMINATION_SHRINKAGE } from "./scales.ts";

/** The response model asked for or chosen, and the candidates' errors where the dimension was chosen. */
export interface ChosenModel extends Pick<FitBankOptions, "dims" | "shrinkage"> {
  readonly dimensionErrors: readonly DimensionError[];
}

/** Parts of a response model; those that are `auto` are chosen by the source models. */
type WantedModel = { readonly [Part in "dims" | "shrinkage"]: FitBankOptions[Part] | "auto" };

export interface ChoiceOptions extends Omit<FitBankOptions, "dims" | "shrinkage"> {
  /** Replicate group of every model: a group is held out together. */
  readonly replicates: ArrayLike<number>;
}

/**
 * Chooses what is left to the data, one after the other: the number of dimensions, the shrinkage. A number of dimensions is
 * taken as far as the models allow it.
 * @param rows - the source models; no other's answers are read
 */
export async function chooseModel(
  group: ScenarioGroup,
  rows: readonly number[],
  wanted: WantedModel,
  options: ChoiceOptions,
): Promise<ChosenModel> {
  const { dims, errors } =
    wanted.dims === "auto"
      ? await chooseDimension(group, rows, options)
      : { dims: dimsFor(wanted.dims, rows.length), errors: [] };
  const shrinkage =
    wanted.shrinkage === "auto" ? await chooseShrinkage(group, rows, { ...options, dims }) : wanted.shrinkage;
  return { dims, shrinkage, dimensionErrors: errors };
}

export const DIMENSION_CANDIDATES = [1, 2, 3, 5] as const;

/** A candidate's validation error: mean absolute error of the mean prediction, a fraction. */
export interface DimensionError {
  readonly dims: number;
  readonly error: number;
}

/**
 * Chooses the number of dimensions by held-out models: every fifth source (replicates count as one) is held out, its
 * ability is estimated on the even items, and the weighted mean prediction on the odd items is compared with the truth
 * there; scenarios count the same. The notebook's rule with its faults mended: abilities have the prior, weights are
 * normalised over the items that are compared, missing answers are left out.
 * @returns the candidate of least error, and all errors; no choice (1 dimension) below ten models
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
async function chooseDimension(
  group: ScenarioGroup,
  rows: readonly number[],
  options: ChoiceOptions,
): Promise<{ dims: number; errors: DimensionError[] }> {
  const groups = [...new Set(rows.map((m) => options.replicates[m]!))];
  if (groups.length < 10) return { dims: 1, errors: [] };
  const isHeld = new Set(groups.filter((_, order) => order % 5 === 0));
  const [held, kept] = [true, false].map((side) => rows.filter((m) => isHeld.has(options.replicates[m]!) === side));
  const random = options.random.fork("dimension");
  const errors: DimensionError[] = [];
  for (const dims of DIMENSION_CANDIDATES) {
    if (dimsFor(dims, kept!.length) !== dims) continue;
    const trained = await fitBank(group, kept!, {
      ...options,
      dims,
      shrinkage: DISCRIMINATION_SHRINKAGE,
      random: random.fork(`${dims} dimensions`),
    });
    errors.push({ dims, error: validationError(group, held!, trained) });
  }
  const best = errors.reduce((least, candidate) => (candidate.error < least.error ? candidate : least));
  return { dims: best.dims, errors };
}

export const SHRINKAGE_CANDIDATES = [0.125, 0.25, 0.5, 1] as const;

/** Source models below which there is no choice. */
const LEAST_MODELS = 20;

/**
 * The share of the learned variance of discriminations that is kept: the candidate of least error on held-out sources,
 * like the others and stronger: two random fifths, and the strongest by the weakest; the geometric mean of both
 * kinds, since discriminations that are too large do no harm among like models.
 * @returns the default for fewer than twenty models
 */
async function chooseShrinkage(
  group: ScenarioGroup,
  rows: readonly number[],
  options: ChoiceOptions & Pick<FitBankOptions, "dims">,
): Promise<number> {
  const random = options.random.fork("shrinkage");
  const splits = sourceSplits([group], rows, options.replicates, 5, random.fork("folds"));
  const strong = splits.strong.groups[0]!;
  const like = splits.folds.slice(0, 2).map((own) => own.groups[0]!);
  if (rows.length < LEAST_MODELS || strong.targets.length === 0 || strong.sources.length < 5 || like.length < 2)
    return DISCRIMINATION_SHRINKAGE;
  const error = async (split: Split, candidate: number): Promise<number> => {
    const trained = await fitBank(group, split.sources, {
      ...options,
      shrinkage: candidate,
      random: random.fork(`share ${candidate}`),
    });
    return validationError(group, split.targets, trained);
  };
  let best = { candidate: DISCRIMINATION_SHRINKAGE as number, error: Infinity };
  for (const candidate of SHRINKAGE_CANDIDATES) {
    let interpolating = 0;
    for (const split of like) interpolating += (await error(split, candidate)) / like.length;
    const both = Math.sqrt(interpolating * (await error(strong, candidate)));
    if (both < best.error) best = { candidate, error: both };
  }
  return best.candidate;
}

/**
 * How well a bank predicts held-out models: abilities from the even items, then the mean over scenarios of the mean over
 * models of the weighted mean prediction's absolute error on the odd items.
 * @returns a fraction; Infinity where no model can be compared
 */
export function validationError(group: ScenarioGroup, held: readonly number[], trained: Bank): number {
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, 2); // half of all items are answered: the scale hardly matters
  const gaps = trained.scenarios.map((): number[] => []);
  for (const model of held) {
    const even = trained.scenarios.map(({ slice, bank }) => {
      const items = Array.from({ length: Math.ceil(bank.count / 2) }, (_, k) => 2 * k);
      return { bank, items, scores: items.map((i) => scoreAt(group.matrix, model, slice.begin + i)) };
    });
    const gathered = gatherItems(even);
    if (gathered === null) continue;
    const { theta } = mapAbility(gathered.bank, gathered, prior);
    trained.scenarios.forEach(({ slice, bank, scoreMap }, s) => {
      const predicted = predictedScores(theta, bank, scoreMap);
      let gap = 0;
      let mass = 0;
      for (let i = 1; i < bank.count; i += 2) {
        const score = scoreAt(group.matrix, model, slice.begin + i);
        if (Number.isNaN(score)) continue;
        gap += slice.weights[i]! * (predicted[i]! - score);
        mass += slice.weights[i]!;
      }
      if (mass > 0) gaps[s]!.push(Math.abs(gap / mass));
    });
  }
  const means = gaps.filter((own) => own.length > 0).map(mean);
  return means.length > 0 ? mean(means) : Infinity;
}
