import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import type { BundleContent } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { hasModules, HARNESS_ENV, PYTHON, taskDocuments, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, withFieldIds, writeBundle } from "../../support/logged-bundle.ts";
import { anchoreval } from "../../support/run-harness.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const cwd = folder.path("");
const MINUTE = 60_000;

type Figures = Readonly<Record<string, number | string>>;
type Sample = Readonly<Record<string, unknown>> & { readonly doc: { readonly question: string } };

interface Ended {
  readonly logs: string;
  readonly status: number | null;
  readonly said: string;
  /** Rows of the harness's table, cells without spaces. */
  readonly table: readonly string[];
  readonly figures: Figures;
  readonly samples: readonly Sample[];
}

/** The harness's own program, which doesn't index its own ten thousand tasks: that takes most of a run here. */
const PROGRAM = `
import functools, lm_eval.tasks
lm_eval.tasks.TaskManager = functools.partial(lm_eval.tasks.TaskManager, include_defaults=False)
from lm_eval.__main__ import cli_evaluate
cli_evaluate()
`;

let runs = 0;
/** Runs a task by it, with the harness's dummy model; `whole`: as it is, with its own tasks. */
function lmEval(tasks: string, name: string, more: readonly string[] = [], { whole = false } = {}): Ended {
  const logs = folder.path(`logs-${++runs}`);
  mkdirSync(logs);
  const words = ["--tasks", name, "--include_path", tasks, "--log_samples", "--output_path", logs, ...more];
  const { status, stdout, stderr } = spawnSync(
    PYTHON,
    [...(whole ? ["-m", "lm_eval"] : ["-c", PROGRAM]), "--model", "dummy", ...words],
    {
      cwd,
      env: HARNESS_ENV,
      encoding: "utf8",
    },
  );
  const files = readdirSync(logs, { recursive: true, encoding: "utf8" });
  const read = (part: string, none: string): string => {
    const file = files.find((own) => own.includes(part));
    return file === undefined ? none : readFileSync(`${logs}/${file}`, "utf8");
  };
  const { results } = JSON.parse(read("results_", '{"results":{}}').replaceAll("NaN", "null")) as {
    results: Record<string, Figures>;
  };
  return {
    logs,
    status,
    said: stderr,
    table: stdout.split("\n").flatMap((line) => (line.startsWith("|") ? [line.replaceAll(/ +/g, "")] : [])),
    figures: results[name] ?? {},
    samples: read("samples_", "")
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Sample])),
  };
}

async function exportTask(bundle: string, tasks: string, ...more: string[]): Promise<void> {
  const { code, err } = await anchoreval(cwd, [
    "export",
    "--bundle",
    bundle,
    "--to",
    "lm-eval",
    "--out",
    tasks,
    ...more,
  ]);
  expect(err).toBe("");
  expect(code).toBe(0);
}

/** The score that `estimate` takes from the logs themselves. */
async function estimateOf(bundle: string, { logs }: Ended, ...more: string[]): Promise<number> {
  const argv = ["estimate", "--bundle", bundle, "--form", "20", "--from", "lm-eval", logs, "--json", ...more];
  const { out, err } = await anchoreval(cwd, argv);
  const { score, answered } = JSON.parse(out) as { score: number; answered: number };
  expect(answered, err).toBe(40);
  return score;
}

/** The harness's figures of a metric and filter are the SDK's for the logged answers. */
async function expectEstimate(
  bundle: string,
  content: BundleContent,
  ended: Ended,
  [metric, filter]: [string, string],
) {
  const anchors = content.scenarios.flatMap((own) => own.anchors);
  const ids = new Map(anchors.map((anchor) => [`${taskOf(anchor)}, document ${anchor.index}?`, anchor.item_id]));
  const logged = ended.samples.filter((sample) => sample["filter"] === filter);
  const answers = Object.fromEntries(logged.map((one) => [ids.get(one.doc.question)!, one[metric] as number]));
  const { score, interval, scenarios } = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers, {
    form: "20",
  });
  const halfWidth = ({ low, high }: { low: number; high: number }): number => (high - low) / 2;
  const expected: Record<string, number> = {
    [metric]: score!,
    [`${metric}_low`]: interval!.low,
    [`${metric}_high`]: interval!.high,
    [`${metric}_stderr`]: halfWidth(interval!) / 1.959963984540054,
  };
  for (const [id, own] of Object.entries(scenarios)) {
    expected[`${metric}:${id}`] = own.score!;
    expected[`${metric}:${id}_stderr`] = halfWidth(own.interval!) / 1.959963984540054;
  }
  expect(new Set(Object.values(answers)).size).toBeGreaterThan(1);
  for (const [name, value] of Object.entries(expected))
    expect(ended.figures[`${name},${filter}`]).toBeCloseTo(value, 9);
}

const here = hasModules("lm_eval", "datasets", "anchoreval");
describe.skipIf(!here)(
  "a task by export --to lm-eval (skipped without lm_eval and anchoreval: ANCHOREVAL_TEST_PYTHON names an interpreter that has them)",
  () => {
    const protocol = { harness: "lm-eval", shots: 0, metric: "acc", filter: "none", taskVersion: "1" };
    const content = loggedContent(protocol);
    const bundle = writeBundle(folder.path("bundle"), content);
    const tasks = writeLmEvalTasks(folder, "tasks", taskDocuments(content));

    test(
      "the harness's table has the score that estimate gives, and its interval",
      { timeout: 3 * MINUTE },
      async () => {
        await exportTask("bundle", "tasks");
        const ended = lmEval(tasks, "sample_anchored", [], { whole: true });
        expect(ended.status, ended.said).toBe(0);
        expect(ended.said).not.toContain("sample_anchored: "); // no warning of ours
        await expectEstimate(bundle, content, ended, ["acc", "none"]);
        const cell = (name: string): string => Number(ended.figures[`${name},none`]).toFixed(4);
        expect(ended.table).toEqual([
          "|Tasks|Version|Filter|n-shot|Metric||Value||Stderr|",
          "|---------------|-------|------|-----:|----------|---|-----:|---|------|",
          `|sample_anchored|1.0.0|none|0|acc|↑|${cell("acc")}|±|${cell("acc_stderr")}|`,
          ...["alpha", "beta/γ"].map(
            (id) => `|||none|0|acc:${id}|↑|${cell(`acc:${id}`)}|±|${cell(`acc:${id}_stderr`)}|`,
          ),
          `|||none|0|acc_high||${cell("acc_high")}|±|N/A|`,
          `|||none|0|acc_low||${cell("acc_low")}|±|N/A|`,
        ]);
        expect(ended.samples).toHaveLength(40);
        expect(await estimateOf(bundle, ended)).toBeCloseTo(Number(ended.figures["acc,none"]), 9);
      },
    );

    test("shared out among processes, the figures are the same", { timeout: 3 * MINUTE }, () => {
      const script = `${ROOT}/test/support/two-ranks.py`;
      const { stdout, stderr } = spawnSync(PYTHON, [script, tasks, "sample_anchored"], {
        cwd,
        env: HARNESS_ENV,
        encoding: "utf8",
      });
      expect(stdout, stderr).not.toBe("");
      const { counts, whole, gathered } = JSON.parse(stdout) as { counts: number[]; whole: Figures; gathered: Figures };
      expect(counts).toEqual([20, 20]);
      expect(whole["acc"]).toBeGreaterThan(0);
      expect(gathered).toEqual(whole);
    });

    test("tasks of different metrics are rows named score", { timeout: 3 * MINUTE }, async () => {
      const metrics = { "metric/alpha": "acc_norm", "metric/beta_first": "acc", "metric/beta_second": "acc" };
      const mixed = loggedContent({ harness: "lm-eval", shots: 0, filter: "none", ...metrics });
      const mixedBundle = writeBundle(folder.path("mixed"), mixed);
      const both = "metric_list: [{metric: acc}, {metric: acc_norm}]";
      const settings = `output_type: multiple_choice\ndoc_to_choice: "{{choices}}"\ndoc_to_target: answer\n${both}\n`;
      const mixedTasks = writeLmEvalTasks(folder, "mixed-tasks", taskDocuments(mixed), settings);
      await exportTask("mixed", "mixed-tasks");
      const ended = lmEval(mixedTasks, "sample_anchored");
      expect(ended.status, ended.said).toBe(0);
      await expectEstimate(mixedBundle, mixed, ended, ["score", "none"]);
      expect(Object.keys(ended.figures)).not.toContain("acc,none");
      expect(await estimateOf(mixedBundle, ended)).toBeCloseTo(Number(ended.figures["score,none"]), 9);
    });

    test("--limit leaves too few answers: that is said, and no number stands for it", { timeout: 3 * MINUTE }, () => {
      const ended = lmEval(tasks, "sample_anchored", ["--limit", "5"]);
      expect(ended.status, ended.said).toBe(0);
      expect(ended.figures).toMatchObject({ "acc,none": null, "acc_stderr,none": "N/A", "acc_low,none": "N/A" });
      expect(ended.said).toContain("sample_anchored: no estimate for beta/γ");
      expect(ended.samples).toHaveLength(5);
    });

    test("refuses documents of another content before any is asked", { timeout: 3 * MINUTE }, async () => {
      const documents = [...taskDocuments(content)];
      const others = new Map(documents.map(([task, own]) => [task, own.map((one) => ({ ...one, question: "other" }))]));
      const changed = writeLmEvalTasks(folder, "changed", others);
      await exportTask("bundle", "changed");
      const ended = lmEval(changed, "sample_anchored");
      expect(ended.status).toBe(1);
      expect(ended.said).toContain("40 of 40 anchors have other content in the harness's tasks: ");
      expect(ended.said).toContain("[item_changed]");
      expect(ended.said).not.toContain("Running loglikelihood requests");
    });

    test(
      "refuses a bundle that isn't the exported one, and a task that isn't there",
      { timeout: 3 * MINUTE },
      async () => {
        writeLmEvalTasks(folder, "alone", new Map());
        mkdirSync(folder.path("alone"), { recursive: true });
        await exportTask("bundle", "alone");
        expect(lmEval(folder.path("alone"), "sample_anchored").said).toContain(
          "lm-evaluation-harness has no task alpha",
        );
        writeBundle(bundle, loggedContent({ ...protocol, shots: 1 }));
        const ended = lmEval(tasks, "sample_anchored");
        writeBundle(bundle, content);
        expect(ended.status).toBe(1);
        expect(ended.said).toContain("[digest_mismatch]");
      },
    );

    test(
      "documents by a field, two filters that the bundle doesn't choose from, other settings",
      { timeout: 3 * MINUTE },
      async () => {
        const named = withFieldIds(
          loggedContent({ harness: "other", shots: 2, metric: "exact_match", ids: "question_id" }),
        );
        const fields = writeBundle(folder.path("fields"), named);
        const ids = new Map(
          named.scenarios.flatMap((own) => own.anchors.map((a) => [`${taskOf(a)} ${a.index}`, a.item_id])),
        );
        const documents = [...taskDocuments(named)].map(([task, own]): [string, object[]] => [
          task,
          own
            .map((one, id) => ({
              ...one,
              answer: id % 3 ? "lol" : "no",
              question_id: ids.get(`${task} ${id}`) ?? `${task} ${id}`,
            }))
            .reverse(),
        ]);
        const filters = `filter_list: [{name: whole, filter: [{function: take_first}]}, {name: cut, filter: [{function: regex, regex_pattern: "(lo)"}, {function: take_first}]}]`;
        const generated = writeLmEvalTasks(
          folder,
          "generated",
          new Map(documents as [string, Record<string, unknown>[]][]),
          `output_type: generate_until\ndoc_to_target: answer\nnum_fewshot: 1\nfewshot_config: {sampler: first_n}\nmetric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\ngeneration_kwargs: {until: ["\\n"], do_sample: false}\n${filters}\n`,
        );
        await exportTask("fields", "generated");
        const ended = lmEval(generated, "sample_anchored", ["--num_fewshot", "3", "--gen_kwargs", "max_gen_toks=7"]);
        expect(ended.status, ended.said).toBe(0);
        await expectEstimate(fields, named, ended, ["exact_match", "whole"]);
        expect(ended.samples.filter((one) => one["filter"] === "cut")).toHaveLength(40);
        for (const filter of ["whole", "cut"])
          expect(await estimateOf(fields, ended, "--filter", filter)).toBeCloseTo(
            Number(ended.figures[`exact_match,${filter}`]),
            9,
          );
        expect(ended.figures["exact_match,cut"]).toBeLessThan(Number(ended.figures["exact_match,whole"]));
        expect(ended.said).toContain("run with other, not with lm-eval");
        expect(ended.said).toContain("few-shot examples: 3 in this run, 2 in those of the models");
        expect(JSON.stringify(ended.samples[0]!["arguments"])).toMatch(/"max_gen_toks":7/);
      },
    );
  },
);
