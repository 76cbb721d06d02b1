import { nearestQuestions, type NearestQuestions } from "./nearest-questions.ts";
import { neighbourMeans } from "./neighbour-parameters.ts";
import { parameterCurves } from "./parameter-curves.ts";
import type { QuestionFeatures } from "./text-features.ts";
import type { Forecast, QuestionBank } from "./types.ts";

/**
 * Item parameters of a question as the mean of those of its k nearest train questions: plain, or weighted by similarity
 * (those below 0 count nothing; plain where none counts).
 * @param k - from 1 to the train questions less one
 */
export function neighbourForecasts(
  bank: QuestionBank,
  { train, test }: QuestionFeatures,
  k: number,
): Readonly<Record<"knn" | "weighted-knn", Forecast>> {
  const others = nearestQuestions(train, train, k, { own: Uint32Array.from(bank.b.keys()) });
  const nearest = nearestQuestions(test, train, k);
  const forecast = (weighted: boolean): Forecast => ({
    leftOut: averaged(bank, others, weighted),
    test: averaged(bank, nearest, weighted),
    logitVariance: null,
  });
  return { knn: forecast(false), "weighted-knn": forecast(true) };
}

function averaged(bank: QuestionBank, nearest: NearestQuestions, weighted: boolean): Float64Array {
  const { a, b } = neighbourMeans(bank, nearest, weighted);
  return parameterCurves(bank, a, b, null);
}
