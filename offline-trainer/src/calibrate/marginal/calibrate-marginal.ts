import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval/internal/core/errors";
import { logit } from "anchoreval/internal/core/numeric/functions";
import type { CodedResponses } from "../../matrix/code-responses.ts";
import { findMaximum } from "./ascend.ts";
import {
  type Curves,
  type Layout,
  lowerAsymptote,
  parameterLayout,
  prepareProblem,
  type Problem,
  upperAsymptote,
} from "./problem.ts";
import type { Expectation } from "./expectation.ts";
import { DEFAULT_PRIORS, type MarginalPriors, type WeakPrior } from "./priors.ts";
import { MARGINAL_MODELS, type MarginalCalibration, type MarginalModel, type MarginalOptions } from "./types.ts";

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

/** Least items that identify the discriminations, or the one spread of abilities. */
const LEAST_ITEMS: Readonly<Record<MarginalModel, number>> = { "1pl": 2, "2pl": 3, "3pl": 3, "4pl": 3 };

/**
 * Checks everything that the passes over the responses rely on.
 * @throws AnchorEvalError `invalid_data` for responses, `invalid_option` for the rest
 */
function checkInput(responses: CodedResponses, options: MarginalOptions): void {
  const { model, priors, maxIterations, tolerance } = options;
  if (!MARGINAL_MODELS.includes(model))
    refuse("invalid_option", `model must be one of ${MARGINAL_MODELS.join(", ")}; got ${model}`);
  checkResponses(responses);
  if (priors) checkPriors(priors);
  if (maxIterations !== undefined && !isCount(maxIterations))
    refuse("invalid_option", `maxIterations must be a whole number from 1 on; got ${maxIterations}`);
  if (tolerance !== undefined && !(tolerance > 0))
    refuse("invalid_option", `tolerance must be above 0; got ${tolerance}`);
}

/** Refuses fewer items than identify the model. */
function checkProblem({ model, free }: Problem): void {
  if (free.length < LEAST_ITEMS[model])
    refuse(
      "invalid_data",
      `the ${model} needs ${LEAST_ITEMS[model]} items with answers, got ${free.length}: nothing tells its parameters apart`,
    );
}

function checkResponses({ subjects, items, signs }: CodedResponses): void {
  if (!isCount(subjects) || !isCount(items))
    refuse("invalid_data", `responses have whole numbers of models and items, from 1 on; got ${subjects} and ${items}`);
  if (signs.length !== subjects * items)
    refuse("invalid_data", `${subjects} models and ${items} items have ${subjects * items} signs; got ${signs.length}`);
  const wrong = signs.findIndex((sign) => sign < -1 || sign > 1);
  if (wrong >= 0)
    refuse(
      "invalid_data",
      `model ${Math.floor(wrong / items)}, item ${wrong % items}: a sign must be 1, −1 or 0; got ${signs[wrong]!}`,
    );
}

function checkPriors(priors: Partial<MarginalPriors>): void {
  for (const [name, prior] of Object.entries(priors) as [string, Partial<WeakPrior>][]) {
    const { mean = 0, flat, sd } = prior;
    if (!Number.isFinite(mean)) refuse("invalid_option", `priors.${name}.mean must be a number; got ${mean}`);
    if (!(flat! >= 0)) refuse("invalid_option", `priors.${name}.flat must be a number from 0 on; got ${flat}`);
    if (!(sd! > 0)) refuse("invalid_option", `priors.${name}.sd must be above 0; got ${sd}`);
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value > 0;
}

function refuse(code: AnchorEvalErrorCode, message: string): never {
  throw new AnchorEvalError(code, message);
}

/**
 * Where the search begins: a = 1, b from the item's share of right answers (half an answer added either way), asymptotes
 * where their priors are highest. Discriminations begin positive in all models; the data carry
 * those of mislabelled items over 0.
 */
export function startingPoint(problem: Problem, layout: Layout, priors: readonly WeakPrior[]): Float64Array {
  const { free, signSums, answerSums } = problem;
  const { perItem, slots, slope } = layout;
  const x = new Float64Array(layout.size);
  for (let f = 0; f < free.length; f++) {
    const i = free[f]!;
    const share = (0.5 * (answerSums[i]! + signSums[i]!) + 0.5) / (answerSums[i]! + 1);
    for (let p = 0; p < perItem; p++) {
      const slot = slots[p]!;
      x[f * perItem + p] = slot === 0 ? 1 : slot === 1 ? -logit(share) : priors[slot]!.mean;
    }
  }
  if (slope >= 0) x[slope] = 1;
  return x;
}
