import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import type { HarnessName } from "anchoreval/internal/node/logs/readers";
import { beforeAll, describe, expect, test } from "vitest";
import { importLogs, type LogImport } from "../../../features/import/fit/import-logs.ts";
import { type ResponseMatrix, scoreAt, submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { hasModules, HARNESS_ENV, PYTHON } from "../../support/harness-tasks.ts";
import { rejection } from "../../support/refusal.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const MINUTE = 60_000;
const folder = tempFolder();

/** Has a harness write its boards: a folder of logs each. */
function written(script: string): string {
  const out = folder.path(script);
  const { status, stderr } = spawnSync(PYTHON, [join(ROOT, "test/support", script), out], {
    env: { ...HARNESS_ENV, HF_DATASETS_CACHE: folder.path("datasets"), NO_COLOR: "1" },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  return join(out, "logs");
}

function imported(
  harness: HarnessName,
  logs: string,
  metric: readonly string[] = [],
  { filter = [], allowMixed = false }: { filter?: readonly string[]; allowMixed?: boolean } = {},
): Promise<LogImport> {
  return importLogs(harnessNamed(harness), [logs], {
    ...{ metric: parseChoices("metric", metric), filter: parseChoices("filter", filter) },
    ...{ onDuplicate: "newest", errors: "harness", allowMixed },
  });
}

/** The matrix without mockllm/m-03, wherever its log's name puts it. */
function withoutLast(matrix: ResponseMatrix): ResponseMatrix {
  const rows = [...matrix.subjects.keys()].filter((m) => !matrix.subjects[m]!.includes("m-03"));
  return submatrix(matrix, rows, [...matrix.items.keys()]);
}

/** Means of each model's scores that aren't missing, by model and task. */
function meansOf(matrix: ResponseMatrix): Map<string, number> {
  const means = new Map<string, number>();
  for (const [subject, model] of matrix.subjects.entries())
    for (const task of new Set(matrix.items.map((item) => item.task!))) {
      const scores = matrix.items.flatMap((item, at) => (item.task === task ? scoreAt(matrix, subject, at) : []));
      const known = scores.filter((score) => !Number.isNaN(score));
      if (known.length > 0) means.set(`${model} ${task}`, known.reduce((sum, score) => sum + score, 0) / known.length);
    }
  return means;
}

/** Files of a folder and of those in it, by name. */
const filesIn = (logs: string, pattern: RegExp): unknown[] =>
  readdirSync(logs, { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(logs, name), "utf8").replaceAll(/\bNaN\b/g, "null")) as unknown);

/** Every imported score is the harness's own, as float32 holds it. @param of - the harness's, by model and task; later ones count */
function expectEqual(matrix: ResponseMatrix, of: Iterable<readonly [string, number]>): void {
  const own = new Map(of);
  const found = meansOf(matrix);
  expect([...found.keys()].sort()).toEqual([...own.keys()].sort());
  for (const [name, mean] of found) expect([name, mean]).toEqual([name, expect.closeTo(own.get(name)!, 7)]);
}

const TWELVE = Array.from({ length: 12 }, (_, k) => `m-${String(k).padStart(2, "0")}`);

describe.skipIf(!hasModules("lm_eval", "datasets"))(
  "twelve models that lm-evaluation-harness ran (skipped without lm_eval: ANCHOREVAL_TEST_PYTHON names an interpreter that has it)",
  () => {
    let logs: string;
    beforeAll(() => {
      logs = written("lm-eval-board.py");
    }, 5 * MINUTE);

    interface Results {
      model_name: string;
      results: Record<string, Record<string, number>>;
      "n-samples": Record<string, { original: number; effective: number }>;
    }
    /** The harness's own scores of a board's tasks. @param key - of a task, `metric,filter` */
    const harnessOwn = (board: string, key: (task: string) => string, whole = false): [string, number][] =>
      (filesIn(join(logs, board), /results_.*\.json$/) as Results[]).flatMap((file) =>
        Object.entries(file["n-samples"]).flatMap(([task, { original, effective }]): [string, number][] =>
          whole && effective < original ? [] : [[`${file.model_name} ${task}`, file.results[task]![key(task)]!]],
        ),
      );
    const acc = (): string => "acc,none";

    test.each([
      ["acc", "strict"],
      ["acc_norm", "flexible"],
    ])("%s and %s: every score of tasks and groups is the harness's own", async (metric, filter) => {
      const chosen = [metric, "grades=grade", "sums=exact_match", "thrice=exact_match"];
      const { matrix, report } = await imported("lm-eval", join(logs, "plain"), chosen, { filter: [`sums=${filter}`] });
      expect(matrix.subjects).toEqual(TWELVE.map((name) => `Lab/${name}`));
      const keys: Record<string, string> = {
        ...{ bio: `${metric},none`, phys: `${metric},none`, sums: `exact_match,${filter}` },
        ...{ grades: "grade,none", thrice: "exact_match,vote" },
      };
      const own = harnessOwn("plain", (task) => keys[task]!);
      expect(own).toHaveLength(12 * 5);
      expectEqual(matrix, own);
      // Of five tasks and their group, which the harness weights by items for one metric, by tasks for the other.
      expect(report.scores).toEqual({ compared: 12 * 6, equal: 12 * 6, different: [] });
      expect(report.scenarios).toMatchObject([
        { id: "science", tasks: ["bio", "phys"], weighting: metric === "acc" ? "items" : "subscenarios" },
        ...[{ id: "grades" }, { id: "sums" }, { id: "thrice" }],
      ]);
      // Graded scores, some of them NaN; answers that a vote over three made.
      expect(new Set(matrix.scores)).toEqual(new Set([0, 0.5, 1]));
      expect(report.warnings).toEqual([
        expect.stringMatching(/^of 372 answers, \d+ have no score: they count by the score that the harness gave/),
      ]);
    });

    test.each([
      ["limited", [/^2 runs asked a part of the documents .*: Lab\/m-03, bio: 3 of 9; Lab\/m-03, phys: 3 of 4: /]],
      [
        "anchors-later",
        [
          /^Lab\/m-02, bio \(2, before 9\) and 1 more: the newest run has fewer answers than an older one, which counts$/,
        ],
      ],
      [
        "renumbered",
        [
          /^2 samples have another document's number, and were matched by content: Lab\/m-03, bio: 2$/,
          /^2 runs asked a part of the documents .*: Lab\/m-03, bio: 2 of 9; Lab\/m-03, phys: 2 of 4: /,
        ],
      ],
      ["unlogged", [/^1 task has a score in the results, and no samples: Lab\/m-03, phys: /]],
    ])("%s: told, and every score the harness's own", async (board, warnings) => {
      const { matrix, report } = await imported("lm-eval", join(logs, board), ["acc"]);
      expect(report.warnings).toEqual(warnings.map((words) => expect.stringMatching(words) as string));
      const own = harnessOwn(board, acc, board === "anchors-later");
      expectEqual(matrix, board === "unlogged" ? own.filter(([name]) => name !== "Lab/m-03 phys") : own);
      expect(report.scores.different).toEqual([]);
    });

    test("two runs of a model: that with more answers counts, and that they were made otherwise is told", async () => {
      const { matrix, report } = await imported("lm-eval", join(logs, "twice"), ["exact_match"], {
        filter: ["strict"],
      });
      const own = harnessOwn("twice", () => "exact_match,strict");
      expect(own).toHaveLength(4);
      expect(own[2]![1]).not.toBe(own[3]![1]);
      // The newest got no answer to half of its questions.
      expectEqual(matrix, own.slice(0, 3));
      expect(report.warnings).toEqual([
        expect.stringMatching(
          /^Lab\/m-02, sums \(\d, before 7\): the newest run has fewer answers than an older one, which/,
        ),
        expect.stringContaining("Lab/m-02, sums: its runs were made with different arguments ("),
      ]);
      expect(report.dropped).toMatchObject([{ model: "Lab/m-02", task: "sums" }]);
    });

    test("answers that never came are counted, and scored as the harness did", async () => {
      const { matrix, report } = await imported("lm-eval", join(logs, "silent"), ["grade", "sums=exact_match"], { filter: ["sums=flexible"] }); // prettier-ignore
      expectEqual(
        matrix,
        harnessOwn("silent", (task) => (task === "sums" ? "exact_match,flexible" : "grade,none")),
      );
      const { failed, missing } = report.attempts;
      expect(failed).toBeGreaterThan(0);
      expect(report.warnings).toEqual([
        expect.stringContaining(`of 52 answers, ${failed} failed ("an empty answer" ${failed} times) and ${missing} have no score: `), // prettier-ignore
      ]);
    });

    test("a document that one model was asked otherwise is left out, and what that moves is told", async () => {
      const { matrix, report } = await imported("lm-eval", join(logs, "changed"), ["acc"]);
      const same = ([name]: readonly [string, number]): boolean => name !== "Lab/m-03 bio";
      expectEqual(withoutLast(matrix), harnessOwn("changed", acc).filter(([name]) => !name.startsWith("Lab/m-03"))); // prettier-ignore
      expect([...meansOf(matrix)].filter((entry) => !same(entry))).toHaveLength(1);
      expect(report.warnings[0]).toBe(
        "1 sample was left out, as its document differs from most models': Lab/m-03, bio: 1",
      );
      expect(report.scores.different.map(({ model, name }) => `${model} ${name}`)).toEqual(["Lab/m-03 bio", "Lab/m-03 science"]); // prettier-ignore
      expect(report.warnings[1]).toMatch(/^2 scores differ from the harness's own: Lab\/m-03, bio: /);
    });

    test("runs with other few-shot examples are refused with a table, or taken and told", async () => {
      const board = join(logs, "shots");
      const error = await rejection(imported("lm-eval", board, ["acc"]));
      const table = /bio and 1 more task: few-shot examples\n +0 +Lab\/m-00, Lab\/m-01, Lab\/m-02\n +2 +Lab\/m-03$/;
      expect(error.message).toMatch(table);
      const { matrix, report } = await imported("lm-eval", board, ["acc"], { allowMixed: true });
      expect(report.warnings).toEqual([expect.stringMatching(table)]);
      expectEqual(matrix, harnessOwn("shots", acc));
    });
  },
);

describe.skipIf(!hasModules("inspect_ai"))(
  "twelve models that Inspect ran (skipped without inspect_ai: ANCHOREVAL_TEST_PYTHON names an interpreter that has it)",
  () => {
    let logs: string;
    beforeAll(() => {
      logs = written("inspect-board.py");
    }, 5 * MINUTE);

    interface Log {
      status: string;
      eval: { model: string; task: string; dataset: { samples: number; sample_ids: unknown[] } };
      results: { scores: { name: string; metrics: Record<string, { value: number }> }[] } | null;
    }
    /** Inspect's own scores of a board's logs, in the order of their dates. @param score - of the task grades */
    const harnessOwn = (board: string, score = "grade"): [string, number][] =>
      (filesIn(join(logs, board), /\.json$/) as Log[]).flatMap(({ eval: own, results }): [string, number][] => {
        const named = results?.scores.find(({ name }) => own.task !== "grades" || name === score);
        const { mean, accuracy } = named?.metrics ?? {};
        const whole = board !== "anchors-later" || own.dataset.sample_ids.length === own.dataset.samples;
        return named === undefined || !whole ? [] : [[`${own.model} ${own.task}`, (accuracy ?? mean)!.value]];
      });

    test.each(["grade", "several/length", "several/polite"])(
      "%s: every score is Inspect's own, and epochs are told once",
      async (metric) => {
        const { matrix, report } = await imported("inspect", join(logs, "plain"), [`grades=${metric}`]);
        expect([...matrix.subjects].sort()).toEqual(TWELVE.map((name) => `mockllm/${name}`));
        expectEqual(matrix, harnessOwn("plain", metric.split("/").at(-1)));
        expect(report.scores).toEqual({ compared: 36, equal: 36, different: [] });
        expect(report.warnings).toEqual([expect.stringMatching(/ and 11 more: scores are means over 3 epochs$/)]);
        expect(report.attempts).toEqual({ scored: 12 * (8 + 3 * 5 + 6), failed: 0, missing: 0 });
      },
    );

    test.each<[string, RegExp[], string[]?]>([
      ["limited", [/^1 run asked a part of the documents .*: mockllm\/m-03, sums: 3 of 8: /]],
      ["twice", []],
      [
        "anchors-later",
        [/^mockllm\/m-02, sums \(2, before 8\): the newest run has fewer answers than an older one, which counts$/],
      ],
      ["mute", [/^of 24 answers, 1 has no score: /], ["grade"]],
      ["failed", [/^of 32 answers, 1 failed \("RuntimeError\('the machine is gone'\)" once\): /]],
    ])("%s: told, and every score Inspect's own", async (board, warnings, metric = []) => {
      const { matrix, report } = await imported("inspect", join(logs, board), metric);
      expect(report.warnings).toEqual(warnings.map((words) => expect.stringMatching(words) as string));
      expectEqual(matrix, harnessOwn(board));
      expect(report.scores).toMatchObject({ compared: matrix.subjects.length, different: [] });
      expect(report.dropped).toHaveLength(["twice", "anchors-later"].includes(board) ? 1 : 0);
    });

    test("a run that ended in an error has no score of Inspect's; what it came to counts, and all is told", async () => {
      const { matrix, report } = await imported("inspect", join(logs, "broken"));
      expectEqual(withoutLast(matrix), harnessOwn("broken"));
      expect(report.warnings).toEqual([
        expect.stringMatching(
          /: it ended with the status error: RuntimeError\('the machine is gone'\); what it lacks is missing$/,
        ),
        expect.stringMatching(/^of \d+ answers, \d failed \(.*"RuntimeError\('the machine is gone'\)" once.*\): /),
        expect.stringMatching(/^1 run asked a part of the documents .*: mockllm\/m-03, sums: \d of 8: /),
      ]);
    });

    test("epochs that Inspect didn't average are, and it is told that the score is another", async () => {
      // Here the reducer is an argument of the task, too.
      const { matrix, report } = await imported("inspect", join(logs, "reducer"), [], { allowMixed: true });
      const own = harnessOwn("reducer");
      expectEqual(withoutLast(matrix), own.filter(([name]) => !name.includes("m-03"))); // prettier-ignore
      expect(meansOf(matrix).get("mockllm/m-03 letters")).toBeLessThan(new Map(own).get("mockllm/m-03 letters")!);
      expect(report.warnings).toEqual([
        expect.stringMatching(/^the runs were not made alike:\n {2}letters: task arguments/),
        expect.stringMatching(/ and 3 more: scores are means over 3 epochs$/),
        expect.stringMatching(/: Inspect made one score of the epochs by max, which is no mean: the scores differ/),
      ]);
    });

    test.each([
      ["version", "sums: task version", "2"],
      ["solver", "sums: solver", 'system_message(template="Be short."), guess()'],
      ["epochs", "letters: epochs", "1"],
    ])("runs of another %s are refused with a table, or taken and told", async (board, heading, value) => {
      const error = await rejection(imported("inspect", join(logs, board)));
      for (const words of [heading, value, "mockllm/m-03"]) expect(error.message).toContain(words);
      const { matrix, report } = await imported("inspect", join(logs, board), [], { allowMixed: true });
      expect(report.warnings[0]).toContain(heading);
      expectEqual(matrix, harnessOwn(board));
    });
  },
);
