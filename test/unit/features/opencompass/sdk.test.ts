import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { contentHash } from "anchoreval/bundle";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { itemContent, readOpenCompassDetails } from "anchoreval/internal/features/opencompass/sdk/read-details";
import type { RunLog, RunSamples } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { main as trainer } from "../../../../cli/src/main.ts";
import { countedSample } from "../../../support/counted-sample.ts";
import { expectRefusal, refusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const LOGS = fileURLToPath(new URL("../../../fixtures/opencompass/logs", import.meta.url));
const RUN = readdirSync(LOGS)[0]!;
const folder = tempFolder();
const openCompass = harnessNamed("opencompass");

type Json = Record<string, unknown>;

async function find(task: string, path = LOGS, model = "able"): Promise<RunLog> {
  return (await openCompass.find([path])).find((log) => log.task === task && log.model === model)!;
}
async function read(log: RunLog, metric?: string): Promise<RunSamples> {
  return openCompass.read(log, {
    metric: parseChoices("metric", metric === undefined ? [] : [metric]),
    filter: parseChoices("filter", []),
  });
}
/** A copy of the logs, in which one file is changed. @returns the copied run's folder */
function changed(name: string, file: string, change: (text: string) => string): string {
  const copy = folder.path(name);
  cpSync(LOGS, copy, { recursive: true });
  const path = join(copy, RUN, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
  return join(copy, RUN);
}
/** The same with JSON. */
function changedJson(name: string, file: string, change: (value: Json) => unknown): string {
  return changed(name, file, (text) => JSON.stringify(change(JSON.parse(text) as Json)));
}
async function command(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ["", ""];
  const streams = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
  };
  return { code: await trainer(argv, streams), out, err };
}

describe("logs that OpenCompass 0.5.4 wrote (test/fixtures/opencompass)", () => {
  test.each([
    ["quiz-birds", "able", undefined, "accuracy"],
    ["quiz-rocks", "weak", undefined, "accuracy"],
    ["sums", "able", undefined, "accuracy"],
    ["birds-ppl", "able", undefined, "accuracy"],
    ["birds-ppl", "weak", undefined, "accuracy"],
    ["sums-repeated", "able", undefined, "accuracy"],
    ["sums-repeated", "able", "G-Pass@2_0.75", "G-Pass@2_0.75"],
  ])("%s by %s: the mean of %s is its own, to 1e-12", async (task, model, asked, metric) => {
    const log = await find(task, LOGS, model);
    const run = await read(log, asked);
    expect(run.metric).toBe(metric);
    const own = log.results!.tasks.get(task)!.aggregates.get(`${metric},none`);
    expect(run.samples.reduce((sum, own) => sum + countedSample(own).score!, 0) / run.samples.length).toBeCloseTo(
      own!,
      12,
    );
  });

  test("the runs of a question are its trials; tokens are those that dump_res_length counts", async () => {
    const { samples } = await read(await find("sums-repeated"));
    expect(samples[0]!.attempts).toEqual([{ score: 1 }, { score: 0 }, { score: 0 }]);
    expect(countedSample(samples[0]!).score).toBe(1 / 3);
    expect((await read(await find("sums"))).samples[0]!.attempts).toHaveLength(1);
    // Of predictions 0, 9 and 18, as many as there are runs; one answer of several texts took their mean.
    const counted = changedJson("counted", "predictions/able/sums-repeated.json", (all) =>
      Object.fromEntries(
        Object.entries(all).map(([k, own]) => [
          k,
          { ...(own as Json), all_input_length: 10, res_length: k === "9" ? [2, 6] : 3 },
        ]),
      ),
    );
    const told = (await read(await find("sums-repeated", counted))).samples;
    const tokens = told.map(({ attempts }) => attempts.map(({ cost }) => cost));
    expect(tokens[0]).toEqual([{ tokens: 13 }, { tokens: (12 + 16) / 2 }, { tokens: 13 }]);
    expect(tokens[1]).toEqual([{ tokens: 13 }, { tokens: 13 }, { tokens: 13 }]);
  });

  test("configuration and summary tell versions, shots and groups", async () => {
    const { model, date, results } = await find("sums");
    expect({ model, date }).toEqual({ model: "able", date: RUN });
    expect(results!.tasks.get("quiz-birds")).toMatchObject({ version: "b83ae0", shots: 2, documents: { run: 6 } });
    expect(results!.tasks.get("sums-repeated")).toMatchObject({ version: "7758ae", shots: 0, documents: { run: 9 } });
    expect(results).toMatchObject({ chatTemplate: false, generation: '{"max_out_len":8}' });
    expect([...results!.groups]).toMatchObject([
      ["quiz", { children: ["quiz-birds", "quiz-rocks"], weighting: "subscenarios" }],
    ]);
  });

  test("items are known by content: the last turn, or the question with every answer; and the right one", async () => {
    const [, second] = (await read(await find("quiz-birds"))).samples;
    const input = "Answer with one word.\nWhich letter has bird 1?";
    expect(second).toMatchObject({ doc_id: 1, hash: contentHash({ input, target: "B" }), text: input });
    const choices = ["A", "B", "C", "D"].map((letter) => `Which letter has bird 1? ${letter}`);
    const byPerplexity = (await read(await find("birds-ppl"))).samples[1]!;
    expect(byPerplexity.hash).toBe(contentHash({ input: choices[0]!, choices, target: "B" }));
  });

  test("an empty answer is none, of several runs in each by itself", async () => {
    const failed = ({ samples }: RunSamples): unknown =>
      samples.flatMap(({ doc_id, attempts }) =>
        attempts.flatMap(({ score, failure }, k) => (failure === undefined ? [] : [[doc_id, k, score, failure]])),
      );
    const empty = (k: number): unknown => [6, k, 0, "an empty answer"];
    expect(failed(await read(await find("sums")))).toEqual([empty(0)]);
    expect(failed(await read(await find("sums-repeated")))).toEqual([empty(0), empty(1), empty(2)]);
    const said = changedJson("said", "predictions/able/sums-repeated.json", (all) => ({
      ...all,
      24: { ...(all[24] as Json), prediction: "many" },
    }));
    const { samples } = await read(await find("sums-repeated", said));
    expect(failed({ samples } as RunSamples)).toEqual([empty(0), empty(1)]);
    expect(countedSample(samples.find(({ doc_id: id }) => id === 6)!).state).toBe("scored");
  });

  test("an answer without a score is missing, an item that isn't there was not run", async () => {
    const gaps = changedJson("gaps", "results/able/quiz-rocks.json", (own) => ({
      ...own,
      details: (own.details as Json[])
        .filter((_, k) => k !== 1)
        .map((entry, k) => (k === 0 ? { ...entry, is_correct: [null] } : entry)),
    }));
    const { samples } = await read(await find("quiz-rocks", gaps));
    const whole = (await read(await find("quiz-rocks"))).samples;
    expect(samples.map(({ doc_id: id, attempts }) => [id, attempts])).toEqual([
      [0, [{ score: null }]],
      [2, [{ score: 1 }]],
      [3, [{ score: 1 }]],
    ]);
    // Each still has its own prompt.
    expect(samples.map(({ hash }) => hash)).toEqual([0, 2, 3].map((id) => whole[id]!.hash));
  });

  test("what was averaged, and what was inferred, is said", async () => {
    const remarks = async (task: string): Promise<readonly string[]> => (await read(await find(task))).remarks;
    expect(await remarks("quiz-birds")).toEqual([]);
    expect(await remarks("sums-repeated")).toMatchObject([expect.stringContaining("means over 3 runs")]);
    expect(await remarks("sums")).toMatchObject([expect.stringContaining("those that equal the reference are")]);
  });

  test("a metric of all items together is refused by name; one that isn't there lists those that are", async () => {
    const scored = changedJson("bleu", "results/able/sums.json", (results) => ({ ...results, bleu: 12.5 }));
    expectRefusal(
      await rejection(read(await find("sums", scored), "bleu")),
      "unsupported",
      "bleu is reported of all items together, and of none by itself",
    );
    expectRefusal(await rejection(read(await find("sums"), "f1")), "invalid_option", "sums has no metric f1");
  });

  test("without configuration and summary the run says less, and is read all the same", async () => {
    const bare = folder.path("bare");
    for (const part of ["results", "predictions"])
      cpSync(join(LOGS, RUN, part), join(bare, RUN, part), { recursive: true });
    const log = await find("quiz-birds", bare);
    expect(log.results).toMatchObject({ chatTemplate: null, generation: null });
    expect(log.results!.tasks.get("quiz-birds")).toMatchObject({ version: null, shots: null });
    expect((await read(log)).samples[1]!.hash).not.toBeNull();
    rmSync(join(bare, RUN, "predictions"), { recursive: true });
    expect((await read(log)).samples.map(({ hash }) => hash)).toEqual(Array(6).fill(null));
  });

  test("predictions in parts are one", async () => {
    const split = changedJson("split", "predictions/able/sums.json", (all) => all);
    const whole = join(split, "predictions", "able", "sums.json");
    const all = Object.values(JSON.parse(readFileSync(whole, "utf8")) as Json);
    rmSync(whole);
    for (const [part, own] of [all.slice(0, 4), all.slice(4)].entries())
      writeFileSync(whole.replace(".json", `_${part}.json`), JSON.stringify(Object.fromEntries(own.entries())));
    expect((await read(await find("sums", split))).samples).toEqual((await read(await find("sums"))).samples);
  });
});

describe("which content a prompt tells", () => {
  const zeroShot = { shots: 0, template: false };
  test.each<[string, Json, Parameters<typeof itemContent>[2], unknown]>([
    ["plain", { origin_prompt: "1 + 1 =" }, zeroShot, { input: "1 + 1 =", target: "2" }],
    ["after examples", { origin_prompt: "0 + 0 = 0\n1 + 1 =" }, { shots: 1, template: false }, null],
    ["in a template", { origin_prompt: "<user>1 + 1 =" }, { shots: 0, template: true }, null],
    ["of a run that nothing is known of", { origin_prompt: "1 + 1 =" }, { shots: null, template: null }, null],
    ["without a turn of the asker", { origin_prompt: [{ role: "BOT", prompt: "1" }] }, zeroShot, null],
    ["of several dialogues", { origin_prompt: [[{ role: "HUMAN", prompt: "1" }]] }, zeroShot, null],
    ["no prompt", {}, zeroShot, null],
  ])("%s", (_, prediction, kind, content) => {
    expect(itemContent(prediction, "2", kind)).toEqual(content);
  });
});

describe("groups", () => {
  const summary = (group: string, score: number) => (text: string) =>
    text.replaceAll(/^(quiz: .*)$/gm, `$1\n${group}: {'accuracy': ${score}, 'naive_average': ${score}}`);

  test("of groups that share datasets the largest counts", async () => {
    const run = changed("larger", `configs/${readdirSync(join(LOGS, RUN, "configs"))[0]!}`, (text) =>
      text.replace(
        "summary_groups=[",
        "summary_groups=[dict(name='rocks', subsets=['quiz-rocks']), dict(name='halves', std=True, subsets=['sums']),",
      ),
    );
    const file = join(run, "summary", readdirSync(join(run, "summary"))[0]!);
    writeFileSync(file, summary("rocks", 50)(summary("halves", 0)(readFileSync(file, "utf8"))));
    expect([...(await find("sums", run)).results!.groups.keys()]).toEqual(["quiz"]);
  });

  test("a group of named metrics has its one score under their names", async () => {
    const run = changed("named", `configs/${readdirSync(join(LOGS, RUN, "configs"))[0]!}`, (text) =>
      text.replace(/'quiz-(birds|rocks)',\n(?!\s*eval_cfg)/g, "['quiz-$1', 'accuracy'],\n"),
    );
    const file = join(run, "summary", readdirSync(join(run, "summary"))[0]!);
    writeFileSync(file, readFileSync(file, "utf8").replaceAll("quiz: {'accuracy': 75.0, ", "quiz: {"));
    const { results } = await find("quiz-birds", run, "weak");
    expect(results!.groups.get("quiz")!.aggregates.get("accuracy,none")).toBe(0.75);
  });
});

describe("predictions that aren't all there", () => {
  const answers = (run: string): Json =>
    JSON.parse(readFileSync(join(run, "predictions/able/sums.json"), "utf8")) as Json;
  const firstOf = (all: Json, count: number): Json => Object.fromEntries(Object.entries(all).slice(0, count));

  test("fewer than answers are said, and so is a dataset without results", async () => {
    const run = changedJson("cut-predictions", "predictions/able/sums.json", (all) => firstOf(all, 3));
    const { remarks, samples } = await read(await find("sums", run));
    expect(remarks).toContain(
      `${samples.length - 3} of ${samples.length} answers have no predictions beside them: which of them failed isn't known`,
    );
    const [repeated, whole] = [await find("sums-repeated", run), await find("sums-repeated")];
    const file = join(run, "predictions/able/sums-repeated.json");
    writeFileSync(file, JSON.stringify(firstOf(JSON.parse(readFileSync(file, "utf8")) as Json, 3)));
    const [cut, full] = [await read(repeated), await read(whole)];
    expect(cut.remarks.join()).toMatch(/answers have no predictions beside them/);
    expect(cut.samples.map((own) => countedSample(own).score)).toEqual(
      full.samples.map((own) => countedSample(own).score),
    );

    for (const model of ["able", "weak"]) rmSync(join(run, `results/${model}/sums.json`));
    renameSync(join(run, "predictions/able/sums.json"), join(run, "predictions/able/tmp_sums.json"));
    const said: string[] = [];
    await openCompass.find([run], { onRemark: (words) => said.push(words) });
    expect(said).toEqual([
      `2 datasets with predictions and no results are left out: ${JSON.stringify(`${RUN}/able/sums`)}, ${JSON.stringify(`${RUN}/weak/sums`)}`,
    ]);
  });

  test("parts are joined; without one of them they are refused", async () => {
    const run = changedJson("parts", "predictions/able/sums.json", (all) => all);
    const all = Object.values(answers(run));
    for (const part of [0, 1, 2]) {
      const own = all.slice(4 * part, part === 2 ? undefined : 4 * part + 4);
      writeFileSync(join(run, `predictions/able/sums_${part}.json`), JSON.stringify(Object.fromEntries(own.entries())));
    }
    rmSync(join(run, "predictions/able/sums.json"));
    expect((await read(await find("sums", run))).samples).toEqual((await read(await find("sums"))).samples);
    rmSync(join(run, "predictions/able/sums_1.json"));
    expectRefusal(await rejection(read(await find("sums", run))), "invalid_data", "sums_1.json: there are 2 parts");
  });

  test("results in capitals are results", async () => {
    const run = changedJson("capitals", "predictions/able/sums.json", (all) => all);
    renameSync(join(run, "results/able/sums.json"), join(run, "results/able/sums.JSON"));
    expect((await read(await find("sums", run))).samples).toEqual((await read(await find("sums"))).samples);
  });
});

describe("refused", () => {
  test.each<[string, () => string, string]>([
    ["a folder without results", () => join(LOGS, RUN, "predictions"), "there are no results of OpenCompass"],
    ["a file that is none", () => folder.write("x.json", "{}"), "results of OpenCompass are RUN/results/MODEL"],
    ["broken JSON", () => changed("json", "results/able/sums.json", () => "{"), "sums.json: it is not valid JSON"],
    ["no object", () => changed("list", "results/able/sums.json", () => "[]"), "no object"],
    [
      "a configuration that is none",
      () => changed("config", `configs/${readdirSync(join(LOGS, RUN, "configs"))[0]!}`, (text) => `x=y z\n${text}`),
      ".py: line 1: no Python literal at y z",
    ],
    [
      "a summary that is none",
      () => {
        const [file] = readdirSync(join(LOGS, RUN, "summary"));
        return changed("summary", `summary/${file!}`, (text) => text.replaceAll("quiz: {", "quiz: {lambda "));
      },
      "no Python literal",
    ],
  ])("%s", async (_, path, words) => {
    expectRefusal(await rejection(openCompass.find([path()])), "invalid_data", words);
  });

  test.each<[string, string, (results: Json) => unknown, string]>([
    ["no details", "sums", ({ accuracy }) => ({ accuracy }), "leaves them out with --dump-eval-details False"],
    ["no items", "quiz-rocks", (own) => ({ ...own, details: [] }), "there are no details of single items"],
    [
      "an item twice",
      "quiz-rocks",
      (own) => ({ ...own, details: [...(own.details as Json[]), (own.details as Json[])[1]] }),
      "entry 5: item 1 is there twice, first in entry 2",
    ],
    ["an entry that is none", "sums", (own) => ({ ...own, details: { 0: "yes" } }), "entry 0: it is no object"],
    [
      "a score outside [0,1]",
      "quiz-rocks",
      (own) => ({
        ...own,
        details: (own.details as Json[]).map((entry) => ({ example_abbr: entry.example_abbr, correct: [50] })),
      }),
      "item 0: correct is 50: for scores that are not in [0,1] give `scoreRange`",
    ],
  ])("%s", async (name, task, change, words) => {
    const run = changedJson(name, `results/able/${task}.json`, change);
    expectRefusal(await rejection(read(await find(task, run))), "invalid_data", words);
  });

  test("predictions that are none", async () => {
    const run = changed("predictions", "predictions/able/sums.json", () => "[]");
    expectRefusal(await rejection(read(await find("sums", run))), "invalid_data", "no predictions of OpenCompass");
  });

  test("details that neither say what is right nor what gives the reported score", async () => {
    const run = changedJson("lenient", "results/able/sums.json", (own) => ({ ...own, accuracy: 99 }));
    expectRefusal(await rejection(read(await find("sums", run))), "unsupported", "accuracy is reported of all items");
  });

  const results = (documents: { all: number; run: number } | null, shots: number): object => ({
    version: null,
    shots,
    aggregates: new Map(),
    aggregations: new Map(),
    higherIsBetter: new Map(),
    filters: [],
    documents,
  });
  const details = { 0: { correct: true }, 1: { correct: false } };
  test("a part of the questions, numbered anew, that nothing else tells", () => {
    const options = { file: "r.json", task: "t", template: false } as const;
    const predictions = { 0: { origin_prompt: "a", gold: "a" }, 1: { origin_prompt: "b", gold: "a" } };
    const asked = (shots: number) => (): RunSamples =>
      readOpenCompassDetails({ details }, predictions, { ...options, results: results(null, shots) as never });
    expect(asked(0)().samples).toHaveLength(2);
    expectRefusal(refusal(asked(3)), "invalid_data", "test_range");
  });

  test("answers that are not as many as the runs say", () => {
    const asked = (): unknown =>
      readOpenCompassDetails({ details }, null, {
        file: "r.json",
        task: "t",
        template: null,
        results: results({ all: 2 / 3, run: 2 / 3 }, 0) as never,
      });
    expectRefusal(refusal(asked), "invalid_data", "2 answers, which are not 3 for every question");
  });
});

describe("from logs to a bundle, to an estimate from a log", () => {
  const imported = folder.path("imported");
  const bundle = folder.path("bundle");

  test("import finds the group, and every score that OpenCompass reports", async () => {
    const told = await command("import", "--from", "opencompass", LOGS, "--out", imported);
    expect(told).toMatchObject({ code: 0 });
    expect(told.out).toContain("2 models, 34 items, 4 scenarios:");
    expect(told.out).toContain("quiz: 10 items in 2 tasks");
    // Five datasets and a group, of two models.
    expect(told.out).toContain("12 of 12 scores equal the harness's own to 1e-6");
    // An item by each of two models, of one run and of three.
    expect(told.err).toContain('of 104 answers, 8 failed ("an empty answer" 8 times): they count by the score that');
    expect(JSON.parse(readFileSync(join(imported, "import.json"), "utf8"))).toMatchObject({
      weighting: "subscenarios",
      protocol: { harness: "opencompass", chatTemplate: false, metric: "accuracy", "shots/quiz-birds": 2 },
    });
  });

  test("an evaluation that failed is passed over, and said", async () => {
    const failed = changedJson("failed", "results/able/sums.json", () => ({ error: "different length" }));
    const log = await find("sums", failed);
    expect(log.broken).toBe("the evaluation failed: different length");
    expect((await read(log)).samples).toEqual([]);
    const told = await command("import", "--from", "opencompass", failed, "--json", "--out", folder.path("rest"));
    expect(told).toMatchObject({ code: 0 });
    type Report = { dropped: object[]; warnings: string[]; runs: { model: string; task: string; attempts: object }[] };
    const report = JSON.parse(told.out) as Report;
    expect(report.warnings).toContain(
      "able, sums: a run without any score is passed over: the evaluation failed: different length",
    );
    expect(report.dropped).toMatchObject([{ model: "able", task: "sums" }]);
    expect(report).toMatchObject({ models: 2, items: 34, scores: { compared: 11, equal: 11 } });
    const whole = JSON.parse(readFileSync(join(imported, "import.json"), "utf8")) as Report;
    const counts = ({ runs }: Report): unknown => runs.map(({ model, task, attempts }) => [model, task, attempts]);
    const others = whole.runs.filter(({ model, task }) => model !== "able" || task !== "sums");
    expect(counts(report)).toEqual(counts({ ...whole, runs: others }));
  });

  test("a run that answers the anchors is found again; changed items are not taken for them", async () => {
    // Two models are too few for a fit: six more, made up, on the same items.
    const [header, ...rows] = gunzipSync(readFileSync(join(imported, "responses.csv.gz")))
      .toString()
      .trim()
      .split("\n");
    for (let m = 1; m <= 6; m++)
      rows.push([`m${m}`, ...Array.from({ length: 34 }, (_, k) => ((k * 7) % 19 < m * 3 ? 1 : 0))].join(","));
    const responses = folder.write("board.csv", `${[header, ...rows].join("\n")}\n`);
    const board = ["--responses", responses, "--items", join(imported, "items.jsonl.gz")];
    const fit = ["fit", ...board, "--anchors", "4", "--name", "quiz@1.0.0", "--out", bundle, "--quiet"];
    expect(await command(...fit)).toMatchObject({ code: 0 });

    const run = join(LOGS, RUN, "results", "weak");
    const estimate = ["estimate", "--bundle", bundle, "--from", "opencompass", "--json"];
    const { code, out } = await command(...estimate, run);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ benchmark: "quiz", answered: 34, of: 34 });

    const other = changedJson("other", "predictions/weak/birds-ppl.json", (all) =>
      Object.fromEntries(Object.entries(all).map(([key, own]) => [key, { ...(own as Json), gold: "Z" }])),
    );
    const refused = await command(...estimate, join(other, "results", "weak"));
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("[item_changed]");
  });

  test("runs that were made otherwise are refused, with a table", async () => {
    const mixed = folder.path("mixed");
    cpSync(LOGS, mixed, { recursive: true });
    for (const part of ["results", "predictions"]) rmSync(join(mixed, RUN, part, "weak"), { recursive: true });
    const later = join(mixed, "20270101_000000");
    cpSync(join(LOGS, RUN), later, { recursive: true });
    for (const part of ["results", "predictions"]) rmSync(join(later, part, "able"), { recursive: true });
    const file = join(later, "summary", readdirSync(join(later, "summary"))[0]!);
    writeFileSync(file, readFileSync(file, "utf8").replace("sums,7758ae,", "sums,000000,"));
    const told = await command("import", "--from", "opencompass", mixed, "--out", folder.path("never"));
    expect(told).toMatchObject({ code: 2, out: "" });
    for (const words of ["sums: task version", "7758ae", "000000", "--allow-mixed"]) expect(told.err).toContain(words);
  });

  test("of two runs of a model the newer counts; a name goes with one model", async () => {
    const again = folder.path("again");
    cpSync(LOGS, again, { recursive: true });
    cpSync(join(LOGS, RUN), join(again, "20200101_000000"), { recursive: true });
    const told = await command("import", "--from", "opencompass", again, "--json", "--out", folder.path("newest"));
    expect(JSON.parse(told.out)).toMatchObject({ models: 2, dropped: Array(10).fill({}) as object[] });
    expectRefusal(await rejection(openCompass.find([LOGS], { modelName: "x" })), "invalid_option", "able, weak");
    mkdirSync(folder.path("one"));
    renameSync(join(again, RUN, "results", "able"), join(again, "able"));
    const logs = await openCompass.find([join(again, RUN)], { modelName: "x" });
    expect(new Set(logs.map(({ model }) => model))).toEqual(new Set(["x"]));
  });
});
