import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { searchSpace } from "../../../../offline-trainer/src/methods/metabench/design-search.ts";

interface Point {
  readonly x: number;
  readonly y: number;
  readonly idle: boolean;
}

const values = Array.from({ length: 8 }, (_, k) => k);
const space = { x: values, y: values, idle: [false, true] };
const start: Point = { x: 0, y: 0, idle: false };
const error = ({ x, y }: Point): number => (x - 6) ** 2 + (y - 3) ** 2;

const search = async (budget: number, seed: number, canonical?: (point: Point) => Point) => {
  const asked: Point[] = [];
  const found = await searchSpace(
    space,
    start,
    (point) => {
      asked.push(point);
      return Promise.resolve(error(point));
    },
    { budget, random: createRandom(seed), canonical },
  );
  return { asked, ...found };
};

describe("a search within a budget", () => {
  test("judges as many candidates as it may, the start first, none twice, and returns the best of them", async () => {
    for (const budget of [1, 2, 24]) {
      const { asked, best, error: least, judged } = await search(budget, 1);
      expect(judged).toBe(budget);
      expect(asked[0]).toEqual(start);
      expect(asked.length).toBe(budget);
      expect(new Set(asked.map((point) => JSON.stringify(point))).size).toBe(budget);
      expect(least).toBe(Math.min(...asked.map(error)));
      expect(error(best)).toBe(least);
    }
  });

  test("goes by the seed alone, and gets near the best of 128 with 40", async () => {
    expect(await search(20, 3)).toEqual(await search(20, 3));
    expect((await search(20, 3)).asked).not.toEqual((await search(20, 4)).asked);
    for (let seed = 0; seed < 5; seed++) expect((await search(40, seed)).error).toBeLessThanOrEqual(2);
  });

  test("ends where nothing is left, and counts what is the same in effect once", async () => {
    const { asked, judged } = await search(1000, 1, (point) => ({ ...point, idle: false }));
    expect(judged).toBe(asked.length);
    expect(asked.length).toBeLessThanOrEqual(64);
    expect(asked.every(({ idle }) => !idle)).toBe(true);
  });
});
