import { workerData } from "node:worker_threads";
import { resolveBackend, type Provider } from "../backends/resolve-backend.ts";
import { answerInputs } from "../threads/answer-inputs.ts";
import { backtestCell, type CellInput, type CellResult } from "./cell.ts";

/** A thread of the back-test. */
answerInputs(async (cell: CellInput): Promise<CellResult[]> => {
  const { backend } = await resolveBackend(workerData as Provider, 1);
  return backtestCell(cell, backend);
});
