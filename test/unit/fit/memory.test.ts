import { AnchorEvalError } from "anchoreval/core";
import { expect, test } from "vitest";
import { type FitSize, memoryNeeded, memoryStatement } from "../../../offline-trainer/src/fit/memory.ts";

test("grows with cells and with parameters", () => {
  const base = memoryNeeded({ models: 0, items: 0, dims: 1 });
  const cells = (models: number, items: number): number => memoryNeeded({ models, items, dims: 1 }) - base;
  expect(cells(400, 28_659)).toBeGreaterThan(10 * 400 * 28_659);
  expect(cells(4000, 28_659)).toBeGreaterThan(9 * cells(400, 28_659));
  const of = (change: Partial<FitSize>): number => memoryNeeded({ models: 400, items: 28_659, dims: 5, ...change });
  expect(of({ dims: 10 }) - of({ dims: 5 })).toBe(8 * 24 * 5 * (400 + 28_659));
});

test("is stated in plain words", () => {
  expect(memoryStatement({ models: 400, items: 28_659, dims: 5 }, 8e9)).toBe(
    "400 models × 28659 items in up to 5 dimensions: about 0.4 GB of memory, 8.0 GB free",
  );
});

test("a fit that can't fit is refused before it starts, with what to do", () => {
  const refused = (): string => memoryStatement({ models: 6349, items: 28_659, dims: 2 }, 2e9);
  expect(refused).toThrow(AnchorEvalError);
  expect(refused).toThrow(
    /6349 models × 28659 items in up to 2 dimensions need about 2\.\d GB of memory, and 2\.0 GB are free: fit scenarios one at a time/,
  );
});
