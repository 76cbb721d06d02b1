import {
  fromMirt,
  fromPyIrt,
  fromPyIrtFork,
  fromTinyBenchmarks,
  toMirt,
  toPyIrt,
  toPyIrtFork,
  toTinyBenchmarks,
} from "anchoreval/internal/core/irt/conversions";
import { difficulties, discriminations, itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemLogit, itemResponse } from "anchoreval/internal/core/irt/response";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const bank = itemBank(
  Float64Array.of(1, 0.5, 2, 1, -0.3, 0.8, 0.7, 0, 1.5, 0.2, 0.4, 0.6),
  Float64Array.of(0.5, -1, 2, 0.25),
);
const theta = Float64Array.of(0.4, -0.7, 1.1);

describe("itemBank", () => {
  test("finds the dimensions from the lengths", () => {
    expect(bank).toMatchObject({ count: 4, dims: 3, lower: null, upper: null });
  });

  test.each([
    [[], []],
    [
      [1, 2, 3],
      [1, 2],
    ],
    [[], [1]],
  ])("refuses %j discriminations with %j intercepts", (a, b) => {
    expectRefusal(
      refusal(() => itemBank(Float64Array.from(a), Float64Array.from(b))),
      "invalid_data",
      "N·D discriminations",
    );
  });
});

test("discrimination is ‖a‖, difficulty b/‖a‖, and b/a with its sign in one dimension", () => {
  expect(discriminations(bank)[1]).toBeCloseTo(Math.hypot(1, -0.3, 0.8), 15);
  expect(difficulties(bank)[1]).toBeCloseTo(-1 / Math.hypot(1, -0.3, 0.8), 15);
  const one = itemBank(Float64Array.of(2, -2, 0), Float64Array.of(1, 1, 1));
  expect(difficulties(one)).toEqual(Float64Array.of(0.5, -0.5, Infinity));
});

test("MDIFF is the distance from the origin to where the item is even, along its steepest direction", () => {
  const norm = discriminations(bank);
  difficulties(bank).forEach((difficulty, i) => {
    const at = Float64Array.from({ length: 3 }, (_, d) => (difficulty * bank.a[i * 3 + d]!) / norm[i]!);
    expect(itemResponse(at, bank, i)).toBeCloseTo(0.5, 14);
  });
});

/** Each program's logit, written out as its source has it, at item i. */
describe("conversions keep every curve", () => {
  test("py-irt's fork: Σ_d (a_d·θ_d − b), the intercept counted D times", () => {
    const { a, b } = toPyIrtFork(bank);
    for (let i = 0; i < 4; i++) {
      let z = 0;
      for (let d = 0; d < 3; d++) z += a[i * 3 + d]! * theta[d]! - b[i]!;
      expect(z).toBeCloseTo(itemLogit(theta, bank, i), 14);
    }
    expectSame(fromPyIrtFork({ a, b }), bank);
  });

  test("upstream py-irt: Σ_d a_d·(θ_d − b_d)", () => {
    const { a, b } = toPyIrt(bank);
    for (let i = 0; i < 4; i++) {
      let z = 0;
      for (let d = 0; d < 3; d++) z += a[i * 3 + d]! * (theta[d]! - b[i * 3 + d]!);
      expect(z).toBeCloseTo(itemLogit(theta, bank, i), 14);
    }
    expectSame(fromPyIrt({ a, b }, 3), bank);
  });

  test("tinyBenchmarks: A (1,D,N), B (1,1,N), Σ_d (A_d·θ_d − B), the intercept counted D times", () => {
    const { A, B } = toTinyBenchmarks(bank);
    for (let i = 0; i < 4; i++) {
      let z = 0;
      for (let d = 0; d < 3; d++) z += A[d * 4 + i]! * theta[d]! - B[i]!;
      expect(z).toBeCloseTo(itemLogit(theta, bank, i), 14);
    }
    expectSame(fromTinyBenchmarks(A, B), bank);
  });

  test("tinyBenchmarks' own curves, as that program computes them", () => {
    const { cases } = readFixture<{
      cases: { A: number[]; B: number[]; expected: { theta: number[]; curve: number[] } }[];
    }>("numpy/tiny-benchmarks.json");
    for (const { A, B, expected } of cases) {
      const converted = fromTinyBenchmarks(Float64Array.from(A), Float64Array.from(B));
      expected.curve.forEach((p, i) =>
        expect(itemResponse(Float64Array.from(expected.theta), converted, i)).toBeCloseTo(p, 12),
      );
    }
  });

  test("mirt: Σ_d a_d·θ_d + d with asymptotes g and u", () => {
    const asymptotes = { lower: Float64Array.of(0.1, 0.2, 0, 0.25), upper: Float64Array.of(0.9, 1, 0.95, 0.8) };
    const full: ItemBank = itemBank(bank.a, bank.b, asymptotes);
    const { a, b: d, g, u } = toMirt(full);
    for (let i = 0; i < 4; i++) {
      const z = a[i * 3]! * theta[0]! + a[i * 3 + 1]! * theta[1]! + a[i * 3 + 2]! * theta[2]! + d[i]!;
      const p = g[i]! + (u[i]! - g[i]!) / (1 + Math.exp(-z));
      expect(p).toBeCloseTo(itemResponse(theta, full, i), 14);
    }
    const back = fromMirt({ a, b: d }, { g, u });
    expectSame(back, full);
    expect(toMirt(bank)).toMatchObject({ g: new Float64Array(4), u: Float64Array.of(1, 1, 1, 1) });
    expect(fromMirt({ a, b: d })).toMatchObject({ lower: null, upper: null });
  });
});

describe("what can't be converted is refused", () => {
  const guessing = itemBank(Float64Array.of(1), Float64Array.of(0), { lower: Float64Array.of(0.2) });

  test.each([
    ["py-irt's fork", toPyIrtFork, "multidim_2pl"],
    ["py-irt", toPyIrt, "multidim_2pl"],
    ["tinyBenchmarks", toTinyBenchmarks, "tinyBenchmarks"],
  ])("asymptotes to %s", (_, convert: (bank: ItemBank) => unknown, fragment) => {
    expectRefusal(
      refusal(() => convert(guessing)),
      "unsupported",
      fragment,
    );
  });

  test("difficulties that don't match", () => {
    expectRefusal(
      refusal(() => fromPyIrt({ a: Float64Array.of(1, 2), b: Float64Array.of(1) }, 2)),
      "invalid_data",
      "N·D difficulties",
    );
    expectRefusal(
      refusal(() => fromPyIrt({ a: Float64Array.of(1, 2, 3), b: Float64Array.of(1, 2, 3) }, 2)),
      "invalid_data",
      "3 do not match 3",
    );
  });
});

function expectSame(actual: ItemBank, expected: ItemBank): void {
  expect(actual.dims).toBe(expected.dims);
  expect(actual.count).toBe(expected.count);
  actual.a.forEach((value, k) => expect(value).toBeCloseTo(expected.a[k]!, 14));
  actual.b.forEach((value, k) => expect(value).toBeCloseTo(expected.b[k]!, 14));
  expect(actual.lower).toEqual(expected.lower);
  expect(actual.upper).toEqual(expected.upper);
}
