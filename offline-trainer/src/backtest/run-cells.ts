import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { AnchorEvalError, type AnchorEvalErrorCode } from "anchoreval/core";
import type { Provider } from "../backends/resolve-backend.ts";
import type { CellInput, CellResult } from "./cell.ts";

interface Reply {
  readonly index: number;
  readonly results?: CellResult[];
  readonly error?: { readonly message: string; readonly stack?: string; readonly code?: AnchorEvalErrorCode };
}

/**
 * Computes cells on as many threads as there are cores. The results don't depend on how many.
 * @param onCell - called with the number of cells done
 * @throws AnchorEvalError `aborted` where the signal ends it, or had before it began
 */
export async function runCells(
  cells: readonly CellInput[],
  provider: Provider,
  options: { readonly threads?: number; readonly signal?: AbortSignal; readonly onCell?: (done: number) => void } = {},
): Promise<CellResult[][]> {
  const interrupted = (): AnchorEvalError => new AnchorEvalError("aborted", "the back-test was interrupted");
  if (options.signal?.aborted) throw interrupted();
  const threads = Math.min(cells.length, options.threads ?? availableParallelism());
  const workers = Array.from({ length: threads }, () => new Worker(new URL("./cell-worker.js", import.meta.url)));
  const results: CellResult[][] = [];
  let next = 0;
  let done = 0;
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise<void>((resolve, reject) => {
            const stop = (): void => reject(interrupted());
            options.signal?.addEventListener("abort", stop, { once: true });
            const give = (): void => {
              if (next >= cells.length) {
                options.signal?.removeEventListener("abort", stop);
                resolve();
                return;
              }
              const index = next++;
              worker.postMessage({ index, input: cells[index], provider });
            };
            worker.on("error", reject);
            worker.on("message", (reply: Reply) => {
              if (reply.error) {
                const { code, message } = reply.error;
                reject(
                  code
                    ? new AnchorEvalError(code, message, { cause: reply.error.stack })
                    : new Error(reply.error.stack ?? message),
                );
                return;
              }
              results[reply.index] = reply.results!;
              options.onCell?.(++done);
              give();
            });
            give();
          }),
      ),
    );
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return results;
}
