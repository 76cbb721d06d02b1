import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { pickModels } from "anchoreval/internal/features/routing/core/predict-chances";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import type { ItemInfo, ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { principalAxes } from "../../../offline-trainer/src/numeric/principal-axes.ts";
import type { QuestionFeatures } from "../../../offline-trainer/src/numeric/text-features.ts";
import { neighbourForecasts, answerForecast, parameterForecast, REGRESSION_AXES } from "./forecasts.ts";
import { bestForecast, mostRight, scaledProbabilities, scaleForecast } from "./probability-scale.ts";
import { questionBank, rightThreshold, type Forecast, type RightRule } from "./questions.ts";

/**
 * Methods of predicting answers to a question that nobody has answered from those that have been:
 * - `knn`: item parameters are the plain average of those of the k nearest train questions (the seed's method);
 * - `weighted-knn`: their average weighted by similarity;
 * - `ridge`: item parameters by ridge regression on the features, with a predictive variance;
 * - `answer-ridge`: each model's chance of a right answer directly by ridge regression, the part that models share
 *   separated from the contrasts between them.
 */
export const ROUTE_METHODS = ["knn", "weighted-knn", "ridge", "answer-ridge"] as const;
type RouteMethod = (typeof ROUTE_METHODS)[number];

/** Settings of routing. */
export interface RouteOptions {
  readonly backend: CalibrationBackend;
  /** Latent dimensions of the item parameters. */
  readonly dims: number;
  /** Neighbours of the kNN methods, less than the number of train questions. */
  readonly k: number;
  readonly rule: RightRule;
  /** Subtracted from a model's probability of a right answer, in the order of the models: cost times its weight, ≥ 0. */
  readonly penalties?: Float64Array;
  readonly seed: number;
}

/** Test questions routed by every method; no answer to any of them has been looked at. */
export type Routing = Awaited<ReturnType<typeof routeQuestions>>;

/** One method's predictions of the test questions. */
export type MethodRouting = Routing["methods"][0];

/**
 * Predicts every model's answer to questions that no model has answered, and picks a model for each: learned from train
 * questions with answers, by all `ROUTE_METHODS`.
 *
 * Whatever is learned by leaving a question out (penalties, the scale, `best`, `leftOut`) leaves its answers out of its
 * own prediction; abilities and contrasts of the M models have seen them.
 * @param train - answers to the train questions, and nothing else
 * @throws AnchorEvalError `invalid_data` for no train or no test questions, or one that is both; `invalid_option` for as
 * many neighbours as train questions
 * @example const routing = await routeQuestions(train, test, features, { backend, dims: 1, k: 20, rule: "nonzero", seed: 1 });
 */
export async function routeQuestions(
  train: ResponseMatrix,
  test: readonly ItemInfo[],
  features: QuestionFeatures,
  { backend, dims, k, rule, penalties, seed }: RouteOptions,
) {
  checkRouting(train.items, test, k);
  const random = createRandom(seed).fork("route");
  const models = train.subjects.length;
  const cut = rightThreshold(train, rule);
  const bank = await questionBank(train, cut, { dims, backend, random: random.fork("calibration") });
  const axes = principalAxes(features.train, REGRESSION_AXES, random.fork("axes"));
  const forecasts: Readonly<Record<RouteMethod, Forecast>> = {
    ...neighbourForecasts(bank, features, k),
    ridge: parameterForecast(bank, axes, features),
    "answer-ridge": answerForecast(bank, axes, features),
  };
  const subtracted = penalties ?? new Float64Array(models);
  const scaledForecasts = ROUTE_METHODS.map((method) => ({
    method,
    ...scaleForecast(forecasts[method].leftOut, bank.answers, subtracted),
  }));
  const methods = scaledForecasts.map(({ method, shiftOf, scale, raw, scaled, right, penalty }) => {
    const { test: unscaled, logitVariance } = forecasts[method];
    const probabilities = scaledProbabilities(unscaled, scale);
    const picks = pickModels(probabilities, subtracted);
    return {
      method,
      /** Whether scaling has one shift for all models, or one for each. */
      shiftOf,
      /** Scaled probabilities of a right answer, `[i·M + m]`. */
      probabilities,
      /** Index of the model picked for every question. */
      picks,
      /** Standard error of the pick's logit, of methods with a predictive variance; else null. */
      pickErrors: logitVariance && Float64Array.from(picks, (m, i) => Math.sqrt(logitVariance[i * models + m]!)),
      /**
       * On the train questions, each predicted by the others: before scaling, and after it by a scale of other questions;
       * the picks' share right and penalty.
       */
      leftOut: { raw, scaled, right, penalty },
    };
  });
  return {
    models: train.subjects,
    test,
    /** A score above it is a right answer. */
    cut,
    /** The model with most right answers to the train questions. */
    single: mostRight(bank.answers, models),
    methods,
    /** The method whose picks got most train questions right, less their penalties; if equal, by the log loss. */
    best: bestForecast(scaledForecasts).method,
  };
}

/** Checks the questions and the number of neighbours before any work. @throws as {@link routeQuestions} does */
export function checkRouting(train: readonly ItemInfo[], test: readonly ItemInfo[], k: number): void {
  if (train.length === 0) throw new AnchorEvalError("invalid_data", "there are no train questions");
  if (test.length === 0) throw new AnchorEvalError("invalid_data", "there are no test questions");
  const trainIds = new Set(train.map(({ item_id: id }) => id));
  const both = test.flatMap(({ item_id: id }) => (trainIds.has(id) ? [id] : []));
  if (both.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${both.length} of the test questions ${both.length === 1 ? "is a train question" : "are train questions"} too: ${firstFew(both)}`,
    );
  if (k >= train.length)
    throw invalidOption(
      `${k} neighbours need more than ${k} train questions, there are ${train.length}: a smaller k, or more questions`,
    );
}
