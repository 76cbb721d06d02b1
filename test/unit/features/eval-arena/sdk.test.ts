import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
let files = 0;

function importArena(paths: readonly string[], more: Partial<ImportOptions> = {}): Promise<LogImport> {
  const choose = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };
  return importLogs(harnessNamed("eval-arena"), paths, {
    ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    ...choose,
    ...more,
  });
}

/** A row as pandas writes it: slashes escaped. */
const text = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row).replaceAll("/", String.raw`\/`)}\n`).join("");
const write = (...rows: readonly object[]): string => folder.write(`${++files}/data.jsonl`, text(rows));

const row = (example_id: unknown, pass1: unknown, more: object = {}): object => ({
  ...{ benchmark_id: "humaneval+", model: "m" },
  ...{ example_id, pass1 },
  ...more,
});

/** Scores of an import by model and item. */
function scoresOf({ matrix }: LogImport): Record<string, Record<string, number>> {
  const ofModel = (m: number): [string, number][] =>
    matrix.items.map((item, i) => [item.item_id, scoreAt(matrix, m, i)]);
  return Object.fromEntries(matrix.subjects.map((model, m) => [model, Object.fromEntries(ofModel(m))]));
}

describe("a table of eval-arena", () => {
  test("has several models and benchmarks; what a model isn't in is missing", async () => {
    const file = write(
      row("HumanEval/0", 1),
      row("HumanEval/10", 0),
      row("HumanEval/0", 0.5, { model: "n" }),
      row("HumanEval/10", null, { model: "n" }),
      row("Mbpp/2", 1, { benchmark_id: "mbpp+" }),
    );
    const imported = await importArena([file]);
    expect(scoresOf(imported)).toEqual({
      m: { "humaneval+/HumanEval/0": 1, "humaneval+/HumanEval/10": 0, "mbpp+/Mbpp/2": 1 },
      n: { "humaneval+/HumanEval/0": 0.5, "humaneval+/HumanEval/10": NaN, "mbpp+/Mbpp/2": NaN },
    });
    expect(imported.report.tasks.map(({ task, metric }) => [task, metric])).toEqual([
      ["humaneval+", "pass1"],
      ["mbpp+", "pass1"],
    ]);
    expect([imported.trials, imported.modelFacts]).toEqual([undefined, undefined]);
    expect(imported.report.attempts).toEqual({ scored: 4, failed: 0, missing: 1 });
  });

  test("has trials where rows have a count, by correct or by the share", async () => {
    const { trials, report } = await importArena([
      write(
        row(0, 0.8, { correct: 4, count: 5 }),
        row(1, 0.6, { count: 10 }),
        row(2, 1, { correct: 1, count: 1 }),
        row(3, 0.5, { correct: 2.5, count: 5 }),
        row(4, 1 / 3, { correct: null, count: 3 }),
      ),
    ]);
    expect(trials!.map(({ item, scores }) => [item, scores])).toEqual([
      ["humaneval+/0", [1, 1, 1, 1, 0]],
      ["humaneval+/1", [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]],
      ["humaneval+/2", [1]],
      ["humaneval+/3", [0.5]],
      ["humaneval+/4", [1, 0, 0]],
    ]);
    expect(report.warnings).toContainEqual(
      expect.stringContaining("1 example of several attempts of which no whole number is right: it counts by pass1"),
    );
  });

  test("in which nothing has a count has one attempt an example, whatever its share is", async () => {
    const { matrix, trials } = await importArena([write(row("a", 0.3), row("b", 1, { correct: 1 }))]);
    expect([scoreAt(matrix, 0, 0), scoreAt(matrix, 0, 1), trials]).toEqual([Math.fround(0.3), 1, undefined]);
  });

  test("of SWE-bench has repositories, and the days that submissions are named by", async () => {
    const instance = (model: string, pass1: number): object =>
      row("pytest-dev__pytest-5227", pass1, { benchmark_id: "swebench-lite", model });
    const { matrix, modelFacts } = await importArena([write(instance("20231010_rag_claude2", 1), instance("99_x", 0))]);
    expect(matrix.items).toMatchObject([{ scenario: "swebench-lite", subscenario: "pytest-dev/pytest" }]);
    expect(modelFacts).toEqual([{ model: "20231010_rag_claude2", date: "2023-10-10" }, { model: "99_x" }]);
  });

  test("isn't changed by gzip, nor by the order of its rows", async () => {
    const rows = [row("a", 1), row("b", 0), row("a", 0, { model: "n" }), row("b", 1, { model: "n" })];
    const plain = scoresOf(await importArena([write(...rows)]));
    const packed = folder.write("packed.jsonl.gz", gzipSync(text(rows.toReversed())));
    expect(scoresOf(await importArena([packed]))).toEqual(plain);
  });

  test("counts by scoreRange where its shares are percentages", async () => {
    const percent = write(row("a", 80), row("b", 100));
    expectRefusal(await rejection(importArena([percent])), "invalid_data", "pass1 is 80: for scores that are not in");
    const { matrix } = await importArena([percent], { scoreRange: [0, 100] });
    expect([scoreAt(matrix, 0, 0), scoreAt(matrix, 0, 1)]).toEqual([Math.fround(0.8), 1]);
  });
});

test.each([
  [[row("a", 1), row("a", 0)], "line 2: example a of humaneval+ by m is there twice, first in line 1"],
  [[row(7, 1), row("7", 1)], "line 2: example 7 of humaneval+ by m is there twice"],
  [[row("\u00e9", 1), row("e\u0301", 1)], "line 2: example \u00e9 of humaneval+ by m is there twice"],
  [
    [row("a", 0.8, { correct: 3, count: 5 })],
    'line 1, field "correct": example a by m: pass1 is 0.8, and correct/count 3/5',
  ],
  [[row("a", 0.80001, { correct: 4, count: 5 })], "pass1 is 0.80001, and correct/count 4/5"],
  [[row("a", null, { correct: 4, count: 5 })], "pass1 is null, and correct/count 4/5"],
  [[row("a", 0.6, { correct: 3 })], "correct must be from 0 to count, 1, got 3"],
  [[row("a", 1.2, { correct: 6, count: 5 })], "correct must be from 0 to count, 5, got 6"],
  [[row("a", 1, { count: 0 })], "count must be a whole number from 1 to 10000, got 0"],
  [[row("a", 1, { count: 2.5 })], "count must be a whole number from 1 to 10000, got 2.5"],
  [[row("a", 1, { count: 70000 })], "count must be a whole number from 1 to 10000, got 70000"],
  [[row("a", 1, { count: "5" })], 'field "count": count must be a number, got the text "5"'],
  [[row("a", 1.2)], "pass1 is 1.2: for scores that are not in [0,1]"],
  [[row("a", -0.2, { count: 5 })], "pass1 is -0.2: for scores that are not in [0,1]"],
  [[row("a", "1")], 'line 1, field "pass1": pass1 must be a number, got the text "1"'],
  [[row("a", undefined)], "pass1 must be a number, got none"],
  [[row("a", 1), row(null, 1)], 'line 2, field "example_id": example_id must be text, got null'],
  [[row("a", 1), row("b", 1, { model: "" })], 'line 2, field "model": model must be text, got the text ""'],
  [[row("a", 1), row("b", 1, { benchmark_id: 0.5 })], 'line 2, field "benchmark_id": benchmark_id must be text, got a number'], // prettier-ignore
  [[row("a", 1), row("b", 1, { count: 4, model: "n" })], 'line 1, field "count": humaneval+ has rows with a count, such as line 2, and rows without'], // prettier-ignore
])("the rows %j are refused", async (rows, words) => {
  expectRefusal(await rejection(importArena([write(...rows)])), "invalid_data", words);
});

test("a line that is no JSON is refused with its number; another metric is, too", async () => {
  const file = folder.write("broken.jsonl", `${text([row("a", 1)])}\n{"benchmark_id":`);
  expectRefusal(await rejection(importArena([file])), "invalid_data", "line 3: the line is not valid JSON");
  const metric = await rejection(importArena([write(row("a", 1))], { metric: parseChoices("metric", ["pass@1"]) }));
  expectRefusal(metric, "invalid_option", "humaneval+ has no metric pass@1: this log has pass1");
});

describe("real matrices, written as tables of eval-arena, are read as they were", () => {
  const DATA = fileURLToPath(new URL("../../../../../shared/data/", import.meta.url));
  const ABSENT = existsSync(DATA) ? "" : " (skipped: the shared data are not beside this checkout)";

  test.skipIf(ABSENT !== "").each([
    ["swebench-lite", 84, 300],
    ["evalplus-code", 71, 542],
    ["livecodebench-v6", 33, 1055],
  ])(`%s: %i models, %i items${ABSENT}`, async (name, models, items) => {
    const lines = gunzipSync(readFileSync(`${DATA}${name}/items.jsonl.gz`))
      .toString()
      .trim()
      .split("\n");
    const described = lines.map((line) => JSON.parse(line) as { item_id: string; source_id: string });
    const sources = new Map(described.map(({ item_id, source_id }) => [item_id, source_id]));
    const { matrix } = await readResponses(`${DATA}${name}/responses.csv.gz`, {
      items: `${DATA}${name}/items.jsonl.gz`,
    });
    expect([matrix.subjects.length, matrix.items.length]).toEqual([models, items]);
    /** Attempts of which a share is a whole number: scores of LiveCodeBench are tenths and quarters. */
    const countOf = (share: number): number =>
      [1, 4, 10].find((n) => Math.abs(share * n - Math.round(share * n)) < 1e-6)!;
    const rows: object[] = [];
    const written = new Map<string, number>();
    for (const [m, model] of matrix.subjects.entries())
      for (const [i, { item_id, scenario }] of matrix.items.entries()) {
        const score = scoreAt(matrix, m, i);
        if (Number.isNaN(score)) continue;
        const count = countOf(score);
        const correct = Math.round(score * count);
        rows.push({ benchmark_id: scenario, model, example_id: sources.get(item_id)!, pass1: correct / count, correct, count }); // prettier-ignore
        written.set(`${model} ${scenario}/${sources.get(item_id)!}`, score);
      }
    const imported = await importArena([write(...rows)]);
    const read = new Map<string, number>();
    for (const [m, model] of imported.matrix.subjects.entries())
      for (const [i, { item_id }] of imported.matrix.items.entries()) {
        const score = scoreAt(imported.matrix, m, i);
        if (!Number.isNaN(score)) read.set(`${model} ${item_id}`, score);
      }
    expect([imported.matrix.subjects.length, imported.matrix.items.length, read.size]).toEqual([models, items, written.size]); // prettier-ignore
    expect([...read].filter(([cell, score]) => written.get(cell) !== score)).toEqual([]);
    const trials = imported.trials?.reduce((sum, { scores }) => sum + scores.length, 0);
    const attempts = rows.reduce<number>((sum, { count }: { count?: number }) => sum + count!, 0);
    expect(trials).toBe(attempts === rows.length ? undefined : attempts);
    if (name === "swebench-lite") {
      const partsOf = ({ subscenario = "" }: { subscenario?: string }): string => subscenario;
      expect(new Set(imported.matrix.items.map(partsOf))).toEqual(new Set(matrix.items.map(partsOf)));
      expect(imported.modelFacts!.map((facts) => facts["date"]!.replaceAll("-", ""))).toEqual(imported.matrix.subjects.map((model) => model.slice(0, 8))); // prettier-ignore
    }
  });
});
