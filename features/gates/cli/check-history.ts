import { gateFromAnchors, type GateResult } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { resolveModels } from "anchoreval/internal/features/compare/sdk/common-answers";
import { counted, points } from "anchoreval/internal/words/figures";
import type { ReadModel } from "anchoreval/internal/node/logs/anchor-logs";
import { type CommandInput } from "../../../cli/src/program/command.ts";
import { writeJunit } from "../../../cli/src/program/junit.ts";
import { withAnswers } from "../../../cli/src/options/answers.ts";
import { EXIT_CODES, readDropRule, readSides } from "../../compare/cli/check-options.ts";
import { addSummary, plainLines, readSideFile, type ResultParts } from "../../../cli/src/program/summary.ts";
import { warningLines } from "../../../cli/src/program/output.ts";
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { folderStore } from "anchoreval/internal/node/folder";
import { putVersion } from "anchoreval/internal/bundles/bundle-store";
import { isObject } from "anchoreval/internal/tables/json-records";

/**
 * `check --history`: adds tonight's answers to a history and checks all of its nights. Nothing is written where they are
 * refused.
 * @returns the check's exit code
 * @throws AnchorEvalError as `gateFromAnchors` and `addNight`
 */
export async function checkHistory(input: CommandInput): Promise<number> {
  const { output } = input;
  const file = (await readSideFile(input.options, "history"))!;
  input.options.refuse(["min-score", "save"], "is for the check of one night, which --history isn't");
  if (input.options.texts("responses").length !== 1)
    throw invalidOption("--history takes one night: give one --responses");
  if (input.options.texts("baseline").length < 2)
    throw invalidOption("--history needs what differs between runs of one model: give --baseline two times or more");
  const options = readDropRule(input.options);
  const summary = await readSideFile(input.options, "summary");
  const junit = await readSideFile(input.options, "junit");
  const { bundle, runs, baselines } = await readSides(input);
  const [run] = runs as [ReadModel];
  const { benchmark, version } = bundle.manifest;
  const { form } = resolveModels(
    bundle,
    [run, ...baselines],
    ["tonight", ...baselines.map(({ name }) => name)],
    options,
  );
  const asked = new Set([...bundle.scenarios.values()].flatMap(({ forms }) => forms.get(form)!.itemIds));
  const inForm = ({ responses }: ReadModel) => new Map([...responses].filter(([id]) => asked.has(id)));
  const baseline = baselineDigest(baselines.map((earlier) => ({ responses: inForm(earlier) })));
  const key = { benchmark, version, digest: bundle.digest, form, baseline };
  const { warnings } = resolveModels(bundle, [run], ["tonight"], { ...options, form });
  gateFromAnchors(bundle, [{ ...run, name: "tonight" }], baselines, { ...options, form, replays: 0 }); // or it refuses them
  const nights = await addNight(file, key, Object.fromEntries(inForm(run)), input.options.text("night"));
  const models = nights.map((night) => ({ responses: night.responses, name: `night ${night.night}`, form }));
  const nightly = gateFromAnchors(bundle, models, baselines, { ...options, form });
  const gate = withAnswers({ ...nightly, warnings: [...warnings, ...nightly.warnings] }, [run, ...baselines]);
  const names = nights.map((night) => night.night);
  const parts = gateParts(gate, names);
  const result = { ...gate, night: names.at(-1), alarm: gate.alarm && { night: names[gate.alarm.night], since: names[gate.alarm.since] } }; // prettier-ignore
  output.result(result, plainLines(parts));
  const [headline] = plainLines(parts);
  await addSummary(summary, `${benchmark} ${version}: ${headline!}`, parts.slice(1));
  if (junit !== undefined)
    await writeJunit(junit, `${benchmark} ${version}, form ${form}`, [{ name: "no change for the worse", verdict: gate.verdict, words: headline! }], plainLines(parts)); // prettier-ignore
  return EXIT_CODES[gate.verdict];
}

function gateParts(
  {
    verdict,
    nights,
    alarm,
    drop,
    alarms,
    power,
    level,
    baselines,
    answered,
    ...gate
  }: Omit<GateResult, "warnings"> & {
    readonly warnings: readonly { readonly message: string }[];
  },
  names: readonly string[],
): ResultParts {
  const over = counted(nights, "night");
  const mean =
    drop.drop === null
      ? `The drop is not known: ${drop.reason!}.`
      : `Mean drop of the ${over}, on all items: ${points(drop.drop)} points, from ${points(drop.low!)} to ${points(drop.high!)}, each end with ${Math.round(100 * level)} % confidence whenever you look.`;
  const headline = {
    regressed: `regressed: it answers worse, most likely since about night ${names[alarm?.since ?? 0]!}; first seen after night ${names[alarm?.night ?? 0]!}`,
    passed: `passed: no change in ${over}, and a mean drop of more than ${points(drop.maxDrop)} points is ruled out`,
    undecided: `can't tell: no alarm in ${over}, but a mean drop of ${points(drop.maxDrop)} points isn't ruled out`,
  }[verdict];
  const promise = `An unchanged model raises at most ${alarms.perYear} false ${alarms.perYear === 1 ? "alarm" : "alarms"} in ${alarms.runsPerYear} nights on average`;
  const promised =
    power === null
      ? ""
      : `; a drop of ${points(power.drop)} points is found within ${power.nights} nights in ${Math.round(100 * power.share)} of 100 cases, replayed from the baseline`;
  return [
    headline,
    `${promise}${promised}.`,
    "",
    `${gate.benchmark} ${gate.version}, form ${gate.form}: ${over} against ${baselines} runs of the baseline, ${answered} items`,
    `Evidence of a change: ${gate.evidence < 0.01 ? "under 0.01" : Number(gate.evidence.toPrecision(2))}; it alarms at ${Number(gate.threshold.toPrecision(4))}, whatever the size of the change.`,
    mean,
    ...(verdict === "regressed" ? ["If nothing changed after all, begin a new history; else mend the model, or take it for the new baseline."] : []), // prettier-ignore
    ...warningLines(gate.warnings),
  ];
}

/** One night of a history, a line of its file. */
export interface HistoryNight extends HistoryKey {
  readonly night: string;
  readonly responses: Readonly<Record<string, number | null>>;
}

/** All nights of a history have these in common, else their answers don't go together: by their names in messages. */
const KEYS = {
  benchmark: "benchmark",
  version: "version",
  digest: "bundle",
  form: "form",
  baseline: "baseline",
} as const;
type Key = keyof typeof KEYS;
type HistoryKey = Readonly<Record<Key, string>>;

/** A digest of baselines' answers, the same in any order of runs and items. */
function baselineDigest(baselines: readonly Pick<ReadModel, "responses">[]): string {
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
 * @public for the test whose processes call it
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
    for (const key of Object.keys(KEYS) as Key[]) if (typeof night[key] !== "string") refuse(`${key} is missing`);
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
  for (const [field, noun] of first ? (Object.entries(KEYS) as [Key, string][]) : [])
    for (const earlier of history)
      if (earlier[field] !== key[field])
        throw invalidOption(
          `--history ${file} has night ${earlier.night} of another ${noun} (${earlier[field]}, now ${key[field]}): begin a new file, or go on with what it was begun with`,
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
