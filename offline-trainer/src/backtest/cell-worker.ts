import { parentPort } from "node:worker_threads";
import { resolveBackend, type Provider } from "../backends/resolve-backend.ts";
import { backtestCell, type CellInput } from "./cell.ts";

/** A thread of the back-test: computes the cells that it is sent, one at a time. */
const port = parentPort!;
port.on("message", ({ index, input, provider }: { index: number; input: CellInput; provider: Provider }) => {
  void (async () => {
    try {
      const { backend } = await resolveBackend(provider, 1);
      port.postMessage({ index, results: await backtestCell(input, backend) });
    } catch (error) {
      const { message, stack, code } = error as Error & { code?: string };
      port.postMessage({ index, error: { message, stack, code } });
    }
  })();
});
