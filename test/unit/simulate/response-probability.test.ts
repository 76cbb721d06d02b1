import { describe, expect, test } from "vitest";
import { ITEM_KINDS, kindCode, type ItemKind } from "../../../offline-trainer/src/simulate/item-kinds.ts";
import { responseProbability } from "../../../offline-trainer/src/simulate/probabilities.ts";

const Z = Array.from({ length: 81 }, (_, k) => (k - 40) / 4);
const TRAITS = [0, 0.2, 0.49, 0.5, 0.7, 0.99];

function curve(kind: ItemKind, trait: number, luck = 0.3): number[] {
  return Z.map((z) => responseProbability(kindCode(kind), z, { lower: 0.25, upper: 0.95, trait, luck }));
}

const rises = (values: number[]): boolean => values.every((p, k) => k === 0 || p >= values[k - 1]!);
const falls = (values: number[]): boolean => values.every((p, k) => k === 0 || p <= values[k - 1]!);

describe.each(TRAITS)("with trait %d", (trait) => {
  test.each(ITEM_KINDS)("%s: probabilities lie in [0,1], also far out", (kind) => {
    for (const z of [-1e6, ...Z, 1e6]) {
      const p = responseProbability(kindCode(kind), z, { lower: 0.25, upper: 0.95, trait, luck: 0.3 });
      expect(p).toBeGreaterThanOrEqual(0);
      expect(p).toBeLessThanOrEqual(1);
    }
  });

  test.each(["regular", "redundant"] as const)("%s items rise from floor to ceiling", (kind) => {
    const values = curve(kind, trait);
    expect(rises(values)).toBe(true);
    expect(values[0]).toBeCloseTo(0.25, 3);
    expect(values.at(-1)).toBeCloseTo(0.95, 3);
  });

  test("strong models get mislabelled items wrong", () => {
    const values = curve("mislabelled", trait);
    expect(falls(values)).toBe(true);
    expect(values[0]).toBeGreaterThan(0.19);
    expect(values.at(-1)).toBeLessThan(0.001);
  });

  test("middling models do best or worst on non-monotone items", () => {
    const values = curve("non-monotone", trait);
    expect(rises(values) || falls(values)).toBe(false);
    const ends = [values[0]!, values.at(-1)!];
    const extreme = trait < 0.5 ? Math.max(...values) - Math.max(...ends) : Math.min(...ends) - Math.min(...values);
    expect(extreme).toBeGreaterThan(0.1);
  });

  test("memorised items don't depend on ability, only on whether the family knows them", () => {
    expect(new Set(curve("memorised", trait, 0.3))).toEqual(new Set([0.3 < trait ? 0.95 : 0.25]));
  });
});
