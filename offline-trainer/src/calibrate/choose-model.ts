import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { type Split } from "../matrix/splits.ts";
import { sourceSplits } from "../benchmark/source-splits.ts";
import { isBinary, type ResponseMatrix, scoreAt } from "../matrix/response-matrix.ts";
import { dimsFor, fitBank, SCORE_LINKS, type Bank, type FitBankOptions, type ScoreLink } from "./bank.ts";
import type { ScenarioGroup } from "../benchmark/benchmark.ts";
import { DISCRIMINATION_SHRINKAGE } from "./scales.ts";

/** Parts of a response model; those that are `auto` are chosen by the source models. */
export interface WantedModel {
  readonly link: ScoreLink | "auto";
  readonly dims: number | "auto";
  readonly shrinkage: number | "auto";
}

/** The response model asked for or chosen, and the candidates' errors where the dimension was chosen. */
export interface ChosenModel extends Pick<FitBankOptions, "dims" | "link" | "shrinkage"> {
  readonly dimensionErrors: readonly DimensionError[];
}

/**
 * Chooses what is left to the data, one after the other: the link, the number of dimensions, the shrinkage.
 * @param rows - the source models; no other's answers are read
 */
export async function chooseModel(
  group: ScenarioGroup,
  rows: readonly number[],
  wanted: WantedModel,
  options: Omit<DimensionOptions, "link" | "shrinkage">,
): Promise<ChosenModel> {
  const link = await resolveLink(group, rows, wanted.link, options);
  const learned = { ...options, link, shrinkage: DISCRIMINATION_SHRINKAGE };
  const { dims, errors } = await resolveDimension(group, rows, wanted.dims, learned);
  const shrinkage = await resolveShrinkage(group, rows, wanted.shrinkage, { ...learned, dims });
  return { link, dims, shrinkage, dimensionErrors: errors };
}

/** Share of the observed cells that is held out. */
const HELD_OUT = 0.1;
/** Dimensions while links are compared. */
const COMPARED_DIMS = 2;
/** Answers that the pooled residual variance counts for in every item's. */
const POOLED_ANSWERS = 5;
/** Least standard deviation of a score: scores are known to no more than a percent. */
const LEAST_DEVIATION = 0.01;

/**
 * The link that scores are calibrated by: the one asked for, or by `auto` the one of highest likelihood on held-out
 * cells. A tenth of the sources' observed cells is held out at random; each candidate is calibrated on the others; a
 * held-out score is N(p̂, v̂_i·V(p̂)), p̂ its prediction, v̂_i the item's residual variance relative to the link's variance
 * function V (p̂(1−p̂) for `bernoulli`, 1 for the others), shrunk toward all items'.
 * @param rows - the source models; no other's answers are read
 */
export async function resolveLink(
  group: ScenarioGroup,
  rows: readonly number[],
  link: ScoreLink | "auto",
  options: Omit<FitBankOptions, "dims" | "link" | "shrinkage">,
): Promise<ScoreLink> {
  if (link !== "auto") return link;
  if (isBinary(group.matrix)) return "binarize";
  const random = options.random.fork("link");
  const { observed, scores } = group.matrix;
  const held = new Uint8Array(scores.length);
  const kept = new Uint8Array(scores.length);
  for (const m of rows)
    for (let k = m * group.matrix.items.length; k < (m + 1) * group.matrix.items.length; k++) {
      if (observed !== null && observed[k] === 0) continue;
      if (random.next() < HELD_OUT) held[k] = 1;
      else kept[k] = 1;
    }
  const partial = { ...group, matrix: { ...group.matrix, observed: kept } };
  let best: { link: ScoreLink; likelihood: number } = { link: "binarize", likelihood: -Infinity };
  for (const candidate of SCORE_LINKS) {
    const dims = dimsFor(COMPARED_DIMS, rows.length);
    const trained = await fitBank(partial, rows, {
      ...options,
      dims,
      link: candidate,
      shrinkage: DISCRIMINATION_SHRINKAGE,
    });
    const likelihood = heldOutLikelihood(group.matrix, rows, trained, candidate, kept, held);
    if (likelihood > best.likelihood) best = { link: candidate, likelihood };
  }
  return best.link;
}

/** Sum over the held-out cells of log N(y; p̂, v̂·V(p̂)), in nats. */
function heldOutLikelihood(
  matrix: ResponseMatrix,
  rows: readonly number[],
  trained: Bank,
  link: ScoreLink,
  kept: Uint8Array,
  held: Uint8Array,
): number {
  const items = matrix.items.length;
  const spread = (p: number): number => (link === "bernoulli" ? Math.max(p * (1 - p), LEAST_DEVIATION ** 2) : 1);
  const predicted = rows.map((_, k) => predictions(trained, k));
  const squares = new Float64Array(items);
  const counts = new Float64Array(items);
  rows.forEach((m, k) => {
    for (let i = 0; i < items; i++) {
      if (kept[m * items + i] === 0) continue;
      const p = predicted[k]![i]!;
      squares[i] = squares[i]! + (matrix.scores[m * items + i]! - p) ** 2 / spread(p);
      counts[i] = counts[i]! + 1;
    }
  });
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const pooled = sum(squares) / sum(counts);
  let likelihood = 0;
  rows.forEach((m, k) => {
    for (let i = 0; i < items; i++) {
      if (held[m * items + i] === 0) continue;
      const p = predicted[k]![i]!;
      const own = (squares[i]! + POOLED_ANSWERS * pooled) / (counts[i]! + POOLED_ANSWERS);
      const variance = Math.max(own * spread(p), LEAST_DEVIATION ** 2);
      likelihood -= 0.5 * (Math.log(2 * Math.PI * variance) + (matrix.scores[m * items + i]! - p) ** 2 / variance);
    }
  });
  return likelihood;
}

/** Predicted scores of the k-th source on all items of the bank. */
function predictions({ dims, scenarios, calibration }: Bank, k: number): Float64Array {
  const theta = calibration.theta.subarray(k * dims, (k + 1) * dims);
  const all = new Float64Array(calibration.b.length);
  for (const { slice, bank, scoreMap } of scenarios) all.set(predictedScores(theta, bank, scoreMap), slice.begin);
  return all;
}

/** Dimensions tried. */
export const DIMENSION_CANDIDATES = [1, 2, 3, 5] as const;

/** A candidate's validation error: mean absolute error of the mean prediction, a fraction. */
export interface DimensionError {
  readonly dims: number;
  readonly error: number;
}

export interface DimensionOptions extends Omit<FitBankOptions, "dims"> {
  /** Replicate group of every model: a group is held out together. */
  readonly replicates: ArrayLike<number>;
}

/**
 * Chooses the number of dimensions by held-out models: every fifth source (replicates count as one) is held out, its
 * ability is estimated on the even items, and the weighted mean prediction on the odd items is compared with the truth there; scenarios count the
 * same. The notebook's rule with its faults mended: abilities have the prior, weights are normalised over the items
 * that are compared, missing answers are left out.
 * @param rows - the source models
 * @returns the candidate of least error, and all errors; no choice (1 dimension) below ten models
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
export async function chooseDimension(
  group: ScenarioGroup,
  rows: readonly number[],
  options: DimensionOptions,
): Promise<{ dims: number; errors: DimensionError[] }> {
  const order = new Map<number, number>();
  for (const m of rows) if (!order.has(options.replicates[m]!)) order.set(options.replicates[m]!, order.size);
  if (order.size < 10) return { dims: 1, errors: [] };
  const isHeld = (m: number): boolean => order.get(options.replicates[m]!)! % 5 === 0;
  const held = rows.filter(isHeld);
  const kept = rows.filter((m) => !isHeld(m));
  const errors: DimensionError[] = [];
  for (const dims of DIMENSION_CANDIDATES) {
    if (dimsFor(dims, kept.length) !== dims) continue;
    const trained = await fitBank(group, kept, {
      ...options,
      dims,
      random: options.random.fork(`${dims} dimensions`),
    });
    errors.push({ dims, error: validationError(group, held, trained) });
  }
  const best = errors.reduce((least, candidate) => (candidate.error < least.error ? candidate : least));
  return { dims: best.dims, errors };
}

/** The number of dimensions for some sources: the one asked for as far as the models allow it, or chosen on them. */
export async function resolveDimension(
  group: ScenarioGroup,
  rows: readonly number[],
  dims: number | "auto",
  options: DimensionOptions,
): Promise<{ dims: number; errors: DimensionError[] }> {
  if (dims !== "auto") return { dims: dimsFor(dims, rows.length), errors: [] };
  return chooseDimension(group, rows, { ...options, random: options.random.fork("dimension") });
}

/** Shares tried. */
export const SHRINKAGE_CANDIDATES = [0.125, 0.25, 0.5, 1] as const;

/** Source models below which there is no choice. */
const LEAST_MODELS = 20;

/**
 * The share of the learned variance of discriminations that is kept: the one asked for, or by `auto` the candidate of
 * least error on held-out sources, like the others and stronger: two random fifths, and the strongest 30 % by the
 * weakest half; the geometric mean of both kinds, since discriminations that are too large do no harm among like models.
 * @param rows - the source models; no other's answers are read
 * @returns the default for fewer than twenty models
 */
export async function resolveShrinkage(
  group: ScenarioGroup,
  rows: readonly number[],
  shrinkage: number | "auto",
  options: Omit<DimensionOptions, "shrinkage"> & { readonly dims: number },
): Promise<number> {
  if (shrinkage !== "auto") return shrinkage;
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

/** k of the prior while fits are compared: half of all items are answered, so it hardly matters. */
const VALIDATION_PRIOR_SCALE = 2;

/**
 * How well a bank predicts models that it was not fitted on: abilities from the even items, then the mean over scenarios
 * of the mean over models of the weighted mean prediction's absolute error on the odd items.
 * @param held - rows of the held-out models
 * @returns a fraction; Infinity where no model can be compared
 */
export function validationError(group: ScenarioGroup, held: readonly number[], trained: Bank): number {
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, VALIDATION_PRIOR_SCALE);
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
  const means = gaps.filter((own) => own.length > 0).map((own) => own.reduce((sum, gap) => sum + gap, 0) / own.length);
  return means.length > 0 ? means.reduce((sum, error) => sum + error, 0) / means.length : Infinity;
}
