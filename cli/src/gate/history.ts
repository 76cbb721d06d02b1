import { createHash, randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { isObject } from "anchoreval/internal/tables/json-records";
import { LONGEST_TEXT, readFound, readNamed } from "anchoreval/internal/node/whole-file";
import type { ReadModel } from "../anchor-logs.ts";
import { invalidOption } from "../command.ts";
import { replaceFile } from "../errors.ts";

/** One night of a history, a line of its file. */
export interface HistoryNight extends HistoryKey {
  readonly night: string;
  readonly responses: Readonly<Record<string, number | null>>;
}

/** All nights of a history have these in common: else their answers don't go together. */
export interface HistoryKey {
  readonly benchmark: string;
  readonly version: string;
  readonly digest: string;
  readonly form: string;
  /** Of the baselines' answers, whatever the order of the files. */
  readonly baseline: string;
}

const KEYS = ["benchmark", "version", "digest", "form", "baseline"] as const;
const ANSWERED_BY: Readonly<Record<(typeof KEYS)[number], string>> = {
  benchmark: "benchmark",
  version: "version",
  digest: "bundle",
  form: "form",
  baseline: "baseline",
};

/** A digest of baselines' answers, the same in any order of runs and items. */
export function baselineDigest(baselines: readonly Pick<ReadModel, "responses">[]): string {
  const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
  const runs = baselines.map(({ responses }) => digest(JSON.stringify([...responses].sort(([a], [b]) => (a < b ? -1 : 1))))); // prettier-ignore
  return `sha256:${digest(runs.sort().join("\n"))}`;
}

/**
 * Adds tonight's answers to a history, as {@link withNight} has it; of jobs that do so at the same time one after the other.
 * The file is written wholly or not at all.
 * @param name - of the night; how many there are by then, where it isn't given
 * @param remark - told where a lock is removed that a stopped job had left
 * @returns all nights, tonight's among them
 * @throws AnchorEvalError `invalid_data` with the line that isn't a night, or is one twice; `invalid_option` as
 * {@link withNight}; `unavailable` for a file that can't be read, written or locked
 */
export async function addNight(
  file: string,
  key: HistoryKey,
  responses: HistoryNight["responses"],
  name: string | undefined,
  remark: (words: string) => void,
  staleAfter = STALE_AFTER,
): Promise<readonly HistoryNight[]> {
  const lock = await takeLock(file, remark, staleAfter);
  try {
    const history = await readHistory(file);
    const nights = withNight(file, history, key, responses, name);
    if (nights === history) return nights;
    if (!(await lock.isHeld()))
      throw unavailable(`${file} wasn't written: this job stood still while it held the lock, and another took it`);
    await replaceFile(file, nights.map((night) => `${JSON.stringify(night)}\n`).join(""));
    return nights;
  } finally {
    if (await lock.isHeld()) await rm(lock.path, { force: true });
  }
}

/** A lock is held as long as a file takes to read and write. One that stays the same for so many milliseconds was left. */
const STALE_AFTER = 30_000;
const LOOK_EVERY = 25;

/**
 * Takes FILE.lock, a file that is made only where there is none, with a name of this job's own in it; waits while another
 * job has it. No clock is compared: a lock is stale where this job has seen the same one for `staleAfter` milliseconds.
 * Only who makes FILE.lock.stale may remove it, so that no two jobs do, the second one the first one's new lock.
 */
async function takeLock(file: string, remark: (words: string) => void, staleAfter: number) {
  const path = `${file}.lock`;
  const own = randomUUID();
  const holder = (): Promise<string | null> => readFound(path, LONGEST_TEXT).then(String, () => null);
  let seen: string | null = null;
  let waited = 0;
  while (!(await makeFile(path, own))) {
    await wait(LOOK_EVERY);
    const now = await holder();
    waited = now !== null && now === seen ? waited + LOOK_EVERY : 0;
    seen = now;
    if (waited < staleAfter) continue;
    if (waited > 4 * staleAfter) throw unavailable(`${path} is in the way: delete it and ${path}.stale, if no check is running`); // prettier-ignore
    if (!(await makeFile(`${path}.stale`, own))) continue;
    if ((await holder()) === seen) {
      await rm(path, { force: true });
      remark(`warning: ${path} was left by a job that was stopped; it is removed`);
    }
    await rm(`${path}.stale`, { force: true });
  }
  return { path, isHeld: async () => (await holder()) === own };
}

/** Makes a file unless it exists. @returns whether it was made */
async function makeFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: "wx" });
    return true;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    // Windows refuses access while a file of that name is being deleted.
    if (code === "EEXIST" || (process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(code)))
      return false;
    throw unavailable(`${path} could not be written`, cause);
  }
}

function unavailable(words: string, cause?: unknown): AnchorEvalError {
  return new AnchorEvalError("unavailable", words, { cause });
}

/** Reads a history; none where there is no file. */
async function readHistory(file: string): Promise<HistoryNight[]> {
  const text = await readNamed(file, LONGEST_TEXT).then(String, (cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw unavailable(`--history ${file} can't be read`, cause);
  });
  const nights: HistoryNight[] = [];
  text.split("\n").forEach((line, k) => {
    if (line.trim() === "") return;
    const refuse = (why: string): never => {
      throw new AnchorEvalError("invalid_data", `--history ${file}, line ${k + 1}: ${why}`);
    };
    let night: unknown;
    try {
      night = JSON.parse(line);
    } catch {
      refuse("not JSON; take the line out, or the night's answers are lost to the gate");
    }
    if (!isObject(night) || typeof night["night"] !== "string" || !isObject(night["responses"]))
      return refuse("expected a night, {night, benchmark, version, digest, form, baseline, responses}");
    for (const key of KEYS) if (typeof night[key] !== "string") refuse(`${key} is missing`);
    const own = night as unknown as HistoryNight;
    if (nights.some((before) => before.night === own.night)) refuse(`the night ${own.night} stands there twice`);
    nights.push(own);
  });
  return nights;
}

/**
 * The nights with tonight's. The same answers under the same name again are the same night, as when a job is repeated: then
 * it is the history itself.
 * @throws AnchorEvalError `invalid_option` for a history of another bundle, form or baseline, and for other answers of a night
 */
function withNight(
  file: string,
  history: readonly HistoryNight[],
  key: HistoryKey,
  responses: HistoryNight["responses"],
  name: string | undefined,
): readonly HistoryNight[] {
  const [first] = history;
  for (const field of first ? KEYS : [])
    for (const own of history)
      if (own[field] !== key[field])
        throw invalidOption(
          `--history ${file} has night ${own.night} of another ${ANSWERED_BY[field]} (${own[field]}, now ${key[field]}): begin a new file, or go on with what it was begun with`,
        );
  const night = name ?? String(history.length + 1);
  const before = history.find((own) => own.night === night);
  if (before === undefined) return [...history, { night, ...key, responses }];
  const sorted = (own: HistoryNight["responses"]): string =>
    JSON.stringify(Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (sorted(before.responses) !== sorted(responses))
    throw invalidOption(
      `--history ${file} has other answers of the night ${night}: give this one another --night, or take its line out`,
    );
  return history;
}
