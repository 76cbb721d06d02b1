import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { type Split } from "../matrix/splits.ts";
import { sourceSplits } from "../matrix/source-splits.ts";
import { eachScore, isBinary, type ResponseMatrix, scoreAt } from "../matrix/response-matrix.ts";
import { mean, total } from "../numeric/statistics.ts";
import { type CalibratedScenario, dimsFor, fitBank, SCORE_LINKS, type FitBankOptions, type ScoreLink } from "./bank.ts";
import type { Scenario } from "../matrix/benchmark.ts";
import { DISCRIMINATION_SHRINKAGE } from "./scales.ts";

/** The response model asked for or chosen, and the candidates' errors where the dimension was chosen. */
export interface ChosenModel extends Pick<FitBankOptions, "dims" | "link" | "shrinkage"> {
  readonly dimensionErrors: readonly DimensionError[];
}

/** Parts of a response model; those that are `auto` are chosen by the source models. */
type WantedModel = { readonly [Part in "dims" | "link" | "shrinkage"]: FitBankOptions[Part] | "auto" };

export interface ChoiceOptions extends Omit<FitBankOptions, "dims" | "link" | "shrinkage"> {
  /** Replicate group of every model: a group is held out together. */
  readonly replicates: ArrayLike<number>;
}

/**
 * Chooses what is left to the data, one after the other: the link, the number of dimensions, the shrinkage. A number of
 * dimensions is taken as far as the models allow it.
 * @param rows - the source models; no other's answers are read
 */
export async function chooseModel(
  scenario: Scenario,
  rows: readonly number[],
  wanted: WantedModel,
  options: ChoiceOptions,
): Promise<ChosenModel> {
  const link = wanted.link === "auto" ? await chooseLink(scenario, rows, options) : wanted.link;
  const { dims, errors } =
    wanted.dims === "auto"
      ? await chooseDimension(scenario, rows, { ...options, link })
      : { dims: dimsFor(wanted.dims, rows.length), errors: [] };
  const shrinkage =
    wanted.shrinkage === "auto" ? await chooseShrinkage(scenario, rows, { ...options, link, dims }) : wanted.shrinkage;
  return { link, dims, shrinkage, dimensionErrors: errors };
}

/** Share of the observed cells that is held out. */
const HELD_OUT = 0.1;
const COMPARED_DIMS = 2;
/** Answers that the pooled residual variance counts for in every item's. */
const POOLED_ANSWERS = 5;
/** Least standard deviation of a score: scores are known to no more than a percent. */
const LEAST_DEVIATION = 0.01;

/**
 * The link of highest likelihood on held-out cells. A tenth of the sources' observed cells is held out at random; each
 * candidate is calibrated on the others; a held-out score is N(p̂, v̂_i·V(p̂)), p̂ its prediction, v̂_i the item's residual
 * variance relative to the link's variance function V (p̂(1−p̂) for `bernoulli`, 1 for the others), shrunk toward all
 * items'.
 */
async function chooseLink(scenario: Scenario, rows: readonly number[], options: ChoiceOptions): Promise<ScoreLink> {
  if (isBinary(scenario.matrix)) return "binarize";
  const random = options.random.fork("link");
  const { matrix, weights } = scenario;
  const columns = matrix.items.length;
  const held = { ...matrix, observed: new Uint8Array(matrix.scores.length) };
  const kept = { ...matrix, observed: new Uint8Array(matrix.scores.length) };
  eachScore(matrix, rows, (_, k, i) => {
    (random.next() < HELD_OUT ? held : kept).observed[rows[k]! * columns + i] = 1;
  });
  const dims = dimsFor(COMPARED_DIMS, rows.length);
  let best: { link: ScoreLink; likelihood: number } = { link: "binarize", likelihood: -Infinity };
  for (const link of SCORE_LINKS) {
    const model = { dims, link, shrinkage: DISCRIMINATION_SHRINKAGE };
    const trained = await fitBank({ matrix: kept, weights }, rows, { ...options, ...model });
    const likelihood = heldOutLikelihood(trained, link, kept, held);
    if (likelihood > best.likelihood) best = { link, likelihood };
  }
  return best.link;
}

/** Sum over the held-out cells of log N(y; p̂, v̂·V(p̂)), in nats. */
function heldOutLikelihood(
  trained: CalibratedScenario,
  link: ScoreLink,
  kept: ResponseMatrix,
  held: ResponseMatrix,
): number {
  const { rows } = trained;
  const items = kept.items.length;
  const spread = (p: number): number => (link === "bernoulli" ? Math.max(p * (1 - p), LEAST_DEVIATION ** 2) : 1);
  const predicted = rows.map((_, k) => predictions(trained, k));
  const squares = new Float64Array(items);
  const counts = new Float64Array(items);
  eachScore(kept, rows, (score, k, i) => {
    const p = predicted[k]![i]!;
    squares[i]! += (score - p) ** 2 / spread(p);
    counts[i]! += 1;
  });
  const pooled = total(squares) / total(counts);
  let likelihood = 0;
  eachScore(held, rows, (score, k, i) => {
    const p = predicted[k]![i]!;
    const own = (squares[i]! + POOLED_ANSWERS * pooled) / (counts[i]! + POOLED_ANSWERS);
    const variance = Math.max(own * spread(p), LEAST_DEVIATION ** 2);
    likelihood -= 0.5 * (Math.log(2 * Math.PI * variance) + (score - p) ** 2 / variance);
  });
  return likelihood;
}

/** Predicted scores of the k-th source on all items. */
function predictions({ bank, scoreMap, calibration }: CalibratedScenario, k: number): Float64Array {
  return predictedScores(calibration.theta.subarray(k * bank.dims, (k + 1) * bank.dims), bank, scoreMap);
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
 * there. The notebook's rule with its faults mended: abilities have the prior, weights are
 * normalised over the items that are compared, missing answers are left out.
 * @returns the candidate of least error, and all errors; no choice (1 dimension) below ten models
 * @see Maia Polo et al. (2024), ICML, training notebook
 */
async function chooseDimension(
  scenario: Scenario,
  rows: readonly number[],
  options: ChoiceOptions & Pick<FitBankOptions, "link">,
): Promise<{ dims: number; errors: DimensionError[] }> {
  const groups = [...new Set(rows.map((m) => options.replicates[m]!))];
  if (groups.length < 10) return { dims: 1, errors: [] };
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
  scenario: Scenario,
  rows: readonly number[],
  options: ChoiceOptions & Pick<FitBankOptions, "link" | "dims">,
): Promise<number> {
  const random = options.random.fork("shrinkage");
  const splits = sourceSplits([scenario], rows, options.replicates, 5, random.fork("folds"));
  const strong = splits.strong.scenarios[0]!;
  const like = splits.folds.slice(0, 2).map((own) => own.scenarios[0]!);
  if (rows.length < LEAST_MODELS || strong.targets.length === 0 || strong.sources.length < 5 || like.length < 2)
    return DISCRIMINATION_SHRINKAGE;
  const error = async (split: Split, candidate: number): Promise<number> => {
    const trained = await fitBank(scenario, split.sources, {
      ...options,
      shrinkage: candidate,
      random: random.fork(`share ${candidate}`),
    });
    return validationError(scenario, split.targets, trained);
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
 * How well a calibration predicts held-out models: abilities from the even items, then the mean over models of the weighted
 * mean prediction's absolute error on the odd items.
 * @returns a fraction; Infinity where no model can be compared
 */
export function validationError(
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
