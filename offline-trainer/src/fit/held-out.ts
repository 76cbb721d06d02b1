import { designInterval, type EstimatorId, type RandomSource } from "anchoreval/core";
import type { Selection } from "../anchors/types.ts";
import { fullScores } from "../prepare/full-scores.ts";
import type { Split } from "../splits/types.ts";
import { drawForms } from "./draw-forms.ts";
import { estimateTarget } from "./estimate-target.ts";
import { trainBank, type BankTask, type TrainOptions } from "./train-bank.ts";

export interface HeldOutOptions extends TrainOptions {
  readonly selection: Selection;
  readonly sizes: readonly number[];
  /** Forms drawn on the same fit. */
  readonly draws: number;
}

/** One held-out model, one form: what was estimated without it, and the truth. gp-irt is blended afterwards. */
export interface HeldOutEstimate {
  readonly model: number;
  readonly draw: number;
  readonly truth: number;
  readonly estimators: Readonly<Record<Exclude<EstimatorId, "gp-irt">, number>>;
  readonly bounds: { readonly low: number; readonly high: number };
  /** Design-based 95 % interval of p-irt-dr; null where there is none. */
  readonly interval: { readonly low: number; readonly high: number } | null;
}

/** By scenario of the task, by size. */
export type HeldOutTable = readonly ReadonlyMap<number, readonly HeldOutEstimate[]>[];

/**
 * Repeats every step on the sources alone, binarisation, calibration and selection included, and estimates the
 * targets. The targets' answers are read only to be estimated from and compared with.
 */
export async function heldOutEstimates(task: BankTask, split: Split, options: HeldOutOptions): Promise<HeldOutTable> {
  const { sources, targets } = split;
  const trained = await trainBank(task, sources, options);
  const truths = task.scenarios.map((slice) => fullScores(task.matrix, slice).score);
  const table = task.scenarios.map(() => new Map<number, HeldOutEstimate[]>(options.sizes.map((size) => [size, []])));
  for (let draw = 0; draw < options.draws; draw++) {
    const forms = drawForms(task, sources, trained, options.selection, options.sizes, drawStream(options.random, draw));
    for (const size of options.sizes) {
      const sets = forms.map((bySize) => bySize.get(size)!);
      for (const model of targets)
        estimateTarget(task, model, trained, sets, sets.map(() => 0)).forEach((estimate, s) => {
          const truth = truths[s]![model]!;
          if (estimate === null || Number.isNaN(truth)) return;
          const { "anchor-mean": mean, "p-irt": imputed, "p-irt-dr": corrected } = estimate.estimators;
          const { low, high } = estimate.bounds;
          const interval = designInterval(corrected, estimate.sample, estimate.residuals, 0.95);
          table[s]!.get(size)!.push({
            model,
            draw,
            truth,
            estimators: { "anchor-mean": mean, "p-irt": imputed, "p-irt-dr": corrected },
            bounds: estimate.bounds,
            interval: interval && { low: Math.max(low, interval.low), high: Math.min(high, interval.high) },
          });
        });
    }
  }
  return table;
}

/** The stream that draw number `draw` of the forms reads: the first is the one that a bundle is made with. */
export function drawStream(random: RandomSource, draw: number): RandomSource {
  return random.fork(`form ${draw}`);
}
