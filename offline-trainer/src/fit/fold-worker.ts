import { workerData } from "node:worker_threads";
import { resolveBackend } from "../backends/resolve-backend.ts";
import { answerInputs } from "../threads/answer-inputs.ts";
import { computeFold, type Fold, type FoldNote } from "./compute-fold.ts";
import type { FoldTables } from "./held-out.ts";
import type { FoldThreadData } from "./run-folds.ts";

/** A thread of the cross-validation. */
const { plan, provider } = workerData as FoldThreadData;
answerInputs(async (fold: Fold, onNote: (note: FoldNote) => void): Promise<FoldTables> => {
  const { backend } = await resolveBackend(provider, 1);
  return computeFold(plan, fold, { backend, onNote });
});
