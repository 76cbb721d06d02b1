import { dirname, join } from "node:path";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import {
  benchResults,
  benchTrial,
  failedBy,
  harborTrial,
  jobResults,
  terminalBenchWriter,
} from "../../../support/terminal-bench-logs.ts";

const folder = tempFolder();
const writer = terminalBenchWriter(folder);
const harness = harnessNamed("terminal-bench");

function importAll(paths: readonly string[], more: Partial<ImportOptions> = {}): Promise<LogImport> {
  const choose = { metric: parseChoices("metric", []), filter: parseChoices("filter", []) };
  return importLogs(harness, paths, {
    onDuplicate: "newest",
    errors: "harness",
    allowMixed: false,
    ...choose,
    ...more,
  });
}

/** Scores by model and task's id. */
function table({ matrix }: LogImport): Record<string, Record<string, number>> {
  return Object.fromEntries(
    matrix.subjects.map((model, m) => [
      model,
      Object.fromEntries(matrix.items.map(({ doc_id: id }, i) => [id, scoreAt(matrix, m, i)])),
    ]),
  );
}

const words = ({ report }: LogImport): string => report.warnings.join("\n");
const resolved = (task: string, is: boolean) => benchTrial(task, { is_resolved: is });

describe("submissions of leaderboards", () => {
  const submission = "20250711_openhands_claude-4-sonnet";
  const place = `board/results/terminal-bench-core@0.1.1/${submission}`;
  // The last has no metadata, as some there.
  const runs = [[true, false], [true, false], [false, false], [true, true], [true, false]] as const; // prettier-ignore
  for (const [k, [a, b]] of runs.entries())
    writer.run(`${place}/run${k}`, [resolved("a.hard", a), resolved("b", b)], k === 4 ? null : { end_time: null });

  test("five runs of one trial a task are one run of five trials", async () => {
    const imported = await importAll([folder.path("board")]);
    expect(table(imported)).toEqual({ [submission]: { "a.hard": Math.fround(0.8), b: Math.fround(0.2) } });
    expect(imported.trials!.map(({ item, scores }) => [item, scores])).toEqual([
      ["terminal-bench/a.hard", [1, 1, 0, 1, 1]],
      ["terminal-bench/b", [0, 0, 0, 1, 0]],
    ]);
    const { report, modelFacts } = imported;
    expect(report.dropped).toEqual([]);
    // The mean of the five accuracies.
    expect(report.scores).toEqual({ compared: 1, equal: 1, different: [] });
    expect(report.protocol).toMatchObject({ taskVersion: "terminal-bench-core 0.1.1" });
    expect(words(imported)).toContain("1 submission of several runs, whose trials count together");
    expect(modelFacts).toEqual([{ model: submission, date: "2025-07-11", agent: "openhands", llm: "claude-4-sonnet" }]);
  });

  test("one of its runs is one trial, under the same name", async () => {
    const imported = await importAll([folder.path(`${place}/run2/results.json`)]);
    expect(table(imported)).toEqual({ [submission]: { "a.hard": 0, b: 0 } });
    expect(imported.trials).toBeUndefined();
  });

  test("parts in several places are one by name; a copy of a trial counts once", async () => {
    const name = "20250825_swe-agent-mini_claude-4-sonnet";
    const [first, second] = [resolved("a", true), resolved("a", false)];
    const folders = [
      writer.run(`parts/terminal-bench-core:0.1.1/${name}/r1`, [first], null),
      writer.run(`parts/terminal-bench-core@0.1.1/${name}/r2`, [second], null),
      writer.run(`copy/terminal-bench-core@0.1.1/${name}/r2`, [second], null),
    ];
    const imported = await importAll(folders);
    expect(table(imported)).toEqual({ [name]: { a: 0.5 } });
    expect(words(imported)).toContain("1 trial of which there is a copy, by id, left out");
    expect(imported.report.scores.compared).toBe(0);
  });

  test("runs may lie in its folder itself, each in a file that its start names; trials without id have a uuid", async () => {
    const flat = "flat/results/terminal-bench-core@0.1.1/20250713_codex-cli_gpt-5";
    const same = { id: undefined, trial_name: "a.1-of-1" };
    for (const [k, is] of [true, false, true].entries()) {
      const trial = { ...resolved("a", is), ...same, uuid: `u-${Math.min(k, 1)}` };
      folder.write(`${flat}/2025-07-0${k + 1}__11-05-09__results.json`, JSON.stringify(benchResults([trial])));
    }
    folder.write(`${flat}/cut_results.json`, "no JSON");
    const imported = await importAll([folder.path("flat")]);
    expect(table(imported)).toEqual({ "20250713_codex-cli_gpt-5": { a: 0.5 } });
    expect(words(imported)).toContain("1 trial of which there is a copy, by id, left out");
  });

  test("a folder on a leaderboard is one submission whatever it is called, also where it is the run's", async () => {
    const board = "odd/results/terminal-bench-core:0.1.1";
    writer.run(`${board}/ob1-09-10-25/ob1_1`, [resolved("a", true)], null);
    writer.run(`${board}/ob1-09-10-25/ob1_2`, [resolved("a", false)], { agent_name: "ob1", model_name: "several" });
    writer.run(`${board}/20250902_orchestrator_qwen-3-coder-480B`, [resolved("a", true), resolved("a", true)], null);
    writer.run(`${board}/20251108_desktop_multiple/r1`, [resolved("a", true)], { model_name: "one" });
    writer.run(`${board}/20251108_desktop_multiple/r2`, [resolved("a", true)], { model_name: "two" });
    const imported = await importAll([folder.path("odd")]);
    expect(table(imported)).toEqual({
      ...{ "ob1-09-10-25": { a: 0.5 }, "20250902_orchestrator_qwen-3-coder-480B": { a: 1 } },
      "20251108_desktop_multiple": { a: 1 },
    });
    expect(words(imported)).toContain(
      '1 submission whose runs name several agents or models, and count as one all the same: "20251108_desktop_multiple"',
    );
    expect(imported.modelFacts!.find(({ model }) => model === "ob1-09-10-25")).toMatchObject({ agent: "ob1", llm: "several" }); // prettier-ignore
  });

  test("a folder that is only called like one is none where its runs name several models", async () => {
    for (const model of ["one", "two"])
      writer.run(`called/20251101_my_runs/${model}`, [resolved("a", model === "one")], { model_name: model });
    expect(table(await importAll([folder.path("called")]))).toEqual({ "terminus/one": { a: 1 }, "terminus/two": { a: 0 } }); // prettier-ignore
    writer.run("agreed/20251101_my_runs/r1", [resolved("a", true)]);
    writer.run("agreed/20251101_my_runs/r2", [resolved("a", false)]);
    expect(table(await importAll([folder.path("agreed")]))).toEqual({ "20251101_my_runs": { a: 0.5 } });
  });

  test("Terminal-Bench 2's: jobs of a submission are its trials, and its folders say the version", async () => {
    const place2 = "two/submissions/terminal-bench/2.0/Droid__GPT-5.3-Codex";
    const zero = { verifier_result: { rewards: { reward: 0 } } };
    writer.job(`${place2}/j1`, [harborTrial("a"), harborTrial("b", zero)], { datasets: [] });
    writer.job(`${place2}/j2`, [harborTrial("a", zero), harborTrial("b", zero)], { datasets: [] }, null);
    folder.write(`${place2}/metadata.yaml`, "agent: Droid");
    const imported = await importAll([folder.path("two")]);
    expect(table(imported)).toEqual({ "Droid__GPT-5.3-Codex": { a: 0.5, b: 0 } });
    expect(imported.report.protocol).toMatchObject({ taskVersion: "terminal-bench 2.0" });
    expect(imported.modelFacts).toEqual([
      { model: "Droid__GPT-5.3-Codex", date: "2026-11-01", agent: "Droid", llm: "GPT-5.3-Codex" },
    ]);
  });
});

describe("runs by themselves", () => {
  test("of several runs of one agent and model the newest counts, or all are trials", async () => {
    const at = (day: number, is: boolean) => benchTrial("a", { is_resolved: is, trial_ended_at: `2025-09-0${day}T00:00:00+00:00` }); // prettier-ignore
    for (const [k, is] of [true, true, false].entries()) writer.run(`again/runs/r${k}`, [at(k + 1, is)]);
    const model = "terminus/anthropic/claude-sonnet-4";
    expect(table(await importAll([folder.path("again")]))).toEqual({ [model]: { a: 0 } });
    const mean = await importAll([folder.path("again")], { onDuplicate: "mean" });
    expect(mean.trials).toEqual([{ model, item: "terminal-bench/a", scores: [0, 1, 1] }]);
    expectRefusal(
      await rejection(importAll([folder.path("again")], { onDuplicate: "error" })),
      "invalid_data",
      `${model} has 3 runs on terminal-bench`,
    );
  });

  test("trials' own results where the run's lacks them, and tb.lock where there are no metadata", async () => {
    const [a, b] = [resolved("a", true), resolved("b", false)];
    const lock = { agent: { name: "ante", model_name: "x/y" }, dataset: { name: "terminal-bench-core", version: "head" }, harness: { version: "0.2.18" } }; // prettier-ignore
    folder.write("single/r/tb.lock", JSON.stringify(lock));
    writer.trial("single/r", a);
    writer.trial("single/r", b);
    const imported = await importAll([folder.path("single")]);
    expect(table(imported)).toEqual({ "ante/x/y": { a: 1, b: 0 } });
    expect(imported.report.protocol).toMatchObject({ taskVersion: "terminal-bench-core head", harnessVersion: "0.2.18" }); // prettier-ignore
    folder.write("single/r/results.json", JSON.stringify(benchResults([a])));
    expect(table(await importAll([folder.path("single")]))).toEqual({ "ante/x/y": { a: 1, b: 0 } });
  });

  test("a run that nothing names is called as its folder, which is said", async () => {
    writer.run("nameless/my-run", [resolved("a", true)], null);
    const imported = await importAll([folder.path("nameless")]);
    expect(table(imported)).toEqual({ "my-run": { a: 1 } });
    expect(words(imported)).toContain("1 run without run_metadata.json and tb.lock, called as its folder");
  });

  test("a job's agents and models are runs of their own", async () => {
    const other = { config: { agent: { name: "codex", model_name: "openai/gpt-5", kwargs: {} } }, agent_info: { name: "codex", model_info: null } }; // prettier-ignore
    writer.job("agents/j", [harborTrial("a"), harborTrial("a", { ...other, ...failedBy("NonZeroAgentExitCodeError") })], {}, null); // prettier-ignore
    expect(table(await importAll([folder.path("agents")]))).toEqual({
      ...{ "terminus-2/anthropic/claude-opus-4-5": { a: 1 }, "codex/openai/gpt-5": { a: 0 } },
    });
  });

  test("runs on several versions are refused", async () => {
    writer.run("versions/r1", [resolved("a", true)], { model_name: "one" });
    writer.run("versions/r2", [resolved("a", true)], { model_name: "two", dataset_version: "head" });
    writer.run("versions/r3", [resolved("a", true)], { model_name: "three", dataset_name: null, dataset_path: "/my/tasks/" }); // prettier-ignore
    writer.job("versions/j", [harborTrial("a")]);
    const refused = await rejection(importAll([folder.path("versions")]));
    for (const value of ["terminal-bench-core 0.1.1", "terminal-bench-core head", "local tasks", "terminal-bench 2.0"])
      expectRefusal(refused, "invalid_data", value);
    writer.job("package/j", [harborTrial("a", { source: "terminal-bench/terminal-bench-2-1" })], {}, null);
    expect((await importAll([folder.path("package")])).report.protocol).toMatchObject({ taskVersion: "terminal-bench-2-1" }); // prettier-ignore
  });
});

describe("trials without a result weren't asked, and are told", () => {
  test("of tb run, planned or begun", async () => {
    const place = writer.run("open/r", [resolved("a", true)], { n_attempts: 2, task_ids: ["a", "b"] });
    writer.run("open/begun", [resolved("a", false)], null);
    folder.write("open/begun/b/b.1-of-1.begun/sessions/agent.cast", "");
    folder.write("open/early/a/a.1-of-1.early/panes/pre-agent.txt", "");
    const imported = await importAll([folder.path("open")]);
    expect(imported.matrix.items.map(({ doc_id: id }) => id)).toEqual(["a"]);
    const [early, begun] = ["early", "begun"].map((name) => join(dirname(place), name)) as [string, string];
    expect(words(imported)).toContain(
      `5 trials that were planned or begun have no result, and count as not asked: "${begun}: 1", "${place}: 3", "${early}: 1"`,
    );
  });

  test("of Harbor, pending, begun, stopped", async () => {
    const cancelled = harborTrial("b", failedBy("CancelledError"));
    const running = harborTrial("c", { verifier_result: null, finished_at: null });
    const trials = [harborTrial("a"), cancelled, running];
    const place = writer.job("stopped/j", trials, {}, jobResults(trials, 5));
    folder.write("stopped/j/d__abcdefg/trial.log", "");
    const imported = await importAll([place]);
    expect(table(imported)).toEqual({ "terminus-2/anthropic/claude-opus-4-5": { a: 1 } });
    expect(words(imported)).toContain(`4 trials that were planned or begun have no result, and count as not asked: "${place}: 4"`); // prettier-ignore
  });
});

describe("files that are no trials", () => {
  test("a folder's are passed over where they are something else, and refused where they are broken", async () => {
    const place = writer.run("mixed/r", [resolved("a", true)]);
    for (const [name, value] of [
      ["results.json", [1]],
      ["x/result.json", { score: 1 }],
      ["y/results.json", { results: [] }],
    ] as const)
      // prettier-ignore
      folder.write(`mixed/${name}`, JSON.stringify(value));
    folder.write("mixed/r/a/agent-logs/session.jsonl", "{}");
    folder.write("mixed/notes.json", "no JSON");
    expect(words(await importAll([dirname(place)]))).toBe("");
    folder.write("broken/r/results.json", '{"results": [{"task_id": "a", "is_res');
    expectRefusal(await rejection(importAll([folder.path("broken")])), "invalid_data", "results.json: it is not valid JSON"); // prettier-ignore
  });

  test.each<[string, unknown]>([
    ["run_metadata.json", { run_id: "r", agent_name: "a" }],
    ["result.json", jobResults([harborTrial("a")])],
    ["other.json", { resolved_ids: [] }],
    ["list.json", [benchTrial("a")]],
  ])("%s is refused where it is named", async (name, value) => {
    const file = folder.write(`named/${name}`, JSON.stringify(value));
    expectRefusal(await rejection(importAll([file])), "invalid_data", `${file}: there is no trial of Terminal-Bench`);
  });

  test("a folder without any is refused, and so is a job's results alone", async () => {
    folder.write("alone/j/result.json", JSON.stringify(jobResults([harborTrial("a")])));
    expectRefusal(await rejection(importAll([folder.path("alone")])), "invalid_data", "a job's own doesn't replace");
  });

  test("a trial's file that lies elsewhere belongs to those beside it", async () => {
    const files = [resolved("a", true), resolved("b", false)].map((trial, k) =>
      folder.write(`loose/${k}.json`, JSON.stringify(trial)),
    );
    expect(table(await importAll(files))).toEqual({ loose: { a: 1, b: 0 } });
  });
});
