import {
  estimateFold,
  trainFold,
  type HeldOutEstimate,
  type HeldOutOptions,
  type HeldOutTable,
  type TrainedFold,
} from "./held-out.ts";
import { sourceSplits } from "./source-splits.ts";
import type { BankTask } from "./train-bank.ts";

/** Held-out estimates of source models by both kinds of folds. */
export interface CrossValidation {
  readonly interpolation: HeldOutTable;
  readonly extrapolation: HeldOutTable;
}

export interface CrossValidateOptions extends Omit<HeldOutOptions, "groups"> {
  readonly folds: number;
  /** Forms drawn on each fold. */
  readonly draws: number;
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  readonly onFold?: (done: number, of: number) => void;
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
  options: CrossValidateOptions,
): Promise<CrossValidation> {
  const { random } = options;
  const among = sourceSplits(task, rows, groups, options.folds, random.fork("folds"));
  const enough = rows.length >= LEAST_MODELS;
  const random5 = enough ? among.folds : [];
  const strong = [among.strong].filter(({ sources, targets }) => enough && sources.length >= 4 && targets.length > 0);
  const trained: TrainedFold[] = [];
  for (const split of [...random5, ...strong]) {
    const fold = trained.length;
    trained.push(await trainFold(task, split, fold, { ...options, groups, random: random.fork(`fold ${fold}`) }));
    options.onFold?.(fold + 1, random5.length + strong.length);
  }
  const tables: HeldOutTable[] = [];
  for (const fold of trained) tables.push(await estimateFold(task, fold, options, options.priorScale, options.draws));
  const joined = (own: readonly HeldOutTable[]): HeldOutTable =>
    task.scenarios.map(
      (_, s) =>
        new Map(
          options.sizes.map((size) => [size, own.flatMap((table): readonly HeldOutEstimate[] => table[s]!.get(size)!)]),
        ),
    );
  return {
    interpolation: joined(tables.slice(0, random5.length)),
    extrapolation: joined(tables.slice(random5.length)),
  };
}
