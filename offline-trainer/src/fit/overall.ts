import type { ErrorSummary, FormManifest, MeasuredErrors, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { ERROR_LEVELS } from "anchoreval/internal/core/bundle/names";
import {
  type Blend,
  type ByEstimator,
  type EstimatorId,
  estimatorsOf,
  estimatorFigure,
  type SeenScores,
} from "anchoreval/internal/core/estimators/types";
import {
  designInterval,
  inflated,
  type SampledScore,
  weightedScore,
} from "anchoreval/internal/core/inference/score-interval";
import { remembered } from "anchoreval/internal/core/scoring/scoring-model";
import { answeredPart, errorSummary, measuredCoverage } from "./errors.ts";
import {
  conformalQuantile,
  heldOutResult,
  pooledQuantile,
  rounded,
  type ScoreInterval,
  withoutFold,
} from "./held-out-scores.ts";
import type { CrossValidation } from "./folds.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { heldOutKey, servedBlend, type Blends } from "./blends.ts";
import { LEAST_CONFORMAL, neededVariance } from "./blend-figures.ts";

/**
 * The overall score, the mean over scenarios, on models that were held out in all of them: its errors, and by how much
 * its intervals must exceed those of independent scenarios. Errors of random items combine in quadrature.
 * @param form - its id
 * @param randomMae - mean absolute errors of random items, one a scenario, on models like the others and on stronger ones
 * @param seen - the range of the source models' overall scores
 */
export function measureOverall(
  blends: readonly Blends[],
  form: string,
  estimator: EstimatorId,
  randomMae: Readonly<Record<keyof MeasuredErrors, readonly number[]>>,
  seen: SeenScores | null,
): NonNullable<FormManifest["overall"]> {
  const overall = overallEstimates(overallParts(blends, form), estimator);
  const needed = remembered(neededRatio);
  const stronger = overallEstimates(overallParts(blends, form, "extrapolation"), estimator);
  const inflationOf = withoutFold(
    [...overall, ...stronger].map(({ estimate }) => estimate),
    (held) =>
      overallInflation(
        overall.filter(({ estimate }) => !held.has(estimate.model)),
        needed,
      ),
  );
  const intervalOf = ({ estimate, sampled }: OverallEstimate): ScoreInterval | null =>
    sampled === null ? null : designInterval(inflated(sampled, inflationOf(estimate)), 0.95);
  const measured = (estimates: readonly OverallEstimate[], random: readonly number[]): SplitErrors | null =>
    estimates.length === 0 ? null : overallErrors(estimates, estimator, estimates.map(intervalOf), quadrature(random));
  return {
    inflation: rounded(overallInflation(overall, needed)),
    seen,
    measured: {
      interpolation: measured(overall, randomMae.interpolation),
      extrapolation: measured(stronger, randomMae.extrapolation),
    },
  };
}

/** The errors of overall scores, and how many of their intervals hold. @param intervals - aligned with the estimates */
function overallErrors(
  overall: readonly OverallEstimate[],
  estimator: EstimatorId,
  intervals: readonly (ScoreInterval | null)[],
  randomMae: number,
): SplitErrors {
  const models = new Set(overall.map(({ estimate }) => estimate.model)).size;
  const errors = (id: EstimatorId): number[] => overall.map(({ scores, truth }) => estimatorFigure(scores, id) - truth);
  const held = overall.map(({ estimate, truth }) => ({ model: estimate.model, truth }));
  const absolute = errors(estimator).map(Math.abs);
  return {
    models,
    ...answeredPart(overall.map(({ estimate }) => estimate)),
    estimators: Object.fromEntries(
      estimatorsOf(overall[0]!.scores).map((id) => [id, errorSummary(errors(id))]),
    ) as Record<EstimatorId, ErrorSummary>,
    randomMae: rounded(randomMae),
    ...measuredCoverage(held, intervals),
    absoluteError: ERROR_LEVELS.map((level) => {
      const error = pooledQuantile(absolute, models, level);
      return error === null ? null : rounded(error);
    }),
  };
}

/** Spread of a mean of independent parts. */
function quadrature(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) / values.length;
}

/** One scenario's held-out estimates with what blends them. */
interface OverallPart {
  readonly estimates: readonly HeldOutEstimate[];
  readonly blend: (estimate: HeldOutEstimate) => Blend;
}

/** A held-out model's overall score by one form, from all scenarios; null without a design-based variance in each. */
interface OverallEstimate {
  readonly estimate: HeldOutEstimate;
  readonly truth: number;
  readonly scores: ByEstimator<number>;
  readonly sampled: SampledScore | null;
}

/** All scenarios by a form, each by the answers that serve it, blends learned without a model's fold. */
export function overallParts(
  blends: readonly Blends[],
  form: string,
  split: keyof CrossValidation = "interpolation",
): OverallPart[] {
  return blends.flatMap((byScenario) =>
    Array.from(byScenario.values(), (byForm) => {
      const { validation, foldOut } = servedBlend(byForm.get(form)!);
      return { estimates: validation[split], blend: foldOut };
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
  return [...first].flatMap(([key, one]): OverallEstimate[] => {
    const rest = others.flatMap((table) => table.get(key) ?? []);
    if (rest.length < others.length) return [];
    const all = [one, ...rest];
    const share = 1 / all.length;
    const results = all.map(({ estimate, blend }) => heldOutResult(estimate, estimator, blend));
    const sampled = results.flatMap(({ score, sampling }, s) =>
      sampling === null ? [] : [{ share, score, bounds: all[s]!.estimate.bounds, sampling }],
    );
    return [
      {
        estimate: one.estimate,
        truth: all.reduce((sum, { estimate }) => sum + share * estimate.truth, 0),
        scores: Object.fromEntries(
          estimatorsOf(results[0]!.scores).map((id) => [
            id,
            results.reduce((sum, { scores }) => sum + share * estimatorFigure(scores, id), 0),
          ]),
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
 * @param needed - {@link neededRatio}, or what remembers it
 * @returns 1 for fewer than 39 models
 * @see Lei, G'Sell, Rinaldo, Tibshirani & Wasserman (2018), JASA 113, 1094–1111, §5.2
 */
export function overallInflation(estimates: readonly OverallEstimate[], needed = neededRatio): number {
  const withSampling = estimates.filter(({ sampled }) => sampled !== null);
  if (
    withSampling.length < estimates.length ||
    new Set(withSampling.map(({ estimate }) => estimate.model)).size < LEAST_CONFORMAL
  )
    return 1;
  const ratios = new Map(withSampling.map((overall) => [overall.estimate, needed(overall)]));
  const inflation = conformalQuantile([...ratios.keys()], (estimate) => ratios.get(estimate)!, 0.95);
  return inflation === null || !Number.isFinite(inflation) ? 1 : Math.max(1, inflation);
}

/** The multiple of its half-width at which an overall interval would just have held the truth. */
function neededRatio({ truth, sampled }: OverallEstimate): number {
  return Math.sqrt(neededVariance(sampled!.score, truth, sampled!.sampling));
}
