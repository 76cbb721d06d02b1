import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { benchTrial, failedBy, harborTrial, terminalBenchWriter } from "../../../support/terminal-bench-logs.ts";

type Fields = Readonly<Record<string, unknown>>;

const folder = tempFolder();
const writer = terminalBenchWriter(folder);
let places = 0;

function importAll(paths: readonly string[], metric: string[] = [], more: Partial<ImportOptions> = {}) {
  const choose = { metric: parseChoices("metric", metric), filter: parseChoices("filter", []) };
  const options = { onDuplicate: "newest", errors: "harness", allowMixed: false, ...choose, ...more } as const;
  return importLogs(harnessNamed("terminal-bench"), paths, options);
}

const runOf = (trials: readonly Fields[], metadata?: Fields): string => writer.run(`${++places}/runs/r`, trials, metadata); // prettier-ignore
const jobOf = (trials: readonly Fields[], config?: Fields): string => writer.job(`${++places}/jobs/j`, trials, config);

/** Scores of the only model, by item. */
function scores({ matrix }: LogImport): Record<string, number> {
  expect(matrix.subjects).toHaveLength(1);
  return Object.fromEntries(matrix.items.map(({ item_id: id }, i) => [id, scoreAt(matrix, 0, i)]));
}

describe("runs of tb run", () => {
  const trials = [
    benchTrial("hello-world"),
    benchTrial("crack-7z-hash.hard", { is_resolved: false, total_input_tokens: 0, total_output_tokens: 0 }),
    benchTrial("late", { failure_mode: "agent_timeout" }),
    benchTrial("too-late", { failure_mode: "agent_timeout", is_resolved: false, total_input_tokens: null }),
    benchTrial("unjudged", { failure_mode: "test_timeout", is_resolved: null, trial_ended_at: null }),
    benchTrial("unread", { failure_mode: "none", is_resolved: null }),
  ];

  test("a trial is resolved or not, whatever failed; what failed and isn't is told", async () => {
    const imported = await importAll([runOf(trials)]);
    expect(imported.matrix.subjects).toEqual(["terminus/anthropic/claude-sonnet-4"]);
    expect(scores(imported)).toEqual({
      "terminal-bench/crack-7z-hash.hard": 0,
      "terminal-bench/hello-world": 1,
      "terminal-bench/late": 1,
      "terminal-bench/too-late": 0,
      "terminal-bench/unjudged": 0,
      "terminal-bench/unread": 0,
    });
    const { report, modelFacts } = imported;
    expect(report.tasks).toEqual([{ task: "terminal-bench", metric: "resolved", filter: "none" }]);
    expect(report.attempts).toEqual({ scored: 3, failed: 3, missing: 0 });
    expect(report.warnings.join("\n")).toContain('"agent_timeout" once, "test_timeout" once, "no verdict" once');
    // accuracy, of which null is unresolved
    expect(report.scores).toEqual({ compared: 1, equal: 1, different: [] });
    expect(report.protocol).toMatchObject({ taskVersion: "terminal-bench-core 0.1.1" });
    expect(modelFacts).toEqual([
      { model: "terminus/anthropic/claude-sonnet-4", date: "2025-09-01", agent: "terminus", llm: "claude-sonnet-4" },
    ]);
  });

  test("with `errors` missing a trial that failed has no score", async () => {
    const other = runOf(trials.map((trial) => ({ ...trial, is_resolved: true })), { model_name: "other" }); // prettier-ignore
    const { matrix } = await importAll([runOf(trials), other], [], { errors: "missing" });
    const row = matrix.subjects.indexOf("terminus/anthropic/claude-sonnet-4");
    const missing = matrix.items.filter((_, i) => Number.isNaN(scoreAt(matrix, row, i)));
    expect(missing.map(({ doc_id }) => doc_id)).toEqual(["too-late", "unjudged", "unread"]);
  });

  test("a trial takes its tokens in and out, of which 0 and null are unknown, and its seconds from begin to end", async () => {
    const { report, prices } = await importAll([runOf(trials)]);
    expect(report.prices).toEqual([
      { column: "tokens", models: 1, total: 6600, assumed: ["terminal-bench/crack-7z-hash.hard", "terminal-bench/too-late"] }, // prettier-ignore
      { column: "seconds", models: 1, total: 1800, assumed: ["terminal-bench/unjudged"] },
    ]);
    expect(prices![0]!.items.get("terminal-bench/hello-world")).toBeCloseTo(1100, 9);
  });

  test("several attempts of a task are its trials", async () => {
    const several = [true, false, true, true].map((resolved) => benchTrial("hello-world", { is_resolved: resolved }));
    const imported = await importAll([runOf([...several, ...several.map((_, k) => benchTrial("a.b", { is_resolved: k === 0 }))])]); // prettier-ignore
    expect(scores(imported)).toEqual({ "terminal-bench/a.b": 0.25, "terminal-bench/hello-world": 0.75 });
    expect(imported.report.trials).toEqual({ scores: 8, cells: 2, fewest: 4, most: 4 });
    expect(imported.report.scores).toMatchObject({ compared: 1, equal: 1 });
    // A mean over trials is none over tasks where tasks have other numbers of them.
    const unequal = await importAll([runOf([...several, benchTrial("a.b", { is_resolved: false })])]);
    expect(unequal.report.scores.compared).toBe(0);
  });

  test.each<[string, Fields | unknown[], string]>([
    ["no task_id", { task_id: undefined }, "a trial has no task_id"],
    ["an empty task_id", { task_id: "" }, "a trial has no task_id"],
    ["no trial_name", { trial_name: "", id: null }, "a trial of broken has no trial_name"],
    ["a word for a verdict", { is_resolved: "true" }, 'must be true, false or null, got the text "true"'],
    ["a number for a verdict", { is_resolved: 1 }, "must be true, false or null, got a number"],
    ["tokens below 0", { total_input_tokens: -5000 }, "tokens of an answer are a number above 0, got -4900"],
  ])("%s is refused", async (_, more, words) => {
    const place = `${++places}/broken`;
    folder.write(`${place}/results.json`, JSON.stringify({ results: [benchTrial("fine"), benchTrial("broken", more as Fields)] })); // prettier-ignore
    expectRefusal(await rejection(importAll([folder.path(place)])), "invalid_data", words);
  });

  test("a trial that isn't an object, and one that is there twice, are refused", async () => {
    const place = folder.write(`${++places}/results.json`, JSON.stringify({ results: [benchTrial("fine"), 7] }));
    expectRefusal(await rejection(importAll([place])), "invalid_data", "a trial has no task_id");
    const name = { trial_name: "fine.1-of-1.r" };
    const twice = runOf([benchTrial("fine", name), benchTrial("fine", name)]);
    expectRefusal(await rejection(importAll([twice])), "invalid_data", "trial fine.1-of-1.r is there twice");
  });
});

describe("jobs of Harbor", () => {
  test("the reward counts, by the leaderboard's rule 0 where nothing was judged", async () => {
    const trials = [
      harborTrial("chess-best-move"),
      harborTrial("chess-best-move", { verifier_result: { rewards: { reward: 0 } } }),
      harborTrial("terminal-bench/fix-git", { ...failedBy("AgentTimeoutError"), verifier_result: { rewards: { reward: 1 } }, reward_valid: true }), // prettier-ignore
      harborTrial("fix-git", failedBy("EnvironmentStartTimeoutError")),
      harborTrial("regex-log", { ...failedBy("ApiRateLimitError"), verifier_result: { rewards: { reward: 0.5 } } }),
      harborTrial("regex-log", { ...failedBy("VerifierTimeoutError"), verifier_result: { rewards: null } }),
    ];
    const place = jobOf(trials);
    const imported = await importAll([place]);
    expect(imported.matrix.subjects).toEqual(["terminus-2/anthropic/claude-opus-4-5"]);
    expect(scores(imported)).toEqual({
      "terminal-bench/chess-best-move": 0.5,
      "terminal-bench/fix-git": 0.5,
      "terminal-bench/regex-log": 0.25,
    });
    expect(imported.report.tasks).toEqual([{ task: "terminal-bench", metric: "reward", filter: "none" }]);
    expect(imported.report.attempts).toEqual({ scored: 3, failed: 3, missing: 0 });
    expect(imported.report.protocol).toMatchObject({ taskVersion: "terminal-bench 2.0" });
    expect(imported.report.warnings.join("\n")).toContain('"EnvironmentStartTimeoutError" once');
    // Harbor 0.26 leaves trials out that count here.
    expect(imported.report.scores.compared).toBe(0);
    expect(imported.modelFacts).toEqual([
      { model: "terminus-2/anthropic/claude-opus-4-5", date: "2026-11-01", agent: "terminus-2", llm: "claude-opus-4-5" }, // prettier-ignore
    ]);
    // Those of Harbor 0.26, which leaves out what has no valid reward.
    expect(scores(await importAll([place], [], { errors: "missing" }))).toEqual({
      "terminal-bench/chess-best-move": 0.5,
      "terminal-bench/fix-git": 1,
      "terminal-bench/regex-log": NaN,
    });
  });

  test("full scores are the job's own where every reward is valid; before 0.26 a trial without one was 0 there too", async () => {
    const valid = [harborTrial("a"), harborTrial("b", { verifier_result: { rewards: { reward: 0.25 } } })];
    expect((await importAll([jobOf(valid)])).report.scores).toEqual({ compared: 1, equal: 1, different: [] });
    const old = { schema_version: undefined, reward_valid: undefined };
    const trials = [harborTrial("a", old), harborTrial("b", { ...failedBy("DaytonaError"), ...old })];
    const stats = (mean: number): Fields => ({
      evals: { "terminus-2__claude-opus-4-5__terminal-bench": { n_trials: 1, metrics: [{ mean }], reward_stats: { reward: { "1.0": [trials[0]!["trial_name"]] } } } }, // prettier-ignore
    });
    const own = (mean: number): string => writer.job(`${++places}/jobs/j`, trials, {}, { n_total_trials: 2, stats: stats(mean) }); // prettier-ignore
    expect((await importAll([own(0.5)])).report.scores).toEqual({ compared: 1, equal: 1, different: [] });
    const { scores: other, warnings } = (await importAll([own(0.75)])).report;
    expect(other).toMatchObject({ compared: 1, equal: 0, different: [{ imported: 0.5, harness: 0.75 }] });
    expect(warnings.join("\n")).toContain("1 score differs from the harness's own");
  });

  test("tokens, dollars and the agent's seconds; of a task in steps their sum, and nothing where a step lacks them", async () => {
    const step = (seconds: number, cost: number | null): Fields => ({
      agent_result: { n_input_tokens: 100, n_output_tokens: 10, cost_usd: cost },
      agent_execution: { started_at: "2026-11-01T12:00:00Z", finished_at: `2026-11-01T12:00:${seconds}Z` },
    });
    const steps = { agent_result: null, agent_execution: null, step_results: [step(10, 0.25), step(20, 0.5)] };
    const unpriced = { ...steps, step_results: [step(10, 0.25), step(20, null)] };
    const { prices, report } = await importAll([
      jobOf([harborTrial("one"), harborTrial("steps", steps), harborTrial("unpriced", unpriced), harborTrial("lost", failedBy("DaytonaError"))]), // prettier-ignore
    ]);
    const ofKind = Object.fromEntries(prices!.map(({ kind, items }) => [kind, items]));
    expect(ofKind["tokens"]!.get("terminal-bench/one")).toBeCloseTo(1300, 9);
    expect(ofKind["tokens"]!.get("terminal-bench/steps")).toBeCloseTo(220, 9);
    expect(ofKind["seconds"]!.get("terminal-bench/one")).toBeCloseTo(240, 9);
    expect(ofKind["seconds"]!.get("terminal-bench/steps")).toBeCloseTo(30, 9);
    expect(ofKind["price"]!.get("terminal-bench/one")).toBeCloseTo(0.12, 9);
    expect(ofKind["price"]!.get("terminal-bench/steps")).toBeCloseTo(0.75, 9);
    expect(report.prices!.map(({ column, assumed }) => [column, assumed])).toEqual([
      ["tokens", ["terminal-bench/lost"]],
      ["seconds", ["terminal-bench/lost"]],
      ["price", ["terminal-bench/lost", "terminal-bench/unpriced"]],
    ]);
  });

  test("of several rewards `reward` counts, else the one that `metric` names; a key that all have counts by itself", async () => {
    const rewarded = (rewards: Fields): string => jobOf([harborTrial("a", { verifier_result: { rewards } })]);
    expect(scores(await importAll([rewarded({ accuracy: 0.5 })]))).toEqual({ "terminal-bench/a": 0.5 });
    expect(scores(await importAll([rewarded({ speed: 0.1, reward: 1 })]))).toEqual({ "terminal-bench/a": 1 });
    const place = rewarded({ speed: 0.25, style: 0.75 });
    expectRefusal(await rejection(importAll([place])), "invalid_option", "choose one with `metric`: speed, style");
    expect(scores(await importAll([place], ["style"]))).toEqual({ "terminal-bench/a": 0.75 });
    expectRefusal(await rejection(importAll([place], ["grace"])), "invalid_option", "has no metric grace");
  });

  test("other datasets are tasks of their own; what no verifier judged has no score", async () => {
    const source = "swe-bench/swe-bench-verified";
    const place = jobOf(
      [harborTrial("a"), harborTrial("django__django-1", { source }), harborTrial("b", { source: null })],
      { datasets: [{ name: "terminal-bench", version: "2.0" }, { name: source, version: null, ref: "sha256:12" }] },
    ); // prettier-ignore
    const { report, matrix } = await importAll([place]);
    expect(matrix.items.map(({ item_id: id }) => id).sort()).toEqual([
      ...["adhoc/b", "swe-bench-verified/django__django-1", "terminal-bench/a"],
    ]);
    expect(report.protocol).toMatchObject({
      "taskVersion/terminal-bench": "terminal-bench 2.0",
      "taskVersion/swe-bench-verified": "swe-bench-verified sha256:12",
    });
    const unjudged = { verifier_result: null, reward_valid: false, config: { verifier: { disable: true } } };
    expectRefusal(
      await rejection(importAll([jobOf([harborTrial("a", unjudged)])])),
      "invalid_data",
      "a run without any score is passed over: 1 without a score",
    );
  });

  test.each<[string, Fields, string]>([
    ["no task_name", { task_name: undefined }, "the trial has no task_name"],
    ["no verifier_result", { verifier_result: undefined }, "verifier_result has no rewards by name"],
    ["no trial_name", { trial_name: 7 }, "the trial has no trial_name"],
    ["a result of another shape", { verifier_result: { reward: 1 } }, "verifier_result has no rewards by name"],
    ["a list for rewards", { verifier_result: { rewards: [1] } }, "verifier_result has no rewards by name"],
    ["a reward off the scale", { verifier_result: { rewards: { reward: 7 } } }, "reward is 7: for scores that are not in [0,1]"], // prettier-ignore
    ["text for a reward", { verifier_result: { rewards: { reward: "good" } } }, 'there is no score: 1 value of reward is no score: "good" once'], // prettier-ignore
  ])("%s is refused", async (_, more, words) => {
    const file = folder.write(`${++places}/result.json`, JSON.stringify(harborTrial("a", more)));
    expectRefusal(await rejection(importAll([file])), "invalid_data", words);
  });

  test("two tasks of one id, and a job on two versions, are refused", async () => {
    const same = jobOf([harborTrial("one/a"), harborTrial("two/a")]);
    expectRefusal(await rejection(importAll([same])), "invalid_data", "one/a and two/a are two tasks of one id");
    const datasets = ["2.0", "2.1"].map((version) => ({ name: "terminal-bench", version }));
    const both = jobOf([harborTrial("a")], { datasets });
    expectRefusal(await rejection(importAll([both])), "invalid_data", "ran terminal-bench in the versions 2.0 and 2.1");
  });

  test("on another scale a trial that failed counts as the worst", async () => {
    const reward = (value: number): Fields => ({ verifier_result: { rewards: { reward: value } } });
    const place = jobOf([harborTrial("a", reward(2)), harborTrial("b", reward(8)), harborTrial("c", failedBy("DaytonaError"))]); // prettier-ignore
    const [a, b, c] = Object.values(scores(await importAll([place], [], { scoreRange: [10, 0] })));
    expect([a, b]).toEqual([expect.closeTo(0.8, 6), expect.closeTo(0.2, 6)]);
    expect(c).toBe(0);
  });
});
