import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { contentHash, type AnchorRecord, type BundleContent } from "anchoreval/bundle";
import type { Estimate } from "anchoreval";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { documentOf, HARNESS_ENV, hasModules, taskDocuments, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { loggedContent, taskOf, writeBundle } from "../../support/logged-bundle.ts";
import { ROOT } from "../../support/source-imports.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const PROGRAM = join(ROOT, "sdk/bin/anchoreval.js");
const MINUTE = 60_000;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The program as a process of its own, with the harnesses on its PATH. @param watch - is given what to interrupt */
function anchoreval(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  watch: (interrupt: () => void) => void = () => undefined,
): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    cwd: folder.path(""),
    env: { ...HARNESS_ENV, ...env },
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on("data", (bytes: Buffer) => (err += bytes.toString()));
  child.stdin.end();
  watch(() => void child.kill("SIGINT"));
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err })));
}

type RunResult = Estimate & {
  readonly run: {
    readonly folder: string;
    readonly model: string;
    readonly asked: number;
    readonly of: number;
    readonly warnings: readonly string[];
  };
};

const anchorsOf = (content: BundleContent): AnchorRecord[] => content.scenarios.flatMap((own) => own.anchors);

/** The score of a result equals the one that `estimate` makes of the run's own logs. */
async function expectSameAsEstimate(bundle: string, from: string, result: RunResult): Promise<void> {
  const again = await anchoreval([
    ...["estimate", "--bundle", bundle, "--form", result.form, "--from", from, "--json"],
    join(folder.path(""), result.run.folder, "logs"),
  ]);
  const { run: _, ...estimate } = result;
  expect(JSON.parse(again.out)).toEqual(estimate);
}

const lmEval = hasModules("lm_eval", "datasets", "tenacity");
describe.skipIf(!lmEval)("run --harness lm-eval (skipped without lm_eval: .ci/python installs it)", () => {
  const content = loggedContent({ harness: "lm-eval", shots: 0, metric: "acc", filter: "none", taskVersion: "1" });
  const bundle = writeBundle(folder.path("bundle"), content);
  const documents = taskDocuments(content);
  const tasks = writeLmEvalTasks(folder, "tasks", documents);
  const dummy = ["--", "--model", "dummy", "--include_path", tasks];

  test("asks the anchors alone, and gives the score that estimate gives", { timeout: 3 * MINUTE }, async () => {
    const { code, out, err } = await anchoreval(["run", "--bundle", bundle, "--json", ...dummy]);
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
    await expectSameAsEstimate(bundle, "lm-eval", result);
  });

  test("refuses a task that asks other items, before it asks any", { timeout: MINUTE }, async () => {
    const others = writeLmEvalTasks(
      folder,
      "others",
      new Map([...documents].map(([task, own]) => [task, own.map((one, id) => ({ ...one, question: `other ${id}` }))])),
    );
    const out = folder.path("refused");
    const argv = ["run", "--bundle", bundle, "--out", out, "--", "--model", "dummy", "--include_path", others];
    const { code, err } = await anchoreval(argv);
    expect(err).toContain("40 of 40 anchors have other content in the harness's tasks: ");
    expect(err).toContain("[item_changed]");
    expect(code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });

  test("says before the run what differs from the bundle's protocol", { timeout: MINUTE }, async () => {
    const { code, out, err } = await anchoreval([
      ...["run", "--bundle", bundle, "--dry-run", ...dummy, "--num_fewshot", "3"],
    ]);
    expect(code).toBe(0);
    expect(err).toContain("warning: alpha: few-shot examples: 3 in this run, 0 in those of the models");
    expect(out).toMatch(/^lm_eval --model dummy .* --num_fewshot 3 --tasks alpha,beta_first,beta_second --samples /);
    expect(out).not.toContain("--num_fewshot 0");
  });

  test("refuses a metric that the tasks don't have, and tasks that aren't there", { timeout: MINUTE }, async () => {
    const metric = await anchoreval(["run", "--bundle", bundle, "--dry-run", "--metric", "em", ...dummy]);
    expect(metric.err).toContain("alpha has no metric em");
    expect(metric.code).toBe(2);
    const nowhere = await anchoreval(["run", "--bundle", bundle, "--dry-run", "--", "--model", "dummy"]);
    expect(nowhere.err).toContain('lm-evaluation-harness has no task "alpha", "beta_first", "beta_second"');
    expect(nowhere.code).toBe(2);
  });

  describe("a model behind an API", () => {
    const generated = writeLmEvalTasks(
      folder,
      "generated",
      documents,
      'output_type: generate_until\ndoc_to_target: answer\nmetric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\ngeneration_kwargs: {until: ["\\n"], do_sample: false}\n',
    );
    const text = loggedContent({ harness: "lm-eval", shots: 0, metric: "exact_match", filter: "none" });
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
          if (asked.length === stopAfter) return stop(); // no answer comes any more
          const { messages } = JSON.parse(body) as { messages: { content: string }[] };
          asked.push(messages.at(-1)!.content);
          const id = Number(/document (\d+)/.exec(asked.at(-1)!)![1]);
          const content = String(id % 3 === 0 ? "wrong" : id % 4);
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

    test("interrupted, goes on from what was answered", { timeout: 4 * MINUTE }, async () => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`;
      const argv = [
        ...["run", "--bundle", folder.path("generating"), "--json", "--", "--include_path", generated],
        ...["--model", "local-chat-completions", "--apply_chat_template"],
        ...["--model_args", `model=made-up,base_url=${url},num_concurrent=1,max_retries=1`],
      ];
      stopAfter = 15;
      const broken = await anchoreval(argv, { OPENAI_API_KEY: "none" }, (interrupt) => (stop = interrupt));
      const { error } = JSON.parse(broken.out) as { error: { code: string; message: string } };
      expect(error.code).toBe("aborted");
      expect(error.message).toMatch(
        /^lm_eval was stopped; what was answered is kept in (runs\/\S+): the same call of anchoreval run again goes on from there$/,
      );
      expect(broken.code).toBe(1);
      expect(asked).toHaveLength(15);

      stopAfter = Infinity;
      const { code, out, err } = await anchoreval(argv, { OPENAI_API_KEY: "none" });
      expect(err).toContain("goes on with the run that was broken off");
      expect(code).toBe(0);
      expect([...asked].sort()).toEqual(
        anchorsOf(text)
          .map((anchor) => `${taskOf(anchor)}, document ${anchor.index}?`)
          .sort(),
      );
      const result = JSON.parse(out) as RunResult;
      expect(error.message).toContain(result.run.folder);
      expect(result).toMatchObject({ answered: 40, run: { warnings: [] } });
      await expectSameAsEstimate(folder.path("generating"), "lm-eval", result);

      // The same again is another run: it asks anew.
      const third = JSON.parse((await anchoreval(argv, { OPENAI_API_KEY: "none" })).out) as RunResult;
      expect(third.run.folder).toBe(`${result.run.folder}-2`);
      expect(third.score).toBe(result.score);
      expect(asked).toHaveLength(80);
    });
  });
});

const inspect = hasModules("inspect_ai");
describe.skipIf(!inspect)("run --harness inspect (skipped without inspect_ai: .ci/python installs it)", () => {
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

  test("interrupted by an error or a crash, goes on from what was answered", { timeout: 4 * MINUTE }, async () => {
    const at = anchorsOf(content).filter((anchor) => taskOf(anchor) === "beta_first")[3]!;
    const broken = { ...env, BREAK: `beta_first, document ${at.index}?` };
    const first = await anchoreval(run("one", "--json"), broken);
    expect(JSON.parse(first.out)).toMatchObject({ error: { code: "unavailable" } });
    expect(first.err).toContain("inspect ended before all was answered; what was answered is kept in runs/");
    expect(first.code).toBe(1);
    const answered = questions().length - 1;
    expect(answered).toBeGreaterThan(20);
    const second = await anchoreval(run("one", "--json"), { ...broken, BREAK_BY: "kill" });
    expect(second.err).toContain("$ inspect eval-retry ");
    expect(second.code).toBe(1);

    const { code, out } = await anchoreval(run("one", "--json"), env);
    expect(code).toBe(0);
    const all = anchorsOf(content).map((anchor) => `${taskOf(anchor)}, document ${anchor.index}?`);
    expect([...new Set(questions())].sort()).toEqual(all.sort());
    expect(questions()).toHaveLength(40 + 2); // only the question at which it broke off was asked again
    const result = JSON.parse(out) as RunResult;
    expect(result).toMatchObject({ answered: 40, run: { harness: "inspect", asked: 40, of: 100 } });
    await expectSameAsEstimate(bundle, "inspect", result);
  });

  test("refuses a task that asks other items, before it asks any", { timeout: MINUTE }, async () => {
    const others = writeLmEvalTasks(
      folder,
      "other-documents",
      new Map(
        [...taskDocuments(content)].map(([task, own]) => [task, own.map((one) => ({ ...one, question: "other" }))]),
      ),
    );
    const { code, err } = await anchoreval(run("two"), { ...env, DOCUMENTS: others });
    expect(err).toContain("40 of 40 anchors have other content in the harness's tasks: ");
    expect(code).toBe(2);
  });
});
