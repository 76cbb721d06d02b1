import type { AnchorSet, RandomSource } from "anchoreval/core";
import type { NearestBackend } from "../anchors/nearest-centroids.ts";
import { selectAnchors } from "../anchors/select-anchors.ts";
import type { Selection } from "../anchors/types.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankTask, TrainedBank } from "./train-bank.ts";

/** Anchor sets of every scenario of a bank, by size: `forms[s].get(n)`. */
export type BankForms = readonly ReadonlyMap<number, AnchorSet>[];

export interface DrawFormsOptions {
  readonly selection: Selection;
  readonly sizes: readonly number[];
  readonly random: RandomSource;
  readonly backend: NearestBackend;
}

/** Chooses anchors in every scenario, looking at the source models only. */
export async function drawForms(
  task: BankTask,
  rows: ArrayLike<number>,
  trained: TrainedBank,
  { selection, sizes, random, backend }: DrawFormsOptions,
): Promise<BankForms> {
  const forms: ReadonlyMap<number, AnchorSet>[] = [];
  for (const { slice, bank, accuracy } of trained.scenarios) {
    const column = (item: number): Float64Array => {
      const mean = Number.isNaN(accuracy[item]!) ? 0.5 : accuracy[item]!;
      return Float64Array.from(rows, (row) => {
        const score = scoreAt(task.matrix, row, slice.begin + item);
        return Number.isNaN(score) ? mean : score;
      });
    };
    const { sets } = await selectAnchors(selection, {
      weights: slice.weights,
      accuracy,
      bank,
      column,
      sizes,
      random: random.fork(slice.id),
      backend,
    });
    forms.push(sets);
  }
  return forms;
}
