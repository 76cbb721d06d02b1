import type { AbilityPrior } from "anchoreval/core";
import type { Scales } from "./scales.ts";
import { shares } from "./starting-values.ts";
import type { Parameters, Responses } from "./types.ts";

/** Σ over an item's answers of their expected information in the logit, about: w·P(1−P), Gaussian w·(P(1−P))². */
export function itemWeights(responses: Responses): Float64Array {
  const { item, answers } = shares(responses);
  const gaussian = "link" in responses && responses.link === "gaussian";
  return item.map((p, i) => (p * (1 - p)) ** (gaussian ? 2 : 1) * answers[i]!);
}

/**
 * Diagonal of the objective's expected Hessian, about: L-BFGS's scaling.
 * @param weight - {@link itemWeights}
 * @param out - filled
 */
export function curvature(
  { theta, a }: Parameters,
  { aVariance, bVariance }: Scales,
  { precision }: AbilityPrior,
  weight: Float64Array,
  out: Parameters,
): void {
  const dims = aVariance.length;
  const subjects = theta.length / dims;
  const spread = new Float64Array(dims);
  const slope = new Float64Array(dims);
  for (let k = 0; k < theta.length; k++) spread[k % dims]! += theta[k]! ** 2 / subjects;
  for (let k = 0; k < a.length; k++) slope[k % dims]! += (weight[Math.floor(k / dims)]! * a[k]! ** 2) / subjects;
  for (let k = 0; k < theta.length; k++) out.theta[k] = precision[(k % dims) * (dims + 1)]! + slope[k % dims]!;
  for (let k = 0; k < a.length; k++)
    out.a[k] = 1 / aVariance[k % dims]! + weight[Math.floor(k / dims)]! * spread[k % dims]!;
  for (let k = 0; k < out.b.length; k++) out.b[k] = 1 / bVariance + weight[k]!;
}
