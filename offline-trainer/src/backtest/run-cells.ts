import { availableParallelism } from "node:os";
import type { Provider } from "../backends/resolve-backend.ts";
import { runOnThreads } from "../threads/run-on-threads.ts";
import type { CellInput, CellResult } from "./cell.ts";

/**
 * Computes cells on as many threads as there are cores. The results don't depend on how many.
 * @param onCell - called with the number of cells done
 * @throws AnchorEvalError `aborted` where the signal ends it, or had before it began
 */
export function runCells(
  cells: readonly CellInput[],
  provider: Provider,
  options: { readonly threads?: number; readonly signal?: AbortSignal; readonly onCell?: (done: number) => void } = {},
): Promise<CellResult[][]> {
  const { threads = availableParallelism(), signal, onCell } = options;
  return runOnThreads(new URL("./cell-worker.js", import.meta.url), cells, {
    threads,
    work: "the back-test",
    data: provider,
    ...(signal && { signal }),
    ...(onCell && { onDone: onCell }),
  });
}
