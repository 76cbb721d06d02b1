import {
  estimatorsOf,
  figureOf,
  weightedScore,
  type Blend,
  type ByEstimator,
  type EstimatorId,
  type SampledScore,
} from "anchoreval/core";
import { conformalQuantile, heldOutSampling, heldOutScores } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { heldOutKey, servedEvidence, type BankEvidence } from "./learn-evidence.ts";
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
  readonly scores: ByEstimator<number>;
  readonly sampled: SampledScore | null;
}

/** The scenarios of some banks by a form, each by the evidence that serves it, blends learned without a model's fold. */
export function overallParts(evidence: readonly BankEvidence[], form: string): OverallPart[] {
  return evidence.flatMap((own) =>
    own.alone.blends.map((_, s) => {
      const { validation, blends } = servedEvidence(own, s, form);
      return { estimates: validation.interpolation[s]!.get(form)!, blend: blends[s]!.get(form)!.foldOut };
    }),
  );
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
    const scores = all.map(({ estimate, blend }) => heldOutScores(estimate, blend));
    const sampled = all.flatMap(({ estimate, blend }, s) => {
      const sampling = heldOutSampling(estimate, estimator, blend);
      return sampling === null
        ? []
        : [{ share, score: figureOf(scores[s]!, estimator), bounds: estimate.bounds, sampling }];
    });
    return [
      {
        estimate: own.estimate,
        truth: all.reduce((sum, { estimate }) => sum + share * estimate.truth, 0),
        scores: Object.fromEntries(
          estimatorsOf(scores[0]!).map((id) => [id, scores.reduce((sum, own) => sum + share * figureOf(own, id), 0)]),
        ) as Record<EstimatorId, number>,
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
