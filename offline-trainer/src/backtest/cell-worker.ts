import type { Provider } from "../backends/resolve-backend.ts";
import { threadBackend } from "../backends/thread-backend.ts";
import { answerInputs, threadData } from "../threads/answer-inputs.ts";
import { backtestCell, type CellInput, type CellResult } from "./cell.ts";

/** A thread of the back-test. */
answerInputs(async (cell: CellInput): Promise<CellResult[]> =>
  backtestCell(cell, await threadBackend(threadData() as Provider)),
);
