import { cholesky, choleskySolve, createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { krigingVariance } from "../../../offline-trainer/src/anchors/screened.ts";
import { drawnFeatures } from "./drawn-features.ts";

const COUNT = 12;
const WIDTH = 3;
const random = createRandom("kriging");
const { features, weights } = drawnFeatures(random, COUNT, WIDTH);
const samples = Array.from({ length: 30 }, (_, k) =>
  random.shuffle(Array.from({ length: COUNT }, (__, i) => i)).slice(0, k % COUNT),
);

/** Covariance of two items' answers, z·z and the noise of one. */
const covariance = (i: number, j: number): number =>
  [0, 1, 2].reduce(
    (sum, k) => sum + features.loadings[i * WIDTH + k]! * features.loadings[j * WIDTH + k]!,
    i === j ? features.noise[i]! : 0,
  );
const withTotal = (i: number): number => weights.reduce((sum, w, j) => sum + w * covariance(i, j), 0);

/** Var(T) − Cov(T, y_A) Var(y_A)⁻¹ Cov(y_A, T) with the N×N covariance of the answers. */
function dense(sample: readonly number[]): number {
  const n = sample.length;
  const own = Float64Array.from({ length: n * n }, (_, at) => covariance(sample[Math.floor(at / n)]!, sample[at % n]!));
  const shared = Float64Array.from(sample, withTotal);
  const solved = choleskySolve(cholesky(own, n)!, n, shared);
  const explained = solved.reduce((sum, value, j) => sum + value * shared[j]!, 0);
  return weights.reduce((sum, w, i) => sum + w * withTotal(i), 0) - explained;
}

describe("krigingVariance", () => {
  const variance = krigingVariance(features, weights);

  test("is the conditional variance of the total, by the whole covariance matrix", () => {
    for (const sample of samples) expect(variance(sample) / dense(sample)).toBeCloseTo(1, 9);
  });

  test("is the same whatever the order of the sample and whatever was asked before", () => {
    for (const sample of samples) expect(variance(sample.toReversed())).toBeCloseTo(variance(sample), 14);
  });

  test("falls with every item that is answered, to 0 where all are", () => {
    const growing = random.shuffle(Array.from({ length: COUNT }, (_, i) => i));
    for (let n = 1; n < COUNT; n++)
      expect(variance(growing.slice(0, n))).toBeLessThan(variance(growing.slice(0, n - 1)));
    expect(variance(growing)).toBeCloseTo(0, 15);
  });

  test("of flat curves is the noise of what isn't answered", () => {
    const flat = krigingVariance({ ...features, loadings: new Float64Array(COUNT * WIDTH) }, weights);
    for (const sample of samples) {
      const open = weights.reduce((sum, w, i) => (sample.includes(i) ? sum : sum + w * w * features.noise[i]!), 0);
      expect(flat(sample)).toBeCloseTo(open, 14);
    }
  });
});
