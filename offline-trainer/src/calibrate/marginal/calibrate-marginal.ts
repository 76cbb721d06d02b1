import { AnchorEvalError } from "anchoreval/core";
import type { CodedResponses } from "../types.ts";
import { checkInput, checkProblem } from "./check-input.ts";
import { lowerAsymptote, upperAsymptote, type Curves } from "./curves.ts";
import type { Expectation } from "./expectation.ts";
import { findMaximum, type Maximum } from "./find-maximum.ts";
import { itemCovariances } from "./item-covariances.ts";
import { parameterLayout } from "./layout.ts";
import { DEFAULT_PRIORS, type WeakPrior } from "./priors.ts";
import { prepareProblem, type Problem } from "./problem.ts";
import { standardErrors } from "./standard-errors.ts";
import { startingPoint } from "./starting-point.ts";
import type { FixedItems, MarginalCalibration, MarginalModel, MarginalOptions } from "./types.ts";

/**
 * Calibrates a unidimensional response model by marginal maximum likelihood:
 *
 *   P = lower + (upper − lower)·σ(a·θ − b),   max Σ_m w_m·log ∫ Π_i P(y_mi | θ)^v_i dN(θ) + log priors
 *
 * over the items' parameters, abilities integrated out over N(0, 1) (docs/formulas.md). The integral is a quadrature as
 * fine as the posteriors are narrow ({@link fitGrid}), the priors are flat on ordinary items ({@link DEFAULT_PRIORS}), the
 * search is L-BFGS on EM steps ({@link ascend}), standard errors come from the observed information
 * ({@link itemCovariances}). Missing answers count for nothing.
 *
 * The scale's sign is the one that makes the sum of the estimated discriminations positive; beside fixed items it is
 * theirs. Single discriminations may be negative in all models (an item whose key is wrong): each begins positive and the
 * data carry it over 0. With asymptotes such an item's `lower` is where strong models end.
 *
 * Beside fixed items the population's mean and standard deviation are estimated in place of 0 and 1, so that new items
 * come to lie on the fixed items' scale; the 1PL's new items take their discrimination. Where all items are fixed,
 * population and abilities are estimated.
 * @throws AnchorEvalError `invalid_data`, `invalid_option`; `aborted`; `numeric_failure` where nothing finite can be
 * computed
 * @see Bock & Aitkin (1981), Psychometrika 46, 443–459; Birnbaum (1968) for the 3PL; Barton & Lord (1981) for the 4PL;
 * Kim (2006), Journal of Educational Measurement 43, 355–381, for fixed items
 */
export async function calibrateMarginal(
  responses: CodedResponses,
  options: MarginalOptions,
): Promise<MarginalCalibration> {
  checkInput(responses, options);
  const { model, fixed, starts, maxIterations = 500, tolerance = 1e-7, onStep, signal } = options;
  const { subjects, items } = responses;
  const problem = prepareProblem(
    responses,
    model,
    weightsOf(options.modelWeights, subjects),
    weightsOf(options.itemWeights, items),
    fixed,
  );
  checkProblem(problem, fixed);
  const { a, b, lower, upper } = { ...DEFAULT_PRIORS, ...options.priors };
  const priors: readonly WeakPrior[] = [{ mean: 0, ...a }, b, lower, upper];
  const layout = parameterLayout(problem, fixed !== undefined);

  const reached: number[] = [];
  let best: { maximum: Maximum; x: Float64Array } | undefined;
  for (let start = 0; start < (starts?.count ?? 1); start++) {
    const x = startingPoint(problem, layout, priors, starts?.random.fork(`start ${start}`));
    const search = findMaximum(
      problem,
      layout,
      priors,
      startingCurves(items, model, fixed),
      x,
      maxIterations,
      tolerance,
    );
    for (;;) {
      await turn();
      if (signal?.aborted) throw new AnchorEvalError("aborted", "the calibration was stopped");
      const step = search.next();
      if (step.done) {
        reached.push(step.value.logPosterior);
        if (!best || step.value.logPosterior > best.maximum.logPosterior) best = { maximum: step.value, x };
        break;
      }
      onStep?.({ start, ...step.value });
    }
  }
  const { maximum, x } = best!;
  const { objective } = maximum;
  const { curves } = objective;
  const turned = !fixed && curves.a.reduce((sum, value) => sum + value, 0) < 0 ? -1 : 1;
  const found = {
    ...itemParameters(problem, curves, turned, fixed),
    ...abilities(objective.expectation, turned),
    population: { mean: curves.mean, sd: curves.sd },
  };
  const covariances = (options.standardErrors ?? true) ? itemCovariances(objective, x) : null;
  const isFixed = new Set(Array.from(fixed?.items ?? []));
  return {
    model,
    ...found,
    standardErrors: covariances && standardErrors(problem, layout, curves, covariances, (i) => isFixed.has(i)),
    logLikelihood: maximum.logLikelihood,
    logPosterior: maximum.logPosterior,
    gradientNorm: maximum.gradientNorm,
    iterations: maximum.iteration,
    evaluations: maximum.evaluations,
    converged: maximum.converged,
    starts: reached,
  };
}

function weightsOf(weights: ArrayLike<number> | undefined, count: number): Float64Array {
  return weights ? Float64Array.from(weights) : new Float64Array(count).fill(1);
}

/** Curves that hold the fixed items' parameters, and what the 1PL's new items take of them; 0 elsewhere; and N(0, 1). */
function startingCurves(items: number, model: MarginalModel, fixed: FixedItems | undefined): Curves {
  const zeros = (): Float64Array => new Float64Array(items);
  const curves: Curves = { a: zeros(), b: zeros(), g: zeros(), k: zeros(), mean: 0, sd: 1 };
  if (!fixed) return curves;
  const { bank } = fixed;
  if (model === "1pl") curves.a.fill(bank.a[0]!);
  for (let n = 0; n < bank.count; n++) {
    const i = fixed.items[n]!;
    const lower = bank.lower?.[n] ?? 0;
    const upper = bank.upper?.[n] ?? 1;
    curves.a[i] = bank.a[n]!;
    curves.b[i] = bank.b[n]!;
    curves.g[i] = lower / (upper - lower);
    curves.k[i] = (1 - upper) / (upper - lower);
  }
  return curves;
}

/** @param turned - −1 where the scale is turned over */
function itemParameters(
  { items, free, model }: Problem,
  curves: Curves,
  turned: number,
  fixed: FixedItems | undefined,
): Pick<MarginalCalibration, "a" | "b" | "lower" | "upper"> {
  const absent = (): Float64Array => new Float64Array(items).fill(NaN);
  const out = { a: absent(), b: absent(), lower: absent(), upper: absent() };
  for (const i of free) {
    out.a[i] = turned * curves.a[i]!;
    out.b[i] = curves.b[i]!;
    out.lower[i] = lowerAsymptote(curves.g[i]!, curves.k[i]!);
    out.upper[i] = model === "4pl" ? upperAsymptote(curves.g[i]!, curves.k[i]!) : 1;
  }
  if (fixed)
    for (let n = 0; n < fixed.bank.count; n++) {
      const i = fixed.items[n]!;
      out.a[i] = fixed.bank.a[n]!;
      out.b[i] = fixed.bank.b[n]!;
      out.lower[i] = fixed.bank.lower?.[n] ?? 0;
      out.upper[i] = fixed.bank.upper?.[n] ?? 1;
    }
  return out;
}

function abilities({ mean, square }: Expectation, turned: number): Pick<MarginalCalibration, "theta" | "thetaSd"> {
  return {
    theta: mean.map((value) => turned * value),
    thetaSd: mean.map((value, m) => Math.sqrt(Math.max(0, square[m]! - value * value))),
  };
}

/** Lets the event loop turn, in every runtime: without this a signal would be heard only after the search. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
