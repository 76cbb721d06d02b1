import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { answerFeatures, curveFeatures, modelsToCome } from "../../../offline-trainer/src/anchors/curve-features.ts";
import { anchorInput } from "../../support/select-anchors.ts";

const random = createRandom("curves");
const normal = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
const bank = itemBank(normal(14), normal(7), { lower: normal(7).map(() => 0.2) });
const abilities = normal(2 * 11);
const range = (length: number): number[] => Array.from({ length }, (_, k) => k);

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
  expect(count).toBe(7);
  expect(width).toBeLessThan(7);
  const product = (i: number, j: number): number =>
    range(width).reduce((sum, k) => sum + loadings[i * width + k]! * loadings[j * width + k]!, 0);
  const covariance = (i: number, j: number): number =>
    average(curves[i]!.map((p, m) => p * curves[j]![m]!)) - average(curves[i]!) * average(curves[j]!);
  const total = range(7).reduce((sum, i) => sum + covariance(i, i), 0);
  let left = 0;
  for (const i of range(7)) {
    const own = covariance(i, i) - product(i, i);
    left += own;
    // What the loadings leave of a curve is noise.
    expect(noise[i]).toBeCloseTo(1e-4 + average(curves[i]!.map((p) => p * (1 - p))) + own, 12);
    // Of a covariance they leave as much as of the two variances at most (Cauchy-Schwarz on the rest).
    for (const j of range(7))
      expect(Math.abs(covariance(i, j) - product(i, j))).toBeLessThanOrEqual(
        Math.sqrt(own * (covariance(j, j) - product(j, j))) + 1e-12,
      );
  }
  expect(left).toBeLessThanOrEqual(0.01 * total);
});

test("looks at some abilities of many, evenly among them", () => {
  const line = itemBank(Float64Array.of(1), Float64Array.of(0));
  const many = Float64Array.from({ length: 1000 }, (_, m) => m / 1000 - 0.4995);
  const { width, loadings } = curveFeatures(line, many, 1);
  expect(width).toBe(1);
  const probability = (theta: number): number => itemResponse(Float64Array.of(theta), line, 0) - 0.5;
  const some = range(24).map((m) => probability(many[Math.floor((m * 1000) / 24)]!));
  const average = some.reduce((sum, p) => sum + p / 24, 0);
  expect(loadings[0]! ** 2).toBeCloseTo(
    some.reduce((sum, p) => sum + (p - average) ** 2 / 24, 0),
    12,
  );
  const square = many.reduce((sum, theta) => sum + probability(theta) ** 2 / 1000, 0);
  expect(loadings[0]! ** 2 / square).toBeCloseTo(1, 1);
});

test("flat curves have no loadings, and noise", () => {
  const { loadings, noise } = curveFeatures(itemBank(new Float64Array(3), Float64Array.of(0, 1, 50)), normal(5));
  expect(loadings.every((z) => Math.abs(z) < 1e-15)).toBe(true);
  expect(noise.every((d) => d >= 1e-4)).toBe(true);
});

test("answerFeatures: products are the curves' covariance, range widened, and half of that of what answers differ by", () => {
  const input = anchorInput();
  const { count, width, loadings, noise } = answerFeatures(input);
  expect([count, width]).toEqual([40, 18]);
  const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const mean = [0, 1].map((d) => average(range(9).map((m) => input.abilities[2 * m + d]!)));
  const curve = (i: number): number[] =>
    range(9).map((m) => {
      const theta = [0, 1].map((d) => mean[d]! + 1.5 * (input.abilities[2 * m + d]! - mean[d]!));
      return itemResponse(Float64Array.from(theta), input.bank, i);
    });
  const residual = (i: number): number[] => curve(i).map((p, m) => input.column(i)[m]! - p);
  const covariance = (x: readonly number[], y: readonly number[]): number =>
    average(x.map((value, m) => value * y[m]!)) - average(x) * average(y);
  for (const [i, j] of [
    [0, 0],
    [0, 1],
    [5, 30],
    [39, 39],
  ] as const) {
    const product = range(width).reduce((sum, k) => sum + loadings[i * width + k]! * loadings[j * width + k]!, 0);
    expect(product).toBeCloseTo(covariance(curve(i), curve(j)) + covariance(residual(i), residual(j)) / 2, 12);
    if (i === j) expect(noise[i]).toBeCloseTo(1e-4 + average(curve(i).map((p) => p * (1 - p))) / 2, 12);
  }
});

test("answerFeatures: looks at some models of many, evenly among them", () => {
  const line = itemBank(Float64Array.of(1), Float64Array.of(0));
  const many = Float64Array.from({ length: 2000 }, (_, m) => m / 2000 - 0.49975);
  const { width } = answerFeatures({ bank: line, abilities: many, column: () => new Float64Array(2000).fill(0.5) });
  expect(width).toBe(2 * 512);
});

test("modelsToCome: the sources, and their stronger half with a quarter, half and three quarters of what they miss", () => {
  const input = { weights: new Float64Array(7).fill(1 / 7), bank, abilities };
  const { like, stronger } = modelsToCome(input);
  const score = (chances: Float64Array): number => chances.reduce((sum, p) => sum + p / 7, 0);
  const logit = (p: number): number => Math.log(p / (1 - p));
  expect(like.length).toBe(11);
  expect(like.map(score)).toEqual(like.map(score).sort((x, y) => x - y));
  const half = like.slice(5);
  expect(stronger.length).toBe(18);
  stronger.forEach((chances, k) => {
    const from = half[k % 6]!;
    const mended = [0.25, 0.5, 0.75][Math.floor(k / 6)]!;
    expect(score(chances)).toBeCloseTo(score(from) + mended * (1 - score(from)), 3);
    const shifts = Array.from(chances, (p, i) => logit(p) - logit(from[i]!));
    for (const shift of shifts) expect(shift).toBeCloseTo(shifts[0]!, 9);
  });
});
