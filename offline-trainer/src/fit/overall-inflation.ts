import { weightedScore, type Blend, type EstimatorId, type SampledScore } from "anchoreval/core";
import { conformalQuantile, heldOutSampling, heldOutScore } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { heldOutKey } from "./learn-evidence.ts";
import { neededVariance } from "./needed-variance.ts";

/** Held-out models below which 95 % of one more can't be told. */
const LEAST_MODELS = 39;

/** One scenario's held-out estimates with what blends them. */
export interface OverallPart {
  readonly estimates: readonly HeldOutEstimate[];
  readonly blend: (estimate: HeldOutEstimate) => Blend;
}

/** A held-out model's overall score by one form, from all scenarios; null without a design-based variance in each. */
export interface OverallEstimate {
  readonly estimate: HeldOutEstimate;
  readonly truth: number;
  readonly sampled: SampledScore | null;
}

/** The overall scores, means over scenarios, of the models that every scenario has held out. */
export function overallEstimates(parts: readonly OverallPart[], estimator: EstimatorId): OverallEstimate[] {
  const [first, ...others] = parts.map(
    ({ estimates, blend }) =>
      new Map(estimates.map((estimate) => [heldOutKey(estimate), { estimate, blend: blend(estimate) }])),
  );
  if (first === undefined) return [];
  return [...first].flatMap(([key, own]): OverallEstimate[] => {
    const rest = others.flatMap((table) => table.get(key) ?? []);
    if (rest.length < others.length) return [];
    const all = [own, ...rest];
    const share = 1 / all.length;
    const sampled = all.flatMap(({ estimate, blend }) => {
      const sampling = heldOutSampling(estimate, estimator, blend);
      if (sampling === null) return [];
      return [{ share, score: heldOutScore(estimate, estimator, blend), bounds: estimate.bounds, sampling }];
    });
    return [
      {
        estimate: own.estimate,
        truth: all.reduce((sum, { estimate }) => sum + share * estimate.truth, 0),
        sampled: sampled.length < all.length ? null : weightedScore(sampled),
      },
    ];
  });
}

/**
 * By how much the half-width of an overall interval must exceed that of scenarios whose errors are independent: those of
 * scenarios that lend one another strength go together. The least that would have held the overall scores of 95 % of the
 * held-out models, corrected for their number (split conformal prediction on scaled errors), and at least 1.
 * @returns 1 for fewer than 39 models
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2
 */
export function overallInflation(estimates: readonly OverallEstimate[]): number {
  const known = estimates.filter(({ sampled }) => sampled !== null);
  if (known.length < estimates.length || new Set(known.map(({ estimate }) => estimate.model)).size < LEAST_MODELS)
    return 1;
  const needed = new Map(
    known.map(({ estimate, truth, sampled }) => [
      estimate,
      Math.sqrt(neededVariance(sampled!.score, truth, sampled!.sampling)),
    ]),
  );
  const inflation = conformalQuantile(
    known.map(({ estimate }) => estimate),
    (estimate) => needed.get(estimate)!,
    0.95,
  );
  return inflation === null || !Number.isFinite(inflation) ? 1 : Math.max(1, inflation);
}
