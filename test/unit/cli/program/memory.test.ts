import { AnchorEvalError } from "anchoreval";
import { expect, test } from "vitest";
import { type FitSize, memoryNeeded, memoryStatement } from "../../../../cli/src/program/memory.ts";

const leaderboard = { models: 400, items: 28_659, scenarios: 6, sizes: 5, dims: 5 };
const needed = (change: Partial<FitSize>): number => memoryNeeded({ ...leaderboard, ...change });

test("grows with cells, estimates, parameters and threads", () => {
  const cells = (models: number): number => needed({ models, sizes: 0 }) - needed({ models: 0, sizes: 0 });
  expect(cells(400)).toBeGreaterThan(10 * 400 * 28_659);
  expect(cells(4000)).toBeGreaterThan(9 * cells(400));
  expect(needed({ sizes: 6 }) - needed({})).toBe(14e3 * 400 * 6);
  expect(needed({ dims: 10 }) - needed({})).toBe(8 * 24 * 5 * (400 + 28_659));
  // Every thread has an optimiser and coded responses of its own.
  expect(needed({ threads: 2, dims: 10 }) - needed({ threads: 2 })).toBe(3 * 8 * 24 * 5 * (400 + 28_659));
  expect(needed({ threads: 4 }) - needed({ threads: 2 })).toBe(needed({ threads: 2 }) - needed({}));
});

test("is stated in plain words", () => {
  expect(memoryStatement({ ...leaderboard, threads: 2 }, 8e9)).toBe(
    "400 models × 28659 items in up to 5 dimensions: about 0.8 GB of memory, 8.0 GB free",
  );
});

test("a fit that can't fit is refused before it starts, with what to do", () => {
  const refused = (): string => memoryStatement({ ...leaderboard, models: 6349, scenarios: 1, dims: 2 }, 2e9);
  expect(refused).toThrow(AnchorEvalError);
  expect(refused).toThrow(
    /6349 models × 28659 items in up to 2 dimensions need about 3\.\d GB of memory, and 2\.0 GB are free: fit scenarios one at a time/,
  );
});
