import { threadBackend } from "../backends/thread-backend.ts";
import { answerInputs, threadData } from "../threads/answer-inputs.ts";
import { computeFold, type Fold, type FoldNote } from "./compute-fold.ts";
import type { FoldTables } from "./held-out.ts";
import type { FoldThreadData } from "./run-folds.ts";

/** A thread of the cross-validation. */
const { plan, provider } = threadData() as FoldThreadData;
answerInputs(async (fold: Fold, onNote: (note: FoldNote) => void): Promise<FoldTables> =>
  computeFold(plan, fold, { backend: await threadBackend(provider), onNote }),
);
