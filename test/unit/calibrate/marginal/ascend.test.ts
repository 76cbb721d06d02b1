import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { curvaturePairs, dot } from "../../../../offline-trainer/src/calibrate/marginal/ascend.ts";

const size = 6;
const random = createRandom("pairs");
const draw = (): Float64Array => Float64Array.from({ length: size }, () => random.normal());
const identity = (v: Float64Array, out: Float64Array): void => {
  out.set(v);
};
/** A positive definite matrix: what the gradient of a quadratic falls by over a step. */
const columns = Array.from({ length: size }, draw);
const curvature = (s: Float64Array): Float64Array => {
  const out = s.slice();
  for (const c of columns) {
    const product = dot(c, s);
    c.forEach((value, k) => (out[k] = out[k]! + product * value));
  }
  return out;
};

test("without pairs the direction is the first guess with its correction", () => {
  const [gradient, correction, out] = [draw(), draw(), draw()];
  curvaturePairs(size, 3).direction(gradient, identity, correction, out);
  out.forEach((value, k) => {
    expect(value).toBe(gradient[k]! + correction[k]!);
  });
});

test("the newest pair is reproduced: H·y = s", () => {
  const pairs = curvaturePairs(size, 3);
  const out = draw();
  for (let k = 0; k < 5; k++) {
    const s = draw();
    const y = curvature(s);
    pairs.add(s, y);
    pairs.direction(y, identity, null, out);
    out.forEach((value, n) => {
      expect(value).toBeCloseTo(s[n]!, 11);
    });
  }
});

test("a pair along which the objective bends upward is not taken in, and cleared pairs are gone", () => {
  const pairs = curvaturePairs(size, 3);
  const [s, gradient, out] = [draw(), draw(), draw()];
  pairs.add(
    s,
    curvature(s).map((value) => -value),
  );
  pairs.direction(gradient, identity, null, out);
  expect(out).toEqual(gradient);
  pairs.add(s, curvature(s));
  pairs.clear();
  pairs.direction(gradient, identity, null, out);
  expect(out).toEqual(gradient);
});
