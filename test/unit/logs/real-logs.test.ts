import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { logFileName, readLmEvalResults } from "anchoreval/internal/logs/lm-eval/read-results";
import { taskProtocol } from "anchoreval/internal/logs/protocol";
import type { RunResults, RunSamples } from "anchoreval/internal/logs/run-log";
import { ancestors, groupOfTask, groupWeighting, leafTasks } from "anchoreval/internal/logs/task-groups";
import { describe, expect, it } from "vitest";
import { countedSample } from "../../support/counted-sample.ts";
import { readLmEvalSamples } from "../../support/lm-eval-samples.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

/** Written by lm-evaluation-harness 0.4.13 itself: generate.py beside it. */
const LOGS = fileURLToPath(new URL("../../fixtures/lm-eval/logs", import.meta.url));

function results(model: string): RunResults {
  const name = readdirSync(join(LOGS, model)).find((file) => logFileName(file)?.kind === "results")!;
  return readLmEvalResults(readFileSync(join(LOGS, model, name), "utf8"), name);
}

function samples(model: string, task: string, chosen: { metric?: string; filter?: string } = {}): RunSamples {
  const file = readdirSync(join(LOGS, model)).find((name) => logFileName(name)?.task === task)!;
  return readLmEvalSamples(readFileSync(join(LOGS, model, file), "utf8").split("\n"), {
    file,
    task,
    results: results(model).tasks.get(task),
    ...chosen,
  });
}

describe("a results file of lm-eval 0.4.13", () => {
  const read = results("Org__dummy-0");

  it("names model, version, tasks, groups and counts", () => {
    expect(read).toMatchObject({
      model: "Org/dummy-0",
      harnessVersion: "0.4.13",
      chatTemplate: false,
      systemInstruction: "none",
    });
    expect([...read.tasks.keys()]).toEqual(["toy_bio", "toy_geo", "toy_phys", "toy_sums"]);
    expect(read.tasks.get("toy_sums")).toMatchObject({
      version: "2",
      shots: 0,
      filters: ["strict-match", "flexible-extract"],
      documents: { all: 3, run: 3 },
    });
    expect(results("Org__anchors").tasks.get("toy_bio")!.documents).toEqual({ all: 5, run: 3 });
  });

  it("has groups: the topmost with a score is a task's scenario", () => {
    expect(ancestors(read, "toy_bio")).toEqual(["toy_science", "toy", "toy_board"]);
    expect(leafTasks(read, "toy_board")).toEqual(["toy_bio", "toy_phys", "toy_geo", "toy_sums"]);
    expect(groupOfTask(read, "toy_bio")).toBe("toy");
    expect(groupOfTask(read, "toy_sums")).toBeNull();
  });

  it("tells the weighting by the scores", () => {
    const told = ["Org__dummy-0", "Org__dummy-1"].map(results);
    expect(told.map((file) => groupWeighting(file, "toy", "acc,none"))).toContain("items");
    expect(told.map((file) => groupWeighting(file, "toy", "acc_norm,none"))).toContain("subscenarios");
    expect(groupWeighting(read, "toy", "mcc,none")).toBeNull();
    expect(groupWeighting(read, "toy_board", "acc,none")).toBeNull();
  });

  it("tells the folders of tasks of one's own", () => {
    const file = "Org__dummy-0/results_2026-11-21T10-04-03.044278.json";
    const text = readFileSync(join(LOGS, file), "utf8");
    const callFrom = (source: string): unknown =>
      readLmEvalResults(text.replaceAll('"toy_bio.yaml"', JSON.stringify(source)), file).tasks.get("toy_bio")!.call;
    expect(callFrom("tasks/toy/toy_bio.yaml")).toEqual(["--include_path", "tasks/toy"]);
    expect(callFrom("C:\\tasks\\toy_bio.yml")).toEqual(["--include_path", "C:\\tasks"]);
    expect(callFrom("/venv/lib/python3.12/site-packages/lm_eval/tasks/toy/toy_bio.yaml")).toBeUndefined();
    expect(callFrom("inline")).toBeUndefined();
  });

  it("tells the protocol", () => {
    expect(taskProtocol(read, { task: "toy_bio", metric: "acc", filter: "none" })).toEqual({
      taskVersion: "1",
      shots: 0,
      epochs: null,
      chatTemplate: false,
      systemInstruction: "none",
      fewshotAsMultiturn: null,
      solver: null,
      taskArguments: null,
      scorer: null,
      taskCall: '["--include_path","."]',
      metric: "acc",
      filter: "none",
      generation: null,
      harnessVersion: "0.4.13",
    });
  });
});

describe("samples files of lm-eval 0.4.13", () => {
  it.each([
    ["toy_bio", "acc", "none"],
    ["toy_geo", "acc_norm", "none"],
    ["toy_sums", "exact_match", "flexible-extract"],
  ])("of %s give the harness's own %s", (task, metric, filter) => {
    const { samples: read } = samples("Org__dummy-0", task, { metric, filter });
    const mean = read.reduce((sum, own) => sum + countedSample(own).score!, 0) / read.length;
    expect(mean).toBeCloseTo(results("Org__dummy-0").tasks.get(task)!.aggregates.get(`${metric},${filter}`)!, 12);
  });

  it("have the same hash for the same document in every run, wherever the harness mislabels its number", () => {
    const full = new Map(samples("Org__dummy-0", "toy_bio", { metric: "acc" }).samples.map((s) => [s.doc_id, s.hash]));
    expect(new Set(full.values()).size).toBe(5);
    for (const { doc_id, hash } of samples("Org__anchors", "toy_bio", { metric: "acc" }).samples)
      expect(hash).toBe(full.get(doc_id));
    // --samples [4, 1]: the harness ran documents 1 and 4, and labelled them 4 and 1.
    const unsorted = samples("Org__unsorted", "toy_bio", { metric: "acc" }).samples;
    expect(unsorted.map(({ doc_id, hash }) => [doc_id, hash])).toEqual([
      [4, full.get(1)],
      [1, full.get(4)],
    ]);
  });

  it("need a choice of metric and filter, without those of the whole corpus", () => {
    expectRefusal(
      refusal(() => samples("Org__dummy-0", "toy_bio")),
      "invalid_option",
      "`metric`: acc, acc_norm",
    );
    expectRefusal(
      refusal(() => samples("Org__dummy-0", "toy_sums")),
      "invalid_option",
      "`filter`: strict-match, flexible-extract",
    );
    expectRefusal(
      refusal(() => samples("Org__dummy-0", "toy_sums", { metric: "bleu" })),
      "unsupported",
      "bleu is computed",
    );
  });
});

describe("a results file", () => {
  it("says whether a chat template was applied, in the ways of its versions", () => {
    const applied = (root: object): boolean | null =>
      readLmEvalResults(JSON.stringify({ results: {}, configs: {}, ...root }), "r.json").chatTemplate;
    expect([null, "", "{{ messages }}"].map((chat_template) => applied({ chat_template }))).toEqual([
      false,
      false,
      true,
    ]);
    expect(applied({})).toBeNull();
  });

  it("is refused where it is something else", () => {
    expectRefusal(
      refusal(() => readLmEvalResults("{", "r.json")),
      "invalid_data",
      "r.json: the file is not valid JSON",
    );
    expectRefusal(
      refusal(() => readLmEvalResults("{}", "r.json")),
      "invalid_data",
      "r.json: this is no results file",
    );
  });

  it("names a checkpoint by its revision, and a model by its arguments where older versions don't", () => {
    const model = (root: object): string | null =>
      readLmEvalResults(JSON.stringify({ results: {}, configs: {}, ...root }), "r.json").model;
    expect(model({ model_name: "a/b", config: { model_args: "pretrained=a/b,revision=step1000" } })).toBe(
      "a/b@step1000",
    );
    expect(model({ model_name: "a/b", config: { model_args: "pretrained=a/b,revision=main" } })).toBe("a/b");
    expect(model({ config: { model_args: { pretrained: "a/b", peft: "a/c" } } })).toBe("a/c");
    expect(model({})).toBeNull();
  });
});

it("has one text for the same arguments, in whatever order and form they are logged", () => {
  const textOf = (model_args: unknown): string | null =>
    readLmEvalResults(JSON.stringify({ results: {}, configs: {}, config: { model_args } }), "results.json")
      .modelArguments;
  const alike = [
    "pretrained=org/a,dtype=float16,load_in_4bit=True,top_p=0.90",
    "dtype=float16, load_in_4bit=true,pretrained=org/a,top_p=.9,revision=None,",
    { top_p: 0.9, load_in_4bit: true, pretrained: "org/a", dtype: "float16", revision: null },
  ];
  for (const form of alike) expect(textOf(form)).toBe("dtype=float16,load_in_4bit=true,pretrained=org/a,top_p=0.9");
  expect(textOf(null)).toBeNull();
  for (const none of ["", {}, "revision=None"]) expect(textOf(none)).toBe("");
  expect(textOf("pretrained=org/a,stop=x=y")).toBe(textOf({ pretrained: "org/a", stop: "x=y" }));
  expect(textOf("pretrained=org/a,dtype=float16")).not.toBe(textOf("pretrained=org/a"));
});
