import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contentHash, type AnchorRecord } from "anchoreval/bundle";
import { describe, expect, test } from "vitest";
import { documentOf, hasModules, taskDocuments, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, writeBundle } from "../../support/logged-bundle.ts";
import { anchoreval, expectSameAsEstimate, type RunResult } from "../../support/run-harness.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const cwd = folder.path("");
const MINUTE = 60_000;

const inspect = hasModules("inspect_ai");
describe.skipIf(!inspect)(
  "run --harness inspect (skipped without inspect_ai: ANCHOREVAL_TEST_PYTHON names an interpreter that has it)",
  () => {
    const plain = loggedContent({ harness: "inspect", metric: "match" });
    const hashed = <T extends AnchorRecord>(anchor: T): T => {
      const { question, choices, answer } = documentOf(taskOf(anchor), anchor.index) as {
        question: string;
        choices: string[];
        answer: number;
      };
      return { ...anchor, hash: contentHash({ input: question, choices, target: choices[answer]! }) };
    };
    const content = {
      ...plain,
      scenarios: plain.scenarios.map((own) => ({ ...own, anchors: own.anchors.map(hashed) })),
    };
    const anchors = content.scenarios.flatMap((own) => own.anchors);
    const bundle = writeBundle(folder.path("inspected"), content);
    const documents = writeLmEvalTasks(folder, "documents", taskDocuments(content));
    const quiz = join(ROOT, "test/support/inspect-quiz.py");
    const asked = folder.path("asked.txt");
    const env = { DOCUMENTS: documents, ASKED: asked };
    const run = (model: string, ...more: string[]): string[] => [
      ...["run", "--bundle", bundle, ...more, "--", quiz],
      ...["--model", `mockllm/${model}`, "--display", "none", "--max-samples", "1"],
    ];
    const questions = (): string[] => readFileSync(asked, "utf8").trim().split("\n");

    test("interrupted by an error or a crash, goes on from what was answered", { timeout: 8 * MINUTE }, async () => {
      const at = anchors.filter((anchor) => taskOf(anchor) === "beta_first")[3]!;
      const broken = { ...env, BREAK: `beta_first, document ${at.index}?` };
      const first = await anchoreval(cwd, run("one", "--json"), broken);
      expect(JSON.parse(first.out)).toMatchObject({ error: { code: "unavailable" } });
      expect(first.err).toContain(
        "ended with the status error: RuntimeError('broken'); what was answered is kept in runs/",
      );
      expect(first.code).toBe(1);
      expect(questions().length).toBeGreaterThan(20); // alpha's, and some more
      const second = await anchoreval(cwd, run("one", "--json"), { ...broken, BREAK_BY: "kill" });
      expect(second.err).toContain("$ inspect eval-retry ");
      expect(second.code).toBe(1);

      const { code, out } = await anchoreval(cwd, run("one", "--json"), env);
      expect(code).toBe(0);
      const all = anchors.map((anchor) => `${taskOf(anchor)}, document ${anchor.index}?`);
      expect([...new Set(questions())].sort()).toEqual(all.sort());
      // Asked again: the question at which it broke off, and the one that was being answered then.
      const again = new Set(questions().filter((question, index, own) => own.indexOf(question) !== index));
      expect(again).toContain(broken.BREAK);
      expect(again.size).toBeLessThanOrEqual(2);
      const result = JSON.parse(out) as RunResult;
      expect(result).toMatchObject({ answered: 40, run: { harness: "inspect", asked: 40, of: 100 } });
      await expectSameAsEstimate(cwd, bundle, "inspect", result);
    });

    test("finds samples that are called otherwise by their content", { timeout: 4 * MINUTE }, async () => {
      // Each anchor has the id of the sample after it, as where one harness counts from 0 and the other from 1.
      const shifted = content.scenarios.map((own) => ({
        ...own,
        anchors: own.anchors.map((anchor) => ({ ...anchor, doc_id: anchor.index + 1 })),
      }));
      const other = writeBundle(folder.path("shifted"), { ...content, scenarios: shifted });
      const argv = ["run", "--bundle", other, "--dry-run", ...run("three").slice(3)];
      const { code, out, err } = await anchoreval(cwd, argv, env);
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const asked = [...out.matchAll(/@(\w+) --sample-id (\S+)/g)].flatMap(([, task, ids]) =>
        ids!.split(",").map((id) => `${task!}/${id}`),
      );
      expect(asked.sort()).toEqual(anchors.map((anchor) => `${taskOf(anchor)}/${anchor.index}`).sort());
    });

    test("refuses a task that asks other items, before it asks any", { timeout: 3 * MINUTE }, async () => {
      const others = writeLmEvalTasks(
        folder,
        "other-documents",
        new Map(
          [...taskDocuments(content)].map(([task, own]) => [task, own.map((one) => ({ ...one, question: "other" }))]),
        ),
      );
      const { code, err } = await anchoreval(cwd, run("two"), { ...env, DOCUMENTS: others });
      expect(err).toContain("40 of 40 anchors have other content in the harness's tasks: ");
      expect(code).toBe(2);
    });
  },
);
