import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentHash } from "anchoreval/bundle";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { newerFirst, type RunSamples } from "anchoreval/internal/logs/run-log";
import { selectRuns } from "anchoreval/internal/logs/select-runs";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, test } from "vitest";
import { main as trainer } from "../../../../cli/src/main.ts";
import { countedSample } from "../../../support/counted-sample.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const RUNS = fileURLToPath(new URL("../../../fixtures/helm/v1", import.meta.url));
const [TEA, COFFEE] = ["tea", "coffee"].map((subject) => join(RUNS, `quiz_subject=${subject},model=simple_model1`)) as [
  string,
  string,
];
const folder = tempFolder();
const helm = harnessNamed("helm");

async function read(run: string, metric: string | null = "exact_match"): Promise<RunSamples> {
  const [log] = await helm.find([run]);
  return helm.read(log!, {
    metric: parseChoices("metric", metric === null ? [] : [metric]),
    filter: parseChoices("filter", []),
  });
}

/** A copy of a run with one of its files changed. */
function changed(name: string, file: string, change: (value: never) => unknown, of = TEA): string {
  const copy = folder.path(name);
  cpSync(of, copy, { recursive: true });
  const path = join(copy, file);
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")) as never)));
  return copy;
}

describe("runs that HELM wrote (test/fixtures/helm)", () => {
  test.each([
    [TEA, "exact_match"],
    [TEA, "quasi_exact_match"],
    [COFFEE, "exact_match"],
  ])("the mean of %s, %s, is its own", async (run, metric) => {
    const [log] = await helm.find([run]);
    const { samples, filter } = await read(run, metric);
    const own = log!.results!.tasks.get(log!.task)!.aggregates.get(`${metric},${filter}`);
    expect(samples.reduce((sum, own) => sum + countedSample(own).score!, 0) / samples.length).toBeCloseTo(own!, 12);
    expect(samples).toHaveLength(6);
  });

  test("the task is the run's name without its model; the group is the scenario", async () => {
    const logs = await helm.find([RUNS]);
    expect(logs.map(({ task, model }) => [task, model])).toEqual([
      ["quiz:subject=coffee", "simple/model1"],
      ["quiz:subject=tea", "simple/model1"],
    ]);
    expect([...logs[0]!.results!.groups.keys()]).toEqual(["quiz"]);
    expect(logs[0]!.results).toMatchObject({ solver: "generation" });
    expect(logs[0]!.results!.tasks.get("quiz:subject=coffee")).toMatchObject({
      shots: 2,
      documents: { all: 6, run: 6 },
    });
  });

  test("train trials are kept one by one, and what an instance took: prompt and answer, runtime", async () => {
    const { samples } = await read(COFFEE);
    for (const { trials, score, cost } of samples.map((own) => countedSample(own))) {
      expect(trials).toHaveLength(2);
      expect(trials!.reduce<number>((sum, own) => sum + own!, 0) / 2).toBe(score);
      expect(cost!.tokens).toBeGreaterThan(100);
      expect(cost!.seconds).toBeGreaterThan(0);
    }
    expect((await read(TEA)).samples[0]!.attempts).toHaveLength(1);
    type Stats = { stats: { name: { name: string }; mean: number; sum: number }[] }[];
    const without = changed("no-tokens", "per_instance_stats.json", (all: Stats) =>
      all.map((own) => ({ ...own, stats: own.stats.filter(({ name }) => !/_tokens$|runtime/.test(name.name)) })),
    );
    expect((await read(without)).samples.flatMap(({ attempts }) => attempts.filter(({ cost }) => cost))).toEqual([]);
    const negative = changed("negative", "per_instance_stats.json", (all: Stats) =>
      all.map((own) => ({
        ...own,
        stats: own.stats.map((one) => (one.name.name === "inference_runtime" ? { ...one, mean: -1 } : one)),
      })),
    );
    expectRefusal(await rejection(read(negative)), "invalid_data", "seconds of an answer are a number above 0, got -1");
  });

  test("runs that were begun and have no scores are told, and left out", async () => {
    for (const file of ["run_spec.json", "stats.json", "per_instance_stats.json"])
      folder.write(`broken-off/good/${file}`, readFileSync(join(TEA, file)));
    const bad = folder.write("broken-off/bad/run_spec.json", readFileSync(join(TEA, "run_spec.json")));
    const told: string[] = [];
    const place = folder.path("broken-off");
    expect(await helm.find([place], { onRemark: (words) => told.push(words) })).toHaveLength(1);
    expect(told).toEqual([
      `1 run has a run_spec.json and no per_instance_stats.json, and is left out: "${dirname(bad)}"`,
    ]);
  });

  test("train trials are averaged, perturbed instances left out, and both said", async () => {
    const { remarks } = await read(COFFEE);
    expect(remarks).toEqual(["scores are means over 2 train trials", "perturbed versions of 6 instances are left out"]);
    expect((await read(TEA)).remarks).toEqual([]);
  });

  test("content is the instance's: input, references, the right one; no examples", async () => {
    const { samples } = await read(TEA);
    const sample = samples.find(({ doc_id: id }) => id === "id6")!;
    const choices = ["B of tea", "A of tea", "Answer:", "C of tea"];
    expect(sample.hash).toBe(contentHash({ input: "tea, Question 6?", choices, target: ["Answer:"] }));
    expect(sample.text).toBe(["tea, Question 6?", ...choices].join("\n"));
  });

  test("without a choice, or with one that isn't there, the metrics are listed", async () => {
    expectRefusal(
      await rejection(read(TEA, null)),
      "invalid_option",
      "choose one with `metric`: exact_match, quasi_exact_match",
    );
    expectRefusal(
      await rejection(read(TEA, "f1_score")),
      "invalid_option",
      "no metric f1_score: this log has exact_match",
    );
  });

  test("a metric for all tasks leaves a run that lacks it to its only one, as of every harness", async () => {
    type Entry = { readonly stats: readonly { readonly name: { readonly name: string } }[] };
    const single = (entries: readonly Entry[]): Entry[] =>
      entries.map((entry) => ({ ...entry, stats: entry.stats.filter(({ name }) => name.name === "exact_match") }));
    const logs = await helm.find([TEA, changed("one-metric", "per_instance_stats.json", single, COFFEE)]);
    const choose = { metric: parseChoices("metric", ["quasi_exact_match"]), filter: parseChoices("filter", []) };
    const { runs } = await selectRuns(logs, {
      ...{ errors: "harness", keep: (run) => run },
      read: (log, special) => helm.read(log, choose, special),
    });
    expect(runs.map(({ metric, absent }) => [metric, absent?.message])).toEqual([
      ["quasi_exact_match", undefined],
      ["exact_match", expect.stringContaining("has no metric quasi_exact_match: this log has exact_match")],
    ]);
  });

  test("HELM's own main metric is taken where its group is known", async () => {
    const run = changed("mmlu", "run_spec.json", (spec: object) => ({ ...spec, groups: ["mmlu"] }));
    expect((await read(run, null)).metric).toBe("exact_match");
  });
});

describe("what can go wrong in a run", () => {
  /** A copy of a run of which the first request failed. */
  const failing = (name: string, of: string, more: object = {}): string => {
    const fail = ({
      request_states: [first, ...others],
      ...state
    }: {
      request_states: { result: object }[];
    }): object => {
      const failed = { ...first, result: { ...first!.result, success: false, ...more } };
      return { ...state, request_states: [failed, ...others] };
    };
    return changed(name, "scenario_state.json", fail, of);
  };

  test.each<[string, object]>([
    ["429: too many requests", { error: "429: too many requests\nat line 3" }],
    ["an error without words", {}],
  ])("a request that failed has failed, whatever HELM scored it: %s", async (failure, more) => {
    const before = (await read(TEA)).samples;
    const { samples } = await read(failing(`failed: ${failure}`, TEA, more));
    expect(samples.filter((own) => countedSample(own).state === "failed")).toHaveLength(1);
    const [id] = samples.filter(({ attempts }) => attempts[0]!.failure !== undefined).map((own) => own.doc_id);
    expect(samples).toEqual(
      before.map((own) => (own.doc_id === id ? { ...own, attempts: [{ ...own.attempts[0]!, failure }] } : own)),
    );
  });

  test("of train trials the one that failed did; the other is an answer", async () => {
    const { samples } = await read(failing("failed-trial", COFFEE));
    expect(samples.flatMap(({ attempts }) => attempts.filter(({ failure }) => failure !== undefined))).toHaveLength(1);
    expect(samples.every((own) => own.attempts.length === 2 && countedSample(own).state === "scored")).toBe(true);
  });

  test("a run without entries has no samples", async () => {
    expect((await read(changed("empty", "per_instance_stats.json", () => []))).samples).toEqual([]);
  });

  test("without scenario_state.json items are known by their ids alone", async () => {
    const run = changed("stateless", "stats.json", (stats) => stats);
    rmSync(join(run, "scenario_state.json"));
    const { samples } = await read(run);
    expect(samples.map(({ hash }) => hash)).toEqual(Array(6).fill(null));
  });

  test("a metric that a trial has twice with other values, and an id of two contents, are refused; once more the same isn't", async () => {
    type Stats = { stats: { mean: number }[] }[];
    const again = (change: (mean: number) => number) => (all: Stats) => [
      ...all,
      ...all.map((own) => ({ ...own, stats: own.stats.map((stat) => ({ ...stat, mean: change(stat.mean) })) })),
    ];
    const same = changed("twice-same", "per_instance_stats.json", again((mean) => mean)); // prettier-ignore
    expect((await read(same)).samples).toEqual((await read(TEA)).samples);
    const other = changed("twice-other", "per_instance_stats.json", again((mean) => 1 - mean)); // prettier-ignore
    expectRefusal(await rejection(read(other)), "invalid_data", "has exact_match twice with other values: id");
    type State = { request_states: { instance: object }[] };
    const contents = changed("two-contents", "scenario_state.json", ({ request_states: [first, ...rest] }: State) => ({
      request_states: [first, { ...first, instance: { ...first!.instance, input: { text: "Another?" } } }, ...rest],
    }));
    expectRefusal(await rejection(read(contents)), "invalid_data", "also the id of other content");
  });

  test("perturbation: null is none", async () => {
    const unperturbed = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value), (_, own: unknown) =>
        typeof own === "object" && own !== null && ("split" in own || "instance_id" in own)
          ? { ...own, perturbation: null }
          : own,
      );
    const run = changed("null-perturbation", "per_instance_stats.json", unperturbed);
    expect((await read(run)).samples).toEqual((await read(TEA)).samples);
  });

  test("of suites the one whose name counts higher is newer", async () => {
    const suites = folder.path("suites");
    for (const suite of ["v1.9.0", "v1.10.0"]) {
      mkdirSync(join(suites, suite), { recursive: true });
      cpSync(TEA, join(suites, suite, "run"), { recursive: true });
    }
    const [first, second] = await helm.find([suites]);
    expect([first!.file.includes("v1.10.0"), first!.date > second!.date]).toEqual([true, true]);
  });

  test.skipIf(process.platform === "win32")(
    "a suite is called as its folder is, by whatever link or path it is found",
    async () => {
      const suites = folder.path("linked-suites");
      for (const suite of ["v1.0", "v1.1"]) cpSync(TEA, join(suites, suite, "run"), { recursive: true });
      symlinkSync("v1.1", join(suites, "latest"));
      const dateOf = async (path: string): Promise<string> => (await helm.find([join(suites, path)]))[0]!.date;
      expect(await dateOf("latest")).toBe(await dateOf("v1.1"));
      const logs = await helm.find([suites]);
      const [newest] = logs.toSorted(newerFirst);
      expect([logs.length, newest!.file]).toEqual([2, join(suites, "latest/run/per_instance_stats.json")]);
    },
  );

  test.each<[string, () => string, string]>([
    ["no run", () => folder.path(""), "there is no run of HELM"],
    ["a description that is none", () => changed("nameless", "run_spec.json", () => ({})), "this is no run of HELM"],
    [
      "an entry without an id",
      () => changed("idless", "per_instance_stats.json", () => [{}]),
      "entry 1 has no instance_id",
    ],
    ["no list", () => changed("listless", "per_instance_stats.json", () => ({})), "is no list of instances"],
  ])("refused: %s", async (name, run, words) => {
    const path = name === "no run" ? tempFolder().path("") : run();
    if (name === "no run") mkdirSync(path, { recursive: true });
    expectRefusal(await rejection(read(path)), "invalid_data", words);
  });

  test("a file that is no JSON is named", async () => {
    const run = changed("garbled", "stats.json", (stats) => stats);
    writeFileSync(join(run, "stats.json"), "{");
    expectRefusal(await rejection(read(run)), "invalid_data", "stats.json: it is not valid JSON");
  });
});

test("import --from helm: a group is a scenario, its runs the subscenarios, HELM's scores reproduced", async () => {
  let out = "";
  const streams = { stdout: { write: (text: string) => (out += text) }, stderr: { write: () => true } };
  const argv = [
    "import",
    "--from",
    "helm",
    RUNS,
    "--metric",
    "exact_match",
    "--out",
    folder.path("imported"),
    "--json",
  ];
  expect(await trainer(argv, streams)).toBe(0);
  const report = JSON.parse(out) as { scenarios: object[]; scores: object; weighting: string; warnings: string[] };
  expect(report).toMatchObject({
    scenarios: [{ id: "quiz", items: 12 }],
    scores: { compared: 2, equal: 2 },
    weighting: "subscenarios",
    protocol: { harness: "helm", shots: 2, metric: "exact_match" },
  });
  expect(report.warnings.filter((warning) => warning.includes("neither by task"))).toEqual([]);
});
