import {
  CHANCES,
  chancePosterior,
  drawChance,
  learnChances,
  shiftedChance,
  shiftForDrop,
} from "anchoreval/internal/features/gates/sdk/item-chances";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const sum = (values: Iterable<number>): number => [...values].reduce((total, own) => total + own, 0);

describe("chances of items that were drawn by how often they flip", () => {
  const random = createRandom("drawn by flips");
  /** Chances of a right answer of all items: most of them sure, some hard, some flipping. */
  const all = Array.from({ length: 40_000 }, () => {
    const kind = random.next();
    return kind < 0.6 ? 0.995 : kind < 0.8 ? 0.01 : random.next();
  });
  const measure = all.map((p) => Math.sqrt(p * (1 - p)) + 0.05);
  const total = sum(measure);
  const drawn = all.flatMap((p, i) => {
    const probability = (4000 * measure[i]!) / total;
    return random.next() < probability ? [{ p, mass: 1 / probability }] : [];
  });
  const masses = sum(drawn.map(({ mass }) => mass));
  const weights = Float64Array.from(drawn, ({ mass }) => mass / masses);
  const counts = drawn.map(({ p }) => {
    const right = Array.from({ length: 5 }, () => random.next()).filter((at) => at < p).length;
    return { right, wrong: 5 - right };
  });
  const even = Float64Array.from(all, () => 1 / all.length);
  const true3 = shiftForDrop(0.03, Float64Array.from(all), even);

  test("their spread by weights is that of all items: the shift that lowers their mean score by 3 points", () => {
    const spread = learnChances(counts, { weights });
    expect(sum(spread)).toBeCloseTo(1, 9);
    expect(shiftForDrop(0.03, CHANCES, spread) / true3).toBeCloseTo(1, 1);
    const flips = (own: Iterable<readonly [number, number]>): number => sum([...own].map(([p, w]) => w * p * (1 - p)));
    expect(flips([...spread].map((w, g) => [CHANCES[g]!, w]))).toBeCloseTo(flips(all.map((p, i) => [p, even[i]!])), 2);
    expect(flips([...learnChances(counts)].map((w, g) => [CHANCES[g]!, w]))).toBeGreaterThan(0.06);
  });

  test("chances drawn item by item make that shift too small", () => {
    const spread = learnChances(counts);
    const chances = Float64Array.from(counts, (own) => drawChance(chancePosterior(spread, own), random));
    expect(shiftForDrop(0.03, chances, weights) / true3).toBeLessThan(0.93);
  });
});

test("even weights change nothing", () => {
  const counts = [0, 1, 2, 5, 5, 5, 4].map((right) => ({ right, wrong: 5 - right }));
  const weights = new Float64Array(counts.length).fill(1 / counts.length);
  const unweighted = learnChances(counts);
  learnChances(counts, { weights }).forEach((own, g) => expect(own).toBeCloseTo(unweighted[g]!, 12));
});

test("a shift that no chance is lowered by is the largest", () => {
  expect(shiftForDrop(0.03, Float64Array.of(0, 0), Float64Array.of(0.5, 0.5))).toBeCloseTo(14, 6);
  expect(shiftedChance(0.5, 0)).toBe(0.5);
  expect(shiftedChance(NaN, 1)).toBeNaN();
});
