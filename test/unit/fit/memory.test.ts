import { AnchorEvalError } from "anchoreval/core";
import { expect, test } from "vitest";
import { memoryNeeded, memoryStatement } from "../../../offline-trainer/src/fit/memory.ts";

test("grows with cells and with parameters", () => {
  const base = memoryNeeded(0, 0, 1);
  const cells = (models: number, items: number): number => memoryNeeded(models, items, 1) - base;
  expect(cells(400, 28_659)).toBeGreaterThan(10 * 400 * 28_659);
  expect(cells(4000, 28_659)).toBeGreaterThan(9 * cells(400, 28_659));
  expect(memoryNeeded(400, 28_659, 10) - memoryNeeded(400, 28_659, 5)).toBe(8 * 24 * 5 * (400 + 28_659));
});

test("is stated in plain words", () => {
  expect(memoryStatement(400, 28_659, 5, 8e9)).toBe(
    "400 models × 28659 items in up to 5 dimensions: about 0.4 GB of memory, 8.0 GB free",
  );
});

test("a fit that can't fit is refused before it starts, with what to do", () => {
  const refused = (): string => memoryStatement(6349, 28_659, 2, 2e9);
  expect(refused).toThrow(AnchorEvalError);
  expect(refused).toThrow(
    /6349 models × 28659 items in up to 2 dimensions need about 2\.\d GB of memory, and 2\.0 GB are free: fit scenarios one at a time/,
  );
});
