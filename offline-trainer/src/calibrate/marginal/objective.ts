import type { Curvature } from "./curvature.ts";
import type { Curves } from "./curves.ts";
import { expectation, type Expectation, type PosteriorBounds } from "./expectation.ts";
import type { Grid } from "./grid.ts";
import { curvedDerivatives, itemDerivatives, straightDerivatives } from "./item-derivatives.ts";
import { unpack, type Layout } from "./layout.ts";
import { missingInformation } from "./missing-information.ts";
import { POPULATION_PRIORS, priorCurvature, priorSlope, priorValue, type WeakPrior } from "./priors.ts";
import type { Problem } from "./problem.ts";
import { factorInPlace } from "./small-cholesky.ts";

/** Value and derivatives of the log posterior at one point; reused from one evaluation to the next. */
export interface Evaluation {
  logPosterior: number;
  logLikelihood: number;
  readonly gradient: Float64Array;
  readonly curvature: Curvature;
}

export interface MarginalObjective {
  readonly layout: Layout;
  readonly curves: Curves;
  readonly expectation: Expectation;
  /** Room for an evaluation. */
  evaluation(): Evaluation;
  /** Fills `at` for the vector x; `curves` and `expectation` are those of x until the next call. */
  evaluate(x: Float64Array, at: Evaluation): void;
  /** Minus the log posterior's second derivatives in each free item's parameters, `perItem`² each, at the x evaluated last. */
  observedBlocks(x: Float64Array): Float64Array;
}

/**
 * The log posterior of items (and population): the marginal log-likelihood and the logarithms of the priors, with its
 * gradient by Fisher's identity and its complete-data curvature.
 * @param curves - holds the fixed items' parameters; what is estimated is written over
 * @param priors - of (a, b, log g, log k)
 */
export function marginalObjective(
  problem: Problem,
  layout: Layout,
  priors: readonly WeakPrior[],
  curves: Curves,
  grid: Grid,
  bounds?: PosteriorBounds,
): MarginalObjective {
  const found = expectation(problem, grid, bounds);
  const { free, curvedRow, model } = problem;
  const { perItem, slots, tail, slope, population, size } = layout;
  const models = problem.modelWeights.reduce((sum, weight) => sum + weight, 0);
  const item = itemDerivatives();

  function evaluation(): Evaluation {
    const blocks = new Float64Array(tail * perItem + size - tail);
    const curvature = { blocks, slopes: new Float64Array(free.length), mean: 0, hold: { shift: 1, stretch: 1 } };
    return { logPosterior: 0, logLikelihood: 0, gradient: new Float64Array(size), curvature };
  }

  function evaluate(x: Float64Array, at: Evaluation): void {
    const { gradient, curvature } = at;
    unpack(x, problem, layout, curves);
    at.logLikelihood = found.run(curves);
    let prior = 0;
    let [slopeGradient, slopeCurvature] = [0, 0];
    let [shift, stretch] = [models, 2 * models];
    for (let f = 0; f < free.length; f++) {
      const i = free[f]!;
      const from = f * perItem;
      completeData(f, x);
      curvature.slopes[f] = curves.a[i]!;
      slopeGradient += item.gradient[0]!;
      slopeCurvature += item.curvature[0]!;
      for (let p = 0; p < perItem; p++) {
        const slot = slots[p]!;
        gradient[from + p] = item.gradient[slot]! + priorSlope(x[from + p]!, priors[slot]!);
        prior += priorValue(x[from + p]!, priors[slot]!);
      }
      shift += curves.a[i]! ** 2 * priorCurvature(curves.b[i]!, priors[1]!);
      if (model !== "1pl") stretch += curves.a[i]! ** 2 * priorCurvature(curves.a[i]!, priors[0]!);
      block(x, from, curvature.blocks);
      if (factorInPlace(curvature.blocks, from * perItem, perItem)) continue;
      // Counts may bend the wrong way where there are asymptotes; expected ones never do.
      curvedDerivatives(problem, found, i, x, from, perItem, "information", item);
      block(x, from, curvature.blocks);
      factorInPlace(curvature.blocks, from * perItem, perItem);
    }
    if (slope >= 0) stretch += curves.a[free[0]!]! ** 2 * priorCurvature(x[slope]!, priors[0]!);
    curvature.hold = { shift, stretch };
    curvature.mean = curves.mean;
    const common = (k: number, data: number, bend: number, own: WeakPrior): void => {
      gradient[k] = data + priorSlope(x[k]!, own);
      curvature.blocks[tail * perItem + k - tail] = Math.sqrt(bend + priorCurvature(x[k]!, own));
      prior += priorValue(x[k]!, own);
    };
    if (slope >= 0) common(slope, slopeGradient, slopeCurvature, priors[0]!);
    if (population >= 0) {
      const { mean, sd } = curves;
      const { first, moment, square } = standardisedMoments(found, mean, sd);
      common(population, moment / sd, first / sd ** 2, POPULATION_PRIORS.mean);
      common(population + 1, square - first, 2 * first, POPULATION_PRIORS.logSd);
    }
    at.logPosterior = at.logLikelihood + prior;
  }

  function completeData(f: number, x: Float64Array): void {
    const i = free[f]!;
    if (curvedRow[i]! < 0) straightDerivatives(problem, found, i, item);
    else curvedDerivatives(problem, found, i, x, f * perItem, perItem, "slopes", item);
  }

  /** The item's part of the curvature with its priors, not yet factored. */
  function block(x: Float64Array, from: number, blocks: Float64Array): void {
    const to = from * perItem;
    for (let p = 0; p < perItem; p++)
      for (let r = 0; r < perItem; r++) {
        const own = p === r ? priorCurvature(x[from + p]!, priors[slots[p]!]!) : 0;
        blocks[to + p * perItem + r] = item.curvature[slots[p]! * 4 + slots[r]!]! + own;
      }
  }

  function observedBlocks(x: Float64Array): Float64Array {
    const missing = missingInformation(problem, layout, found, curves);
    const blocks = new Float64Array(missing.length);
    for (let f = 0; f < free.length; f++) {
      completeData(f, x);
      block(x, f * perItem, blocks);
    }
    return blocks.map((value, k) => value - missing[k]!);
  }

  return { layout, curves, expectation: found, evaluation, evaluate, observedBlocks };
}

/** Σ_q of the models at each point, times 1, z, z² for z = (θ − μ)/σ. */
function standardisedMoments(
  { grid, mass, first: begin, last }: Expectation,
  mean: number,
  sd: number,
): { first: number; moment: number; square: number } {
  let [first, moment, square] = [0, 0, 0];
  for (let q = begin; q < last; q++) {
    const z = (grid.points[q]! - mean) / sd;
    first += mass[q]!;
    moment += mass[q]! * z;
    square += mass[q]! * z * z;
  }
  return { first, moment, square };
}
