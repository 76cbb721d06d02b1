import { fullScores } from "../prepare/full-scores.ts";
import { extrapolationSplit } from "../splits/extrapolation.ts";
import { folds } from "../splits/interpolation.ts";
import { TARGET_OBSERVED, type Split, type SplitInput } from "../splits/types.ts";
import type { BankTask } from "./train-bank.ts";
import { heldOutEstimates, type HeldOutEstimate, type HeldOutOptions, type HeldOutTable } from "./held-out.ts";

/** Held-out estimates of source models by both kinds of folds. */
export interface CrossValidation {
  readonly interpolation: HeldOutTable;
  readonly extrapolation: HeldOutTable;
}

/** Models below which nothing can be held out. */
const LEAST_MODELS = 8;

/**
 * Cross-validates a bank among `rows`: random fifths (replicates together), and the weakest half against the strongest
 * 30 % by mean score over the bank's scenarios.
 */
export async function crossValidate(
  task: BankTask,
  rows: readonly number[],
  groups: ArrayLike<number>,
  options: HeldOutOptions & { readonly folds: number; readonly onFold?: (done: number, of: number) => void },
): Promise<CrossValidation> {
  const { random } = options;
  const full = task.scenarios.map((slice) => fullScores(task.matrix, slice));
  const input: SplitInput = {
    groups: rows.map((m) => groups[m]!),
    eligible: rows.map((m) => full.every(({ observed }) => observed[m]! >= TARGET_OBSERVED)),
  };
  const scores = rows.map((m) => full.reduce((sum, { score }) => sum + score[m]! / full.length, 0));
  const names = rows.map((m) => task.matrix.subjects[m]!);
  const lift = (split: Split): Split => ({
    sources: split.sources.map((k) => rows[k]!),
    targets: split.targets.map((k) => rows[k]!),
  });
  const enough = rows.length >= LEAST_MODELS;
  const random5 = enough ? folds(input, Math.min(options.folds, rows.length), random.fork("folds")).map(lift) : [];
  const strong = enough
    ? [lift(extrapolationSplit({ ...input, scores, names }))].filter(
        (split) => split.sources.length >= 4 && split.targets.length > 0,
      )
    : [];
  let fold = 0;
  const run = async (splits: Split[]): Promise<HeldOutTable> => {
    const tables: HeldOutTable[] = [];
    for (const split of splits) {
      const { table } = await heldOutEstimates(task, split, fold, { ...options, random: random.fork(`fold ${fold}`) });
      tables.push(table);
      options.onFold?.(++fold, random5.length + strong.length);
    }
    return task.scenarios.map(
      (_, s) =>
        new Map(
          options.sizes.map((size) => [
            size,
            tables.flatMap((table): readonly HeldOutEstimate[] => table[s]!.get(size)!),
          ]),
        ),
    );
  };
  return { interpolation: await run(random5), extrapolation: await run(strong) };
}
