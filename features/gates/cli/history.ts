import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { folderStore } from "anchoreval/internal/node/folder";
import { putVersion } from "anchoreval/internal/publish/bundle-store";
import { isObject } from "anchoreval/internal/tables/json-records";
import type { ReadModel } from "anchoreval/internal/node/anchor-logs";
import { invalidOption } from "../../../cli/src/program/command.ts";

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

/** Tries of a job that finds the history changed by another one each time: as many jobs may end at once. */
const ATTEMPTS = 200;

/**
 * Adds tonight's answers to a history, as {@link withNight} has it; of jobs that do so at the same time one after the other.
 * The file is written wholly or not at all.
 * @param name - of the night; how many there are by then, where it isn't given
 * @returns all nights, tonight's among them
 * @throws AnchorEvalError `invalid_data` with the line that isn't a night, or is one twice; `invalid_option` as
 * {@link withNight}; `unavailable` for a file that can't be read or written
 */
export async function addNight(
  file: string,
  key: HistoryKey,
  responses: HistoryNight["responses"],
  name: string | undefined,
): Promise<readonly HistoryNight[]> {
  const store = folderStore(dirname(file));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const there = await store.get(basename(file));
    const history = readHistory(file, there?.bytes ?? new Uint8Array());
    const nights = withNight(file, history, key, responses, name);
    if (nights === history) return nights;
    const text = nights.map((night) => `${JSON.stringify(night)}\n`).join("");
    if (await putVersion(store, basename(file), new TextEncoder().encode(text), there && there.etag)) return nights;
    await wait(attempt); // another job was quicker
  }
  throw new AnchorEvalError("unavailable", `${file} is being changed by others all the time: try again`);
}

/** The nights of a history. */
function readHistory(file: string, bytes: Uint8Array): HistoryNight[] {
  const text = new TextDecoder().decode(bytes);
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
    const entry = night as unknown as HistoryNight;
    if (nights.some((before) => before.night === entry.night)) refuse(`the night ${entry.night} stands there twice`);
    nights.push(entry);
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
    for (const earlier of history)
      if (earlier[field] !== key[field])
        throw invalidOption(
          `--history ${file} has night ${earlier.night} of another ${ANSWERED_BY[field]} (${earlier[field]}, now ${key[field]}): begin a new file, or go on with what it was begun with`,
        );
  const night = name ?? String(history.length + 1);
  const before = history.find((earlier) => earlier.night === night);
  if (before === undefined) return [...history, { night, ...key, responses }];
  const sorted = (answers: HistoryNight["responses"]): string =>
    JSON.stringify(Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (sorted(before.responses) !== sorted(responses))
    throw invalidOption(
      `--history ${file} has other answers of the night ${night}: give this one another --night, or take its line out`,
    );
  return history;
}
