import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { contentHash } from "anchoreval/bundle";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { readLightevalDetails, lightevalFileName } from "anchoreval/internal/features/lighteval/sdk";
import type { RunLog, RunSamples } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { main as trainer } from "../../../../cli/src/main.ts";
import { parquetRows } from "../../../../offline-trainer/src/matrix/readers/parquet.ts";
import { countedSample } from "../../../support/counted-sample.ts";
import { lightevalLogs } from "../../../support/lighteval-logs.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const lighteval = harnessNamed("lighteval", { readParquet: parquetRows });
const LOGS = lightevalLogs(folder.path("logs"));

async function find(task: string, path = join(LOGS, "details", "made-up", "able")): Promise<RunLog> {
  return (await lighteval.find([path])).find((log) => log.task === task)!;
}
async function read(log: RunLog, metric?: string): Promise<RunSamples> {
  return lighteval.read(log, {
    metric: parseChoices("metric", metric === undefined ? [] : [metric]),
    filter: parseChoices("filter", []),
  });
}
async function command(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  return { code: await trainer(argv, streams), out, err };
}

test("a file's name tells task, shots and date", () => {
  expect(lightevalFileName("details_mmlu:anatomy|5_2026-01-31T10-20-30.123456.parquet")).toEqual({
    kind: "details",
    task: "mmlu:anatomy",
    shots: 5,
    date: "2026-01-31T10-20-30.123456",
  });
  expect(lightevalFileName("results_2026-01-31T10-20-30.1.json")).toMatchObject({ kind: "results" });
  expect(lightevalFileName("details_mmlu.parquet")).toBeNull();
});

describe("logs that lighteval 0.13.0 wrote (test/fixtures/lighteval)", () => {
  test.each([
    ["quiz:birds", undefined],
    ["quiz:rocks", undefined],
    ["sums", "em"],
    ["sums", "f1"],
  ])("%s: the mean of %s is its own, to 1e-12", async (task, metric) => {
    const log = await find(task);
    const run = await read(log, metric);
    const own = log.results!.tasks.get(task)!.aggregates.get(`${run.metric},none`);
    expect(run.samples.reduce((sum, own) => sum + countedSample(own).score!, 0) / run.samples.length).toBeCloseTo(
      own!,
      12,
    );
  });

  test("results beside the details name model, versions, shots and settings", async () => {
    const { model, results, date } = await find("sums");
    expect(model).toBe("made-up/able");
    const [folderDate] = readdirSync(join(LOGS, "details", "made-up", "able"));
    expect(date).toBe(folderDate!.replace(/T(\d\d)-(\d\d)-/, "T$1:$2:"));
    expect(results!.tasks.get("sums")).toMatchObject({ version: "2", shots: 2 });
    expect(results).toMatchObject({ systemInstruction: "none", generation: '{"temperature":0}', harnessVersion: null });
  });

  test("items are known by content: the query, several choices, the right ones; numbers as lighteval has them", async () => {
    const birds = await read(await find("quiz:birds"));
    const [third] = birds.samples.filter(({ doc_id: id }) => id === 2);
    expect(third!.hash).toBe(
      contentHash({ input: "Which letter has bird 2?", choices: [" A", " B", " C", " D"], target: [" C"] }),
    );
    const sums = await read(await find("sums"), "em");
    expect(sums.samples.find(({ doc_id: id }) => id === 0)!.hash).toBe(
      contentHash({ input: "1 + 1 =", target: ["2"] }),
    );
    // Logged in the order in which lighteval shuffled them.
    expect(sums.samples.map(({ doc_id: id }) => id)).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  test("an empty answer is none", async () => {
    const { samples } = await read(await find("sums"), "em");
    const failed = samples.filter((own) => countedSample(own).state === "failed");
    expect(failed).toMatchObject([{ doc_id: 6, attempts: [{ score: 0, failure: "an empty answer" }] }]);
  });

  test("several metrics need a choice; one of the whole corpus is refused by name", async () => {
    const log = await find("sums");
    expectRefusal(await rejection(read(log)), "invalid_option", "choose one with `metric`: em, f1");
    expectRefusal(
      await rejection(read(log, "bleu")),
      "unsupported",
      "bleu is computed from the outputs on all documents",
    );
    expectRefusal(await rejection(read(log, "acc")), "invalid_option", "has no metric acc");
  });

  test("without results, the folder names the model, and the file the few-shot examples", async () => {
    const alone = folder.path("alone");
    cpSync(join(LOGS, "details"), join(alone, "details"), { recursive: true });
    const log = await find("sums", alone);
    expect(log).toMatchObject({ model: "made-up/able", resultsFile: null });
    const shots = (one: RunLog): unknown => one.results!.tasks.get("sums")!.shots;
    expect(shots(log)).toBe(shots(await find("sums")));
    expectRefusal(await rejection(read(log, "bleu")), "unsupported", "several values");
  });

  test("the SDK alone names what reads Parquet", async () => {
    const log = await find("sums");
    const metric = parseChoices("metric", []);
    expectRefusal(
      await rejection(harnessNamed("lighteval").read(log, { metric, filter: metric })),
      "unsupported",
      "npm install anchoreval-trainer",
    );
  });
});

describe("refused", () => {
  test.each<[string, () => string, string]>([
    [
      "a folder without details",
      () => join(LOGS, "results"),
      "only results: lighteval writes them with --save-details",
    ],
    ["a file of another name", () => folder.write("x.parquet", ""), "the name of a log tells its task"],
  ])("%s", async (_, path, words) => {
    expectRefusal(await rejection(lighteval.find([path()])), "invalid_data", words);
  });

  test("what is no Parquet, and other columns", async () => {
    const name = "details_sums|2_2026-01-01T00-00-00.0.parquet";
    const [log] = await lighteval.find([folder.write(name, "no Parquet")]);
    expectRefusal(await rejection(read(log!)), "invalid_data", "can't be read as Parquet");
    const good = (await find("sums")).file;
    const rows = parquetRows(good, ["doc", "predictions"]);
    expectRefusal(await rejection(rows.next()), "invalid_data", 'no column predictions, but "doc"');
  });

  test("a results file that is none", async () => {
    const broken = folder.path("broken");
    cpSync(LOGS, broken, { recursive: true });
    const results = join(broken, "results", "made-up", "able");
    const file = join(results, readdirSync(results)[0]!);
    writeFileSync(file, "{}");
    expectRefusal(await rejection(lighteval.find([broken])), "invalid_data", "this is no results file of lighteval");
    writeFileSync(file, "{");
    expectRefusal(await rejection(lighteval.find([broken])), "invalid_data", "it is not valid JSON");
  });

  test("one run with two numbers of examples for a task", async () => {
    const twice = folder.path("twice");
    cpSync(LOGS, twice, { recursive: true });
    const { file } = await find("sums", join(twice, "details", "made-up", "able"));
    cpSync(file, file.replace("sums|2", "sums|0"));
    expectRefusal(await rejection(lighteval.find([twice])), "invalid_data", "name the files of one of them");
  });

  const row = (id: string, value: unknown = 1): object => ({ doc: { id, query: `${id}?` }, metric: { m: value } });
  test.each<[string, object[], string]>([
    ["a row without a document", [row("0"), {}], "row 2: a row has doc.id and doc.query"],
    [
      "a document twice",
      [row("0"), row("1"), row("0")],
      "row 3: document 0 is there twice, first in row 1: lighteval numbers the documents",
    ],
    ["a score outside [0,1]", [row("0", 7)], "row 1: m is 7: for scores that are not in [0,1] give `scoreRange`"],
  ])("%s", async (_, rows, words) => {
    const read = readLightevalDetails(rows as Readonly<Record<string, unknown>>[], { file: "d.parquet", task: "t" });
    expectRefusal(await rejection(read), "invalid_data", words);
  });

  test.each<[string, object, number | null]>([
    ["a prompt and two answers", { input_tokens: [1, 2, 3], output_tokens: [[4], [5, 6]] }, 6],
    ["each choice asked", { input_tokens: [[1, 2], [1, 2]], output_tokens: [[3], [4]] }, 6], // prettier-ignore
    ["answers without their prompt", { input_tokens: [], output_tokens: [[4]] }, null],
    ["texts", { input_tokens: ["asked"], output_tokens: ["answered"] }, null],
    ["none", {}, null],
  ])("tokens of %s", async (_, response, tokens) => {
    const rows = [{ ...row("0"), model_response: response }] as Readonly<Record<string, unknown>>[];
    const { samples } = await readLightevalDetails(rows, { file: "d.parquet", task: "t" });
    expect(samples[0]!.attempts).toEqual([{ score: 1, ...(tokens !== null && { cost: { tokens } }) }]);
  });

  test("but for a log without rows: it has no samples", async () => {
    expect(await readLightevalDetails([], { file: "d.parquet", task: "t" })).toMatchObject({ task: "t", samples: [] });
  });

  test("lower is better needs a range", async () => {
    const read = readLightevalDetails([row("0") as Readonly<Record<string, unknown>>], {
      file: "d.parquet",
      task: "t",
      results: {
        version: null,
        shots: 0,
        aggregates: new Map(),
        aggregations: new Map(),
        higherIsBetter: new Map([["m", false]]),
        filters: [],
        epochs: null,
        documents: null,
      },
    });
    expectRefusal(await rejection(read), "unsupported", "lower is better for m: give `scoreRange` worst,best");
  });
});

test("from logs to a bundle, to an estimate from a log: by the trainer, to which the SDK hands over", async () => {
  const imported = folder.path("imported");
  const told = await command("import", "--from", "lighteval", LOGS, "--metric", "sums=em", "--out", imported);
  expect(told).toMatchObject({ code: 0 });
  expect(told.out).toContain("2 models, 19 items, 2 scenarios:");
  expect(told.out).toContain("quiz: 10 items in 2 tasks");
  // Tasks and the average of a group.
  expect(told.out).toContain("8 of 8 scores equal the harness's own to 1e-6");
  expect(told.err).toContain(
    'of 38 answers, 2 failed ("an empty answer" 2 times): they count by the score that the harness gave',
  );

  // Two models are too few for a fit: six more, made up, on the same items.
  const [header, ...rows] = gunzipSync(readFileSync(join(imported, "responses.csv.gz")))
    .toString()
    .trim()
    .split("\n");
  for (let m = 1; m <= 6; m++)
    rows.push([`m${m}`, ...Array.from({ length: 19 }, (_, k) => ((k * 7) % 19 < m * 3 ? 1 : 0))].join(","));
  const responses = folder.write("board.csv", `${[header, ...rows].join("\n")}\n`);
  const bundle = folder.path("bundle");
  const board = ["--responses", responses, "--items", join(imported, "items.jsonl.gz")];
  const fit = ["fit", ...board, "--anchors", "5", "--name", "quiz@1.0.0", "--out", bundle, "--quiet"];
  expect(await command(...fit)).toMatchObject({ code: 0 });

  const run = join(LOGS, "details", "made-up", "weak");
  const estimate = ["estimate", "--bundle", bundle, "--from", "lighteval", run, "--metric", "sums=em", "--json"];
  const { code, out } = await command(...estimate);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ benchmark: "quiz", answered: 19, of: 19, interval: { method: "exact" } });

  const changed = folder.path("changed");
  cpSync(join(LOGS, "details"), join(changed, "details"), { recursive: true });
  const weak = join(changed, "details", "made-up", "weak");
  // Another task's documents under this task's name.
  const { file } = await find("quiz:birds", weak);
  renameSync(file, file.replace("birds", "rocks"));
  const refused = await command(...estimate.map((word) => (word === run ? weak : word)));
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain("[item_changed]");
});
