import type { Curvature } from "./curvature.ts";
import { expectation } from "./expectation.ts";
import type { FittedGrid } from "./fit-grid.ts";
import { curvedDerivatives, factorBlock, itemDerivatives, straightDerivatives } from "./item-derivatives.ts";
import { priorCurvature, PRIORS, priorSlope, priorValue } from "./priors.ts";
import { type Curves, type Problem, unpack } from "./problem.ts";

/**
 * The log posterior of the items' parameters: the marginal log-likelihood and the logarithms of the priors, with its
 * gradient by Fisher's identity and its complete-data curvature.
 * @param curves - written over
 */
export function marginalObjective(problem: Problem, curves: Curves, { grid, bounds }: FittedGrid) {
  const eStep = expectation(problem, grid, bounds);
  const { free, curvedRow, subjects, perItem, slots, tail, slope, size } = problem;
  const item = itemDerivatives();

  /** Room for value and derivatives at one point; reused from one evaluation to the next. */
  function evaluation() {
    const blocks = new Float64Array(tail * perItem + size - tail);
    const curvature: Curvature = { blocks, slopes: new Float64Array(free.length), hold: { shift: 1, stretch: 1 } };
    return { logPosterior: 0, logLikelihood: 0, gradient: new Float64Array(size), curvature };
  }

  /** Fills `at` for the vector x; the curves and `expectation` are those of x until the next call. */
  function evaluate(x: Float64Array, at: ReturnType<typeof evaluation>): void {
    const { gradient, curvature } = at;
    unpack(x, problem, curves);
    at.logLikelihood = eStep.run(curves);
    let prior = 0;
    let [slopeGradient, slopeCurvature] = [0, 0];
    let [shift, stretch] = [subjects, 2 * subjects];
    for (let f = 0; f < free.length; f++) {
      const i = free[f]!;
      const from = f * perItem;
      if (curvedRow[i]! < 0) straightDerivatives(problem, eStep, i, item);
      else curvedDerivatives(problem, eStep, i, { p: x, at: from, need: "slopes" }, item);
      curvature.slopes[f] = curves.a[i]!;
      slopeGradient += item.gradient[0]!;
      slopeCurvature += item.curvature[0]!;
      for (let p = 0; p < perItem; p++) {
        const slot = slots[p]!;
        gradient[from + p] = item.gradient[slot]! + priorSlope(x[from + p]!, PRIORS[slot]!);
        prior += priorValue(x[from + p]!, PRIORS[slot]!);
      }
      shift += curves.a[i]! ** 2 * priorCurvature(curves.b[i]!, PRIORS[1]!);
      if (slope < 0) stretch += curves.a[i]! ** 2 * priorCurvature(curves.a[i]!, PRIORS[0]!);
      factorBlock(problem, eStep, i, { x, from, derivatives: item, out: curvature.blocks, at: from * perItem });
    }
    if (slope >= 0) {
      const [a, slopePrior] = [x[slope]!, PRIORS[0]!];
      stretch += a ** 2 * priorCurvature(a, slopePrior);
      gradient[slope] = slopeGradient + priorSlope(a, slopePrior);
      curvature.blocks[tail * perItem] = Math.sqrt(slopeCurvature + priorCurvature(a, slopePrior));
      prior += priorValue(a, slopePrior);
    }
    curvature.hold = { shift, stretch };
    at.logPosterior = at.logLikelihood + prior;
  }

  return { problem, expectation: eStep, evaluation, evaluate };
}

export type MarginalObjective = ReturnType<typeof marginalObjective>;
