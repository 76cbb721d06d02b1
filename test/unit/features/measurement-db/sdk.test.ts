import { parquetWriteBuffer } from "hyparquet-writer";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { parquetRows } from "../../../../offline-trainer/src/matrix/readers/parquet.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
let places = 0;

function importTables(paths: readonly string[], more: Partial<ImportOptions> = {}): Promise<LogImport> {
  const choose = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };
  return importLogs(harnessNamed("measurement-db", { readParquet: parquetRows }), paths, {
    ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    ...choose,
    ...more,
  });
}

type Row = Readonly<Record<string, string | number | null>>;

/** Columns of whole numbers, as the real tables have them. */
const WHOLE = ["trial"];
const DECIMAL = ["response"];

function write(name: string, rows: readonly Row[]): string {
  const columnData = Object.keys(rows[0]!).map((column) => {
    const values = rows.map((row) => row[column] ?? null);
    if (WHOLE.includes(column)) return { name: column, data: values.map((value) => value === null ? null : BigInt(value)), type: "INT64" as const }; // prettier-ignore
    return { name: column, data: values, type: DECIMAL.includes(column) ? ("DOUBLE" as const) : ("STRING" as const) };
  });
  return folder.write(name, new Uint8Array(parquetWriteBuffer({ columnData })));
}

const SUBJECTS: readonly Row[] = [
  { subject_id: "s1", display_name: "Model One", provider: "Org", release_date: "2025-03-01" },
  { subject_id: "s2", display_name: "Model Two", provider: null, release_date: "2025-04" },
];
const ITEMS: readonly Row[] = ["a", "b"].map((raw) => ({
  ...{ item_id: `i-${raw}`, benchmark_id: "quiz", raw_item_id: raw },
}));
const BENCHMARKS: readonly Row[] = [
  { benchmark_id: "quiz", name: "Quiz", version: "1.1", response_scale: '{"kind":"discrete","values":[0,1]}' },
];
const response = (subject: string, item: string, score: number | null, more: Row = {}): Row => ({
  ...{ subject_id: subject, item_id: `i-${item}`, benchmark_id: "quiz", trial: 1, test_condition: null },
  ...{ response: score, correct_answer: null },
  ...more,
});
const RESPONSES: readonly Row[] = [
  response("s1", "a", 1),
  response("s1", "a", 0, { trial: 2 }),
  response("s1", "b", 1),
  response("s2", "a", null),
  response("s2", "b", 0),
];

interface Tables {
  readonly subjects?: readonly Row[];
  readonly items?: readonly Row[];
  readonly benchmarks?: readonly Row[];
  readonly responses?: readonly Row[];
}

/** Where a layout has its tables: of the registry, and of responses. */
const LAYOUTS = {
  flat: ["", "quiz.parquet"],
  registry: ["_registry/", "quiz/responses.parquet"],
  processed: ["_registry/", "quiz/processed/responses.parquet"],
  "formatted tables": ["quiz/formatted_tables/", "quiz/formatted_tables/responses.parquet"],
} as const;

function writeTables(tables: Tables = {}, layout: keyof typeof LAYOUTS = "flat"): string {
  const place = `db-${++places}`;
  const [registry, responses] = LAYOUTS[layout];
  write(`${place}/${registry}subjects.parquet`, tables.subjects ?? SUBJECTS);
  write(`${place}/${registry}items.parquet`, tables.items ?? ITEMS);
  write(`${place}/${registry}benchmarks.parquet`, tables.benchmarks ?? BENCHMARKS);
  write(`${place}/${responses.replace("responses", "traces").replace("quiz.p", "quiz_traces.p")}`, RESPONSES);
  write(`${place}/${responses}`, tables.responses ?? RESPONSES);
  return folder.path(place);
}

/** Scores of an import by model and item. */
function scoresOf({ matrix }: LogImport): Record<string, Record<string, number>> {
  const ofModel = (m: number): [string, number][] =>
    matrix.items.map((item, i) => [item.item_id, scoreAt(matrix, m, i)]);
  return Object.fromEntries(matrix.subjects.map((model, m) => [model, Object.fromEntries(ofModel(m))]));
}

describe.each(Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[])("the layout %s", (layout) => {
  test("has trials, models with what is known of them, and nothing of traces", async () => {
    const imported = await importTables([writeTables({}, layout)]);
    expect(scoresOf(imported)).toEqual({
      "Model One": { "quiz/a": 0.5, "quiz/b": 1 },
      "Model Two": { "quiz/a": NaN, "quiz/b": 0 },
    });
    expect(imported.trials!.map(({ model, item, scores }) => [model, item, scores])).toEqual([
      ["Model One", "quiz/a", [1, 0]],
      ["Model One", "quiz/b", [1]],
      ["Model Two", "quiz/b", [0]],
    ]);
    expect(imported.modelFacts).toEqual([
      { model: "Model One", date: "2025-03-01", organization: "Org" },
      { model: "Model Two", date: "2025-04" },
    ]);
    expect(imported.report.protocol).toMatchObject({ harness: "measurement-db", taskVersion: "1.1" });
    expect(imported.report.attempts).toEqual({ scored: 4, failed: 0, missing: 1 });
  });
});

test("responses without a benchmark are of their items', else of their folder", async () => {
  const responses = RESPONSES.map(({ subject_id, item_id, trial, response: score }) => ({ subject_id: subject_id!, item_id: item_id!, trial: trial!, response: score! })); // prettier-ignore
  const items = ITEMS.map(({ item_id, raw_item_id }) => ({ item_id: item_id!, raw_item_id: raw_item_id! }));
  const ofFolder = await importTables([writeTables({ responses, items }, "processed")]);
  const ofItems = await importTables([writeTables({ responses }, "processed")]);
  expect(Object.keys(scoresOf(ofFolder)["Model One"]!)).toEqual(["quiz/a", "quiz/b"]);
  expect(scoresOf(ofItems)).toEqual(scoresOf(ofFolder));
});

test("each test condition is a task of its own, so that nothing is a mean over conditions, and that is said", async () => {
  const responses = [...RESPONSES, response("s1", "a", 0, { test_condition: "few-shot" })];
  const imported = await importTables([writeTables({ responses })]);
  expect(scoresOf(imported)["Model One"]).toEqual({ "quiz/a": 0.5, "quiz/b": 1, "quiz@few-shot/a": 0 });
  expect(imported.report.warnings[0]).toContain('BENCHMARK@CONDITION: "quiz@few-shot"');
});

test("subjects of one name are models of their own, and items of one raw id are called by their ids", async () => {
  const imported = await importTables([
    writeTables({
      subjects: SUBJECTS.map((subject) => ({ ...subject, display_name: "Model" })),
      items: ITEMS.map((item) => ({ ...item, raw_item_id: "a" })),
    }),
  ]);
  expect(scoresOf(imported)).toEqual({
    "Model@s1": { "quiz/i-a": 0.5, "quiz/i-b": 1 },
    "Model@s2": { "quiz/i-a": NaN, "quiz/i-b": 0 },
  });
  expect(imported.report.warnings.slice(0, 2)).toEqual([
    'several subjects have one name, and are called by name and id, NAME@SUBJECT_ID: "Model"',
    "2 items without a raw_item_id that is theirs alone are called by item_id",
  ]);
});

describe("a scale that isn't that of shares", () => {
  const responses = RESPONSES.map((row) => ({ ...row, response: row["response"] === null ? null : 4 }));
  const scaled = (scale: object): readonly Row[] => [{ ...BENCHMARKS[0]!, response_scale: JSON.stringify(scale) }];

  test.each([
    [{ kind: "discrete", values: [1, 2, 3, 4, 5] }, "response is on a scale of 1 to 5: give `scoreRange` 1,5"],
    [
      { kind: "discrete", values: [0, 1], direction: "lower_is_better" },
      "lower is better for response: give `scoreRange`",
    ],
  ])("%j is refused", async (scale, words) => {
    expectRefusal(await rejection(importTables([writeTables({ responses, benchmarks: scaled(scale) })])), "unsupported", words); // prettier-ignore
  });

  test.each<[Row, string]>([
    [{ response_scale: "{1, 2, 3, 4, 5}" }, "response is on a scale of 1 to 5: give `scoreRange` 1,5"],
    [{ response_scale: "[-18, 18] reward-model score" }, "response is on a scale of -18 to 18"],
    [{ response_scale: "{0, 1} per bucket", response_type: "error_presence" }, "lower is better for response: give `scoreRange` worst,best, such as 1,0"], // prettier-ignore
  ])("in words, %j, is refused, also where all responses are from 0 to 1", async (words, refusal) => {
    const tables = writeTables({ benchmarks: [{ ...BENCHMARKS[0]!, ...words }] });
    expectRefusal(await rejection(importTables([tables])), "unsupported", refusal);
  });

  test("has a value for none, which is missing", async () => {
    const benchmarks = [{ ...BENCHMARKS[0]!, response_scale: "{-1, 1, 2, ..., 5} (-1 = N/A)" }];
    const scores = [response("s1", "a", 4), response("s1", "b", -1), response("s2", "a", 5)];
    const tables = writeTables({ benchmarks, responses: scores });
    expect(scoresOf(await importTables([tables], { scoreRange: [1, 5] }))).toEqual({
      "Model One": { "quiz/a": 0.75, "quiz/b": NaN },
      "Model Two": { "quiz/a": 1, "quiz/b": NaN },
    });
  });

  test("is read by its range", async () => {
    const benchmarks = scaled({ kind: "discrete", values: [1, 2, 3, 4, 5] });
    const imported = await importTables([writeTables({ responses, benchmarks })], { scoreRange: [1, 5] });
    expect(scoresOf(imported)["Model One"]).toEqual({ "quiz/a": 0.75, "quiz/b": 0.75 });
  });
});

test.each<[Tables, string]>([
  [{ responses: [...RESPONSES, response("s1", "b", 0)] }, 'row 6, column "trial": trial 1 is there twice'],
  [{ responses: [response("s9", "a", 1)] }, "row 1: subjects have no subject_id s9"],
  [{ responses: [response("s1", "z", 1)] }, "row 1: items have no item_id i-z"],
  [{ responses: [response("s1", "a", 1, { trial: null })] }, "row 1: trial must be a whole number, got null"],
  [{ responses: [response("s1", "a", 1.5)] }, "response is 1.5: for scores that are not in [0,1]"],
  [{ subjects: [...SUBJECTS, SUBJECTS[0]!] }, "subjects.parquet: row 3: subject_id s1 is there twice"],
  [{ subjects: [{ ...SUBJECTS[0]!, display_name: null }] }, "subjects.parquet: row 1: display_name must be text"],
  [{ items: [...ITEMS, ITEMS[0]!] }, "items.parquet: row 3: item_id i-a is there twice"],
  [{ items: [{ item_id: "i-a" }] }, "items.parquet: it has no column raw_item_id"],
])("%j is refused", async (tables, words) => {
  expectRefusal(await rejection(importTables([writeTables(tables)])), "invalid_data", words);
});

describe("other files", () => {
  test("that are named are refused: other tables, and text", async () => {
    const table = write("other/scores.parquet", [{ model: "m", response: 1 }]);
    expectRefusal(await rejection(importTables([table])), "invalid_data", "have the columns subject_id, item_id, trial, response"); // prettier-ignore
    const text = folder.write("other/responses.csv", "subject_id,item_id,trial,response\n");
    expectRefusal(await rejection(importTables([text])), "invalid_data", "responses of measurement-db are Parquet");
  });

  test("that a folder has are passed over, and said where they look like logs", async () => {
    const place = writeTables();
    const table = write(`${place.slice(folder.path("").length)}/scores.parquet`, [{ model: "m", response: 1 }]);
    const { report } = await importTables([place]);
    expect(report.warnings[0]).toBe(
      `1 file that looks like a log isn't one of measurement-db, and is passed over: "${table}"`,
    );
  });

  test("that are missing are named", async () => {
    const alone = write("alone/quiz.parquet", RESPONSES);
    expectRefusal(await rejection(importTables([alone])), "invalid_data", "there is no subjects.parquet in ");
    write("no-items/subjects.parquet", SUBJECTS);
    const responses = write("no-items/quiz.parquet", RESPONSES);
    expectRefusal(await rejection(importTables([responses])), "not_found", "items.parquet");
    const registry = write("registry-alone/subjects.parquet", SUBJECTS);
    expectRefusal(
      await rejection(importTables([registry])),
      "invalid_data",
      "there are no responses of measurement-db",
    );
  });

  test("are no use without a reader of Parquet, nor is another metric", async () => {
    const place = writeTables();
    const error = await rejection(harnessNamed("measurement-db").find([place]));
    expectRefusal(error, "unsupported", "which anchoreval-trainer reads: npm install anchoreval-trainer");
    const metric = await rejection(importTables([place], { metric: parseChoices("metric", ["acc"]) }));
    expectRefusal(metric, "invalid_option", "quiz has no metric acc: this log has response");
  });
});
