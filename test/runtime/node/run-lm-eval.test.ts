import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import type { BundleContent } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasModules, taskDocuments, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, withFieldIds, writeBundle } from "../../support/logged-bundle.ts";
import { anchoreval, expectSameAsEstimate, type RunResult } from "../../support/run-harness.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const cwd = folder.path("");
const MINUTE = 60_000;

/** Gives a task's documents the field that names them. */
function withField(content: BundleContent, task: string): (document: object, id: number) => Record<string, unknown> {
  const anchors = content.scenarios.flatMap((own) => own.anchors).filter((anchor) => anchor.task === task);
  const ids = new Map(anchors.map(({ index, item_id }) => [index, item_id]));
  return (document, id) => ({ ...document, question_id: ids.get(id) ?? `other ${id}` });
}

const lmEval = hasModules("lm_eval", "datasets", "tenacity");
describe.skipIf(!lmEval)(
  "run --harness lm-eval (skipped without lm_eval and tenacity: ANCHOREVAL_TEST_PYTHON names an interpreter that has them)",
  () => {
    const content = loggedContent({ harness: "lm-eval", shots: 0, metric: "acc", filter: "none", taskVersion: "1" });
    const bundle = writeBundle(folder.path("bundle"), content);
    const documents = taskDocuments(content);
    const tasks = writeLmEvalTasks(folder, "tasks", documents);
    const dummy = ["--", "--model", "dummy", "--include_path", tasks];

    test("asks the anchors alone, and gives the score that estimate gives", { timeout: 6 * MINUTE }, async () => {
      const { code, out, err } = await anchoreval(cwd, ["run", "--bundle", bundle, "--json", ...dummy]);
      expect(err).toContain("$ lm_eval --model dummy");
      expect(code).toBe(0);
      const result = JSON.parse(out) as RunResult;
      expect(result).toMatchObject({ form: "20", answered: 40, of: 40, run: { asked: 40, of: 100, warnings: [] } });
      expect(result.run.folder).toMatch(/^runs\/sample-1\.0\.0-20-[0-9a-f]{8}$/);
      const logged = readdirSync(folder.path(`${result.run.folder}/logs`), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .flatMap((name) =>
          readFileSync(folder.path(`${result.run.folder}/logs/${name}`), "utf8")
            .trim()
            .split("\n"),
        );
      expect(logged).toHaveLength(40);
      await expectSameAsEstimate(cwd, bundle, "lm-eval", result);
    });

    test("refuses a task that asks other items, before it asks any", { timeout: 4 * MINUTE }, async () => {
      const others = writeLmEvalTasks(
        folder,
        "others",
        new Map(
          [...documents].map(([task, own]) => [task, own.map((one, id) => ({ ...one, question: `other ${id}` }))]),
        ),
      );
      const out = folder.path("refused");
      const argv = ["run", "--bundle", bundle, "--out", out, "--", "--model", "dummy", "--include_path", others];
      const { code, err } = await anchoreval(cwd, argv);
      expect(err).toContain("40 of 40 anchors have other content in the harness's tasks: ");
      expect(err).toContain("[item_changed]");
      expect(code).toBe(2);
      expect(existsSync(out)).toBe(false);
    });

    test("finds documents that lie elsewhere by their content", { timeout: 4 * MINUTE }, async () => {
      const turned = writeLmEvalTasks(
        folder,
        "turned",
        new Map([...documents].map(([task, own]) => [task, [...own].reverse()])),
      );
      const argv = ["run", "--bundle", bundle, "--json", "--", "--model", "dummy", "--include_path", turned];
      const { code, out, err } = await anchoreval(cwd, argv);
      expect({ code, err }).toMatchObject({ code: 0 });
      const result = JSON.parse(out) as RunResult;
      expect(result).toMatchObject({ answered: 40, run: { asked: 40, warnings: [] } });
      const asked = JSON.parse(readFileSync(folder.path(`${result.run.folder}/samples.json`), "utf8")) as object;
      const places = (content.scenarios.flatMap((own) => own.anchors) as { index: number; task?: string }[]).map(
        ({ index, task }) => [task, documents.get(task!)!.length - 1 - index],
      );
      expect(Object.entries(asked).flatMap(([task, ids]) => (ids as number[]).map((id) => [task, id])).sort()).toEqual(places.sort()); // prettier-ignore
      await expectSameAsEstimate(cwd, bundle, "lm-eval", result);
    });

    test("says before the run what differs from the bundle's protocol", { timeout: 4 * MINUTE }, async () => {
      const { code, out, err } = await anchoreval(cwd, [
        ...["run", "--bundle", bundle, "--dry-run", ...dummy, "--num_fewshot", "3"],
      ]);
      expect(code).toBe(0);
      expect(err).toContain("warning: alpha and 2 more: few-shot examples: 3 in this run, 0 in those of the models");
      expect(out).toMatch(/^lm_eval --model dummy .* --num_fewshot 3 --tasks alpha,beta_first,beta_second --samples /);
      expect(out).not.toContain("--num_fewshot 0");
    });

    test(
      "refuses a metric that the tasks don't have, and tasks that aren't there",
      { timeout: 4 * MINUTE },
      async () => {
        const metric = await anchoreval(cwd, ["run", "--bundle", bundle, "--dry-run", "--metric", "em", ...dummy]);
        expect(metric.err).toContain("alpha has no metric em");
        expect(metric.code).toBe(2);
        const nowhere = await anchoreval(cwd, ["run", "--bundle", bundle, "--dry-run", "--", "--model", "dummy"]);
        expect(nowhere.err).toContain('lm-evaluation-harness has no task "alpha", "beta_first", "beta_second"');
        expect(nowhere.code).toBe(2);
      },
    );

    describe("a model behind an API", () => {
      const text = withFieldIds(
        loggedContent({ harness: "lm-eval", shots: 0, metric: "exact_match", filter: "none", ids: "question_id" }),
      );
      const anchors = text.scenarios.flatMap((own) => own.anchors);
      const right = (id: number): boolean => id % 3 !== 0;
      const generated = writeLmEvalTasks(
        folder,
        "generated",
        // In another order than their numbers': only the field says which is which.
        new Map([...taskDocuments(text)].map(([task, own]) => [task, own.map(withField(text, task)).reverse()])),
        'output_type: generate_until\ndoc_to_target: answer\nmetric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\ngeneration_kwargs: {until: ["\\n"], do_sample: false}\n',
      );
      const asked: string[] = [];
      let stopAfter = Infinity;
      let stop = (): void => undefined;
      let server: Server;
      beforeAll(async () => {
        writeBundle(folder.path("generating"), text);
        server = createServer((request, response) => {
          let body = "";
          request.on("data", (bytes: Buffer) => (body += bytes.toString()));
          request.on("end", () => {
            if (asked.length === stopAfter) {
              stop(); // and no answer comes any more
              return;
            }
            const { messages } = JSON.parse(body) as { messages: { content: string }[] };
            asked.push(messages.at(-1)!.content);
            const id = Number(/document (\d+)/.exec(asked.at(-1)!)![1]);
            const content = right(id) ? String(id % 4) : "wrong";
            response.setHeader("content-type", "application/json");
            response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", content } }] }));
          });
        });
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      });
      afterAll(() => {
        server.closeAllConnections();
        server.close();
      });

      test(
        "whose documents are named by a field: interrupted, goes on from what was answered",
        { timeout: 8 * MINUTE },
        async () => {
          const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`;
          const argv = [
            ...["run", "--bundle", folder.path("generating"), "--json", "--", "--include_path", generated],
            ...["--model", "local-chat-completions", "--apply_chat_template"],
            ...["--model_args", `model=made-up,base_url=${url},num_concurrent=1,max_retries=1`],
          ];
          stopAfter = 15;
          const broken = await anchoreval(cwd, argv, { OPENAI_API_KEY: "none" }, (interrupt) => (stop = interrupt));
          const { error } = JSON.parse(broken.out) as { error: { code: string; message: string } };
          expect(error.code).toBe("aborted");
          expect(error.message).toMatch(
            /^lm_eval was stopped; what was answered is kept in (runs\/\S+): the same call of anchoreval run again goes on from there$/,
          );
          expect(broken.code).toBe(1);
          expect(asked).toHaveLength(15);

          stopAfter = Infinity;
          const { code, out, err } = await anchoreval(cwd, argv, { OPENAI_API_KEY: "none" });
          expect(err).toContain("goes on with the run that was broken off");
          expect(code).toBe(0);
          expect([...asked].sort()).toEqual(
            anchors.map((anchor) => `${taskOf(anchor)}, document ${anchor.index}?`).sort(),
          );
          const result = JSON.parse(out) as RunResult;
          expect(error.message).toContain(result.run.folder);
          expect(result).toMatchObject({ answered: 40, run: { warnings: [] } });
          const responses = Object.fromEntries(anchors.map(({ item_id, index }) => [item_id, Number(right(index))]));
          const estimate = estimateFromAnchors(await loadBundle(folderSource(folder.path("generating"))), responses, {
            form: "20",
          });
          expect(result).toMatchObject(JSON.parse(JSON.stringify(estimate)) as object);
        },
      );
    });
  },
);
