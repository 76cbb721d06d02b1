import { ERROR_LEVELS, type ErrorSummary, type FormManifest, type MeasuredErrors } from "anchoreval/bundle";
import { designInterval, ESTIMATORS, inflated, type EstimatorId } from "anchoreval/core";
import { heldModels } from "./fold-out-blend.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { heldOutScores } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { heldOutKey, servedEvidence } from "./learn-evidence.ts";
import { errorSummary, LEAST_MODELS_FOR_COVERAGE, rounded } from "./measured-errors.ts";
import { overallEstimates, overallInflation, type OverallEstimate, type OverallPart } from "./overall-inflation.ts";

/**
 * The overall score, the mean over scenarios, on models that were held out in all of them: its errors, and by how much
 * its intervals must exceed those of independent scenarios. Errors of random items combine in quadrature.
 * @param randomMae - mean absolute error of random items, one a scenario
 */
export function measureOverall(
  banks: readonly FittedBank[],
  n: number,
  estimator: EstimatorId,
  randomMae: readonly number[],
): NonNullable<FormManifest["overall"]> {
  const parts = banks.flatMap((bank) =>
    bank.task.scenarios.map((_, s): OverallPart => {
      const { validation, blends } = servedEvidence(bank.evidence, s, n);
      return { estimates: validation.interpolation[s]!.get(n)!, blend: blends[s]!.get(n)!.foldOut };
    }),
  );
  const overall = overallEstimates(parts, estimator);
  const inflation = overallInflation(overall);
  if (overall.length === 0) return { inflation, measured: { interpolation: null, extrapolation: null } };
  const models = new Set(overall.map(({ estimate }) => estimate.model)).size;
  const byScenario = parts.map(
    ({ estimates, blend }) =>
      new Map(
        estimates.map((estimate) => {
          const scores = heldOutScores(estimate, blend(estimate));
          return [heldOutKey(estimate), { truth: estimate.truth, scores }];
        }),
      ),
  );
  const errors = (id: EstimatorId): number[] =>
    overall.map(({ estimate }) =>
      byScenario.reduce((sum, table) => {
        const { scores, truth } = table.get(heldOutKey(estimate))!;
        return sum + (scores[id] - truth) / parts.length;
      }, 0),
    );
  const intervals = overall.map(intervalOf(overall));
  const known = models >= LEAST_MODELS_FOR_COVERAGE && intervals.every((interval) => interval !== null);
  const absolute = errors(estimator)
    .map(Math.abs)
    .sort((x, y) => x - y);
  const draws = overall.length / models;
  const interpolation = {
    models,
    estimators: Object.fromEntries(ESTIMATORS.map((id) => [id, errorSummary(errors(id))])) as Record<
      EstimatorId,
      ErrorSummary
    >,
    randomMae: rounded(quadrature(randomMae)),
    coverage95: known ? rounded(mean(intervals.map(({ holds }) => (holds ? 1 : 0)))) : null,
    halfWidth95: known ? rounded(mean(intervals.map(({ halfWidth }) => halfWidth))) : null,
    absoluteError: ERROR_LEVELS.map((level) => {
      const rank = Math.ceil(Math.ceil((models + 1) * level) * draws);
      return rank > absolute.length ? null : rounded(absolute[rank - 1]!);
    }),
  };
  return { inflation: rounded(inflation), measured: { interpolation, extrapolation: null } satisfies MeasuredErrors };
}

/** The interval of a held-out model's overall score, inflated by what the models of other folds need. */
function intervalOf(
  overall: readonly OverallEstimate[],
): (own: OverallEstimate) => { holds: boolean; halfWidth: number } | null {
  const estimates = overall.map(({ estimate }) => estimate);
  const known = new Map<number, number>();
  const without = ({ fold }: HeldOutEstimate): number => {
    let inflation = known.get(fold);
    if (inflation === undefined) {
      const held = heldModels({ interpolation: estimates, extrapolation: [] }, fold);
      inflation = overallInflation(overall.filter(({ estimate }) => !held.has(estimate.model)));
      known.set(fold, inflation);
    }
    return inflation;
  };
  return ({ estimate, truth, sampled }) => {
    if (sampled === null) return null;
    const { low, high } = designInterval(inflated(sampled, without(estimate)), 0.95);
    return { holds: low <= truth + 1e-12 && truth - 1e-12 <= high, halfWidth: (high - low) / 2 };
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Spread of a mean of independent parts. */
function quadrature(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0)) / values.length;
}
