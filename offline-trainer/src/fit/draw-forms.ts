import type { AnchorSet, RandomSource } from "anchoreval/core";
import { selectAnchors } from "../anchors/select-anchors.ts";
import type { Selection } from "../anchors/types.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** Anchor sets of every scenario of a bank, by size: `forms[s].get(n)`. */
export type BankForms = readonly ReadonlyMap<number, AnchorSet>[];

/** Chooses anchors in every scenario, looking at the source models only. */
export function drawForms(
  task: BankTask,
  rows: ArrayLike<number>,
  trained: TrainedBank,
  selection: Selection,
  sizes: readonly number[],
  random: RandomSource,
): BankForms {
  return trained.scenarios.map(({ slice, bank, accuracy }) => {
    const column = (item: number): Float64Array =>
      Float64Array.from(rows, (row) => {
        const score = scoreAt(task.matrix, row, slice.begin + item);
        return Number.isNaN(score) ? accuracy[item]! : score;
      });
    return selectAnchors(selection, {
      weights: slice.weights,
      accuracy,
      bank,
      column,
      sizes,
      random: random.fork(slice.id),
    }).sets;
  });
}
