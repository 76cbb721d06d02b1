import type { Evidence, RandomSource } from "anchoreval/core";
import type { Split } from "../splits/types.ts";
import type { Fold, FoldPlan } from "./compute-fold.ts";
import type { FoldTables, HeldOutEstimate, HeldOutTable } from "./held-out.ts";
import { LEAST_HELD_OUT_FROM } from "./answering-models.ts";
import { runFolds, type RunFoldsOptions } from "./run-folds.ts";
import { sourceSplits } from "./source-splits.ts";
import type { BankTask } from "./train-bank.ts";

/** Held-out estimates of source models by both kinds of folds. */
export interface CrossValidation {
  readonly interpolation: HeldOutTable;
  readonly extrapolation: HeldOutTable;
}

export interface CrossValidateOptions extends Omit<FoldPlan, "tasks" | "groups">, Omit<RunFoldsOptions, "onNote"> {
  readonly random: RandomSource;
  readonly folds: number;
  /** @param done - folds, parts of those that are being computed too @param loss - of a calibration, in nats */
  readonly onFold?: (done: number, of: number, loss: number | null) => void;
}

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
  const { random, irtModel, estimation, dims, link, shrinkage, search, selection, scoreMap, forms, priorScale, draws } =
    options;
  const among = sourceSplits(tasks, rows, groups, options.folds, random.fork("folds"));
  const enough = rows.length >= LEAST_HELD_OUT_FROM;
  const trains = (splits: readonly Split[], least: number): boolean =>
    enough &&
    splits.every(({ sources }) => sources.length >= least) &&
    splits.some(({ targets }) => targets.length > 0);
  const random5 = among.folds.filter((splits) => trains(splits, 1));
  const strong = [among.strong].filter((splits) => trains(splits, 4));
  const folds = [...random5, ...strong].map((splits, fold): Fold => ({
    fold,
    splits,
    stream: random.fork(`fold ${fold}`).name,
  }));
  const model = { irtModel, estimation, dims, link, shrinkage, search, selection, scoreMap, forms, priorScale, draws };
  const { checkpoint, backend, threads, signal, onFold } = options;
  const shares = new Float64Array(folds.length);
  const tables = await runFolds({ tasks, groups, ...model, ...(checkpoint !== undefined && { checkpoint }) }, folds, {
    backend,
    ...(threads && { threads }),
    ...(signal && { signal }),
    onNote: (index, { share, loss }) => {
      shares[index] = Math.max(shares[index]!, share); // a choice of the model calibrates a bank several times
      onFold?.(
        shares.reduce((sum, own) => sum + own, 0),
        folds.length,
        loss,
      );
    },
  });
  const joined = (own: readonly FoldTables[], evidence: Evidence, b: number): HeldOutTable =>
    tasks[b]!.scenarios.map(
      (_, s) =>
        new Map(
          forms.map(({ id }) => [
            id,
            own.flatMap((fold): readonly HeldOutEstimate[] => fold[evidence][b]![s]!.get(id)!),
          ]),
        ),
    );
  const validation = (evidence: Evidence, b: number): CrossValidation => ({
    interpolation: joined(tables.slice(0, random5.length), evidence, b),
    extrapolation: joined(tables.slice(random5.length), evidence, b),
  });
  return tasks.map((_, b) => ({ alone: validation("alone", b), together: validation("together", b) }));
}
