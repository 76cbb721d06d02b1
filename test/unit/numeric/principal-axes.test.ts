import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  onAxes,
  principalAxes,
  ridgePredictions,
  ridgeVariances,
  spectralRidge,
} from "../../../offline-trainer/src/numeric/principal-axes.ts";
import { denseRows } from "../../../offline-trainer/src/numeric/sparse-rows.ts";
import { largestDifference, readFixture } from "../../support/fixture.ts";

interface Fixture {
  readonly tolerance: { readonly ridge: number; readonly scale: number };
  readonly count: number;
  readonly width: number;
  readonly x: readonly number[];
  readonly z: readonly number[];
  readonly new: readonly number[];
  readonly penalties: readonly number[];
  readonly leftOut: readonly (readonly number[])[];
  readonly predicted: readonly (readonly number[])[];
}

const fixture = readFixture<Fixture>("sklearn/routing.json");
const rows = denseRows(Float64Array.from(fixture.x), fixture.count, fixture.width);
const targets = Float64Array.from(fixture.z);
const axes = principalAxes(rows, fixture.width, createRandom(1));

describe("principal axes", () => {
  test("give the centred rows back, on orthonormal axes of descending length", () => {
    const { rank, axes: v, singular, left, mean } = axes;
    expect(rank).toBe(fixture.width);
    const again = fixture.x.map((_, at) => {
      const [i, c] = [Math.floor(at / fixture.width), at % fixture.width];
      let sum = mean[c]!;
      for (let k = 0; k < rank; k++) sum += left[i * rank + k]! * singular[k]! * v[c * rank + k]!;
      return sum;
    });
    expect(largestDifference(again, fixture.x)).toBeLessThan(1e-10);
    expect(Array.from(singular)).toEqual(Array.from(singular).sort((x, y) => y - x));
    for (let r = 0; r < rank; r++)
      for (let s = 0; s < rank; s++) {
        let product = 0;
        for (let i = 0; i < fixture.count; i++) product += left[i * rank + r]! * left[i * rank + s]!;
        expect(product).toBeCloseTo(Number(r === s), 10);
      }
  });

  test("hold the coordinates that their own rows have", () => {
    const expected = axes.left.map((own, at) => own * axes.singular[at % axes.rank]!);
    expect(largestDifference(onAxes(rows, axes), expected)).toBeLessThan(1e-10);
  });

  test("find no axis in rows that are all the same", () => {
    const same = denseRows(new Float64Array(12).fill(0.5), 4, 3);
    expect(principalAxes(same, 3, createRandom(1)).rank).toBe(0);
  });

  test("keep the leading axes of more columns than are wanted", () => {
    const random = createRandom("spectrum");
    const [count, width] = [80, 300];
    const values = Float64Array.from({ length: count * width }, () => 0.01 * random.normal());
    for (let i = 0; i < count; i++)
      for (const [k, size] of [3, 2, 1].entries()) {
        const own = size * random.normal();
        for (let c = k * 100; c < (k + 1) * 100; c++) values[i * width + c] = values[i * width + c]! + own;
      }
    const wide = denseRows(values, count, width);
    const few = principalAxes(wide, 3, createRandom(1));
    const many = principalAxes(wide, 79, createRandom(2));
    expect(largestDifference(few.singular, many.singular.subarray(0, 3))).toBeLessThan(1e-6 * many.singular[0]!);
  });
});

describe("ridge regression", () => {
  const ridge = spectralRidge(axes, targets);
  const chosen = fixture.penalties.indexOf(ridge.penalty);

  test("has the penalty that leaves out best, by brute force", () => {
    const squares = fixture.leftOut.map((own) => own.reduce((sum, value, i) => sum + (value - fixture.z[i]!) ** 2, 0));
    expect(chosen).toBe(squares.indexOf(Math.min(...squares)));
    expect(ridge.noise).toBeCloseTo(squares[chosen]! / fixture.count, 8);
  });

  test("predicts what scikit-learn predicts, for rows left out and for new ones", () => {
    const at = onAxes(denseRows(Float64Array.from(fixture.new), 4, fixture.width), axes);
    expect(largestDifference(ridgePredictions(ridge, at, 4), fixture.predicted[chosen]!)).toBeLessThan(
      fixture.tolerance.ridge,
    );
    expect(largestDifference(ridge.leftOut, fixture.leftOut[chosen]!)).toBeLessThan(fixture.tolerance.ridge);
  });

  test("is less sure the farther a row lies from those it has seen", () => {
    const far = Float64Array.from({ length: 2 * axes.rank }, (_, at) => (at < axes.rank ? 0.1 : 10));
    const [near, away] = ridgeVariances(ridge, far, 2);
    expect(near).toBeGreaterThan(ridge.noise);
    expect(away).toBeGreaterThan(near!);
  });

  test("predicts the mean where the features say nothing", () => {
    const noise = Float64Array.from({ length: fixture.count }, (_, i) => axes.left[i * axes.rank]! * 1e-9 + (i % 2));
    const silent = spectralRidge({ ...axes, left: new Float64Array(axes.left.length) }, noise);
    const mean = noise.reduce((sum, own) => sum + own, 0) / noise.length;
    expect(Array.from(ridgePredictions(silent, Float64Array.from(axes.singular), 1))).toEqual([mean]);
  });
});
