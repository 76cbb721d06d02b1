import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { lanczos } from "../../../../offline-trainer/src/calibrate/marginal/lanczos.ts";

const size = 12;
const random = createRandom("a symmetric matrix");
const half = Float64Array.from({ length: size * size }, () => random.normal());
const matrix = half.map((value, k) => value + half[(k % size) * size + Math.floor(k / size)]!);
const times =
  (of: Float64Array) =>
  (v: Float64Array, out: Float64Array): void => {
    for (let r = 0; r < size; r++) {
      let sum = 0;
      for (let s = 0; s < size; s++) sum += of[r * size + s]! * v[s]!;
      out[r] = sum;
    }
  };

describe.each([
  ["a matrix", matrix],
  ["the identity, whose spaces close at once", matrix.map((_, k) => (k % (size + 1) === 0 ? 1 : 0))],
  ["0", new Float64Array(size * size)],
])("of %s", (_, of) => {
  const { basis, projected } = lanczos(times(of), size, size, createRandom(1));

  test("the basis is orthonormal", () => {
    basis.forEach((q, j) => {
      basis.forEach((p, k) => {
        expect(q.reduce((sum, value, r) => sum + value * p[r]!, 0)).toBeCloseTo(j === k ? 1 : 0, 12);
      });
    });
  });

  test("with all steps Q·T·Qᵀ is the matrix", () => {
    for (let r = 0; r < size; r++)
      for (let s = 0; s < size; s++) {
        let sum = 0;
        for (let j = 0; j < size; j++)
          for (let k = 0; k < size; k++) sum += basis[j]![r]! * projected[j * size + k]! * basis[k]![s]!;
        expect(sum).toBeCloseTo(of[r * size + s]!, 10);
      }
  });
});

test("few steps find the largest eigenvalue of many", () => {
  const spectrum = Float64Array.from({ length: 400 }, (_, k) => (k === 7 ? 0.95 : 0.05 * Math.sin(k)));
  const { basis, projected } = lanczos(
    (v, out) => {
      for (let k = 0; k < 400; k++) out[k] = spectrum[k]! * v[k]!;
    },
    400,
    12,
    createRandom(3),
  );
  // e₇ᵀ·Q·T·Qᵀ·e₇
  let value = 0;
  for (let j = 0; j < 12; j++)
    for (let k = 0; k < 12; k++) value += basis[j]![7]! * projected[j * 12 + k]! * basis[k]![7]!;
  expect(value).toBeCloseTo(0.95, 8);
});
