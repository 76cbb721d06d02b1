import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { centredSpace, lengths } from "../../../offline-trainer/src/backends/onnx/centred-space.ts";

const random = createRandom("space");
const points = { count: 50, dims: 3, values: Float64Array.from({ length: 150 }, () => 1e6 + 40 * random.normal()) };

test("points lie about 0, none farther out than 1 in any direction, one at more than a half", () => {
  const moved = centredSpace(points)!.move(points.values);
  for (let d = 0; d < 3; d++) {
    const mean = moved.reduce((sum, value, at) => (at % 3 === d ? sum + value / 50 : sum), 0);
    expect(Math.abs(mean)).toBeLessThan(1e-9);
  }
  const largest = Math.max(...moved.map(Math.abs));
  expect(largest).toBeLessThanOrEqual(1);
  expect(largest).toBeGreaterThan(0.5);
});

test("distances stay what they are, but for one power of two", () => {
  const moved = centredSpace(points)!.move(points.values);
  const ratios = Array.from({ length: 49 }, (_, p) => {
    const at = 3 * p;
    const between = (values: Float64Array): number =>
      Math.hypot(...[0, 1, 2].map((d) => values[at + d]! - values[at + 3 + d]!));
    return between(points.values) / between(moved);
  });
  expect(Math.log2(ratios[0]!) - Math.round(Math.log2(ratios[0]!))).toBeCloseTo(0, 9);
  for (const ratio of ratios) expect(ratio / ratios[0]!).toBeCloseTo(1, 9);
});

test("coordinates that aren't finite have no say, and stay what they are", () => {
  const values = points.values.slice();
  [values[0], values[4], values[8]] = [NaN, Infinity, -Infinity];
  const moved = centredSpace({ ...points, values })!.move(values);
  expect([moved[0], moved[4], moved[8]]).toEqual([NaN, Infinity, -Infinity]);
  expect(Math.max(...moved.filter(Number.isFinite).map(Math.abs))).toBeLessThanOrEqual(1);
  expect(Array.from(lengths(moved, 3).subarray(0, 3), Number.isFinite)).toEqual([false, false, false]);
  expect(lengths(Float64Array.of(3, 4, 0, 0), 2)).toEqual(Float64Array.of(5, 0));
});

test.each([
  ["the same point", 0, 1],
  ["spreads whose squares overflow", 1e200, 0],
  ["spreads whose squares vanish", 1e-200, 0],
  ["nothing that is a number", NaN, 0],
])("there is none for %s", (_, scale, offset) => {
  const values = points.values.map((value) => scale * (value - 1e6) + offset);
  expect(centredSpace({ ...points, values })).toBeNull();
});
