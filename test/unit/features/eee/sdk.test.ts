import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, it, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const FIXTURES = fileURLToPath(new URL("../../../fixtures", import.meta.url));
const folder = tempFolder();
let folders = 0;

function importEee(
  paths: readonly string[],
  metric: string[] = [],
  more: Partial<ImportOptions> = {},
): Promise<LogImport> {
  const choose = { metric: parseChoices("metric", metric), filter: parseChoices("filter", []) };
  const options = { onDuplicate: "newest", errors: "harness", allowMixed: false, ...choose, ...more } as const;
  return importLogs(harnessNamed("eee"), paths, options);
}

/** A sample's line; nothing but what is read. */
function line(sample_id: string, score: unknown, more: object = {}): object {
  const input = { raw: `Question ${sample_id}?`, reference: ["yes"] };
  return { schema_version: "0.3.0", evaluation_id: "e", model_id: "Org/m", evaluation_name: "quiz", sample_id, input, evaluation: { score }, ...more }; // prettier-ignore
}

function write(lines: readonly (object | string)[], aggregate?: object): string {
  const name = `${++folders}/7f`;
  const text = lines.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("");
  if (aggregate) folder.write(`${name}.json`, JSON.stringify(aggregate));
  return folder.write(`${name}_samples.jsonl`, text);
}

describe("records that Every Eval Ever 0.3.0 made of lm-eval's logs (test/fixtures/eee)", () => {
  const logs = join(FIXTURES, "eee/data");

  it("have the harness's scores, every one, by the metric chosen", async () => {
    const { matrix, report } = await importEee([logs], ["acc"]);
    expect(report.scores).toMatchObject({ compared: 8, equal: 8, different: [] });
    expect(report.tasks.map(({ task, metric }) => [task, metric])).toEqual([
      ["toy_bio", "acc"],
      ["toy_phys", "acc"],
      ["toy_sums/strict-match", "exact_match"],
      ["toy_sums/flexible-extract", "exact_match"],
    ]);
    expect(report.protocol).toMatchObject({ harness: "eee", harnessVersion: "lm_eval 0.4.13" });
    // The same answers as read from the harness's own logs.
    const own = await importLogs(harnessNamed("lm-eval"), [join(FIXTURES, "lm-eval/logs/Org__dummy-0")], {
      metric: parseChoices("metric", ["acc", "toy_sums=exact_match"]),
      filter: parseChoices("filter", ["toy_sums=strict-match"]),
      onDuplicate: "newest",
      errors: "harness",
      allowMixed: false,
    });
    const scores = ({ matrix: one }: LogImport, id: string): number =>
      scoreAt(
        one,
        one.subjects.indexOf("Org/dummy-0"),
        one.items.findIndex(({ item_id }) => item_id === id),
      );
    for (const id of ["toy_bio/0", "toy_bio/4", "toy_phys/1"])
      expect(scores({ matrix, report }, id)).toBe(scores(own, id));
    expect(matrix.items.every(({ hash, text }) => hash!.length === 64 && text!.length > 0)).toBe(true);
    expect(matrix.items[0]).toMatchObject({ item_id: "toy_bio/0", task: "toy_bio", doc_id: 0 });
  });

  it("are the same one file at a time", async () => {
    for (const task of ["toy_bio", "toy_phys", "toy_sums"]) {
      const own = join(logs, task, "Org/dummy-0");
      const file = readdirSync(own).find((name) => name.endsWith(".jsonl"))!;
      const { report } = await importEee([join(own, file)], task === "toy_sums" ? [] : ["acc"]);
      expect(report).toMatchObject({ models: 1, scores: { different: [] } });
      expect(readFileSync(join(own, file), "utf8")).toContain("evaluation_result_id");
    }
  });

  it("list the metrics where none is chosen", async () => {
    const error = await rejection(importEee([join(logs, "toy_bio")]));
    expectRefusal(error, "invalid_option", "toy_bio has several metrics: choose one with `metric`: acc, acc_norm");
  });
});

test("attempts, numbers, means over repeated samples, and hashes where the input is left out", async () => {
  const hash = "0123456789abcdef".repeat(4);
  const file = write([
    line("a", 1),
    line("a", 0),
    line("7", true),
    line("b", 0, { error: "timeout" }),
    line("c", null),
    line("d", 1, { input: { raw: "", reference: [] }, sample_hash: hash }),
  ]);
  const { matrix, report } = await importEee([file], [], { errors: "missing" });
  expect(matrix.items.map(({ doc_id: id }, i) => [id, scoreAt(matrix, 0, i)])).toEqual([
    [7, 1],
    ["a", 0.5],
    ["b", NaN],
    ["c", NaN],
    ["d", 1],
  ]);
  expect(matrix.items.at(-1)).toMatchObject({ hash });
  expect(report.attempts).toEqual({ scored: 4, failed: 1, missing: 1 });
  expect(report.warnings).toContain(`${file}: scores are means over up to 2 runs`);
  expect(report.warnings).toContain(
    'of 6 answers, 1 failed ("timeout" once) and 1 has no score: they count as missing',
  );
});

test("a repeat that failed counts as --errors says", async () => {
  const file = write(
    [1, 0].flatMap((score, k) => ["a", "b"].map((id) => line(id, score, k ? { error: "timeout" } : {}))),
  );
  const scores = async (errors: ImportOptions["errors"]): Promise<number[]> => {
    const { matrix } = await importEee([file], [], { errors });
    return [scoreAt(matrix, 0, 0), scoreAt(matrix, 0, 1)];
  };
  expect(await scores("harness")).toEqual([0.5, 0.5]);
  expect(await scores("missing")).toEqual([1, 1]);
  expect(await scores("wrong")).toEqual([0.5, 0.5]);
});

test("one id with two contents is refused, by its lines", async () => {
  const other = { input: { raw: "Another question?", reference: ["yes"] } };
  expectRefusal(
    await rejection(importEee([write([line("a", 1), line("b", 1), line("a", 0, other)])])),
    "invalid_data",
    'line 3: "a" is also the id of other content, first in line 1: two items need two ids',
  );
});

test("repeated samples are trials, and cost what token_usage and performance say", async () => {
  const usage = (input_tokens: number, output_tokens: number, more: object = {}): object => {
    return { token_usage: { input_tokens, output_tokens, ...more } };
  };
  const file = write([
    line("a", 1, { ...usage(10, 20, { total_tokens: 40 }), performance: { latency_ms: 1500 } }),
    line("a", 0, { ...usage(10, 10), performance: { latency_ms: null, generation_time_ms: 500 } }),
    line("b", 1, { token_usage: null, performance: null }),
  ]);
  const { trials, prices, report } = await importEee([file]);
  expect(trials).toEqual([
    { model: "Org/m", item: "quiz/a", scores: [1, 0] },
    { model: "Org/m", item: "quiz/b", scores: [1] },
  ]);
  expect(prices!.map(({ kind, items, assumed }) => [kind, items.get("quiz/a")!.toFixed(9), assumed])).toEqual([
    ["tokens", "30.000000000", ["quiz/b"]],
    ["seconds", "1.000000000", ["quiz/b"]],
  ]);
  expect(report.trials).toEqual({ scores: 3, cells: 2, fewest: 1, most: 2 });
  expect(report.warnings.join("\n")).toContain("no answer to 1 item of 2 says what it took");
  const negative = importEee([write([line("a", 1, usage(-3, 1))])]);
  expectRefusal(
    await rejection(negative),
    "invalid_data",
    "sample a: tokens of an answer are a number above 0, got -2",
  );
});

test("a metric of which lower is better needs a range from the worst score to the best", async () => {
  const result = { evaluation_name: "quiz", evaluation_result_id: "r", metric_config: { metric_name: "wer", lower_is_better: true }, score_details: { score: 25 } }; // prettier-ignore
  const aggregate = { evaluation_id: "e", retrieved_timestamp: "1795631281.5", evaluation_results: [result] };
  const file = write(
    [line("a", 20, { evaluation_result_id: "r" }), line("b", 30, { evaluation_result_id: "r" })],
    aggregate,
  );
  expectRefusal(
    await rejection(importEee([file])),
    "unsupported",
    "lower is better for wer: give `scoreRange` worst,best, such as 1,0",
  );
  expectRefusal(await rejection(importEee([file], [], { scoreRange: [1, 0] })), "invalid_data", "line 1: wer is 20");
  const { matrix, report } = await importEee([file], [], { scoreRange: [100, 0] });
  expect(Array.from(matrix.scores)).toEqual([0.8, 0.7].map(Math.fround));
  expect(report.scores).toMatchObject({ compared: 1, equal: 1 });
});

test.each<[name: string, lines: readonly (object | string)[], message: string]>([
  ["no JSON", [line("a", 1), '{"model_id'], "line 2: the line is not valid JSON"],
  ["no object", ["[]"], "line 1: the line is not a JSON object"],
  ["no sample", [line("", 1)], "line 1: sample_id must be text"],
  ["text as the only score", [line("a", "1")], 'there is no score: 1 value of score is no score: "1" once'],
  ["a list as a score", [line("a", [1])], "line 1: evaluation.score must be a number"],
  ["a line without a score", [line("a", undefined)], "line 1: evaluation.score must be a number"],
  ["two models", [line("a", 1), line("a", 1, { model_id: "Org/n" })], "it has records of several models: Org/m, Org/n"],
])("%s is refused", async (_, lines, message) => {
  expectRefusal(await rejection(importEee([write(lines)])), "invalid_data", message);
});

test("a scale that the record says is given, or said not to be the samples': scores in [0,1] may be on either", async () => {
  const record = (config: object): object => ({
    evaluation_id: "e",
    evaluation_results: [{ evaluation_result_id: "r", evaluation_name: "quiz", metric_config: { metric_name: "judge", ...config } }], // prettier-ignore
  });
  const lines = ["a", "b"].map((id) => line(id, 1, { evaluation_result_id: "r" }));
  const file = write(lines, record({ min_score: 1, max_score: 5 }));
  const words = "judge is on a scale of 1 to 5: give `scoreRange` 1,5, or 0,1";
  expectRefusal(await rejection(importEee([file])), "unsupported", words);
  for (const [scoreRange, score] of [
    [[1, 5], 0],
    [[0, 1], 1],
  ] as const)
    expect(scoreAt((await importEee([file], [], { scoreRange })).matrix, 0, 0)).toBe(score);
  for (const config of [{ min_score: 0, max_score: 1 }, { min_score: null, max_score: 5 }, { max_score: "5" }, {}])
    expect(scoreAt((await importEee([write(lines, record(config))])).matrix, 0, 0)).toBe(1);
});

test("two results of one name are no trials of one: they are called by their ids, and one is chosen", async () => {
  const ids = ["quiz/strict", "quiz/flexible"];
  const aggregate = {
    evaluation_id: "e",
    evaluation_results: ids.map((id, k) => ({
      ...{ evaluation_result_id: id, evaluation_name: "quiz", metric_config: { metric_name: "exact_match" } },
      score_details: { score: k },
    })),
  };
  const lines = ids.flatMap((id, k) => ["a", "b"].map((sample) => line(sample, k, { evaluation_result_id: id })));
  const file = write(lines, aggregate);
  expectRefusal(await rejection(importEee([file])), "invalid_option", `with \`metric\`: ${ids.join(", ")}`);
  const { matrix, report } = await importEee([file], ["quiz/flexible"]);
  expect([scoreAt(matrix, 0, 0), scoreAt(matrix, 0, 1)]).toEqual([1, 1]);
  expect(report.scores).toMatchObject({ compared: 1, equal: 1 });
});

test("text beside scores is missing, named and counted", async () => {
  const file = write([line("a", 1), line("b", "right"), line("c", 0)]);
  const { matrix, report } = await importEee([file, write([line("b", 1, { model_id: "Org/n" })])]);
  expect(matrix.items.map(({ doc_id: id }, i) => [id, scoreAt(matrix, 0, i)])).toEqual([
    ["a", 1],
    ["b", NaN],
    ["c", 0],
  ]);
  expect(report.attempts).toEqual({ scored: 3, failed: 0, missing: 1 });
  expect(report.warnings).toContain(`${file}: 1 value of score is no score: "right" once; they count as missing`);
});

test("aggregates alone are refused: they have no single samples", async () => {
  folder.write("alone/7f.json", "{}");
  expectRefusal(await rejection(importEee([folder.path("alone")])), "invalid_data", "only aggregates");
});

test.each([
  ["Org/other", true],
  ["other", true],
  ["Org/m", false],
  ["org/M", false],
  ["m", false],
])("an aggregate of the model %s beside records of Org/m: %s that it is said", async (id, said) => {
  const aggregate = { evaluation_id: "e", evaluation_results: [], model_info: { id } };
  const { report } = await importEee([write([line("a", 1)], aggregate)]);
  expect(report.runs[0]!.model).toBe("Org/m");
  expect(report.warnings.some((words) => words.includes(`its aggregate is of ${id}: Org/m counts`))).toBe(said);
});
