import { parameterCurves } from "./parameter-curves.ts";
import { onAxes, type PrincipalAxes } from "../numeric/principal-axes.ts";
import { ridgePredictions, ridgeVariances, spectralRidge } from "../numeric/ridge.ts";
import type { QuestionFeatures } from "./text-features.ts";
import type { Forecast, QuestionBank } from "./types.ts";

/**
 * Item parameters by ridge regression on the features' axes: b and each a_d by itself, with its own penalty. Errors of
 * parameters are taken as independent: Var z = Var b + Σ_d θ_d²·Var a_d.
 */
export function parameterForecast(bank: QuestionBank, axes: PrincipalAxes, { test }: QuestionFeatures): Forecast {
  const { models, dims, theta } = bank;
  const at = onAxes(test, axes);
  const train = axes.left.map((own, k) => own * axes.singular[k % axes.rank]!);
  const count = { train: bank.b.length, test: test.count };
  const a = { train: new Float64Array(count.train * dims), test: new Float64Array(count.test * dims) };
  const b = { train: new Float64Array(count.train), test: new Float64Array(count.test) };
  const variance = { train: new Float64Array(count.train * models), test: new Float64Array(count.test * models) };
  for (let parameter = 0; parameter <= dims; parameter++) {
    const slope = parameter < dims;
    const ridge = spectralRidge(axes, slope ? bank.b.map((_, i) => bank.a[i * dims + parameter]!) : bank.b);
    const predicted = { train: ridge.leftOut, test: ridgePredictions(ridge, at, count.test) };
    const spread = {
      train: ridgeVariances(ridge, train, count.train),
      test: ridgeVariances(ridge, at, count.test),
    };
    for (const part of ["train", "test"] as const)
      for (let i = 0; i < count[part]; i++) {
        if (slope) a[part][i * dims + parameter] = predicted[part][i]!;
        else b[part][i] = predicted[part][i]!;
        for (let m = 0; m < models; m++) {
          const weight = slope ? theta[m * dims + parameter]! ** 2 : 1;
          variance[part][i * models + m] = variance[part][i * models + m]! + weight * spread[part][i]!;
        }
      }
  }
  return {
    leftOut: parameterCurves(bank, a.train, b.train, variance.train),
    test: parameterCurves(bank, a.test, b.test, variance.test),
    logitVariance: variance.test,
  };
}
