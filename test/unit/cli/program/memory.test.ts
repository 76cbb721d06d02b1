import { AnchorEvalError } from "anchoreval";
import { expect, test } from "vitest";
import { type FitSize, memoryNeeded, memoryStatement } from "../../../../cli/src/program/memory.ts";

const leaderboard = {
  models: 400,
  items: 28_659,
  largest: 7874,
  scenarios: 6,
  sizes: 5,
  draws: 4,
  dims: 10,
  threads: 2,
};
const needed = (change: Partial<FitSize> = {}): number => memoryNeeded({ ...leaderboard, ...change });

test.each<[string, Partial<FitSize>, number]>([
  ["helm-lite", { models: 83, items: 3504, largest: 1000, scenarios: 5, dims: 8 }, 370e6],
  ["400 × 28 659", {}, 895e6],
  ["6349 × 28 659, forms of three sizes", { models: 6349, sizes: 3, draws: 1, dims: 8 }, 2.57e9],
])("is within a fifth of what a fit of %s took", (_, size, measured) => {
  expect(needed(size) / measured).toBeGreaterThan(0.85);
  expect(needed(size) / measured).toBeLessThan(1.2);
});

test("grows with cells, forms, dimensions and threads", () => {
  for (const more of [
    { models: 401 },
    { items: 28_700 },
    { largest: 7900 },
    { sizes: 6 },
    { draws: 5 },
    { dims: 11 },
    { threads: 3 },
  ])
    expect(needed(more)).toBeGreaterThan(needed());
});

test("is stated in plain words", () => {
  expect(memoryStatement(leaderboard, 8e9)).toBe(
    "400 models × 28659 items in up to 10 dimensions: about 0.8 GB of memory, 8.0 GB free",
  );
});

test("a fit that can't fit is refused before it starts, with what to do", () => {
  const refused = (): string => memoryStatement({ ...leaderboard, models: 6349, draws: 1 }, 2e9);
  expect(refused).toThrow(AnchorEvalError);
  expect(refused).toThrow(
    /6349 models × 28659 items in up to 10 dimensions need about 3\.\d GB of memory, and 2\.0 GB are free: fit scenarios one at a time/,
  );
});
