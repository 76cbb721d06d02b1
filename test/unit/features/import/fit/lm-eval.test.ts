import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { describe, expect, it } from "vitest";
import { importLogs, type ImportOptions } from "../../../../../features/import/fit/import-logs.ts";
import { scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { writeLogs, type LoggedDocument, type LoggedRun } from "../../../../support/lm-eval-logs.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
let folders = 0;

function options(more: Partial<ImportOptions> = {}): ImportOptions {
  return {
    metric: parseChoices("metric", []),
    filter: parseChoices("filter", []),
    onDuplicate: "newest",
    errors: "harness",
    allowMixed: false,
    ...more,
  };
}

function documents(
  task: string,
  scores: readonly (number | null)[],
  ids = scores.map((_, id) => id),
): LoggedDocument[] {
  return scores.map((score, index) => ({ id: ids[index]!, question: `${task} ${ids[index]!}?`, score }));
}

/** Two models on a group of two tasks of 4 and 2 documents. */
const run: LoggedRun = {
  model: "Org/one",
  date: "2026-01-01T00-00-00.000001",
  tasks: { t_a: { documents: documents("a", [1, 0, 0, 0]) }, t_b: { documents: documents("b", [1, 1]) } },
  groups: { t: { tasks: ["t_b", "t_a"], weighting: "items" } },
};
const other: LoggedRun = {
  ...run,
  model: "Org/two",
  tasks: { t_a: { documents: documents("a", [1, 1, 0, 0]) }, t_b: { documents: documents("b", [0, 1]) } },
};

function written(...runs: readonly LoggedRun[]): string {
  const out = folder.path(`logs-${folders++}`);
  for (const one of runs) writeLogs(out, one);
  return out;
}

describe("the matrix", () => {
  it("has groups as scenarios, tasks in the group's order as subscenarios, and ids task/document", async () => {
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(run, other)], options());
    expect(matrix.subjects).toEqual(["Org/one", "Org/two"]);
    expect(
      matrix.items.map(({ item_id, scenario, subscenario, task, doc_id }) => [
        item_id,
        scenario,
        subscenario,
        task,
        doc_id,
      ]),
    ).toEqual([
      ["t_b/0", "t", "t_b", "t_b", 0],
      ["t_b/1", "t", "t_b", "t_b", 1],
      ["t_a/0", "t", "t_a", "t_a", 0],
      ["t_a/1", "t", "t_a", "t_a", 1],
      ["t_a/2", "t", "t_a", "t_a", 2],
      ["t_a/3", "t", "t_a", "t_a", 3],
    ]);
    expect(matrix.items.every(({ hash, text }) => hash!.length === 64 && text!.includes("?"))).toBe(true);
    expect(Array.from(matrix.scores)).toEqual([1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0]);
    expect(report).toMatchObject({
      models: 2,
      items: 6,
      weighting: "items",
      scenarios: [{ id: "t", tasks: ["t_b", "t_a"], items: 6, weighting: "items" }],
      protocol: { harness: "lm-eval", harnessVersion: "0.4.13", shots: 0, chatTemplate: false, metric: "acc" },
      scores: { compared: 6, equal: 6, different: [] },
      warnings: [],
    });
  });

  it("has the folder of tasks of one's own as seen from another", async () => {
    const out = written(run);
    const file = readdirSync(out, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".json"))!;
    const results = JSON.parse(readFileSync(join(out, file), "utf8")) as { configs: Record<string, object> };
    for (const config of Object.values(results.configs))
      Object.assign(config, { metadata: { config_source: "/a/b/tasks/t.yaml" } });
    writeFileSync(join(out, file), JSON.stringify(results));
    for (const [from, seen] of [
      ["/a/b", "tasks"],
      ["/a/c", "../b/tasks"],
      ["/a/b/tasks", "."],
      [undefined, "/a/b/tasks"],
    ] as const) {
      const { report } = await importLogs(harnessNamed("lm-eval"), [out], options(from && { folder: from }));
      expect(report.protocol["taskCall"]).toBe(JSON.stringify(["--include_path", seen]));
    }
  });

  it("has a task outside of groups as a scenario, and missing cells for what a model was not asked", async () => {
    const part: LoggedRun = { ...other, tasks: { t_a: { documents: documents("a", [1, 0], [3, 1]) } }, groups: {} };
    const { matrix, report } = await importLogs(
      harnessNamed("lm-eval"),
      [written({ ...run, groups: {} }, part)],
      options(),
    );
    expect(report.scenarios.map(({ id, items }) => [id, items])).toEqual([
      ["t_a", 4],
      ["t_b", 2],
    ]);
    expect(matrix.items[0]!.subscenario).toBeUndefined();
    expect(matrix.items.map((_, item) => scoreAt(matrix, 1, item))).toEqual([NaN, 0, NaN, 1, NaN, NaN]);
    expect(report.weighting).toBe("subscenarios");
  });

  it("takes the weighting of the harness's own aggregate, also where groups differ in it", async () => {
    const equal = { ...run, groups: { t: { tasks: ["t_a", "t_b"], weighting: "subscenarios" as const } } };
    expect((await importLogs(harnessNamed("lm-eval"), [written(equal)], options())).report).toMatchObject({
      weighting: "subscenarios",
      scores: { compared: 3, equal: 3 },
    });
    const both: LoggedRun = {
      ...run,
      tasks: { ...run.tasks, u_a: { documents: documents("c", [1, 0, 0]) }, u_b: { documents: documents("d", [1]) } },
      groups: { ...run.groups, u: { tasks: ["u_a", "u_b"], weighting: "subscenarios" } },
    };
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(both)], options());
    expect(report.weighting).toBe("subscenarios");
    expect(report.scores).toMatchObject({ compared: 6, equal: 6 });
    expect(report.warnings.join()).toContain("weights tasks by document in t and equally in others");
    expect(matrix.items.map(({ subscenario }) => subscenario)).toEqual([
      ...new Array<undefined>(6),
      "u_a",
      "u_a",
      "u_a",
      "u_b",
    ]);
  });
});

describe("items", () => {
  it("are matched by content: a document numbered otherwise is found, a changed one is left out, and both are told", async () => {
    const swapped = documents("a", [1, 0, 0, 0]).map((document) => ({ ...document, id: [1, 0, 2, 3][document.id]! }));
    const moved: LoggedRun = {
      ...run,
      model: "Org/moved",
      tasks: { t_a: { documents: swapped.map((d) => ({ ...d, question: `a ${d.id}?` })) }, t_b: run.tasks.t_b! },
    };
    const changed: LoggedRun = {
      ...run,
      model: "Org/changed",
      tasks: {
        t_a: { documents: documents("a", [1, 0, 0, 1]).map((d) => (d.id === 3 ? { ...d, question: "new?" } : d)) },
        t_b: run.tasks.t_b!,
      },
    };
    const { matrix, report } = await importLogs(
      harnessNamed("lm-eval"),
      [written(run, other, moved, changed)],
      options(),
    );
    expect(matrix.items).toHaveLength(6);
    const last = matrix.items.findIndex((item) => item.item_id === "t_a/3");
    expect(
      [0, 1, 2, 3].map((model) =>
        scoreAt(matrix, matrix.subjects.indexOf(["Org/one", "Org/two", "Org/moved", "Org/changed"][model]!), last),
      ),
    ).toEqual([0, 0, 0, NaN]);
    expect(report.runs.find(({ model, task }) => model === "Org/changed" && task === "t_a")).toMatchObject({
      byHash: 3,
      changed: [3],
    });
    expect(report.warnings.join("\n")).toContain(
      "1 sample was left out, as its document differs from most models': Org/changed, t_a: 1",
    );
    expect(report.scores.different.map(({ model, name }) => [model, name])).toEqual([
      ["Org/changed", "t_a"],
      ["Org/changed", "t"],
    ]);
  });

  it("of a real run that the harness mislabelled end up in their own columns", async () => {
    const logs = fileURLToPath(new URL("../../../../fixtures/lm-eval/logs", import.meta.url));
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [logs], {
      ...options(),
      metric: parseChoices("metric", ["acc", "toy_sums=exact_match,strict-match"]),
    });
    expect(matrix.subjects).toEqual(["Org/anchors", "Org/dummy-0", "Org/dummy-1", "Org/unsorted"]);
    expect(report).toMatchObject({ items: 13, weighting: "items", scores: { compared: 13, equal: 13 } });
    expect(report.scenarios.map(({ id, items }) => [id, items])).toEqual([
      ["toy", 10],
      ["toy_sums", 3],
    ]);
    expect(report.warnings.join()).toContain("2 samples have another document's number, and were matched by content");
  });
});

describe("several runs of a model on a task", () => {
  const newer: LoggedRun = {
    ...run,
    date: "2026-02-01T00-00-00.000001",
    tasks: { t_a: { documents: documents("a", [0, 0, 1, 0]) } },
    groups: {},
  };

  it("count as the newest by default", async () => {
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(newer, run)], options());
    expect(matrix.items.map((_, item) => scoreAt(matrix, 0, item))).toEqual([1, 1, 0, 0, 1, 0]);
    expect(report.dropped).toMatchObject([{ model: "Org/one", task: "t_a" }]);
    expect(report.scenarios.map(({ id }) => id)).toEqual(["t"]);
  });

  it("are averaged, or refused, where asked", async () => {
    const { matrix } = await importLogs(
      harnessNamed("lm-eval"),
      [written(newer, run)],
      options({ onDuplicate: "mean" }),
    );
    expect(matrix.items.map((_, item) => scoreAt(matrix, 0, item))).toEqual([1, 1, 0.5, 0, 0.5, 0]);
    const copied = await importLogs(
      harnessNamed("lm-eval"),
      [written(newer), written(newer, run)],
      options({ onDuplicate: "mean" }),
    );
    expect(copied.matrix.scores).toEqual(matrix.scores);
    expect(copied.report.warnings.join("\n")).toMatch(/a copy of another log of it is no trial, and left out/);
    const error = await rejection(
      importLogs(harnessNamed("lm-eval"), [written(newer, run)], options({ onDuplicate: "error" })),
    );
    expectRefusal(error, "invalid_data", "Org/one has 2 runs on t_a");
    expect(error.issues).toHaveLength(2);
  });

  it("are told where the newest is of a smaller task, or made of another model", async () => {
    const cut: LoggedRun = {
      ...newer,
      modelArguments: ",dtype=float16",
      tasks: { t_a: { documents: documents("a", [1]) } },
    };
    const { report } = await importLogs(harnessNamed("lm-eval"), [written(run, cut)], options());
    expect(report.warnings).toEqual([
      "Org/one, t_a (1, before 4): the newest run has fewer answers than an older one, which counts",
      "Org/one, t_a: its runs were made with different arguments (pretrained=Org/one; dtype=float16,pretrained=Org/one): if these are different models, import them apart, with `modelName`",
    ]);
    expect(report.dropped.map(({ file }) => file)).toEqual([expect.stringContaining("samples_t_a_2026-02")]);
  });

  it("stay with the older one where the newest asked a part of the documents, such as the anchors", async () => {
    const anchors: LoggedRun = { ...newer, tasks: { t_a: { documents: documents("a", [0, 1], [0, 3]), all: 4 } } };
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(run, anchors, other)], options());
    const whole = await importLogs(harnessNamed("lm-eval"), [written(run, other)], options());
    expect(matrix).toEqual(whole.matrix);
    expect(report.warnings).toEqual([
      "Org/one, t_a (2, before 4): the newest run has fewer answers than an older one, which counts",
      "Org/one, t_a (2 runs, 0 % of the answers alike): one run counts, and others under this name gave other answers: if these are different models, import them apart, with `modelName`",
    ]);
    expect(report.dropped.map(({ file }) => file)).toEqual([expect.stringContaining("samples_t_a_2026-02")]);
  });

  it("are told where they were asked otherwise", async () => {
    const { report } = await importLogs(harnessNamed("lm-eval"), [written(run, { ...newer, shots: 3 })], options());
    expect(report.warnings).toContain("Org/one, t_a: its runs were not made alike: few-shot examples 3, in another 0");
    expect(report.dropped.map(({ file }) => file)).toEqual([expect.stringContaining("samples_t_a_2026-01")]);
    const alike = await importLogs(harnessNamed("lm-eval"), [written(run, newer)], options());
    expect(alike.report.warnings.join("\n")).not.toContain("not made alike");
  });

  it("without a sample are passed over, and said; without any other, that is all there is to say", async () => {
    const empty: LoggedRun = { ...newer, tasks: { t_a: { documents: [] } } };
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(run, empty, other)], options());
    const words = "Org/one, t_a: a run without any score is passed over: it has no samples";
    expect(report.warnings).toEqual([words]);
    expect(matrix).toEqual((await importLogs(harnessNamed("lm-eval"), [written(run, other)], options())).matrix);
    expect(report.dropped.map(({ file }) => file)).toEqual([expect.stringContaining("samples_t_a_2026-02")]);
    const error = await rejection(importLogs(harnessNamed("lm-eval"), [written(empty)], options()));
    expectRefusal(error, "invalid_data", `no run has a score:\n  ${words}`);
  });

  it("on different documents are one", async () => {
    const half = (date: string, ids: number[]): LoggedRun => ({
      ...{ ...run, date, groups: {} },
      tasks: { t_a: { documents: documents("a", ids.map((id) => [1, 0, 0, 1][id]!), ids), all: 4 } }, // prettier-ignore
    });
    const [first, second] = [half("2026-01-01T00-00-00.000001", [0, 2]), half("2026-02-01T00-00-00.000001", [1, 3])];
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(first, second)], options());
    expect(matrix.items.map(({ doc_id: id }, item) => [id, scoreAt(matrix, 0, item)])).toEqual([
      ...[[0, 1], [1, 0], [2, 0], [3, 1]], // prettier-ignore
    ]);
    expect(report.warnings).toContain("Org/one, t_a: 2 runs on different documents count as one");
    expect(report.dropped).toEqual([]);
  });

  it("of two revisions are two models", async () => {
    const { matrix } = await importLogs(
      harnessNamed("lm-eval"),
      [written(run, { ...newer, modelArguments: ",revision=step9" })],
      options(),
    );
    expect(matrix.subjects).toEqual(["Org/one", "Org/one@step9"]);
  });
});

describe("a task that the harness scored, without its samples", () => {
  it("is told, unless a file was given by name", async () => {
    const logs = written(run, other);
    const samples = readdirSync(logs, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.includes("samples_"),
    );
    rmSync(
      join(
        logs,
        samples.find((file) => file.includes("two") && file.includes("t_b"))!,
      ),
    );
    const { report } = await importLogs(harnessNamed("lm-eval"), [logs], options());
    expect(report.warnings).toContain(
      "1 task has a score in the results, and no samples: Org/two, t_b: those answers are missing here",
    );
    const named = join(
      logs,
      samples.find((file) => file.includes("one") && file.includes("t_a"))!,
    );
    const alone = await importLogs(harnessNamed("lm-eval"), [named], options());
    expect(alone.report.warnings.join("\n")).not.toContain("no samples");
  });
});

describe("runs that were not made alike", () => {
  const chat: LoggedRun = { ...other, chatTemplate: true, shots: 3, taskVersion: 2 };

  it("are refused with a table of who differs", async () => {
    const error = await rejection(importLogs(harnessNamed("lm-eval"), [written(run, chat)], options()));
    expectRefusal(error, "invalid_data", "give `allowMixed`");
    for (const field of ["task version", "few-shot examples", "chat template"])
      expect(error.message).toContain(`t_a and 1 more task: ${field}`);
    expect(error.issues[0]).toMatchObject({ path: ["t_a", "taskVersion"], code: "mixed_protocol" });
    expect(error.issues[0]!.message).toBe("1: Org/one; 2: Org/two");
  });

  it("are taken with --allow-mixed, and marked", async () => {
    const { report } = await importLogs(harnessNamed("lm-eval"), [written(run, chat)], options({ allowMixed: true }));
    expect(report.protocol).toMatchObject({ shots: "mixed", chatTemplate: "mixed", taskVersion: "mixed" });
    expect(report.warnings.join()).toContain("the runs were not made alike");
  });

  it("don't differ by what a log doesn't tell", async () => {
    const out = written(run);
    const lone = folder.path(`lone-${folders++}`);
    folder.write(
      `${lone.split("/").at(-1)!}/samples_t_b_2026-01-01T00-00-00.jsonl`,
      `${JSON.stringify({ doc_id: 0, acc: 0 })}\n`,
    );
    const { matrix } = await importLogs(harnessNamed("lm-eval"), [out, lone], options());
    expect(matrix.subjects).toHaveLength(2);
    expect(scoreAt(matrix, 1, 0)).toBe(0);
  });
});

describe("samples without an answer or a score", () => {
  const holes: LoggedRun = {
    ...run,
    tasks: {
      t_a: {
        documents: [
          { id: 0, question: "a 0?", score: 0, empty: true },
          { id: 1, question: "a 1?", score: null },
          { id: 2, question: "a 2?", score: 1 },
        ],
      },
    },
    groups: {},
  };

  it.each([
    [
      "harness",
      [0, NaN, 1],
      1,
      "by the score that the harness gave, else as missing (`errors` missing or wrong says else)",
    ],
    ["missing", [NaN, NaN, 1], 0, "as missing"],
    ["wrong", [0, 0, 1], 0, "as wrong"],
  ] as const)("count as %s", async (errors, expected, equal, how) => {
    const { matrix, report } = await importLogs(harnessNamed("lm-eval"), [written(holes)], options({ errors }));
    expect([0, 1, 2].map((item) => scoreAt(matrix, 0, item))).toEqual(expected);
    expect(report.attempts).toEqual({ scored: 1, failed: 1, missing: 1 });
    expect(report.scores.equal).toBe(equal);
    expect(report.warnings[0]).toBe(
      `of 3 answers, 1 failed ("an empty answer" once) and 1 has no score: they count ${how}`,
    );
    if (equal === 0) expect(report.warnings.join()).toContain(`(\`errors\` ${errors} moves scores)`);
  });
});

describe("runs on a part of the documents", () => {
  const part = (model: string, count: number, all = 4): LoggedRun => ({
    model,
    date: "2026-02-01T00-00-00.000001",
    tasks: { t_a: { documents: documents("a", [1, 0, 1, 0].slice(0, count)), all } },
  });

  it("are told beside whole ones: with a limit, or on anchors alone", async () => {
    const logs = written(part("Org/one", 4), part("Org/two", 4), part("Org/three", 2));
    const { report } = await importLogs(harnessNamed("lm-eval"), [logs], options());
    expect(report.warnings).toEqual([
      "1 run asked a part of the documents (--limit, anchors alone): Org/three, t_a: 2 of 4: the rest is missing here; a leaderboard is worth more without such runs",
    ]);
    expect(report.runs.map(({ model, documents: count }) => [model, count])).toEqual([
      ["Org/one", 4],
      ["Org/three", 2],
      ["Org/two", 4],
    ]);
  });

  it("are told where all asked the same part", async () => {
    const logs = written(part("Org/one", 2), part("Org/two", 2));
    const { report } = await importLogs(harnessNamed("lm-eval"), [logs], options());
    expect(report.warnings).toEqual([
      "every run asked the same part of the documents: t_a: 2 of 4: scores are on these alone",
    ]);
  });

  it("are no matter where all documents were asked", async () => {
    const logs = written(part("Org/one", 4), part("Org/two", 4));
    expect((await importLogs(harnessNamed("lm-eval"), [logs], options())).report.warnings).toEqual([]);
  });
});

describe("choices", () => {
  const alone: LoggedRun = { model: "Org/one", date: "2026-01-01T00-00-00.000001", tasks: {} };
  const texts: LoggedRun = { ...alone, metric: "overlap", tasks: { s: { documents: documents("s", [1, 0]) } } };
  /** Adds a second metric to all samples under a folder. */
  function withMetric(logs: string, name: string, task: string): string {
    for (const model of readdirSync(logs))
      for (const file of readdirSync(join(logs, model)).filter((one) => one.startsWith(`samples_${task}_`))) {
        const path = join(logs, model, file);
        const lines = readFileSync(path, "utf8");
        writeFileSync(path, lines.replaceAll('"metrics":["acc"]', `"metrics":["acc","${name}"],"${name}":0.5`));
      }
    return logs;
  }

  it("for all tasks leave those that lack it to their only metric, and it is told", async () => {
    const logs = withMetric(written(run, { ...texts, date: "2026-01-01T00-00-00.000009" }), "overlap", "t_a");
    const { report } = await importLogs(
      harnessNamed("lm-eval"),
      [logs],
      options({ metric: parseChoices("metric", ["overlap"]) }),
    );
    expect(report.tasks.map(({ task, metric }) => `${task} ${metric}`).sort()).toEqual(["s overlap", "t_a overlap", "t_b acc"]); // prettier-ignore
    expect(report.warnings).toContain(
      "1 task has no such metric or filter, and counts by its only one: t_b: acc, none",
    );
  });

  it("for all tasks are refused where none has it, or one that lacks it has several others", async () => {
    const asked = options({ metric: parseChoices("metric", ["overlap"]) });
    const none = await rejection(importLogs(harnessNamed("lm-eval"), [written(run)], asked));
    expectRefusal(none, "invalid_option", "t_a has no metric overlap: this log has acc");
    const several = withMetric(written({ ...run, groups: {} }, texts), "acc_norm", "t_b");
    const error = await rejection(importLogs(harnessNamed("lm-eval"), [several], asked));
    expectRefusal(error, "invalid_option", "t_b has no metric overlap: this log has acc, acc_norm");
  });

  it("for a task are refused where it lacks it", async () => {
    const asked = options({ metric: parseChoices("metric", ["t_b=overlap"]) });
    const error = await rejection(importLogs(harnessNamed("lm-eval"), [written(run, texts)], asked));
    expectRefusal(error, "invalid_option", "t_b has no metric overlap");
  });

  it("for a group hold for a run of one of its tasks alone", async () => {
    const single = { ...other, tasks: { t_a: other.tasks["t_a"]! }, groups: {} };
    const logs = withMetric(written(run, single), "acc_norm", "t_");
    for (const name of ["t_a", "t_b"]) withMetric(logs, "acc_norm", name);
    const { report } = await importLogs(
      harnessNamed("lm-eval"),
      [logs],
      options({ metric: parseChoices("metric", ["t=acc_norm"]) }),
    );
    expect(report.tasks.map(({ metric }) => metric)).toEqual(["acc_norm", "acc_norm"]);
  });

  it("that all tasks need are told with one hint", async () => {
    const tasks = Object.fromEntries(["p", "q", "r"].map((task) => [task, { documents: documents(task, [1, 0]) }]));
    const logs = written({ ...alone, metric: "bleu", tasks });
    for (const file of readdirSync(join(logs, "Org__one"))) if (file.startsWith("results")) rmSync(join(logs, "Org__one", file)); // prettier-ignore
    const { message } = await rejection(importLogs(harnessNamed("lm-eval"), [logs], options()));
    expect(message.match(/only scores that are means/g)).toHaveLength(1);
    expect(message.match(/bleu is computed from the outputs/g)).toHaveLength(3);
  });

  it("are asked for all tasks at once", async () => {
    const logs = fileURLToPath(new URL("../../../../fixtures/lm-eval/logs", import.meta.url));
    const error = await rejection(importLogs(harnessNamed("lm-eval"), [logs], options()));
    expectRefusal(error, "invalid_option", "4 tasks need another choice");
    expect(error.message).toContain(
      "toy_sums has several filters: choose one with `filter`: strict-match, flexible-extract",
    );
  });
});

describe("paths", () => {
  it("that don't exist, hold no samples or are no log are named", async () => {
    expectRefusal(
      await rejection(importLogs(harnessNamed("lm-eval"), ["/nope"], options())),
      "not_found",
      "/nope: there is no such file or folder",
    );
    folder.write("empty/results_2026-01-01T00-00-00.json", "{}");
    expectRefusal(
      await rejection(importLogs(harnessNamed("lm-eval"), [folder.path("empty")], options())),
      "invalid_data",
      "only results: lm_eval writes them with --log_samples",
    );
    expectRefusal(
      await rejection(importLogs(harnessNamed("lm-eval"), [folder.write("a.txt", "")], options())),
      "invalid_data",
      "the name of a log tells its task",
    );
  });

  it("may be single files; the model is named by the results beside, or --model-name", async () => {
    const out = written(run);
    const file = `${out}/Org__one/samples_t_b_${run.date}.jsonl`;
    expect((await importLogs(harnessNamed("lm-eval"), [file, file], options())).matrix.subjects).toEqual(["Org/one"]);
    expect((await importLogs(harnessNamed("lm-eval"), [file], options({ modelName: "mine" }))).matrix.subjects).toEqual(
      ["mine"],
    );
    const two = written(run, other);
    expectRefusal(
      await rejection(importLogs(harnessNamed("lm-eval"), [two], options({ modelName: "mine" }))),
      "invalid_option",
      "these are of 2: Org/one, Org/two",
    );
  });
});
