import { predictedScores, type AnchorFactors, type ItemBank, type MonotoneMap } from "anchoreval/core";
import { centredCurves, curveComponents, type CentredCurves } from "../numeric/curve-components.ts";

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
  const curved = scenarios.map((scenario) => openCurves(scenario, models, Math.min(models, MOST_CURVES)));
  const { rank, loadings, left } = curveComponents(
    curved.map(({ curves }) => curves),
    { leftOut: LEFT_OUT, most: MOST_FACTORS },
  );
  return scenarios.map(({ accuracy, weights }, s): AnchorFactors => {
    const { curves, open } = curved[s]!;
    const own = Float32Array.from(loadings[s]!);
    const noise = Float32Array.from(open, (value, i) => value + left[s]![i]! + LEAST_NOISE);
    const mean = Float32Array.from(accuracy, (value, i) => (Number.isNaN(value) ? curves.average[i]! : value));
    const total = { mean: 0, loadings: new Float64Array(rank) };
    for (let i = 0; i < weights.length; i++) {
      total.mean += weights[i]! * mean[i]!;
      for (let r = 0; r < rank; r++) total.loadings[r] = total.loadings[r]! + weights[i]! * own[i * rank + r]!;
    }
    return { rank, mean, loadings: own, noise, total };
  });
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
  for (const own of values)
    for (let i = 0; i < count; i++) open[i] = open[i]! + (dispersion * own[i]! * (1 - own[i]!)) / size;
  return { curves: centredCurves(values), open };
}
