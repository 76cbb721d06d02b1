import type { BatchForecast } from "./batch-total.ts";
import type { AskedItems } from "./population.ts";
import type { RunningSums } from "./running-sums.ts";

/**
 * Where an adaptive evaluation of one model or of two stands: plain numbers, and all that its next step needs beside the
 * population.
 */
export interface AdaptiveState {
  /** Positions whose batches have been answered, in the order of the draws. */
  readonly asked: readonly number[];
  readonly models: readonly ModelState[];
  /** Of S_B − S_A; null for one model. */
  readonly difference: RunningSums | null;
  /** Drawn and not yet answered; null where nothing is left. */
  readonly pending: PendingBatch | null;
}

/** One model's answers so far. */
export interface ModelState {
  /** Aligned with the items asked; null = no answer. */
  readonly scores: readonly (number | null)[];
  /** Of the whole score, then of every scenario's part of it where there are several. */
  readonly sums: readonly RunningSums[];
}

/** Items that were given out and not answered yet. */
export interface PendingBatch {
  /** Positions, in the order of the draw's strata. */
  readonly items: readonly number[];
  /** π of each; null for items that weren't drawn but chosen. */
  readonly inclusion: readonly number[] | null;
  /** By model: p̂ of the items, and what its {@link ModelState.sums} would be totals of if all predictions were right. */
  readonly forecasts: readonly { readonly expected: readonly number[]; readonly totals: readonly number[] }[];
}

/** One model's answers so far. */
export function askedItems({ asked, models }: AdaptiveState, model: number): AskedItems {
  return { items: asked, scores: models[model]!.scores.map((score) => score ?? NaN) };
}

/** A pending batch's forecast of one part of a score. */
export function forecastOf({ forecasts }: PendingBatch, model: number, part: number): BatchForecast {
  const { expected, totals } = forecasts[model]!;
  return { score: totals[part]!, expected };
}
