import { AnchorEvalError, createRandom, pickModels } from "anchoreval/core";
import { firstFew } from "anchoreval/node";
import type { CalibrationBackend } from "../../calibrate/types.ts";
import type { ItemInfo, ResponseMatrix } from "../../matrix/response-matrix.ts";
import { principalAxes } from "../../spectral/principal-axes.ts";
import type { QuestionFeatures } from "../../spectral/text-features.ts";
import { neighbourForecasts } from "./neighbours.ts";
import {
  chooseScale,
  forecastQuality,
  type ForecastQuality,
  scaledProbabilities,
  type ShiftOf,
} from "./probability-scale.ts";
import {
  type Forecast,
  questionBank,
  rightAbove,
  type RightRule,
  ROUTE_METHODS,
  type RouteMethod,
} from "./questions.ts";
import { answerForecast, parameterForecast } from "./regressions.ts";

/** Axes of the features that regressions go on. */
const AXES = 100;

/** Neighbours, unless told: the seed's. */
export const DEFAULT_NEIGHBOURS = 20;

/** How routing is learned. */
export interface RouteOptions {
  readonly backend: CalibrationBackend;
  /** Latent dimensions of the item parameters. */
  readonly dims: number;
  /** Neighbours of the kNN methods, less than the train questions. */
  readonly k: number;
  readonly rule: RightRule;
  /** What is taken off a model's probability of a right answer, in the order of the models: cost times its weight, ≥ 0. */
  readonly penalties?: Float64Array;
  readonly seed: number;
}

/** What one method foretells of the test questions. */
export interface MethodRouting {
  readonly method: RouteMethod;
  /** Whether scaling has one shift for all models, or one for each. */
  readonly shiftOf: ShiftOf;
  /** Scaled probabilities of a right answer, `[i·M + m]`. */
  readonly probabilities: Float64Array;
  /** Index of the model picked for every question. */
  readonly picks: Uint32Array;
  /** Standard error of the pick's logit, of methods with a predictive variance; else null. */
  readonly pickErrors: Float64Array | null;
  /**
   * Of the train questions, each foretold by the others: before scaling, and after it by a scale of other questions; the
   * picks' share right and penalty.
   */
  readonly leftOut: {
    readonly raw: ForecastQuality;
    readonly scaled: ForecastQuality;
    readonly right: number;
    readonly penalty: number;
  };
}

/** Test questions routed by every method; no answer to any of them has been looked at. */
export interface Routing {
  readonly models: readonly string[];
  readonly test: readonly ItemInfo[];
  /** A score above it is a right answer. */
  readonly cut: number;
  /** The model with most right answers to the train questions. */
  readonly single: number;
  readonly methods: readonly MethodRouting[];
  /** The one whose picks got most right of the train questions, less their penalties; of equals the least log loss. */
  readonly best: RouteMethod;
}

/**
 * Foretells every model's answer to questions that no model has answered, and picks a model for each: learned from train
 * questions with answers, by all {@link ROUTE_METHODS}.
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
): Promise<Routing> {
  checkRouting(train.items, test, k);
  const random = createRandom(seed).fork("route");
  const models = train.subjects.length;
  const cut = rightAbove(train, rule);
  const bank = await questionBank(train, cut, { dims, backend, random: random.fork("calibration") });
  const axes = principalAxes(features.train, AXES, random.fork("axes"));
  const forecasts: Readonly<Record<RouteMethod, Forecast>> = {
    ...neighbourForecasts(bank, features, k),
    ridge: parameterForecast(bank, axes, features),
    "answer-ridge": answerForecast(bank, axes, features),
  };
  const off = penalties ?? new Float64Array(models);
  const methods = ROUTE_METHODS.map((method): MethodRouting => {
    const { leftOut, test: raw, logitVariance } = forecasts[method];
    const { shiftOf, scale, crossFitted: scaled } = chooseScale(leftOut, bank.answers, models);
    const probabilities = scaledProbabilities(raw, scale);
    const picks = pickModels(probabilities, off);
    const leftOutPicks = pickModels(scaled, off);
    return {
      method,
      shiftOf,
      probabilities,
      picks,
      pickErrors: logitVariance && Float64Array.from(picks, (m, i) => Math.sqrt(logitVariance[i * models + m]!)),
      leftOut: {
        raw: forecastQuality(leftOut, bank.answers)!,
        scaled: forecastQuality(scaled, bank.answers)!,
        right: shareRight(bank.answers, leftOutPicks, models),
        penalty: leftOutPicks.reduce((sum, m) => sum + off[m]!, 0) / leftOutPicks.length,
      },
    };
  });
  const worth = (own: MethodRouting): number => own.leftOut.right - own.leftOut.penalty;
  const best = methods.reduce((one, other) => {
    const gain = worth(other) - worth(one);
    return gain > 0 || (gain === 0 && other.leftOut.scaled.logLoss < one.leftOut.scaled.logLoss) ? other : one;
  });
  return { models: train.subjects, test, cut, single: mostRight(bank.answers, models), methods, best: best.method };
}

/**
 * Refuses what can't be routed, before any work.
 * @throws AnchorEvalError `invalid_data` for no train or no test questions, or one that is both; `invalid_option` for as
 * many neighbours as train questions
 */
export function checkRouting(train: readonly ItemInfo[], test: readonly ItemInfo[], k: number): void {
  if (train.length === 0) throw new AnchorEvalError("invalid_data", "there are no train questions");
  if (test.length === 0) throw new AnchorEvalError("invalid_data", "there are no test questions");
  const known = new Set(train.map(({ item_id: id }) => id));
  const both = test.flatMap(({ item_id: id }) => (known.has(id) ? [id] : []));
  if (both.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${both.length} of the test questions ${both.length === 1 ? "is a train question" : "are train questions"} too: ${firstFew(both)}`,
    );
  if (k >= train.length)
    throw new AnchorEvalError(
      "invalid_option",
      `${k} neighbours need more than ${k} train questions, there are ${train.length}: a smaller k, or more questions`,
    );
}

/** Mean answer of the picked models, over questions of which it is known. @param answers - `[i·M + m]`, 1, 0 or NaN */
export function shareRight(answers: Float64Array, picks: Uint32Array, models: number): number {
  const known = Array.from(picks, (m, i) => answers[i * models + m]!).filter((answer) => !Number.isNaN(answer));
  return known.reduce((sum, answer) => sum + answer, 0) / known.length;
}

/** The model with the largest share of its answers right, the first of equals. */
export function mostRight(answers: Float64Array, models: number): number {
  const shares = Array.from({ length: models }, (_, m) =>
    shareRight(answers, new Uint32Array(answers.length / models).fill(m), models),
  );
  return shares.indexOf(Math.max(...shares));
}
