import { readInspectHeader } from "anchoreval/internal/logs/inspect/read-header";
import {
  COMPARED_FIELDS,
  protocolDifferences,
  taskProtocol,
  type TaskProtocol,
} from "anchoreval/internal/logs/protocol";
import { expect, test } from "vitest";

type Fields = Readonly<Record<string, unknown>>;

function protocolOf(own: Fields, metric = "judge"): TaskProtocol {
  const { results } = readInspectHeader({ status: "success", eval: { task: "quiz", model: "m", ...own } }, "l.json");
  return taskProtocol(results, { task: "quiz", metric, filter: "mean" });
}

/** In what two protocols differ, by the rule of a bundle and a run of it. */
function differences(left: TaskProtocol, right: TaskProtocol): string[] {
  const manifest = Object.fromEntries(
    COMPARED_FIELDS.flatMap((field) => (left[field] === null ? [] : [[field, left[field]]])),
  );
  return protocolDifferences(manifest, "quiz", right).map(({ field }) => field);
}

const scorers = (options: Fields, name = "judge"): Fields => ({
  scorers: [
    { name: "match", options: {} },
    { name, options },
  ],
});

test.each<readonly [string, Fields, Fields]>([
  ["taskArguments", { task_args: { shots: 0 } }, { task_args: { shots: 5 } }],
  ["taskArguments", { task_args: {} }, { task_args: { judge: "local/tiny" } }],
  ["taskArguments", { task_args: { data: "/a/quiz.jsonl" } }, { task_args: { data: "/a/sums.jsonl" } }],
  ["taskArguments", { task_args: { solver: { name: "cot", n: 1 } } }, { task_args: { solver: { name: "cot", n: 2 } } }],
  ["scorer", scorers({ model: "openai/gpt-4o" }), scorers({ model: "local/tiny" })],
  ["scorer", scorers({ model: { model: "a", config: {} } }), scorers({ model: { model: "b", config: {} } })],
  ["scorer", scorers({}), scorers({ template: "Is it right?" })],
  [
    "scorer",
    { ...scorers({}), model_roles: { grader: { model: "a" } } },
    { ...scorers({}), model_roles: { grader: { model: "b" } } },
  ],
])("%s of a run is compared: %j, %j", (field, left, right) => {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const)
    // prettier-ignore
    expect(differences(protocolOf(one), protocolOf(other))).toEqual([field]);
});

test.each<readonly [Fields, Fields]>([
  [{}, { task_args: { shots: 5 } }],
  [{ task_args: { a: 1, b: 2 } }, { task_args: { b: 2, a: 1, c: null } }],
  [{ task_args: { shots: 5, seed: 1 } }, { task_args: { shots: 5, seed: 2, max_retries: 3, cache_dir: "/c" } }],
  [{ task_args: { data: "/home/a/quiz.jsonl" } }, { task_args: { data: "/mnt/b/quiz.jsonl" } }],
  [{ task_args: { check: "<function check at 0x7f01>" } }, { task_args: { check: "<function check at 0x7f02>" } }],
  [scorers({ model: "a" }), { scorers: null }],
  [scorers({ model: { model: "a", base_url: "http://x:1/v1" } }), scorers({ model: { model: "a", base_url: null } })],
  [
    scorers({ model: "a" }),
    {
      scorers: [
        { name: "other", options: { x: 1 } },
        { name: "pkg/judge", options: { model: "a" } },
      ],
    },
  ],
])("what is written otherwise, isn't there, or is of a machine alone is no difference: %j, %j", (left, right) => {
  const [one, other] = [protocolOf(left), protocolOf(right)];
  expect([differences(one, other), differences(other, one)]).toEqual([[], []]);
});

test("the scorer is that of the metric: by its value's name, and by its number where a task has it twice", () => {
  const scored = scorers({ model: "a" });
  expect(protocolOf(scored, "judge/helpful").scorer).toBe('judge(model="a")');
  expect(protocolOf(scored, "judge1").scorer).toBe('judge(model="a")');
  expect(protocolOf(scored, "match").scorer).toBe("match()");
  expect(protocolOf(scored, "elsewhere").scorer).toBeNull();
});

test.each<readonly [Fields, readonly string[] | null]>([
  [{ task_file: "evals/quiz.py", task_registry_name: "sums" }, ["evals/quiz.py@sums"]],
  [{ task_registry_name: "evals/quiz", task_args: { level: "hard" }, task_args_passed: {} }, ["evals/quiz"]],
  [{ task_registry_name: "hf/org/data", task_args_passed: { shots: 5 } }, ["hf/org/data", "-T", "shots=5"]],
  [
    { task_file: "q.py", task_args: { level: "hard", data: null } },
    ["q.py@quiz", "-T", "level=hard", "-T", "data=null"],
  ],
  [
    { task_file: "q.py", task_args_passed: { a: "5", b: "true", c: "no.1", d: "x: y", e: ["+", "a"], f: { g: 1.5 } } },
    [
      "q.py@quiz",
      ...['a="5"', 'b="true"', "c=no.1", 'd="x: y"', 'e=["+","a"]', 'f={"g":1.5}'].flatMap((own) => ["-T", own]),
    ],
  ],
  [{ task_file: "q.py", task_args_passed: { names: "a,b" } }, null],
  [{ task_registry_name: "quiz" }, null],
  [{}, null],
])("the call of a task, as inspect eval takes it: %j", (own, call) => {
  expect(protocolOf(own).taskCall).toBe(call && JSON.stringify(call));
});
