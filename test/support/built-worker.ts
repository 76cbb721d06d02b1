import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SCRIPT = fileURLToPath(new URL("../../offline-trainer/scripts/build-worker.js", import.meta.url));

/** Under way or done already, for another file of tests. */
let built: Promise<unknown> | undefined;

/** Bundles the Worker as it is now, once a process. */
export async function buildWorker(): Promise<void> {
  await (built ??= promisify(execFile)(process.execPath, [SCRIPT]));
}
