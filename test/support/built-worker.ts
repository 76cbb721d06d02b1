import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../../offline-trainer/scripts/build-worker.js", import.meta.url));

/** Bundles the Worker as it is now; quick where nothing has changed. */
export async function buildWorker(): Promise<void> {
  await promisify(execFile)(process.execPath, [SCRIPT]);
}
