import type { CostKind } from "anchoreval/internal/logs/cost";
import type { CellTrials } from "../matrix/readers/score-table.ts";
import type { TypicalPrices } from "../matrix/typical-prices.ts";

/** Trials and prices as they stand in import.json. */
export interface TrialsAndPrices {
  /** Trials with a score, of how many cells of the matrix, and how many a cell has. Absent where each has one. */
  readonly trials?: {
    readonly scores: number;
    readonly cells: number;
    readonly fewest: number;
    readonly most: number;
  };
  /** Of each column of prices: models that it is known of, the price of all items together, and those whose price is assumed. */
  readonly prices?: readonly {
    readonly column: CostKind;
    readonly models: number;
    readonly total: number;
    readonly assumed: readonly string[];
  }[];
}

/** Trials and prices in figures; nothing where there are none. */
export function trialsAndPrices(
  trials: readonly CellTrials[] | undefined,
  prices: readonly TypicalPrices[],
): TrialsAndPrices {
  const counts = trials?.map(({ scores }) => scores.length) ?? [];
  const extreme = (better: (a: number, b: number) => number): number => counts.reduce((a, b) => better(a, b));
  const total = (items: TypicalPrices["items"]): number =>
    Array.from(items.values()).reduce((sum, price) => sum + price, 0);
  return {
    ...(counts.length > 0 && {
      trials: {
        scores: counts.reduce((sum, count) => sum + count, 0),
        cells: counts.length,
        fewest: extreme((a, b) => Math.min(a, b)),
        most: extreme((a, b) => Math.max(a, b)),
      },
    }),
    ...(prices.length > 0 && {
      prices: prices.map(({ kind, models, items, assumed }) => ({
        ...{ column: kind, models, total: Number(total(items).toPrecision(6)), assumed },
      })),
    }),
  };
}
