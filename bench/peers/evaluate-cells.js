import { Worker } from "node:worker_threads";

/** Evaluates cells on threads, in their order; the results don't depend on how many. */
export async function evaluateCells(cells, { threads, onCell, ...workerData }) {
  const results = [];
  const workers = Array.from(
    { length: Math.min(threads, cells.length) },
    () => new Worker(new URL("./worker.js", import.meta.url), { workerData }),
  );
  let next = 0;
  let done = 0;
  try {
    await Promise.all(
      workers.map(
        (worker) =>
          new Promise((resolve, reject) => {
            const give = () => {
              if (next >= cells.length) return resolve();
              worker.postMessage({ index: next, cell: cells[next++] });
            };
            worker.on("error", reject);
            worker.on("message", ({ index, results: own }) => {
              results[index] = own;
              onCell(++done);
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
