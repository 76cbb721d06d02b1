import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ItemFeatures, refineForms } from "../../../../../features/forms/fit/refine-forms.ts";

interface Drawn {
  readonly formOf: Int32Array;
  readonly strata: number[][];
  readonly features: ItemFeatures;
}

/** Random items in strata of like size, `size` of them in every form, the rest in none. */
function drawn(
  seed: number,
  shape: { items: number; strata: number; forms: number; size: number; width: number },
): Drawn {
  const random = createRandom(seed);
  const strata = Array.from({ length: shape.strata }, (): number[] => []);
  const formOf = new Int32Array(shape.items).fill(-1);
  for (let item = 0; item < shape.items; item++) strata[item % shape.strata]!.push(item);
  const order = random.shuffle([...formOf.keys()]);
  for (let k = 0; k < shape.forms * shape.size; k++) formOf[order[k]!] = k % shape.forms;
  const values = Float64Array.from({ length: shape.items * shape.width }, () => random.normal());
  return { formOf, strata, features: { width: shape.width, values } };
}

/** Σ|m_k|² + Σ|m_k − m_l|², straight from its definition. */
function mismatch({ formOf, features: { width, values } }: Drawn, forms: number, size: number): number {
  const means = Array.from({ length: forms }, () => new Float64Array(width));
  formOf.forEach((form, item) => {
    if (form >= 0) for (let f = 0; f < width; f++) means[form]![f]! += values[item * width + f]! / size;
  });
  const square = (of: (f: number) => number): number =>
    Array.from({ length: width }, (_, f) => of(f) ** 2).reduce((sum, value) => sum + value, 0);
  return means.reduce(
    (sum, own, k) =>
      sum +
      square((f) => own[f]!) +
      means.slice(k + 1).reduce((all, other) => all + square((f) => own[f]! - other[f]!), 0),
    0,
  );
}

const counts = ({ formOf, strata }: Drawn): string =>
  JSON.stringify(strata.map((items) => items.map((item) => formOf[item]!).sort()));

describe("swaps between forms", () => {
  test("never worsen the mismatch, keep every stratum's counts, and report what they did", () => {
    const shapes = fc.record({
      items: fc.integer({ min: 6, max: 90 }),
      strata: fc.integer({ min: 1, max: 6 }),
      forms: fc.integer({ min: 2, max: 4 }),
      width: fc.integer({ min: 1, max: 4 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(shapes, fc.integer({ min: 0, max: 1000 }), ({ share, ...shape }, seed) => {
        const size = Math.max(1, Math.floor((share * shape.items) / shape.forms));
        const start = drawn(seed, { ...shape, size });
        const [before, kept] = [mismatch(start, shape.forms, size), counts(start)];
        const told = refineForms(start.formOf, start.strata, { ...shape, size }, start.features, createRandom(seed));
        const after = mismatch(start, shape.forms, size);
        expect(after).toBeLessThanOrEqual(before + 1e-12);
        expect(counts(start)).toBe(kept);
        expect(told.before).toBeCloseTo(before, 9);
        expect(told.after).toBeCloseTo(after, 9);
        if (told.swaps === 0) expect(after).toBe(before);
      }),
    );
  });

  test("bring 300 items of 3 000 to less than a hundredth of a random draw's mismatch", () => {
    const start = drawn(1, { items: 3000, strata: 60, forms: 2, size: 300, width: 8 });
    const { before, after, stopped } = refineForms(
      start.formOf,
      start.strata,
      { forms: 2, size: 300 },
      start.features,
      createRandom(1),
    );
    expect(after).toBeLessThan(before / 100);
    expect(["small gain", "no swap"]).toContain(stopped);
  });

  test("are the same with the same seed, and others with another", () => {
    const run = (seed: number): Int32Array => {
      const start = drawn(1, { items: 400, strata: 8, forms: 2, size: 60, width: 3 });
      refineForms(start.formOf, start.strata, { forms: 2, size: 60 }, start.features, createRandom(seed));
      return start.formOf;
    };
    expect(run(5)).toEqual(run(5));
    expect(run(5)).not.toEqual(run(6));
  });

  test("find nothing to do where strata have one item each", () => {
    const start = drawn(2, { items: 20, strata: 20, forms: 2, size: 10, width: 2 });
    expect(
      refineForms(start.formOf, start.strata, { forms: 2, size: 10 }, start.features, createRandom(1)),
    ).toMatchObject({
      swaps: 0,
      stopped: "no swap",
    });
  });
});
