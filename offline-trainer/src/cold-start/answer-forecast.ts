import { linearPrediction, possibleChance } from "anchoreval/core";
import { answerRegressions } from "./answer-regressions.ts";
import { onAxes, type PrincipalAxes } from "../numeric/principal-axes.ts";
import type { QuestionFeatures } from "./text-features.ts";
import type { Forecast, QuestionBank } from "./types.ts";

/** Answers straight from the features ({@link answerRegressions}), kept away from 0 and 1. */
export function answerForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models, leftOut } = answerRegressions(bank, axes);
  const at = onAxes(test, axes);
  const { rank } = axes;
  return {
    leftOut: leftOut.map(possibleChance),
    test: Float64Array.from({ length: test.count * models.length }, (_, k) => {
      const m = k % models.length;
      const i = (k - m) / models.length;
      return possibleChance(linearPrediction(models[m]!, at.subarray(i * rank, (i + 1) * rank)));
    }),
    logitVariance: null,
  };
}
