import { fullScores } from "../prepare/full-scores.ts";
import { extrapolationSplit } from "../splits/extrapolation.ts";
import { folds } from "../splits/interpolation.ts";
import { eligibleTargets } from "../splits/eligible.ts";
import type { Split, SplitInput } from "../splits/types.ts";
import type { BankTask } from "./train-bank.ts";
import {
  estimateFold,
  trainFold,
  type HeldOutEstimate,
  type HeldOutOptions,
  type HeldOutTable,
  type TrainedFold,
} from "./held-out.ts";

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
  const full = task.scenarios.map((slice) => fullScores(task.matrix, slice));
  const eligible = eligibleTargets(full);
  const input: SplitInput = { groups: rows.map((m) => groups[m]!), eligible: rows.map((m) => eligible[m]!) };
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
  const trained: TrainedFold[] = [];
  for (const split of [...random5, ...strong]) {
    const fold = trained.length;
    trained.push(await trainFold(task, split, fold, { ...options, groups, random: random.fork(`fold ${fold}`) }));
    options.onFold?.(fold + 1, random5.length + strong.length);
  }
  const tables = trained.map((fold) => estimateFold(task, fold, options, options.priorScale, options.draws));
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
