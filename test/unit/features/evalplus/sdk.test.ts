import { describe, expect, test } from "vitest";
import { isResults, readResults, solutionSamples } from "../../../../features/evalplus/sdk.ts";
import { countedSample } from "../../../support/counted-sample.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";

const FILE = "org--m_vllm_temp_0.0_eval_results.json";
const OPTIONS = { file: FILE, task: "humaneval" };

type Status = string | null | undefined;

/** A solution as evalplus 0.3.1 judges it. */
const solution = (task_id: string, base_status: Status, plus_status: Status, more: object = {}): object => ({
  ...{ task_id, solution: "def f(): pass\n", base_status, plus_status },
  ...{ base_fail_tests: [], plus_fail_tests: [], ...more },
});

/** Results of tasks of HumanEval by number, each with the statuses of its solutions. */
function results(tasks: Readonly<Record<string, readonly (readonly [Status, Status])[]>>): Record<string, unknown> {
  const entries = Object.entries(tasks).map(([number, all]) => {
    const id = `HumanEval/${number}`;
    return [id, all.map(([base, plus]) => solution(id, base, plus))];
  });
  return { date: "2026-11-29 14:46", hash: "61c6cc378f023522cb8a6f8e41e2e99c", eval: Object.fromEntries(entries) };
}

function scores(value: Record<string, unknown>, metric?: string): unknown {
  const { samples } = solutionSamples(readResults(value, FILE).solutions, { ...OPTIONS, metric });
  return samples.map(({ doc_id, attempts }) => [doc_id, attempts.map(({ score }) => score)]);
}

describe("results", () => {
  const value = results({
    0: [["pass", "pass"], ["pass", "fail"]],
    1: [["fail", "pass"], ["timeout", "timeout"]],
    10: [["pass", "timeout"], ["pass", "pass"]],
  }); // prettier-ignore

  test("plus counts by itself: both kinds of tests pass, and time that ran out is wrong", () => {
    expect(scores(value)).toEqual([[0, [1, 0]], [1, [0, 0]], [10, [0, 1]]]); // prettier-ignore
    expect(scores(value, "plus")).toEqual(scores(value));
    expect(scores(value, "base")).toEqual([[0, [1, 1]], [1, [0, 0]], [10, [1, 1]]]); // prettier-ignore
  });

  test("say task, digest of the tasks, solutions of each, and the file's own scores where it has them", () => {
    expect(readResults(value, FILE)).toMatchObject({
      ...{ task: "humaneval", hash: "61c6cc378f023522cb8a6f8e41e2e99c", epochs: 2, aggregates: new Map() },
    });
    const scored = { ...value, pass_at_k: { base: { "pass@1": 0.75, "pass@10": 1 }, plus: { "pass@1": 0.5 } } };
    expect(readResults(scored, FILE).aggregates).toEqual(new Map([["base,none", 0.75], ["plus,none", 0.5]])); // prettier-ignore
    const mbpp = { eval: { "Mbpp/2": [solution("Mbpp/2", "pass", "pass")] } };
    expect(readResults(mbpp, FILE)).toMatchObject({ task: "mbpp", hash: null, epochs: 1, solutions: [{ id: 2 }] });
    expect(readResults(results({ 0: [["pass", "pass"]], 1: [["pass", "pass"], ["pass", "pass"]] }), FILE).epochs).toBeNull(); // prettier-ignore
  });

  test("an empty solution is an empty answer, and counts as it was judged", () => {
    const id = "HumanEval/0";
    const file = { eval: { [id]: [solution(id, "fail", "fail", { solution: "" }), solution(id, "pass", "pass")] } };
    const [sample] = solutionSamples(readResults(file, FILE).solutions, OPTIONS).samples;
    expect(sample!.attempts).toEqual([{ score: 0, failure: "an empty answer" }, { score: 1 }]);
    expect([countedSample(sample!).score, countedSample(sample!, "missing").score]).toEqual([0.5, 1]);
  });

  test("of the benchmark's own tests alone count only where base is chosen", () => {
    const base = results({ 0: [["pass", null]], 1: [["fail", undefined]] });
    const error = refusal(() => scores(base));
    expectRefusal(error, "invalid_option", `${FILE}: humaneval was judged by its own tests alone (\`base_only\`)`);
    expect(error.message).toContain("choose `metric` base");
    expectRefusal(refusal(() => scores(base, "plus")), "invalid_option", "has no metric plus: this log has base"); // prettier-ignore
    expect(scores(base, "base")).toEqual([[0, [1]], [1, [0]]]); // prettier-ignore
  });

  test("a status that isn't there is missing, never wrong", () => {
    const partly = results({ 0: [["pass", "pass"]], 1: [["fail", null]], 2: [[null, "pass"]] });
    expect(scores(partly)).toEqual([[0, [1]], [1, [null]], [2, [null]]]); // prettier-ignore
    expect(scores(partly, "base")).toEqual([[0, [1]], [1, [0]], [2, [null]]]); // prettier-ignore
  });

  test.each<[string, object, string]>([
    ["another status", { "HumanEval/0": [solution("HumanEval/0", "success", "pass")] }, 'task HumanEval/0: a status is pass, fail or timeout, got "success"'], // prettier-ignore
    [
      "another benchmark",
      { "Other/0": [solution("Other/0", "pass", "pass")] },
      "a task is HumanEval/NUMBER or Mbpp/NUMBER",
    ],
    ["no number", { "HumanEval/x": [solution("HumanEval/x", "pass", "pass")] }, "a task is HumanEval/NUMBER"],
    ["both benchmarks", { "HumanEval/2": [solution("HumanEval/2", "pass", "pass")], "Mbpp/2": [solution("Mbpp/2", "pass", "pass")] }, "of HumanEval and of MBPP"], // prettier-ignore
    ["a task without solutions", { "HumanEval/0": [solution("HumanEval/0", "pass", "pass")], "HumanEval/1": [] }, "task HumanEval/1: it has no solutions"], // prettier-ignore
    ["another task's solution", { "HumanEval/0": [solution("HumanEval/1", "pass", "pass")] }, 'it has a solution of "HumanEval/1"'], // prettier-ignore
    ["two names of one task", { "HumanEval/1": [solution("HumanEval/1", "pass", "pass")], "HumanEval/01": [solution("HumanEval/01", "pass", "pass")] }, "a task is HumanEval/NUMBER"], // prettier-ignore
    [
      "the old form",
      { "HumanEval/0": { nfiles: 1, base: [["success", [true]]], plus: [["success", [true]]] } },
      "before 0.2",
    ],
  ])("refused: %s", (_, tasks, words) => {
    const file = { date: "", hash: "", eval: tasks };
    expect(isResults(file)).toBe(true);
    expectRefusal(refusal(() => readResults(file, FILE)), "invalid_data", words); // prettier-ignore
  });

  test.each<[string, unknown]>([
    ["a list", []],
    ["no tasks", { eval: {} }],
    ["BigCodeBench's", { eval: { "BigCodeBench/0": [{ task_id: "BigCodeBench/0", status: "pass", details: {} }] } }],
    ["something else", { results: [] }],
  ])("aren't %s", (_, value) => {
    expect(isResults(value)).toBe(false);
  });

  test("have no other metric", () => {
    expectRefusal(refusal(() => scores(value, "pass@10")), "invalid_option", "has no metric pass@10: this log has plus, base"); // prettier-ignore
  });
});
