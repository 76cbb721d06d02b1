import type { Evidence } from "anchoreval/core";
import type { Split } from "../splits/types.ts";
import {
  estimateFold,
  trainFold,
  type FoldTables,
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

/** A bank's held-out estimates, from its own answers alone and from all banks'. */
export type BankValidation = Readonly<Record<Evidence, CrossValidation>>;

/**
 * Cross-validates some banks among `rows`: random fifths (replicates together), and the weakest half against the
 * strongest 30 % over all scenarios.
 * @returns one a bank
 */
export async function crossValidate(
  tasks: readonly BankTask[],
  rows: readonly number[],
  groups: ArrayLike<number>,
  options: CrossValidateOptions,
): Promise<BankValidation[]> {
  const { random, sizes, priorScale, draws } = options;
  const among = sourceSplits(tasks, rows, groups, options.folds, random.fork("folds"));
  const enough = rows.length >= LEAST_MODELS;
  const trains = (splits: readonly Split[], least: number): boolean =>
    enough &&
    splits.every(({ sources }) => sources.length >= least) &&
    splits.some(({ targets }) => targets.length > 0);
  const random5 = among.folds.filter((splits) => trains(splits, 1));
  const strong = [among.strong].filter((splits) => trains(splits, 4));
  const trained: TrainedFold[] = [];
  for (const splits of [...random5, ...strong]) {
    const fold = trained.length;
    trained.push(await trainFold(tasks, splits, fold, { ...options, groups, random: random.fork(`fold ${fold}`) }));
    options.onFold?.(fold + 1, random5.length + strong.length);
  }
  const tables: FoldTables[] = [];
  for (const fold of trained) tables.push(await estimateFold(tasks, fold, options, priorScale, draws));
  const joined = (own: readonly FoldTables[], evidence: Evidence, b: number): HeldOutTable =>
    tasks[b]!.scenarios.map(
      (_, s) =>
        new Map(
          sizes.map((size) => [
            size,
            own.flatMap((fold): readonly HeldOutEstimate[] => fold[evidence][b]![s]!.get(size)!),
          ]),
        ),
    );
  const validation = (evidence: Evidence, b: number): CrossValidation => ({
    interpolation: joined(tables.slice(0, random5.length), evidence, b),
    extrapolation: joined(tables.slice(random5.length), evidence, b),
  });
  return tasks.map((_, b) => ({ alone: validation("alone", b), together: validation("together", b) }));
}
