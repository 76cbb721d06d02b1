import { dirname } from "node:path";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

interface Choices extends Partial<Omit<ImportOptions, "metric">> {
  readonly metric?: readonly string[];
}

function imported(paths: readonly string[], { metric = [], ...more }: Choices = {}): Promise<LogImport> {
  return importLogs(harnessNamed("evalplus"), paths, {
    ...{ metric: parseChoices("metric", metric), filter: parseChoices("filter", []) },
    ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    ...more,
  });
}

/** Results by task: a letter a solution, p of one that passes all, b of one that passes the benchmark's own tests, f of none. */
function results(prefix: string, tasks: Readonly<Record<string, string>>, more: object = {}): string {
  const judged = Object.entries(tasks).map(([number, letters]) => {
    const task_id = `${prefix}/${number}`;
    const solutions = Array.from(letters, (letter) => ({
      ...{ task_id, solution: "pass", base_fail_tests: [], plus_fail_tests: [] },
      ...{ base_status: letter === "f" ? "fail" : "pass", plus_status: letter === "p" ? "pass" : "fail" },
    }));
    return [task_id, solutions] as const;
  });
  return JSON.stringify({ date: "2026-11-29 14:46", hash: `${prefix}-1`, eval: Object.fromEntries(judged), ...more });
}

/** The same of the benchmark's own tests alone. */
const baseOnly = (text: string): string => text.replaceAll(/"plus_status":"\w+"/g, '"plus_status":null');

describe("a folder as evalplus writes it", () => {
  const board = (name: string): string => {
    const [a, b] = ["org--model-a_vllm_temp_0.0", "model-b_hf_temp_0.0"];
    folder.write(`${name}/humaneval/${a}_eval_results.json`, results("HumanEval", { 0: "p", 1: "b", 10: "f" }));
    folder.write(`${name}/humaneval/${a}.jsonl`, '{"task_id": "HumanEval/0", "solution": "pass"}\n');
    folder.write(`${name}/humaneval/${a}.raw.jsonl`, '{"task_id": "HumanEval/0", "solution": "pass"}\n');
    const scores = { pass_at_k: { base: { "pass@1": 2 / 3 }, plus: { "pass@1": 1 / 3 } } };
    folder.write(`${name}/humaneval/${b}.eval_results.json`, results("HumanEval", { 0: "b", 1: "p", 10: "f" }, scores));
    folder.write(`${name}/mbpp/${a}_eval_results.json`, results("Mbpp", { 2: "p", 100: "p" }));
    folder.write(`${name}/notes.json`, '{"eval": 1}');
    return folder.path(name);
  };

  test("is imported: models, tasks, numbers, what isn't there missing, and the file's own score", async () => {
    const { matrix, report } = await imported([board("board")]);
    expect(matrix.subjects).toEqual(["model-b", "org/model-a"]);
    expect(matrix.items.map(({ scenario, task, doc_id }) => [scenario, task, doc_id])).toEqual([
      ...[0, 1, 10].map((id) => ["humaneval", "humaneval", id]),
      ...[2, 100].map((id) => ["mbpp", "mbpp", id]),
    ]);
    const scores = Array.from(matrix.scores, (score, k) => (matrix.observed![k] === 0 ? null : score));
    expect(scores).toEqual([0, 1, 0, null, null, 1, 0, 0, 1, 1]);
    expect(report).toMatchObject({
      scores: { compared: 1, equal: 1 },
      protocol: { harness: "evalplus", metric: "plus", generation: '{"temperature":0}', epochs: 1 },
    });
    expect(report.protocol).toMatchObject({ "taskVersion/humaneval": "HumanEval-1", "taskVersion/mbpp": "Mbpp-1" });
    expect(report.warnings.filter((words) => /left out|passed over/.test(words))).toEqual([]);
  });

  test("counts by base where it is chosen", async () => {
    const { matrix, report } = await imported([board("base")], { metric: ["base"] });
    expect(Array.from(matrix.scores.subarray(5, 10))).toEqual([1, 1, 0, 1, 1]);
    expect(report.scores).toMatchObject({ compared: 1, equal: 1 });
    expect(report.protocol).toMatchObject({ metric: "base" });
  });

  test("never mixes base and plus: results without plus are refused until base is chosen for all", async () => {
    const place = board("mixed");
    folder.write("mixed/humaneval/c_vllm_temp_0.0_eval_results.json", baseOnly(results("HumanEval", { 0: "p" })));
    expectRefusal(await rejection(imported([place])), "invalid_option", "choose `metric` base for all models");
    expectRefusal(await rejection(imported([place], { metric: ["plus"] })), "invalid_option", "has no metric plus");
    const { matrix, report } = await imported([place], { metric: ["base"] });
    expect(matrix.subjects).toContain("c");
    expect(report.tasks.map(({ metric }) => metric)).toEqual(["base", "base"]);
  });

  test("refuses other base sets and other numbers of solutions, unless it is allowed", async () => {
    const place = board("alike");
    const other = folder.write("alike/humaneval/c_vllm_temp_0.0_eval_results.json", results("HumanEval", { 0: "p" }, { hash: "HumanEval-2" })); // prettier-ignore
    expectRefusal(await rejection(imported([place])), "invalid_data", "task version");
    expect((await imported([place], { allowMixed: true })).matrix.subjects).toHaveLength(3);
    folder.write("alike/humaneval/c_vllm_temp_0.0_eval_results.json", results("HumanEval", { 0: "pbf", 1: "pff" }));
    expectRefusal(await rejection(imported([place])), "invalid_data", "epochs");
    const { matrix, trials } = await imported([other]);
    expect(Array.from(matrix.scores, (score) => Number(score.toFixed(6)))).toEqual([0.333333, 0.333333]);
    expect(trials!.map(({ scores }) => scores)).toEqual([[1, 0, 0], [1, 0, 0]]); // prettier-ignore
  });

  test("says what isn't judged, and what isn't EvalPlus's", async () => {
    const place = board("begun");
    folder.write("begun/humaneval/c_vllm_temp_0.0.jsonl", '{"task_id": "HumanEval/0", "solution": "pass"}\n');
    folder.write("begun/humaneval/d_eval_results.json", '{"eval": {"BigCodeBench/0": [{"status": "pass"}]}}');
    const { report } = await imported([place]);
    const remarks = report.warnings.filter((words) => /left out|passed over/.test(words));
    expect(remarks).toHaveLength(2);
    expect(remarks[0]).toMatch(/1 file of samples without results is left out.*evalplus\.evaluate/);
    expect(remarks[1]).toMatch(/1 file with another benchmark's results, or none, is passed over/);
  });

  test("has samples with their results where they are named one by one", async () => {
    const stem = `${board("named")}/humaneval/org--model-a_vllm_temp_0.0`;
    const paths = [".jsonl", ".raw.jsonl", "_eval_results.json"].map((end) => `${stem}${end}`);
    expect((await imported(paths)).matrix.subjects).toEqual(["org/model-a"]);
  });
});

test.each([
  ["org--model--x_vllm_temp_0.0_eval_results.json", "org/model/x", '{"temperature":0}', "vllm"],
  ["m_openai_temp_0.8.eval_results.json", "m", '{"temperature":0.8}', "openai"],
  ["m_hf_gaudi_temp_1.0_eval_results.json", "m", '{"temperature":1}', "hf_gaudi"],
  ["m_temp_0.0-sanitized_eval_results.json", "m", '{"temperature":0,"variant":"-sanitized"}', undefined],
  ["org--m_vllm_temp_0.2/eval_results.json", "org/m", '{"temperature":0.2}', "vllm"],
  ["my-model_eval_results.json", "my-model", null, undefined],
  ["org--m/samples_eval_results.json", "org/m", null, undefined],
  ["org--m/humaneval/eval_results.json", "org/m", null, undefined],
  ["m_vllm_temp_0.2/humaneval_samples-sanitized.eval_results.json", "m", '{"temperature":0.2}', "vllm"],
  ["my-model_vllm.json", "my-model_vllm", null, undefined],
])("%s is of %s", async (name, model, generation, backend) => {
  const path = folder.write(`names/${name}`, results("HumanEval", { 0: "p" }));
  const [log] = await harnessNamed("evalplus").find([path]);
  expect(log).toMatchObject({ model, date: "2026-11-29T14:46:00", results: { generation } });
  expect(log!.results!.modelFacts.get("backend")).toBe(backend);
});

test("two files of a model are two runs, of which the newer counts, and the difference is said", async () => {
  const older = results("HumanEval", { 0: "f" }, { date: "2025-01-01 10:00" });
  folder.write("two/m_vllm_temp_0.8_eval_results.json", older);
  folder.write("two/m_vllm_temp_0.0_eval_results.json", results("HumanEval", { 0: "p" }));
  const { matrix, report } = await imported([folder.path("two")]);
  expect([Array.from(matrix.scores), report.dropped.length]).toEqual([[1], 1]);
  expect(report.warnings.join("\n")).toContain('generation settings {"temperature":0}, in another {"temperature":0.8}');
});

test.each<[string, string, string, string]>([
  ["samples that weren't judged", "m_vllm_temp_0.0.jsonl", '{"task_id": "HumanEval/0"}', "evalplus.evaluate --dataset"],
  ["another benchmark's results", "m_eval_results.json", '{"eval": {"BigCodeBench/0": [{}]}}', "there are no results of EvalPlus"], // prettier-ignore
  ["a leaderboard", "results.json", '{"m": {"pass@1": {"humaneval": 75.6}}}', "there are no results of EvalPlus"],
  ["another file", "notes.txt", "", "there are no results of EvalPlus"],
])("refused, named or in a folder of its own: %s", async (name, file, text, words) => {
  const path = folder.write(`bad/${name}/${file}`, text);
  expectRefusal(await rejection(imported([path])), "invalid_data", words);
  expectRefusal(await rejection(imported([dirname(path)])), "invalid_data", words);
  const good = folder.write("good/a_vllm_temp_0.0_eval_results.json", results("HumanEval", { 0: "p" }));
  expectRefusal(await rejection(imported([good, path])), "invalid_data", words);
});

test.each<[string, string, string]>([
  ["that break off", '{"eval": {', "it is not valid JSON"],
  ["of the old form", '{"eval": {"HumanEval/0": {"nfiles": 1, "base": [["success", [true]]]}}}', "before 0.2"],
])("results %s are refused, in a folder too", async (name, text, words) => {
  folder.write(`broken/${name}/m_eval_results.json`, text);
  expectRefusal(await rejection(imported([folder.path(`broken/${name}`)])), "invalid_data", words);
});
