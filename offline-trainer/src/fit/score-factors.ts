import { predictedScores, type AnchorFactors, type ItemBank, type MonotoneMap } from "anchoreval/core";
import { leadingComponents } from "../spectral/leading-components.ts";

/** Factors kept at most: each costs a bundle four bytes an anchor. */
const MOST_FACTORS = 48;
/** Share of the curves' variance that the factors may leave out. */
const LEFT_OUT = 1e-3;
/** Source abilities whose curves make the factors, at most. */
const MOST_CURVES = 64;
/** Least variance of a score that the factors leave open. */
const LEAST_NOISE = 1e-4;

/** One scenario, as the source models show it. */
export interface FactoredScenario {
  readonly bank: ItemBank;
  readonly scoreMap: MonotoneMap | null;
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
  /** Mean score of every item among the source models; NaN where none answered it. */
  readonly accuracy: Float64Array;
  /** Abilities of the source models on this bank's scale, M×D row-major; the same models in every scenario. */
  readonly theta: Float64Array;
  /** Variance of a score about its prediction p, relative to p(1−p): 1 of binary scores. */
  readonly dispersion: number;
}

/**
 * Factors of all items of some scenarios, the same for all, as the response model implies them: the covariance of the
 * curves P_i(θ_m) over the source models m, by its leading principal components, and as noise what these leave of it and
 * the mean of φ·P(1−P). Means are those of the sources' answers. On held-out models this covariance predicts better than
 * the answers' own, shrunken or not: it has the noise of D parameters an item instead of M answers
 * (docs/decisions/0014-gaussian.md). Over several scenarios it says what answers in one tell of another.
 * @returns one a scenario, rows in the bank's order, in float32 as a bundle keeps them
 */
export function scoreFactors(scenarios: readonly FactoredScenario[]): AnchorFactors[] {
  const models = scenarios[0]!.theta.length / scenarios[0]!.bank.dims;
  const size = Math.min(models, MOST_CURVES);
  const curved = scenarios.map((scenario) => centredCurves(scenario, models, size));
  const { rank, vectors } = leadingComponents(meanGram(curved, size), size, { leftOut: LEFT_OUT, most: MOST_FACTORS });
  return scenarios.map((scenario, s) => projected(scenario, curved[s]!, vectors, rank, size));
}

/** Curves of a scenario's items at some source models, less their means. */
interface Curves {
  /** By model, each with a value an item. */
  readonly values: readonly Float64Array[];
  readonly average: Float64Array;
  /** Mean of φ·P(1−P). */
  readonly open: Float64Array;
}

function centredCurves({ bank, scoreMap, theta, dispersion }: FactoredScenario, models: number, size: number): Curves {
  const { count, dims } = bank;
  const values = Array.from({ length: size }, (_, k) => {
    const m = Math.floor(((k + 0.5) * models) / size);
    return predictedScores(theta.subarray(m * dims, (m + 1) * dims), bank, scoreMap);
  });
  const average = new Float64Array(count);
  const open = new Float64Array(count);
  for (const curve of values)
    for (let i = 0; i < count; i++) {
      average[i] = average[i]! + curve[i]! / size;
      open[i] = open[i]! + (dispersion * curve[i]! * (1 - curve[i]!)) / size;
    }
  for (const curve of values) for (let i = 0; i < count; i++) curve[i] = curve[i]! - average[i]!;
  return { values, average, open };
}

/** Mean over scenarios of their items' mean product of two models' curves: scenarios count the same. */
function meanGram(curved: readonly Curves[], size: number): Float64Array {
  const gram = new Float64Array(size * size);
  for (const { values, average } of curved)
    for (let r = 0; r < size; r++)
      for (let c = 0; c <= r; c++) {
        let sum = 0;
        for (let i = 0; i < average.length; i++) sum += values[r]![i]! * values[c]![i]!;
        gram[r * size + c] = gram[c * size + r] = gram[r * size + c]! + sum / (average.length * curved.length);
      }
  return gram;
}

function projected(
  { bank: { count }, accuracy, weights }: FactoredScenario,
  { values, average, open }: Curves,
  vectors: Float64Array,
  rank: number,
  size: number,
): AnchorFactors {
  const loadings = new Float32Array(count * rank);
  const noise = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    let left = 0;
    for (let m = 0; m < size; m++) left += values[m]![i]! ** 2 / size;
    for (let r = 0; r < rank; r++) {
      let loading = 0;
      for (let m = 0; m < size; m++) loading += vectors[r * size + m]! * values[m]![i]!;
      loading /= Math.sqrt(size);
      loadings[i * rank + r] = loading;
      left -= loading * loading;
    }
    noise[i] = open[i]! + Math.max(0, left) + LEAST_NOISE;
  }
  const mean = Float32Array.from(accuracy, (own, i) => (Number.isNaN(own) ? average[i]! : own));
  const total = { mean: 0, loadings: new Float64Array(rank) };
  for (let i = 0; i < count; i++) {
    total.mean += weights[i]! * mean[i]!;
    for (let r = 0; r < rank; r++) total.loadings[r] = total.loadings[r]! + weights[i]! * loadings[i * rank + r]!;
  }
  return { rank, mean, loadings, noise, total };
}
