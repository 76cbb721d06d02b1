import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { AnchorFactors, AnchorSet } from "anchoreval/internal/core/estimators/types";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { type ResponseMatrix, scoreAt } from "../matrix/response-matrix.ts";
import { centredCurves, type CentredCurves, curveComponents } from "../numeric/curve-components.ts";
import { numbers } from "../numeric/statistics.ts";
import type { CalibratedScenario } from "./bank.ts";

/** Factors kept at most: each costs a bundle four bytes an anchor (docs/decisions/estimators.md). */
const MOST_FACTORS = 48;
/** Share of the curves' variance that the factors may leave out. Chosen, not measured. */
const LEFT_OUT = 1e-3;
/** Source abilities whose curves make the factors, at most. Bounds the time; chosen, not measured. */
const MOST_CURVES = 64;
/** Least variance of a score that the factors leave open. Chosen, not measured. */
const LEAST_NOISE = 1e-4;

interface FactoredScenario extends Pick<
  CalibratedScenario,
  "bank" | "weights" | "scoreMap" | "accuracy" | "dispersion"
> {
  /** Abilities of the source models on this scenario's scale, M×D row-major; the same models in every scenario. */
  readonly theta: Float64Array;
}

/**
 * Factors of all items of some scenarios, the same for all, as the response model implies them: the covariance of the
 * curves P_i(θ_m) over the source models m, by its leading principal components, and as noise what these leave of it and
 * the mean of φ·P(1−P). Means are those of the sources' answers. docs/decisions/estimators.md has why the model's
 * covariance, and not the answers' own. Over several scenarios it says what answers in one tell of another.
 * @returns one a scenario, rows in the bank's order, in float32 as a bundle keeps them
 */
export function scoreFactors(scenarios: readonly FactoredScenario[]): AnchorFactors[] {
  const models = scenarios[0]!.theta.length / scenarios[0]!.bank.dims;
  const curved = scenarios.map((scenario) => openCurves(scenario, models, Math.min(models, MOST_CURVES)));
  const { rank, loadings, left } = curveComponents(
    curved.map(({ curves }) => curves),
    { leftOut: LEFT_OUT, most: MOST_FACTORS },
  );
  return scenarios.map(({ accuracy, weights }, s): AnchorFactors => {
    const { curves, open } = curved[s]!;
    const narrow = Float32Array.from(loadings[s]!);
    const noise = Float32Array.from(open, (value, i) => value + left[s]![i]! + LEAST_NOISE);
    const mean = Float32Array.from(accuracy, (value, i) => (Number.isNaN(value) ? curves.average[i]! : value));
    const all = { rank, mean, loadings: narrow, noise };
    return { ...all, total: totalFactors(all, weights) };
  });
}

/** Σwμ and Σwz. @param factors - of all items of a scenario @param weights - of these items */
export function totalFactors(
  { rank, mean, loadings }: Pick<AnchorFactors, "rank" | "mean" | "loadings">,
  weights: Float64Array,
): AnchorFactors["total"] {
  const total = { mean: 0, loadings: new Float64Array(rank) };
  for (let i = 0; i < weights.length; i++) {
    total.mean += weights[i]! * mean[i]!;
    for (let r = 0; r < rank; r++) total.loadings[r]! += weights[i]! * loadings[i * rank + r]!;
  }
  return total;
}

/** Curves of a scenario's items at some source models, and the mean of φ·P(1−P) over these. */
function openCurves(
  { bank, scoreMap, theta, dispersion }: FactoredScenario,
  models: number,
  size: number,
): { readonly curves: CentredCurves; readonly open: Float64Array } {
  const { count, dims } = bank;
  const values = Array.from({ length: size }, (_, k) => {
    const m = Math.floor(((k + 0.5) * models) / size);
    return predictedScores(theta.subarray(m * dims, (m + 1) * dims), bank, scoreMap);
  });
  const open = new Float64Array(count);
  for (const chances of values)
    for (let i = 0; i < count; i++) open[i]! += (dispersion * chances[i]! * (1 - chances[i]!)) / size;
  return { curves: centredCurves(values), open };
}

/** α of the regressions on the source models' answers, as Zhang, Dorner & Hardt (2025) have it. */
const PENALTY = 10;
/** Variance of an item, beyond what the items before tell of it, that is worth a factor. Chosen, not measured. */
const LEAST_VARIANCE = 1e-6;

/** Answers of the source models to the items of one scenario. */
export function sourceAnswers(
  matrix: ResponseMatrix,
  rows: ArrayLike<number>,
  { weights, accuracy }: Pick<CalibratedScenario, "weights" | "accuracy">,
) {
  const { scores, observed, stride } = matrix;
  const seen = numbers(accuracy);
  const average = seen.reduce((sum, value) => sum + value / seen.length, 0);
  const mean = Float32Array.from(accuracy, (value) => (Number.isNaN(value) ? average : value));
  const beyond = (m: number, item: number): number => {
    const score = scoreAt(matrix, rows[m]!, item);
    return Number.isNaN(score) ? 0 : score - mean[item]!;
  };
  return {
    models: rows.length,
    /** μ of every item, the mean over the models that answered it; that of all items where none did. */
    mean,
    /** Σwμ. */
    level: weights.reduce((sum, weight, i) => sum + weight * mean[i]!, 0),
    /** Every model's Σw(y − μ), an answer that is missing at μ. */
    ahead: Float64Array.from({ length: rows.length }, (_, m) => {
      let sum = 0;
      const from = rows[m]! * stride;
      for (let i = 0; i < weights.length; i++)
        if (observed === null || observed[from + i] !== 0) sum += weights[i]! * (scores[from + i]! - mean[i]!);
      return sum;
    }),
    /** Every model's y − μ on an item, 0 where it is missing; null where none answered it. */
    column: (item: number) =>
      Number.isNaN(accuracy[item]!) ? null : Float64Array.from({ length: rows.length }, (_, m) => beyond(m, item)),
  };
}

export type SourceAnswers = ReturnType<typeof sourceAnswers>;

/**
 * Factors of the source models' answers to some items: their M × n answers less the items' means are U·Zᵀ, the columns
 * of U orthogonal with unit variance over the models, Z the loadings. By Cholesky's decomposition of the items'
 * covariance in their order: an item adds a factor for what the items before don't tell of it, until there are 48. So
 * the factors hold the covariances of the first items and theirs with the full score exactly; of the others, what the
 * factors leave of an item's variance is added to its noise.
 *
 * Ridge regression with the penalty α on the answers themselves, be it across models or across items, is that on the
 * factors with the noise d = α/M. The leading principal components of all items, as many, lose up to half of what the
 * answers tell (docs/decisions/estimators.md).
 * @param items - in the order in which they are asked, the smallest form's first
 * @returns rows aligned with the items, in float32 as a bundle keeps them
 */
export function answerFactors(
  { models, mean, level, ahead, column }: SourceAnswers,
  items: Uint32Array,
): AnchorFactors {
  const columns = Array.from(items, column);
  const n = items.length;
  const left = Float64Array.from(columns, (answers) => (answers === null ? 0 : covariance(answers, answers)));
  const most = Math.min(n, MOST_FACTORS);
  const wide = new Float32Array(n * most);
  const totals = new Float64Array(most);
  let rank = 0;
  for (let pivot = 0; pivot < n && rank < most; pivot++) {
    const answers = columns[pivot];
    if (answers == null || left[pivot]! < LEAST_VARIANCE) continue;
    const scale = Math.sqrt(left[pivot]!);
    const row = wide.subarray(pivot * most, pivot * most + rank);
    totals[rank] = (covariance(answers, ahead) - dot(row, totals)) / scale;
    wide[pivot * most + rank] = scale;
    left[pivot] = 0;
    for (let j = pivot + 1; j < n; j++) {
      const other = columns[j];
      if (other == null) continue;
      const loading = Math.fround(
        (covariance(answers, other) - dot(row, wide.subarray(j * most, (j + 1) * most))) / scale,
      );
      wide[j * most + rank] = loading;
      left[j] = Math.max(0, left[j]! - loading * loading);
    }
    rank++;
  }
  const kept = Math.max(1, rank); // one of zeros where the items have no variance
  const loadings = new Float32Array(n * kept);
  for (let j = 0; j < n; j++) loadings.set(wide.subarray(j * most, j * most + kept), j * kept);
  return {
    rank: kept,
    mean: Float32Array.from(items, (item) => mean[item]!),
    loadings,
    noise: Float32Array.from(items, (item, j) => {
      const open = columns[j] === null ? mean[item]! * (1 - mean[item]!) : left[j]!; // none answered: any score may be
      return PENALTY / models + open;
    }),
    total: { mean: level, loadings: totals.slice(0, kept) },
  };
}

/** Σ of products, as far as the shorter goes. */
function dot(shorter: Float32Array, other: Float32Array | Float64Array): number {
  let sum = 0;
  for (let k = 0; k < shorter.length; k++) sum += shorter[k]! * other[k]!;
  return sum;
}

/** Of values that are centred. */
function covariance(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let m = 0; m < x.length; m++) sum += x[m]! * y[m]!;
  return sum / x.length;
}

/**
 * Answer factors of the forms of one scenario, as a bundle with all these forms has them.
 * @param forms - by id, in the order of the bundle: those that ask fewer items first, second forms last
 */
export function formAnswerFactors(
  answers: SourceAnswers,
  forms: ReadonlyMap<string, AnchorSet>,
): ReadonlyMap<string, AnchorFactors> {
  const asked = askedItems(forms.values());
  const rows = new Map(Array.from(asked, (item, row) => [item, row]));
  const all = answerFactors(answers, asked);
  return new Map(
    Array.from(forms, ([form, { items }]) => [
      form,
      anchorFactors(
        all,
        items.map((item) => rows.get(item)!),
      ),
    ]),
  );
}

/**
 * Items that any form of a scenario asks, in the order in which they are asked: the smallest form's first, so that nested
 * forms are prefixes, and by index among those that a form adds.
 * @param forms - by size, ascending
 */
export function askedItems(forms: Iterable<AnchorSet>): Uint32Array {
  return Uint32Array.from(new Set(Array.from(forms, ({ items }) => Array.from(items).sort((x, y) => x - y)).flat()));
}
