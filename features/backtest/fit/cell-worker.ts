import { type ResolvedBackend, threadBackend } from "../../../offline-trainer/src/backends/resolve-backend.ts";
import { receivedMethod } from "../../../offline-trainer/src/methods/method.ts";
import { answerInputs, threadData } from "../../../offline-trainer/src/threads/run-on-threads.ts";
import { backtestCell, type CellResult, type SentCell } from "./cell.ts";

/** A thread of the back-test. */
answerInputs(async ({ method, ...cell }: SentCell): Promise<CellResult[]> =>
  backtestCell(
    { ...cell, method: await receivedMethod(method) },
    await threadBackend(threadData() as ResolvedBackend["provider"]),
  ),
);
