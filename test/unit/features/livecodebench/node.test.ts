import { dirname, join } from "node:path";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { importLogs, type ImportOptions, type LogImport } from "../../../../features/import/fit/import-logs.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const GRADED = "Scenario.codegeneration_2_0.2_eval_all.json";

function imported(paths: readonly string[], more: Partial<ImportOptions> = {}): Promise<LogImport> {
  return importLogs(harnessNamed("livecodebench"), paths, {
    ...{ metric: parseChoices("metric", []), filter: parseChoices("filter", []) },
    ...{ onDuplicate: "newest", errors: "harness", allowMixed: false },
    ...more,
  });
}

const write = (path: string, value: unknown): string => folder.write(path, JSON.stringify(value));

/** A run's grades by question, as `--evaluate` writes them. */
const graded = (grades: Readonly<Record<string, readonly boolean[]>>): object[] =>
  Object.entries(grades).map(([id, list]) => ({
    ...{ question_id: id, question_content: `Solve ${id}.`, starter_code: "", output_list: list.map(() => "pass") },
    ...{ code_list: list.map(() => "pass"), graded_list: list, metadata: [] },
    "pass@1": list.filter(Boolean).length / list.length,
  }));

/** What `…_eval.json` has: the run's scores, results of tests by position, metadata. */
const scores = (pass: number): unknown[] => [{ "pass@1": pass, detail: { "pass@1": { "0": pass } } }, { "0": [[true]] }, [["{}"]]]; // prettier-ignore

const [A, B] = [
  { "1873_A": [true, false], "2727": [true, true] },
  { "1873_A": [false, false], "2727": [true, false] },
];
const answers = graded(A).map((question) => ({ ...question, graded_list: undefined, "pass@1": undefined }));

function cells({ matrix }: LogImport): Record<string, Record<string, number>> {
  const { subjects, items, scores: all, stride } = matrix;
  return Object.fromEntries(
    subjects.map((model, m) => [
      model,
      Object.fromEntries(items.map(({ item_id: id }, i) => [id, Number(all[m * stride + i])])),
    ]),
  );
}

describe("a folder of models, as the runner and the submissions have it", () => {
  const board = (name: string): string => {
    write(`${name}/Model-A/${GRADED}`, graded(A));
    write(`${name}/Model-A/${GRADED.replace("_all", "")}`, scores(0.75));
    write(`${name}/Model-A/${GRADED.replace("_eval_all", "")}`, answers);
    write(`${name}/Model-B/Scenario.codegeneration_2_0.2_eval_all_v5_no_cot.json`, graded(B));
    folder.write(`${name}/Model-B/README.json`, "no JSON");
    write(`${name}/package.json`, { name: "website" });
    return folder.path(name);
  };

  test("is imported: models, items, trials, how they were made, and the run's own score", async () => {
    const read = await imported([board("board")]);
    expect(cells(read)).toEqual({
      "Model-A": { "livecodebench/1873_A": 0.5, "livecodebench/2727": 1 },
      "Model-B": { "livecodebench/1873_A": 0, "livecodebench/2727": 0.5 },
    });
    expect(read.matrix.items[0]).toMatchObject({ task: "livecodebench", doc_id: "1873_A", text: "Solve 1873_A." });
    expect(read.trials).toHaveLength(4);
    expect(read.report).toMatchObject({
      scores: { compared: 1, equal: 1 },
      protocol: { harness: "livecodebench", metric: "pass@1", epochs: 2, generation: '{"temperature":0.2}' },
      attempts: { scored: 8, failed: 0, missing: 0 },
    });
    expect(read.report.warnings.filter((words) => words.includes("left out"))).toEqual([]);
    const off = board("off");
    write(`off/Model-A/${GRADED.replace("_all", "")}`, scores(0.5));
    expect((await imported([off])).report.scores).toMatchObject({ compared: 1, equal: 0 });
  });

  test("files named one by one may be all that a run has", async () => {
    const place = board("named");
    const names = [GRADED, GRADED.replace("_all", ""), GRADED.replace("_eval_all", "")];
    const read = await imported(names.map((name) => join(place, "Model-A", name)));
    expect(read.matrix.subjects).toEqual(["Model-A"]);
    write(`named/Model-A/${GRADED.replace("_all", "")}`, {});
    expect((await imported([join(place, "Model-A", GRADED)])).report.scores.compared).toBe(0);
  });

  test("what a folder has without grades is told, with what to do", async () => {
    const place = board("begun");
    write("begun/Model-C/Scenario.codegeneration_2_0.2.json", answers);
    write("begun/Model-D/Scenario.codegeneration_eval_all.json", { model: "D", total_problems: 400, pass_at_1: 100 });
    write("begun/mocks/performances_execution.json", { performances: [], models: [] });
    const { report } = await imported([place]);
    expect(report.models).toBe(2);
    const remarks = report.warnings.filter((words) => words.includes("left out"));
    expect(remarks).toHaveLength(3);
    expect(remarks[0]).toMatch(/Model-C.*--evaluate/);
    expect(remarks[1]).toMatch(/Model-D.*no question with graded_list/);
    expect(remarks[2]).toMatch(/performances_execution.*other scenarios/);
  });

  test("another number of samples isn't made alike, unless it is allowed", async () => {
    const place = board("mixed");
    write("mixed/Model-E/Scenario.codegeneration_1_0.2_eval_all.json", graded({ "1873_A": [true], "2727": [false] }));
    expectRefusal(await rejection(imported([place])), "invalid_data", "epochs");
    expect((await imported([place], { allowMixed: true })).report.models).toBe(3);
  });

  test("two files of a model are two runs: one counts, and it is said how they differ", async () => {
    const place = board("twice");
    write("twice/Model-A/Scenario.codegeneration_2_0.8_eval_all.json", graded(B));
    const { report } = await imported([place]);
    expect(report.dropped).toHaveLength(1);
    expect(report.warnings.join("\n")).toMatch(
      /not made alike: generation settings \{"temperature":0.[28]\}, in another/,
    );
  });

  test.each([
    ["nvidia", ["gpt-4o_Scenario.codegeneration_release_v6_2__eval_all.json", "opus_Scenario.codegeneration_release_v6_2__eval_all.json"], ["gpt-4o", "opus"]], // prettier-ignore
    ["custom", ["gpt-4o_codegeneration_output_eval_all.json", "opus_codegeneration_output_eval_all.json"], ["custom/gpt-4o", "custom/opus"]], // prettier-ignore
    ["Model-F", ["answers_codegeneration_output_eval_all.json"], ["Model-F"]],
  ])("several models in one folder %s are told apart by their files' names", async (place, names, models) => {
    for (const [k, name] of names.entries()) write(`flat/${place}/${name}`, graded([A, B][k]!));
    expect((await imported([folder.path(`flat/${place}`)])).matrix.subjects).toEqual(models);
  });

  test("other scenarios are other tasks", async () => {
    const place = folder.path("scenarios");
    write(`scenarios/M/${GRADED}`, graded(A));
    write("scenarios/M/Scenario.selfrepair_10_2_0.2_eval_all.json", graded(B));
    write("scenarios/M/Scenario.codeexecution_1_0.2_cot_eval_all.json", [{ id: "sample_0", pred_list: ["1"], graded_list: [true] }]); // prettier-ignore
    const logs = await harnessNamed("livecodebench").find([place]);
    expect(logs.map(({ task, results }) => [task, results!.solver])).toEqual([
      ["livecodebench-codeexecution", "cot"],
      ["livecodebench", null],
      ["livecodebench-selfrepair", null],
    ]);
  });
});

describe("the site's file", () => {
  const site = {
    performances: [
      { question_id: "1873_A", model: "A", date: 1692662400000, difficulty: "easy", "pass@1": 20.0, platform: "x" },
      { question_id: "2727", model: "A", date: 1692662400000, difficulty: "easy", "pass@1": 100.0, platform: "x" },
      { question_id: "2727", model: "B", date: 1692662400000, difficulty: "easy", "pass@1": 0.0, platform: "x" },
    ],
    models: [{ model_name: "a", model_repr: "A", model_style: "GenericBase", release_date: 1633071600000 }],
    date_marks: [],
  };

  test("has several models; what a model wasn't asked is missing", async () => {
    const read = await imported([write("site/performances_generation.json", site)]);
    expect(read.matrix.subjects).toEqual(["A", "B"]);
    expect(Array.from(read.matrix.observed!)).toEqual([1, 1, 0, 1]);
    expect(cells(read)["A"]!["livecodebench/1873_A"]).toBeCloseTo(0.2, 7);
    expect(read.modelFacts).toEqual([{ model: "A", date: "2021-10-01" }, { model: "B" }]);
    expect(read.report.scores.compared).toBe(0);
    expect(read.report.protocol).not.toHaveProperty("epochs");
  });

  test("of repairs is another task", async () => {
    const [log] = await harnessNamed("livecodebench").find([write("site/performances_repair.json", site)]);
    expect(log!.task).toBe("livecodebench-selfrepair");
  });

  test("under a name that doesn't tell its scenario is refused", async () => {
    for (const name of ["performances_testgen.json", "performances_execution.json", "data.json"])
      expectRefusal(await rejection(imported([write(`site/${name}`, site)])), "invalid_data", "under these names");
  });
});

test.each<[string, string, unknown, string]>([
  ["answers without grades", "Scenario.codegeneration_2_0.2.json", answers, "--evaluate writes …_eval_all.json"],
  ["a run's scores alone", "Scenario.codegeneration_2_0.2_eval.json", scores(0.5), "--evaluate writes …_eval_all.json"],
  ["nothing", "Scenario.codegeneration_2_0.2_eval.json", {}, "there is no graded run of LiveCodeBench"],
  ["a summary", "Scenario.codegeneration_eval_all.json", { pass_at_1: 100 }, "no question with graded_list"],
  ["no questions", GRADED, [], "no question with graded_list"],
  ["another file", "notes.txt", {}, "there is no graded run of LiveCodeBench"],
])("refused, named or in a folder of its own: %s", async (name, file, value, words) => {
  const path = write(`bad/${name}/${file}`, value);
  expectRefusal(await rejection(imported([path])), "invalid_data", words);
  expectRefusal(await rejection(imported([dirname(path)])), "invalid_data", words);
  // Beside runs that are good, what is named is refused as well.
  const good = write("good/Model-A/Scenario.codegeneration_1_0.2_eval_all.json", graded({ a: [true] }));
  expectRefusal(await rejection(imported([good, path])), "invalid_data", words);
});

test("a graded file that breaks off is refused, in a folder too", async () => {
  folder.write(`broken/M/${GRADED}`, '[{"question_id": ');
  expectRefusal(await rejection(imported([folder.path("broken")])), "invalid_data", "it is not valid JSON");
});
