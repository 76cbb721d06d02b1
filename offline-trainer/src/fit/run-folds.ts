import type { Provider } from "../backends/resolve-backend.ts";
import { sharedMatrix } from "../matrix/shared-matrix.ts";
import { runOnThreads } from "../threads/run-on-threads.ts";
import { computeFold, type Fold, type FoldNote, type FoldPlan, type FoldTools } from "./compute-fold.ts";
import type { FoldThreads } from "./fold-threads.ts";
import type { FoldTables } from "./held-out.ts";

export interface RunFoldsOptions extends Omit<FoldTools, "onNote"> {
  /** @default none but the caller's */
  readonly threads?: FoldThreads;
  /** @param index - of the fold in the list */
  readonly onNote?: (index: number, note: FoldNote) => void;
}

/** What a thread of the cross-validation gets once. */
export interface FoldThreadData {
  readonly plan: FoldPlan;
  readonly provider: Provider;
}

/**
 * Computes folds, one after the other or on threads; the tables don't depend on it. Threads share the responses.
 * @returns tables in the order of the folds
 */
export async function runFolds(
  plan: FoldPlan,
  folds: readonly Fold[],
  { threads, backend, signal, onNote }: RunFoldsOptions,
): Promise<FoldTables[]> {
  const tables: FoldTables[] = [];
  if (threads === undefined) {
    for (const [index, fold] of folds.entries())
      tables.push(
        await computeFold(plan, fold, {
          backend,
          ...(signal && { signal }),
          ...(onNote && { onNote: (note: FoldNote) => onNote(index, note) }),
        }),
      );
    return tables;
  }
  const { tasks } = plan;
  // Every target costs about the same of each item; the longest folds start first, so that no thread ends with one.
  const cost = ({ splits }: Fold): number =>
    splits.reduce((sum, { targets }, b) => sum + targets.length * tasks[b]!.matrix.items.length, 0);
  const order = folds.map((_, index) => index).sort((x, y) => cost(folds[y]!) - cost(folds[x]!));
  const data: FoldThreadData = {
    plan: { ...plan, tasks: tasks.map((task) => ({ ...task, matrix: sharedMatrix(task.matrix) })) },
    provider: threads.provider,
  };
  const found = await runOnThreads<FoldTables, FoldNote>(
    new URL("./fold-worker.js", import.meta.url),
    order.map((index) => folds[index]!),
    {
      threads: threads.count,
      work: "the cross-validation",
      data,
      ...(signal && { signal }),
      ...(onNote && { onNote: (place: number, note: FoldNote) => onNote(order[place]!, note) }),
    },
  );
  order.forEach((index, place) => (tables[index] = found[place]!));
  return tables;
}
