import { readFileSync, writeFileSync } from "node:fs";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { bfclFileName } from "../../../../features/bfcl/sdk.ts";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { type BfclEntry, writeBfcl } from "../../../support/bfcl-logs.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
let roots = 0;
const newRoot = (): string => `run-${++roots}`;

function importBfcl(paths: readonly string[], more: Partial<ImportOptions> = {}): Promise<LogImport> {
  const choose = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };
  return importLogs(harnessNamed("bfcl"), paths, {
    ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    ...choose,
    ...more,
  });
}

/** Scores of an import by model and item. */
function scoresOf({ matrix }: LogImport): Record<string, Record<string, number>> {
  const ofModel = (m: number): [string, number][] =>
    matrix.items.map((item, i) => [item.item_id, scoreAt(matrix, m, i)]);
  return Object.fromEntries(matrix.subjects.map((model, m) => [model, Object.fromEntries(ofModel(m))]));
}

const SIMPLE: readonly BfclEntry[] = [0, 1, 2, 3].map((k) => ({ id: `live_simple_${k}-${k}-0`, valid: k !== 2 }));
const ERROR = { result: "Error during inference: Connection reset by peer\nmore", traceback: "…" };

/** Entries of a whole category, of which every third fails. */
const numbered = (category: string, count: number): BfclEntry[] =>
  Array.from({ length: count }, (_, k) => ({ id: `${category}_${k}`, valid: k % 3 !== 0 }));

test("entries that the score file doesn't name passed, and the harness's own score comes out", async () => {
  const root = newRoot();
  writeBfcl(folder, root, { model: "org_m-FC", category: "live_simple", group: "live", entries: SIMPLE });
  const other = SIMPLE.map((entry) => ({ ...entry, valid: true }));
  writeBfcl(folder, root, { model: "b", category: "live_simple", group: "live", entries: other });
  const imported = await importBfcl([folder.path(root)]);
  const item = (k: number): string => `live_simple/live_simple_${k}-${k}-0`;
  expect(scoresOf(imported)).toEqual({
    b: { [item(0)]: 1, [item(1)]: 1, [item(2)]: 1, [item(3)]: 1 },
    "org_m-FC": { [item(0)]: 1, [item(1)]: 1, [item(2)]: 0, [item(3)]: 1 },
  });
  expect(imported.report.scores).toMatchObject({ compared: 2, equal: 2 });
  expect(imported.report.tasks).toEqual([{ task: "live_simple", metric: "accuracy", filter: "none" }]);
  expect(imported.report.protocol).toMatchObject({ harness: "bfcl", taskVersion: "v4" });
  expect(imported.report.warnings).toEqual([
    expect.stringContaining("every run asked the same part of the documents: live_simple: 4 of 258"),
  ]);
});

test("tokens in and out and seconds are sums over turns and steps; what isn't known or 0 is no cost", async () => {
  const counts = (input: unknown, output: unknown, latency: unknown): { readonly result: object } => ({
    result: { input_token_count: input, output_token_count: output, latency },
  });
  const entries = [
    { id: "multi_turn_base_0", valid: true, ...counts([[10, 20], [30]], [[1, 2], [3]], [[0.5, 0.25], [1]]) },
    { id: "multi_turn_base_1", valid: true, ...counts([[10], [null]], [[1], [2]], 2) },
    { id: "multi_turn_base_2", valid: true, ...counts(0, 0, 0) },
    { id: "multi_turn_base_3", valid: true, ...counts([], [], []) },
  ];
  const { score } = writeBfcl(folder, newRoot(), { model: "m", category: "multi_turn_base", group: "multi_turn", entries }); // prettier-ignore
  const harness = harnessNamed("bfcl");
  const [log] = await harness.find([score]);
  const choose = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };
  const { samples } = await harness.read(log!, choose);
  expect(samples.map(({ attempts }) => attempts)).toEqual([
    [{ score: 1, cost: { tokens: 66, seconds: 1.75 } }],
    [{ score: 1, cost: { seconds: 2 } }],
    [{ score: 1 }],
    [{ score: 1 }],
  ]);
});

describe("an error of the inference", () => {
  const entries = [0, 1, 2, 3].map((k) => ({ id: `irrelevance_${k}`, valid: k !== 1, ...(k === 0 && { result: ERROR }) })); // prettier-ignore
  const root = newRoot();
  writeBfcl(folder, root, { model: "m", category: "irrelevance", entries });

  test("keeps the harness's score of irrelevance, a pass, and is told", async () => {
    const { report, ...imported } = await importBfcl([folder.path(root)]);
    expect(scoresOf({ report, ...imported })["m"]).toMatchObject({ "irrelevance/irrelevance_0": 1 });
    expect(report.scores).toMatchObject({ compared: 1, equal: 1 });
    expect(report.attempts).toEqual({ scored: 3, failed: 1, missing: 0 });
    expect(report.warnings).toContainEqual(
      expect.stringContaining("of the entries whose inference failed, 1 passed, as BFCL takes an error for"),
    );
    expect(report.warnings).toContainEqual(expect.stringContaining('1 failed ("Connection reset by peer" once)'));
  });

  test.each([
    ["wrong", 0],
    ["missing", undefined],
  ] as const)("counts as %s where that is asked", async (errors, score) => {
    const imported = await importBfcl([folder.path(root)], { errors });
    const own = scoresOf(imported)["m"]!["irrelevance/irrelevance_0"];
    expect(Number.isNaN(own) ? undefined : own).toBe(score);
  });

  test("of an entry that failed is no pass, and nothing is said of passes", async () => {
    const failing = [{ id: "live_simple_0-0-0", valid: false, result: ERROR }, ...SIMPLE.slice(1)];
    const { score } = writeBfcl(folder, newRoot(), { model: "m", category: "live_simple", group: "live", entries: failing }); // prettier-ignore
    const { report } = await importBfcl([score]);
    expect(report.attempts).toEqual({ scored: 3, failed: 1, missing: 0 });
    expect(report.warnings.filter((words) => words.includes("takes an error for"))).toEqual([]);
  });

  test("is read of the score file where there is no result file", async () => {
    const whole = numbered("multi_turn_base", 200).map((entry, k) => (k === 0 ? { ...entry, result: ERROR } : entry));
    const { score } = writeBfcl(folder, newRoot(), { model: "m", category: "multi_turn_base", entries: whole, without: "result" }); // prettier-ignore
    const line = readFileSync(score, "utf8").split("\n");
    const agentic = { ...(JSON.parse(line[2]!) as object), error_type: undefined, error: { error_type: "multi_turn:inference_error" } }; // prettier-ignore
    writeFileSync(score, line.with(2, JSON.stringify(agentic)).join("\n"));
    const { report } = await importBfcl([score]);
    expect(report.attempts).toEqual({ scored: 198, failed: 2, missing: 0 });
    expect(report.warnings).toContainEqual(expect.stringContaining('"the inference failed" once'));
  });
});

describe("a score file without its result file", () => {
  test.each([
    ["simple_java", 100],
    ["multi_turn_miss_param", 200],
    ["web_search_no_snippet", 100],
  ])("is read where its entries are numbered and all of %s were asked", async (category, count) => {
    const root = newRoot();
    const entries = numbered(category, count);
    writeBfcl(folder, root, { model: "bare", category, entries, without: "result" });
    writeBfcl(folder, root, { model: "full", category, entries });
    const imported = await importBfcl([folder.path(root)]);
    const { bare, full } = scoresOf(imported);
    expect(bare).toEqual(full);
    expect(Object.keys(bare!)).toHaveLength(count);
    expect(imported.report.warnings).toContainEqual(
      expect.stringMatching(/: there is no result file, so that costs, and/),
    );
  });

  test.each([
    ["simple_java", 99, "v4", "simple_java has 100 entries, and 99 were asked"],
    ["live_relevance", 16, "v4", "the ids of live_relevance of v4 don't follow from its count"],
    ["memory_kv", 155, "v4", "the ids of memory_kv of v4 don't follow from its count"],
    ["multiple", 200, "v3", "the ids of multiple of v3 don't follow from its count"],
    ["constructor", 200, "v4", "the ids of constructor of v4 don't follow from its count"],
  ])("is refused for %s, %i entries of %s, naming the file that is missing", async (category, count, version, why) => {
    const entries = numbered(category, count);
    const { score, result } = writeBfcl(folder, newRoot(), { model: "m", category, entries, version, without: "result" }); // prettier-ignore
    const error = await rejection(importBfcl([score]));
    expectRefusal(error, "invalid_data", `${why}: ${result} is missing`);
  });
});

describe("files that don't agree are refused with their numbers", () => {
  const entries = SIMPLE;
  const files = (header?: object) =>
    writeBfcl(folder, newRoot(), { model: "m", category: "live_simple", group: "live", entries, ...(header && { header }) }); // prettier-ignore
  const append = (file: string, line: string): void => {
    writeFileSync(file, `${readFileSync(file, "utf8")}${line}\n`);
  };

  test.each([
    [{ total_count: 5 }, "total_count is 5, and "],
    [{ correct_count: 2 }, "correct_count is 2 of 4, and it names 1 entries that failed: they should be 2"],
    [{ correct_count: 5 }, "the first line of a score file has accuracy, correct_count and total_count"],
    [{ total_count: 4.5 }, "the first line of a score file has"],
    [{ accuracy: null }, "the first line of a score file has"],
    [{ id: "live_simple_0-0-0" }, "the first line of a score file has"],
  ])("%j", async (header, words) => {
    expectRefusal(await rejection(importBfcl([files(header).score])), "invalid_data", words);
  });

  const failure = (fields: object): string => JSON.stringify({ id: "live_simple_3-3-0", valid: false, ...fields });
  test.each([
    ["score", failure({ id: "live_simple_9-9-0" }), "it names entries that "],
    ["score", failure({ id: "live_simple_2-2-0" }), "line 3: entry live_simple_2-2-0 is there twice"],
    ["score", failure({ id: 3 }), "line 3: an entry that failed has an id, which is text"],
    ["score", failure({ valid: true }), '"live_simple_3-3-0" is valid: a score file names the entries that failed'],
    [
      "score",
      failure({ test_category: "multiple" }),
      '"live_simple_3-3-0" is of multiple, and the file of live_simple',
    ],
    ["score", "{", "line 3: the line is not valid JSON"],
    ["result", '{"id": "live_simple_0-0-0"}', "line 5: entry live_simple_0-0-0 is there twice"],
    ["result", '{"id": "live_simple_7-7-0"}', "has 5 entries: run bfcl evaluate again on these results"],
    ["result", '{"result": "[f()]"}', "line 5: an entry has an id, which is text"],
    ["result", '{"id": "live_simple_7-7-0", "latency": -1, "input_token_count": 1, "output_token_count": 1}', "has 5 entries"], // prettier-ignore
    ["result", "[]", "line 5: the line is not a JSON object"],
  ] as const)("a %s file with the line %s", async (kind, line, words) => {
    const paths = files();
    append(paths[kind], line);
    expectRefusal(await rejection(importBfcl([paths.score])), "invalid_data", words);
  });

  test("an empty score file, and costs below 0", async () => {
    const { score } = files();
    writeFileSync(score, "");
    expectRefusal(await rejection(importBfcl([score])), "invalid_data", "the first line of a score file has");
    const negative = [{ ...SIMPLE[0]!, result: { latency: -1 } }];
    const { score: other } = writeBfcl(folder, newRoot(), { model: "m", category: "live_simple", entries: negative });
    expectRefusal(
      await rejection(importBfcl([other])),
      "invalid_data",
      "seconds of an answer are a number above 0, got -1",
    );
  });
});

test("another metric than accuracy is refused", async () => {
  const { score } = writeBfcl(folder, newRoot(), { model: "m", category: "live_simple", entries: SIMPLE });
  const error = await rejection(importBfcl([score], { metric: parseChoices("metric", ["acc"]) }));
  expectRefusal(error, "invalid_option", "live_simple has no metric acc: this log has accuracy");
});

test("entries of a memory are in parts by their scenario", async () => {
  const entries = ["customer", "customer", "notetaker"].map((part, k) => ({ id: `memory_rec_sum_${k}-${part}-${k}`, valid: k > 0 })); // prettier-ignore
  const { score } = writeBfcl(folder, newRoot(), { model: "m", category: "memory_rec_sum", group: "agentic/memory/rec_sum", entries }); // prettier-ignore
  const { matrix } = await importBfcl([score]);
  expect(matrix.items.map(({ scenario, subscenario }) => [scenario, subscenario])).toEqual([
    ["memory_rec_sum", "customer"],
    ["memory_rec_sum", "customer"],
    ["memory_rec_sum", "notetaker"],
  ]);
});

test.each([
  ["BFCL_v4_live_simple_score.json", { version: "v4", category: "live_simple", kind: "score" }],
  ["BFCL_v3_simple_result.json", { version: "v3", category: "simple", kind: "result" }],
  ["BFCL_v4_memory_kv_prereq_result.json", null],
  ["BFCL_v4_memory.json", null],
  ["data_overall.csv", null],
])("the name %s tells %j", (name, parts) => {
  expect(bfclFileName(name)).toEqual(parts);
});
