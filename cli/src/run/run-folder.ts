import { invalidOption } from "anchoreval/internal/core/errors";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isRunning } from "anchoreval/internal/node/owner";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";
import { hasCode } from "anchoreval/internal/node/write-file";
import { writeOver, writing } from "../program/errors.ts";

/** A run that is asked for: the same again goes on with a run that was broken off. */
export interface RunRequest {
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  readonly form: string;
  readonly harness: string;
  /** Task and document of every anchor. */
  readonly documents: Readonly<Record<string, readonly (string | number)[]>>;
  /** The harness's own arguments, as they were given. */
  readonly arguments: readonly string[];
}

/** A folder for one run: `request.json` says what is run, `estimate.json` that it is finished. */
interface RunFolder {
  readonly folder: string;
  /** A run of the same request was broken off there. */
  readonly begun: boolean;
}

/** The folder of all runs, where none is asked for. */
const RUNS = "runs";
const REQUEST = "request.json";
const FINISHED = "estimate.json";

/**
 * Finds the folder of a run: the one where the same was begun and not finished, else one that isn't there yet. Nothing is
 * made.
 * @throws AnchorEvalError `invalid_option` for a folder that holds anything else, or a run that is still going
 */
export async function findRunFolder(request: RunRequest, out: string | undefined): Promise<RunFolder> {
  if (out !== undefined) {
    const state = await stateOf(out, request);
    if (state === "other")
      throw invalidOption(
        `--out ${out} holds something else than a run of the same that was broken off: choose a folder that isn't there yet`,
      );
    if (state === "finished")
      throw invalidOption(`--out ${out} holds a finished run of the same: choose a folder that isn't there yet`);
    return { folder: out, begun: state === "begun" };
  }
  const { benchmark, version, form } = request;
  const base = join(RUNS, `${benchmark}-${version}-${form}-${shortDigest(request)}`);
  for (let n = 1; ; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    const state = await stateOf(folder, request);
    if (state === "new" || state === "begun") return { folder, begun: state === "begun" };
  }
}

/** Makes the folder, and notes what is run and by whom. @throws AnchorEvalError `unavailable` */
export async function beginRun(folder: string, request: RunRequest): Promise<void> {
  await written(folder, REQUEST, { ...request, process: { host: hostname(), pid: process.pid } });
}

/** Notes the result of a run: it is finished. @throws AnchorEvalError `unavailable` */
export async function finishRun(folder: string, result: unknown): Promise<void> {
  await written(folder, FINISHED, result);
}

async function written(folder: string, name: string, value: unknown): Promise<void> {
  const file = join(folder, name);
  await writing(file, () => mkdir(folder, { recursive: true }));
  await writeOver(file, `${JSON.stringify(value, null, 1)}\n`);
}

async function stateOf(folder: string, request: RunRequest): Promise<"new" | "begun" | "finished" | "other"> {
  const names = await readdir(folder).catch((error: unknown) => (hasCode(error, "ENOENT") ? [] : null));
  if (names === null) return "other";
  if (names.length === 0) return "new";
  const last = await readFound(join(folder, REQUEST), LONGEST_TEXT)
    .then((bytes) => JSON.parse(bytes.toString()) as RunRequest & { process?: { host: string; pid: number } })
    .catch(() => null);
  if (last === null || shortDigest(last) !== shortDigest(request)) return "other";
  if (existsSync(join(folder, FINISHED))) return "finished";
  const { host, pid } = last.process ?? {};
  if (host === hostname() && pid !== undefined && pid !== process.pid && isRunning(pid))
    throw invalidOption(`${folder}: this run is still going, as process ${pid}: wait for it, or name another --out`);
  return "begun";
}

/** Tells requests apart. */
function shortDigest({ digest, form, harness, documents, arguments: words }: RunRequest): string {
  const text = JSON.stringify([digest, form, harness, documents, words]);
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
