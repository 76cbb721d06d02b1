import { choleskyInverse, cholesky, createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { balanceGap } from "../../../offline-trainer/src/anchors/balance-gap.ts";
import { inclusionProbabilities } from "../../../sdk/core/numeric/sampling.ts";
import { drawnFeatures } from "./drawn-features.ts";

const COUNT = 12;
const WIDTH = 3;
const random = createRandom("balance");
const { features, weights } = drawnFeatures(random, COUNT, WIDTH);
const z = (i: number, k: number): number => features.loadings[i * WIDTH + k]!;
const samples = Array.from({ length: 30 }, () =>
  random
    .shuffle(Array.from({ length: COUNT }, (_, i) => i))
    .slice(0, 5)
    .sort((x, y) => x - y),
);

describe("balanceGap", () => {
  const inclusion = inclusionProbabilities(weights, 5);
  const gap = balanceGap(features, weights, inclusion);

  test("is δᵀCδ, written out", () => {
    const precision = new Float64Array(WIDTH * WIDTH);
    for (let r = 0; r < WIDTH; r++)
      for (let c = 0; c < WIDTH; c++) {
        precision[r * WIDTH + c] = r === c ? 1 : 0;
        for (let i = 0; i < COUNT; i++)
          precision[r * WIDTH + c]! += (inclusion[i]! * z(i, r) * z(i, c)) / features.noise[i]!;
      }
    const covariance = choleskyInverse(cholesky(precision, WIDTH)!, WIDTH);
    for (const sample of samples) {
      const mass = sample.reduce((sum, i) => sum + weights[i]! / inclusion[i]!, 0);
      const delta = [0, 1, 2].map(
        (k) =>
          sample.reduce((sum, i) => sum + ((weights[i]! / inclusion[i]!) * z(i, k)) / mass, 0) -
          weights.reduce((sum, w, i) => sum + w * z(i, k), 0),
      );
      const expected = delta.reduce(
        (sum, x, r) => sum + delta.reduce((part, y, c) => part + x * covariance[r * WIDTH + c]! * y, 0),
        0,
      );
      expect(gap(sample) / expected).toBeCloseTo(1, 10);
    }
  });

  test("is 0 for the scenario whole, and where curves are flat", () => {
    const whole = Array.from({ length: COUNT }, (_, i) => i);
    expect(balanceGap(features, weights, new Float64Array(COUNT).fill(1))(whole)).toBeLessThan(1e-28);
    const flat = balanceGap({ ...features, loadings: new Float64Array(COUNT * WIDTH) }, weights, inclusion);
    for (const sample of samples) expect(flat(sample)).toBe(0);
  });

  test("does not tell a curve from its mirror image, nor one rotation of the abilities from another", () => {
    const mirrored = balanceGap(
      { ...features, loadings: features.loadings.map((value) => -value) },
      weights,
      inclusion,
    );
    const [cos, sin] = [Math.cos(0.7), Math.sin(0.7)];
    const turned = features.loadings.map((value, at) =>
      at % WIDTH === 0
        ? cos * value + sin * features.loadings[at + 1]!
        : at % WIDTH === 1
          ? cos * value - sin * features.loadings[at - 1]!
          : value,
    );
    const rotated = balanceGap({ ...features, loadings: turned }, weights, inclusion);
    for (const sample of samples) {
      expect(mirrored(sample)).toBeCloseTo(gap(sample), 12);
      expect(rotated(sample)).toBeCloseTo(gap(sample), 12);
    }
  });
});
