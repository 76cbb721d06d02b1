import { ERROR_LEVELS, type ErrorSummary, type MeasuredErrors } from "anchoreval/bundle";
import { ESTIMATORS, type EstimatorId } from "anchoreval/core";
import type { LambdaRule } from "./configuration.ts";
import type { FittedBank } from "./fit-bundle.ts";
import { heldOutScore } from "./held-out-score.ts";
import type { HeldOutEstimate } from "./held-out.ts";
import { foldOutLambda, rounded } from "./measured-errors.ts";

/**
 * Errors of the overall score, the mean over scenarios, of the models that were held out in all of them at once. The
 * interpolation folds are the same for every bank; the weak-to-strong splits aren't, so there is no figure for those.
 */
export function measureOverall(
  banks: readonly FittedBank[],
  n: number,
  estimator: EstimatorId,
  lambdaRule: LambdaRule,
): MeasuredErrors {
  const parts = banks.flatMap((bank) =>
    bank.task.scenarios.map((_, s) => {
      const interpolation = bank.validation.interpolation[s]!.get(n)!;
      const extrapolation = bank.validation.extrapolation[s]!.get(n)!;
      const lambda = foldOutLambda({ lambda: bank.lambdas[s]!.get(n)!, lambdaRule, interpolation, extrapolation });
      return {
        lambda,
        byKey: new Map(interpolation.map((estimate) => [`${estimate.model}/${estimate.draw}`, estimate])),
      };
    }),
  );
  const common = [...parts[0]!.byKey.keys()].filter((key) => parts.every(({ byKey }) => byKey.has(key)));
  if (common.length === 0) return { interpolation: null, extrapolation: null };
  const error = (key: string, id: EstimatorId): number =>
    parts.reduce((sum, { byKey, lambda }) => {
      const estimate: HeldOutEstimate = byKey.get(key)!;
      return sum + (heldOutScore(estimate, id, lambda(estimate)) - estimate.truth) / parts.length;
    }, 0);
  const models = new Set(common.map((key) => key.split("/")[0])).size;
  const draws = Math.round(common.length / models);
  const summaries = Object.fromEntries(
    ESTIMATORS.map((id): [EstimatorId, ErrorSummary] => {
      const errors = common.map((key) => error(key, id));
      const mean = (pick: (value: number) => number): number =>
        rounded(errors.reduce((sum, value) => sum + pick(value), 0) / errors.length);
      return [
        id,
        {
          mae: mean(Math.abs),
          rmse: rounded(Math.sqrt(errors.reduce((sum, value) => sum + value * value, 0) / errors.length)),
          bias: mean((value) => value),
        },
      ];
    }),
  ) as Record<EstimatorId, ErrorSummary>;
  const headline = common.map((key) => Math.abs(error(key, estimator))).sort((x, y) => x - y);
  return {
    interpolation: {
      models,
      estimators: summaries,
      randomMae: 0,
      coverage95: null,
      halfWidth95: null,
      absoluteError: ERROR_LEVELS.map((level) => {
        const rank = Math.ceil((models + 1) * level) * draws;
        return rank > headline.length ? null : rounded(headline[rank - 1]!);
      }),
    },
    extrapolation: null,
  };
}
