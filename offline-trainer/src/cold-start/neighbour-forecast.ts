import { nearestQuestions, type NearestQuestions } from "./nearest-questions.ts";
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
  const others = nearestQuestions(train, train, k, { leaveOwn: true });
  const nearest = nearestQuestions(test, train, k);
  const forecast = (weighted: boolean): Forecast => ({
    leftOut: averaged(bank, others, weighted),
    test: averaged(bank, nearest, weighted),
    logitVariance: null,
  });
  return { knn: forecast(false), "weighted-knn": forecast(true) };
}

function averaged(bank: QuestionBank, { k, indices, similarities }: NearestQuestions, weighted: boolean): Float64Array {
  const { dims } = bank;
  const count = indices.length / k;
  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let total = 0;
    if (weighted) for (let j = i * k; j < (i + 1) * k; j++) total += Math.max(0, similarities[j]!);
    for (let j = i * k; j < (i + 1) * k; j++) {
      const weight = total > 0 ? Math.max(0, similarities[j]!) / total : 1 / k;
      const from = indices[j]!;
      b[i] = b[i]! + weight * bank.b[from]!;
      for (let d = 0; d < dims; d++) a[i * dims + d] = a[i * dims + d]! + weight * bank.a[from * dims + d]!;
    }
  }
  return parameterCurves(bank, a, b, null);
}
