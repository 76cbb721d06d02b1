import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { logit } from "anchoreval/internal/core/numeric/functions";
import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { dot } from "../../../offline-trainer/src/numeric/vectors.ts";
import { findMaximum, type MarginalStep } from "./ascend.ts";
import { PRIORS, type Curves, type MarginalModel, prepareProblem, type Problem } from "./problem.ts";

export interface MarginalOptions {
  readonly model: MarginalModel;
  /** Converged when steps are expected to gain less than this, in nats. @default 1e-7 */
  readonly tolerance?: number | undefined;
  readonly onStep?: (step: MarginalStep) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calibrates a unidimensional response model by marginal maximum likelihood (docs/formulas.md):
 *
 *   P = lower + (upper − lower)·σ(a·θ − b),   max Σ_m log ∫ Π_i P(y_mi | θ) dN(θ) + log priors
 *
 * Missing answers count for nothing.
 *
 * The scale's sign is the one that makes the sum of the estimated discriminations positive. Single discriminations may
 * be negative in all models but the 1PL (an item whose key is wrong): each begins positive and the data carry it over 0.
 * With asymptotes such an item's `lower` is where strong models end.
 * @throws AnchorEvalError `invalid_data` for fewer items than identify the model; `aborted`; `numeric_failure` where
 * nothing finite can be computed
 * @see Bock & Aitkin (1981), Psychometrika 46, 443–459; Birnbaum (1968) for the 3PL; Barton & Lord (1981) for the 4PL
 */
export async function calibrateMarginal(
  responses: CodedResponses,
  { model, tolerance = 1e-7, onStep, signal }: MarginalOptions,
) {
  const problem = prepareProblem(responses, model);
  const least = model === "1pl" ? 2 : 3; // what tells the discriminations, or the one spread of abilities
  if (problem.free.length < least)
    throw new AnchorEvalError(
      "invalid_data",
      `the ${model} needs ${least} items with answers, got ${problem.free.length}: nothing tells its parameters apart`,
    );
  /** Without a turn of the event loop a signal would be heard only after the search. */
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    if (signal?.aborted) throw new AnchorEvalError("aborted", "the calibration was stopped");
  };
  await pause();
  const maximum = await findMaximum(problem, startingPoint(problem), tolerance, (step) => {
    onStep?.(step);
    return pause();
  });
  const { curves, mean, evaluations, converged } = maximum;
  const { logLikelihood, logPosterior, gradient } = maximum.end;
  const sign = curves.a.reduce((sum, value) => sum + value, 0) < 0 ? -1 : 1;
  return {
    ...itemParameters(problem, curves, sign),
    /** M abilities, E[θ | y]. */
    theta: mean.map((value) => sign * value),
    /** At the end, in nats. */
    logLikelihood,
    /** With the priors' logarithms, up to a constant. */
    logPosterior,
    /** In a, b and the logarithms that the asymptotes' priors are of. */
    gradientNorm: Math.sqrt(dot(gradient, gradient)),
    evaluations,
    converged,
  };
}

export type MarginalCalibration = Awaited<ReturnType<typeof calibrateMarginal>>;

/**
 * N each: discriminations, in logits per unit of θ; intercepts, logits, z = a·θ − b; asymptotes, 0 ≤ lower < upper ≤ 1.
 * An item that no model answered has nothing to estimate: its parameters are NaN.
 * @param sign - −1 where the scale is turned over
 */
function itemParameters({ items, free }: Problem, { a, b, g, k }: Curves, sign: number) {
  const absent = (): Float64Array => new Float64Array(items).fill(NaN);
  const out = { a: absent(), b: absent(), lower: absent(), upper: absent() };
  for (const i of free) {
    const scale = 1 + g[i]! + k[i]!;
    out.a[i] = sign * a[i]!;
    out.b[i] = b[i]!;
    out.lower[i] = g[i]! / scale;
    out.upper[i] = (1 + g[i]!) / scale;
  }
  return out;
}

/**
 * Where the search begins: a = 1, b from the item's share of right answers (half an answer added either way), asymptotes
 * where their priors are highest. Discriminations begin positive in all models; the data carry those of mislabelled items
 * over 0.
 */
export function startingPoint({ free, signSums, answerSums, slots, slope, size }: Problem): Float64Array {
  const x = new Float64Array(size);
  free.forEach((i, f) => {
    const share = (0.5 * (answerSums[i]! + signSums[i]!) + 0.5) / (answerSums[i]! + 1);
    slots.forEach((slot, p) => {
      x[f * slots.length + p] = slot === 0 ? 1 : slot === 1 ? -logit(share) : PRIORS[slot]!.mean;
    });
  });
  if (slope >= 0) x[slope] = 1;
  return x;
}
