import { cholesky } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { type ScenarioAbilities, generalAbilities } from "../../../offline-trainer/src/calibrate/linking.ts";

const random = createRandom("general abilities");

/** Abilities of scenarios with θ_s = L_s·g + ε_s, ε of variance `specific`, and their covariance Σ_s. */
function drawn(models: number, loadings: readonly (readonly number[][])[], specific = 0.5): ScenarioAbilities[] {
  const general = loadings[0]![0]!.length;
  const g = Array.from({ length: models }, () => Array.from({ length: general }, () => random.normal()));
  const dot = (row: readonly number[], other: readonly number[]): number =>
    row.reduce((sum, value, k) => sum + value * other[k]!, 0);
  return loadings.map((own) => ({
    dims: own.length,
    theta: Float64Array.from(
      g.flatMap((scores) => own.map((row) => 1.5 + dot(row, scores) + Math.sqrt(specific) * random.normal())),
    ),
    covariance: Float64Array.from(
      own.flatMap((row, r) => own.map((other, c) => dot(row, other) + (r === c ? specific : 0))),
    ),
  }));
}

/** L_b·L_cᵀ, the covariance between two scenarios. */
function between(first: Float64Array, second: Float64Array, general: number): number[][] {
  return Array.from({ length: first.length / general }, (_, r) =>
    Array.from({ length: second.length / general }, (__, c) => {
      let sum = 0;
      for (let k = 0; k < general; k++) sum += first[r * general + k]! * second[c * general + k]!;
      return sum;
    }),
  );
}

describe("generalAbilities", () => {
  test("find the covariance between scenarios that abilities were drawn with", () => {
    const loadings = [
      [
        [0.9, 0],
        [0.2, -0.4],
      ],
      [
        [0.6, 0.3],
        [-0.3, 0.5],
        [0, 0],
      ],
      [[0.5, 0.5]],
    ];
    const found = generalAbilities(drawn(4000, loadings), createRandom(1))!;
    expect(found.general).toBe(6); // as many as there are abilities, at most eight
    for (const [b, c] of [
      [0, 1],
      [0, 2],
      [1, 2],
    ] as const) {
      const expected = loadings[b]!.map((row) =>
        loadings[c]!.map((other) => row.reduce((sum, value, k) => sum + value * other[k]!, 0)),
      );
      between(found.loadings[b]!, found.loadings[c]!, found.general).forEach((row, r) =>
        row.forEach((value, k) => expect(Math.abs(value - expected[r]![k]!)).toBeLessThan(0.06)),
      );
    }
  });

  test("of banks that have nothing in common are next to nothing", () => {
    const apart = [...drawn(4000, [[[0.7], [0.1]]]), ...drawn(4000, [[[0.5], [0.5]]])];
    const found = generalAbilities(apart, createRandom(1))!;
    for (const row of between(found.loadings[0]!, found.loadings[1]!, found.general))
      for (const value of row) expect(Math.abs(value)).toBeLessThan(0.06);
  });

  test("leave every bank an ability of its own, even where banks are copies of each other", () => {
    const [bank] = drawn(60, [[[0.8], [0.4]]]);
    const { loadings, general } = generalAbilities([bank!, bank!], createRandom(1))!;
    const rest = bank!.covariance.map((value, at) => {
      const [r, c] = [Math.floor(at / 2), at % 2];
      return value - between(loadings[0]!, loadings[0]!, general)[r]![c]!;
    });
    expect(cholesky(Float64Array.from(rest), 2)).not.toBeNull();
    // … and tell most of the one from the other.
    expect(between(loadings[0]!, loadings[1]!, general)[0]![0]! / bank!.covariance[0]!).toBeGreaterThan(0.6);
  });

  test("are the same by the same seed", () => {
    const banks = drawn(50, [[[0.8], [0.4]], [[0.5]]]);
    expect(generalAbilities(banks, createRandom(3))).toEqual(generalAbilities(banks, createRandom(3)));
  });

  test("are none of one bank, nor of fewer than five models", () => {
    expect(generalAbilities(drawn(100, [[[0.8]]]), createRandom(1))).toBeNull();
    expect(generalAbilities(drawn(4, [[[0.8]], [[0.8]]]), createRandom(1))).toBeNull();
    expect(generalAbilities(drawn(5, [[[0.8]], [[0.8]]]), createRandom(1))!.general).toBe(1);
    expect(generalAbilities(drawn(15, [[[0.8]], [[0.8]]]), createRandom(1))!.general).toBe(2);
  });
});
