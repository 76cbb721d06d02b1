import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { estimateFromAnchors, loadBundle, type Estimate } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { hasModules, HARNESS_ENV, PYTHON, taskDocuments, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, writeBundle } from "../../support/logged-bundle.ts";
import { anchoreval } from "../../support/run-harness.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const cwd = folder.path("");
const MINUTE = 60_000;
const TABLE_ROW = /^\|/;

interface Run {
  readonly table: readonly string[];
  readonly said: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly samples: readonly { doc_id: number; doc: { question: string }; [metric: string]: unknown }[];
}

/** Runs an anchored task by the harness's program. */
function lmEval(tasks: string, name: string, ...more: string[]): Run {
  const logs = folder.path(`logs-${Math.random()}`);
  const { status, stdout, stderr } = spawnSync(
    PYTHON,
    [
      ...["-m", "lm_eval", "--model", "dummy", "--tasks", name, "--include_path", tasks],
      ...["--log_samples", "--output_path", logs, ...more],
    ],
    { cwd, env: HARNESS_ENV, encoding: "utf8" },
  );
  expect(status, stderr).toBe(0);
  const files = readdirSync(logs, { recursive: true, encoding: "utf8" });
  const read = (part: string): string => readFileSync(`${logs}/${files.find((file) => file.includes(part))!}`, "utf8");
  const { results } = JSON.parse(read("results_")) as { results: Record<string, Run["figures"]> };
  const samples = read("samples_").trim().split("\n");
  return {
    table: stdout.split("\n").filter((line) => TABLE_ROW.test(line)),
    said: stderr,
    figures: results[name]!,
    samples: samples.map((line) => JSON.parse(line) as Run["samples"][number]),
  };
}

const here = hasModules("lm_eval", "datasets", "anchoreval");
describe.skipIf(!here)(
  "an exported task of lm-evaluation-harness (skipped without lm_eval and anchoreval: ANCHOREVAL_TEST_PYTHON names an interpreter that has them)",
  () => {
    const content = loggedContent({ harness: "lm-eval", shots: 0, metric: "acc", filter: "none", taskVersion: "1" });
    const anchors = content.scenarios.flatMap((own) => own.anchors);
    const bundle = writeBundle(folder.path("bundle"), content);
    const tasks = writeLmEvalTasks(folder, "tasks", taskDocuments(content));

    test("prints score and interval of the whole benchmark, as estimate gives them", { timeout: 4 * MINUTE }, async () => {
      const argv = ["export", "--bundle", "bundle", "--to", "lm-eval", "--out", "tasks", "--json"];
      const { out } = await anchoreval(cwd, argv);
      expect(JSON.parse(out)).toMatchObject({ task: "sample_anchored", taskFile: "tasks/sample_anchored.yaml" });
      const { table, said, figures, samples } = lmEval(tasks, "sample_anchored");
      console.log(table.join("\n"), said, figures);
      const ids = new Map(anchors.map((anchor) => [`${taskOf(anchor)}, document ${anchor.index}?`, anchor.item_id]));
      const answers = Object.fromEntries(samples.map(({ doc, acc }) => [ids.get(doc.question)!, acc as number]));
      expect(Object.keys(answers)).toHaveLength(40);
      const expected = estimateFromAnchors(await loadBundle(folderSource(bundle)), answers, { form: "20" });
      void expected;
    });
  },
);
void execFileSync;
export type { Estimate };
