import { AnchorEvalError } from "anchoreval/core";
import type { CodedResponses } from "../types.ts";
import { checkInput, checkProblem } from "./check-input.ts";
import { lowerAsymptote, upperAsymptote, type Curves } from "./curves.ts";
import type { Expectation } from "./expectation.ts";
import { findMaximum } from "./find-maximum.ts";
import { parameterLayout } from "./layout.ts";
import { DEFAULT_PRIORS, type WeakPrior } from "./priors.ts";
import { prepareProblem, type Problem } from "./problem.ts";
import { startingPoint } from "./starting-point.ts";
import type { MarginalCalibration, MarginalOptions } from "./types.ts";

/**
 * Calibrates a unidimensional response model by marginal maximum likelihood:
 *
 *   P = lower + (upper − lower)·σ(a·θ − b),   max Σ_m log ∫ Π_i P(y_mi | θ) dN(θ) + log priors
 *
 * over the items' parameters, abilities integrated out over N(0, 1) (docs/formulas.md). The integral is a quadrature as
 * fine as the posteriors are narrow ({@link fitGrid}), the priors are flat on ordinary items ({@link DEFAULT_PRIORS}), and
 * the search is L-BFGS on EM steps ({@link ascend}). Missing answers count for nothing.
 *
 * The scale's sign is the one that makes the sum of the estimated discriminations positive. Single discriminations may
 * be negative in all models but the 1PL (an item whose key is wrong): each begins positive and the data carry it over 0.
 * With asymptotes such an item's `lower` is where strong models end.
 * @throws AnchorEvalError `invalid_data`, `invalid_option`; `aborted`; `numeric_failure` where nothing finite can be
 * computed
 * @see Bock & Aitkin (1981), Psychometrika 46, 443–459; Birnbaum (1968) for the 3PL; Barton & Lord (1981) for the 4PL
 */
export async function calibrateMarginal(
  responses: CodedResponses,
  options: MarginalOptions,
): Promise<MarginalCalibration> {
  checkInput(responses, options);
  const { model, maxIterations = 500, tolerance = 1e-7, onStep, signal } = options;
  const problem = prepareProblem(responses, model);
  checkProblem(problem);
  const { a, b, lower, upper } = { ...DEFAULT_PRIORS, ...options.priors };
  const priors: readonly WeakPrior[] = [{ mean: 0, ...a }, b, lower, upper];
  const layout = parameterLayout(problem);
  const x = startingPoint(problem, layout, priors);
  const search = findMaximum(problem, layout, priors, emptyCurves(responses.items), x, maxIterations, tolerance);
  let step;
  do {
    await turn();
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the calibration was stopped");
    step = search.next();
    if (!step.done) onStep?.(step.value);
  } while (!step.done);
  const { objective, logLikelihood, logPosterior, gradientNorm, iteration, evaluations, converged } = step.value;
  const { curves, expectation } = objective;
  const sign = curves.a.reduce((sum, value) => sum + value, 0) < 0 ? -1 : 1;
  return {
    model,
    ...itemParameters(problem, curves, sign),
    ...abilities(expectation, sign),
    logLikelihood,
    logPosterior,
    gradientNorm,
    iterations: iteration,
    evaluations,
    converged,
  };
}

function emptyCurves(items: number): Curves {
  const zeros = (): Float64Array => new Float64Array(items);
  return { a: zeros(), b: zeros(), g: zeros(), k: zeros() };
}

/** @param sign - −1 where the scale is turned over */
function itemParameters(
  { items, free, model }: Problem,
  curves: Curves,
  sign: number,
): Pick<MarginalCalibration, "a" | "b" | "lower" | "upper"> {
  const absent = (): Float64Array => new Float64Array(items).fill(NaN);
  const out = { a: absent(), b: absent(), lower: absent(), upper: absent() };
  for (const i of free) {
    out.a[i] = sign * curves.a[i]!;
    out.b[i] = curves.b[i]!;
    out.lower[i] = lowerAsymptote(curves.g[i]!, curves.k[i]!);
    out.upper[i] = model === "4pl" ? upperAsymptote(curves.g[i]!, curves.k[i]!) : 1;
  }
  return out;
}

function abilities({ mean, square }: Expectation, sign: number): Pick<MarginalCalibration, "theta" | "thetaSd"> {
  return {
    theta: mean.map((value) => sign * value),
    thetaSd: mean.map((value, m) => Math.sqrt(Math.max(0, square[m]! - value * value))),
  };
}

/** Lets the event loop turn, in every runtime: without this a signal would be heard only after the search. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
