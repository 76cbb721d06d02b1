import { ESTIMATORS, type EstimatorId } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { CellEstimate, CellResult } from "../../../../../features/backtest/fit/cell.ts";

export interface CellsShape {
  readonly models?: number;
  readonly seeds?: number;
  readonly draws?: number;
  readonly random?: string;
}

/**
 * Cells as a back-test with two folds a seed has them. Models that err little are in the targets of most seeds, the
 * others of few, none twice in one; intervals miss on either side, end in the truth, or are empty; some estimates failed.
 */
export function simulatedCells({
  models = 20,
  seeds = 4,
  draws = 3,
  random: name = "cells",
}: CellsShape = {}): CellResult[][] {
  const random = createRandom(name);
  const kinds = Array.from({ length: models }, () => {
    const often = random.next() < 0.3;
    const spread = (often ? 0.01 : 0.03) + 0.05 * random.next();
    return { truth: random.next(), spread, presence: often ? 0.9 : 0.2, randomError: 0.02 + 0.05 * random.next() };
  });
  return Array.from({ length: seeds }, () => {
    const folds: CellEstimate[][] = [[], []];
    kinds.forEach(({ truth, spread, presence, randomError }, model) => {
      if (random.next() > presence) return;
      const own = folds[random.below(2)]!;
      const luck = 0.5 + random.next();
      for (let draw = 0; draw < draws; draw++) {
        const estimators = Object.fromEntries(
          ESTIMATORS.map((id) => [id, truth + spread * random.normal() + 0.005]),
        ) as Record<EstimatorId, number>;
        const score = estimators["gate"];
        const width = 0.09 * random.next();
        const interval =
          random.below(8) === 0
            ? { low: Math.min(score, truth), high: truth }
            : { low: Math.max(0, score - width), high: Math.min(1, score + 0.7 * width) };
        own.push({
          model,
          draw,
          truth,
          estimators,
          bounds: { low: 0, high: 1 },
          sampling: null,
          interval: { low: Math.min(interval.low, interval.high), high: interval.high },
          randomError: randomError * luck,
          randomInterval: { coverage: 0.8 + 0.2 * luck * truth, halfWidth: 0.1 * luck, winkler: 0.3 * luck + truth },
          failed: random.below(8) === 0,
        });
      }
    });
    return folds.map((estimates) => ({
      scenario: "a",
      n: 10,
      dims: 3,
      lambda: random.next(),
      inflation: 1,
      estimates,
    }));
  });
}

/** The cells with every estimate changed. */
export function changed(
  seeds: readonly (readonly CellResult[])[],
  change: (estimate: CellEstimate, index: number) => CellEstimate,
): CellResult[][] {
  let index = 0;
  return seeds.map((cells) =>
    cells.map((cell) => ({ ...cell, estimates: cell.estimates.map((estimate) => change(estimate, index++)) })),
  );
}
