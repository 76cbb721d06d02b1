import { createRandom, itemBank, itemResponse } from "anchoreval/core";
import { expect, test } from "vitest";
import { curveFeatures } from "../../../offline-trainer/src/anchors/curve-features.ts";

const random = createRandom("curves");
const normal = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
const bank = itemBank(normal(14), normal(7), { lower: normal(7).map(() => 0.2) });
const abilities = normal(2 * 11);

test.each([1, 2, 3])("loadings multiply to the covariances of the curves, abilities scaled by %d", (scale) => {
  const mean = [0, 1].map((d) => abilities.reduce((sum, value, k) => (k % 2 === d ? sum + value / 11 : sum), 0));
  const curves = Array.from({ length: 7 }, (_, i) =>
    Array.from({ length: 11 }, (__, m) => {
      const theta = [0, 1].map((d) => mean[d]! + scale * (abilities[2 * m + d]! - mean[d]!));
      return itemResponse(Float64Array.from(theta), bank, i);
    }),
  );
  const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const { count, width, loadings, noise } = curveFeatures(bank, abilities, scale);
  expect([count, width]).toEqual([7, 11]);
  for (let i = 0; i < 7; i++) {
    expect(noise[i]).toBeCloseTo(1e-4 + average(curves[i]!.map((p) => p * (1 - p))), 12);
    for (let j = 0; j < 7; j++) {
      let product = 0;
      for (let m = 0; m < width; m++) product += loadings[i * width + m]! * loadings[j * width + m]!;
      const covariance =
        average(curves[i]!.map((p, m) => p * curves[j]![m]!)) - average(curves[i]!) * average(curves[j]!);
      expect(product).toBeCloseTo(covariance, 12);
    }
  }
});

test("looks at some abilities of many, evenly among them", () => {
  const line = itemBank(Float64Array.of(1), Float64Array.of(0));
  const many = Float64Array.from({ length: 1000 }, (_, m) => m / 1000 - 0.4995);
  const { width, loadings } = curveFeatures(line, many, 1);
  expect(width).toBe(24);
  const curve = Array.from(loadings, (z) => z * Math.sqrt(24));
  const all = Array.from(many, (theta) => itemResponse(Float64Array.of(theta), line, 0) - 0.5);
  expect(curve.toSorted((x, y) => x - y)).toEqual(curve);
  const square = (values: readonly number[]): number => values.reduce((sum, v) => sum + v * v, 0) / values.length;
  expect(square(curve) / square(all)).toBeCloseTo(1, 1);
});

test("flat curves have no loadings, and noise", () => {
  const { loadings, noise } = curveFeatures(itemBank(new Float64Array(3), Float64Array.of(0, 1, 50)), normal(5));
  expect(loadings.every((z) => Math.abs(z) < 1e-15)).toBe(true);
  expect(noise.every((d) => d >= 1e-4)).toBe(true);
});
