import { type Curvature, factorInPlace } from "./curvature.ts";
import { type Curves, type Layout, type Problem, unpack } from "./problem.ts";
import { expectation, type Expectation, type PosteriorBounds } from "./expectation.ts";
import type { Grid } from "./grid.ts";
import { curvedDerivatives, itemDerivatives, straightDerivatives } from "./item-derivatives.ts";
import { priorCurvature, priorSlope, priorValue, type WeakPrior } from "./priors.ts";

/** Value and derivatives of the log posterior at one point; reused from one evaluation to the next. */
interface Evaluation {
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
}

/**
 * The log posterior of the items' parameters: the marginal log-likelihood and the logarithms of the priors, with its
 * gradient by Fisher's identity and its complete-data curvature.
 * @param curves - written over
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
  const { perItem, slots, tail, slope, size } = layout;
  const models = problem.subjects;
  const item = itemDerivatives();

  function evaluation(): Evaluation {
    const blocks = new Float64Array(tail * perItem + size - tail);
    const curvature = { blocks, slopes: new Float64Array(free.length), hold: { shift: 1, stretch: 1 } };
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
    if (slope >= 0) {
      const [a, own] = [x[slope]!, priors[0]!];
      stretch += a ** 2 * priorCurvature(a, own);
      gradient[slope] = slopeGradient + priorSlope(a, own);
      curvature.blocks[tail * perItem] = Math.sqrt(slopeCurvature + priorCurvature(a, own));
      prior += priorValue(a, own);
    }
    curvature.hold = { shift, stretch };
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

  return { layout, curves, expectation: found, evaluation, evaluate };
}
