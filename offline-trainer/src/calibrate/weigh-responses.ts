import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { GradedResponses, Responses } from "../matrix/code-responses.ts";

/** Weights ≥ 0 of models (M) and items (N); weight 2 counts as two alike, 0 as absent. */
export interface ResponseWeights {
  readonly subjects?: Float64Array;
  readonly items?: Float64Array;
}

/**
 * Responses whose cells carry their model's weight times their item's.
 * @throws AnchorEvalError `invalid_option` for a weight that is no number ≥ 0, or a wrong number of weights
 */
export function weighResponses(responses: Responses, weights: ResponseWeights): GradedResponses {
  const { subjects, items } = responses;
  const u = checked(weights.subjects, subjects, "models");
  const w = checked(weights.items, items, "items");
  const cells = "signs" in responses ? Float32Array.from(responses.signs, Math.abs) : responses.weights;
  return {
    subjects,
    items,
    scores: "signs" in responses ? Float32Array.from(responses.signs, (sign) => (sign > 0 ? 1 : 0)) : responses.scores,
    weights: cells.map((cell, k) => u[Math.floor(k / items)]! * w[k % items]! * cell),
    link: "signs" in responses ? "bernoulli" : responses.link,
  };
}

function checked(weights: Float64Array | undefined, count: number, what: string): Float64Array {
  if (weights === undefined) return new Float64Array(count).fill(1);
  if (weights.length !== count)
    throw new AnchorEvalError("invalid_option", `${count} ${what} need as many weights, got ${weights.length}`);
  const bad = weights.findIndex((weight) => !(weight >= 0 && weight < Infinity));
  if (bad < 0) return weights;
  const message = `weights of ${what} must be numbers ≥ 0, got ${weights[bad]!} at ${bad}`;
  throw new AnchorEvalError("invalid_option", message);
}
