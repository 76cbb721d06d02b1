import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { loadBundle, type Bundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { encodeManifest, sha256Text, textHash } from "anchoreval/internal/core/bundle/digest";
import type { AnchorRecord } from "anchoreval/internal/core/bundle/manifest";
import { allAnchors, formAnchors } from "anchoreval/internal/logs/anchor-names";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasModules, HARNESS_ENV, PYTHON, writeLmEvalTasks } from "../../support/harness-tasks.ts";
import { commandsIn } from "../../support/exported-commands.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

/*
 * The commands that `export` prints, run by the harnesses themselves as they are but for the model: what is asked is the
 * form's items, and the estimate read back is that of the answers.
 */

const MINUTE = 60_000;
const FORM = "50";
const folder = tempFolder();
const cwd = folder.path("");

const { shell, succeed, exported, expectEstimate } = commandsIn(cwd);

/** A bundle that comes along, whose items are questions made up here: hashes of contents are those of the latter. */
function madeUp(name: string, question: (item: string) => string): string {
  const [from, to] = [join(ROOT, "bundles", name, "1.0.0"), folder.path(name)];
  mkdirSync(to, { recursive: true });
  copyFileSync(join(from, "parameters.safetensors"), join(to, "parameters.safetensors"));
  const texts = new Map<string, string>();
  for (const file of ["anchors.jsonl", "items.jsonl"]) {
    const lines = readFileSync(join(from, file), "utf8");
    texts.set(
      file,
      lines.replaceAll(
        /^(\{"item_id":"([^"]+)".*?"hash":")[0-9a-f]{64}/gm,
        (_, before: string, item: string) => before + textHash(question(item)),
      ),
    );
    writeFileSync(join(to, file), texts.get(file)!);
  }
  const manifest = JSON.parse(readFileSync(join(from, "manifest.json"), "utf8")) as Bundle["manifest"];
  const files = manifest.files.map((file) => {
    const sha256 = texts.has(file.name) ? sha256Text(texts.get(file.name)!) : file.sha256;
    return { ...file, sha256, ...(file.segments && { segments: file.segments.map((own) => (texts.has(file.name) ? { ...own, sha256 } : own)) }) }; // prettier-ignore
  });
  writeFileSync(join(to, "manifest.json"), encodeManifest({ ...manifest, files }));
  return to;
}

/** A question in place of an item of GSM8K. */
const questionOf = (item: string): string => `GSM8K, question ${item.split("/")[1]!}?`;

const hasLmEval = hasModules("lm_eval", "datasets", "tenacity", "anchoreval");
describe.skipIf(!hasLmEval)(
  "commands of lm_eval (skipped without lm_eval, tenacity and anchoreval: ANCHOREVAL_TEST_PYTHON names an interpreter that has them)",
  () => {
    /** The key: the answer to a question, and whether the model gives it. */
    const answerOf = (question: string): string => sha256Text(question).slice(0, 6);
    const isRight = (question: string): boolean => sha256Text(`${question} right`) < "a";
    const asked: string[] = [];
    let server: Server;
    beforeAll(async () => {
      server = createServer((request, response) => {
        let body = "";
        request.on("data", (bytes: Buffer) => (body += bytes.toString()));
        request.on("end", () => {
          const prompts = (JSON.parse(body) as { prompt: string | string[] }).prompt;
          const choices = [prompts].flat().map((prompt, index) => {
            const question = prompt.split("\n\n").at(-1)!;
            asked.push(question);
            return { index, text: isRight(question) ? answerOf(question) : "no" };
          });
          response.setHeader("content-type", "application/json");
          response.end(JSON.stringify({ choices }));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    });
    afterAll(() => void server.close());

    /** The command, with the model that answers by the key. */
    function withKey(command: string): string {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/completions`;
      const settings = `model=key,base_url=${url},tokenizer_backend=none,tokenized_requests=False,num_concurrent=4`;
      const line = command.replace("--model hf --model_args pretrained=MODEL", `--model local-completions --model_args ${settings}`); // prettier-ignore
      expect(line).not.toBe(command);
      asked.length = 0;
      return line;
    }

    const SETTINGS = `fewshot_split: test\nfewshot_config: {sampler: first_n}\noutput_type: generate_until\ndoc_to_target: answer\ntarget_delimiter: " "\nmetric_list: [{metric: exact_match, aggregation: mean, higher_is_better: true}]\ngeneration_kwargs: {until: ["\\n"], do_sample: false}\n`;

    async function formOf(place: string): Promise<readonly AnchorRecord[]> {
      return formAnchors(allAnchors(await loadBundle(folderSource(place))), FORM);
    }

    test("gsm8k: documents by their places", { timeout: 4 * MINUTE }, async () => {
      const place = madeUp("gsm8k", questionOf);
      const documents = Array.from({ length: 1319 }, (_, k) => questionOf(`gsm8k/${k}`)).map((question) => ({ question, answer: answerOf(question) })); // prettier-ignore
      const tasks = writeLmEvalTasks(folder, "gsm8k-tasks", new Map([["gsm8k", documents]]), SETTINGS);
      const { command, notes } = await exported("--bundle", place, "--form", FORM, "--to", "lm-eval", "--task-files", tasks, "--out", "gsm8k-out"); // prettier-ignore
      expect(notes).toEqual([]);
      const { code, said } = await shell(withKey(command));
      expect(code, said).toBe(0);
      const items = (await formOf(place)).map(({ item_id }) => item_id);
      expect([...asked].sort()).toEqual(items.map(questionOf).sort());
      const answers = Object.fromEntries(items.map((item) => [item, Number(isRight(questionOf(item)))]));
      await expectEstimate(place, answers, { form: FORM, from: "lm-eval", logs: "anchors" });
    });

    test("mmlu-pro: fourteen tasks, documents by a field of theirs", { timeout: 4 * MINUTE }, async () => {
      const named = (item: string): string => `MMLU-Pro, question ${item}?`;
      const place = madeUp("mmlu-pro", named);
      const anchors = await formOf(place);
      const documents = new Map<string, Record<string, unknown>[]>();
      for (const { task, item_id } of anchors) {
        const own = documents.get(task!) ?? [];
        // Beside each anchor documents that are none, enough for five examples, in any order.
        for (const id of [item_id, ...[1, 2, 3, 4, 5].map((more) => `${item_id}000${more}`)])
          own.push({ question_id: Number(id), question: named(id), answer: answerOf(named(id)) });
        documents.set(task!, own.reverse());
      }
      expect(documents.size).toBeGreaterThan(10);
      const tasks = writeLmEvalTasks(folder, "mmlu-tasks", documents, SETTINGS);
      const { tableCommand } = await exported("--bundle", place, "--form", FORM, "--to", "lm-eval", "--task-files", tasks, "--out", "mmlu-out"); // prettier-ignore
      const { code, said } = await shell(withKey(`${tableCommand} --log_samples --output_path mmlu-logs`));
      expect(code, said).toBe(0);
      expect([...asked].sort()).toEqual(anchors.map(({ item_id }) => named(item_id)).sort());
      const answers = Object.fromEntries(anchors.map(({ item_id }) => [item_id, Number(isRight(named(item_id)))]));
      await expectEstimate(place, answers, { form: FORM, from: "lm-eval", logs: "mmlu-logs" });
    });

    test(
      "tasks of one's own: in the folder that the logs name, or where they are now",
      { timeout: 4 * MINUTE },
      async () => {
        const out = folder.path("own");
        const { status, stderr, stdout } = spawnSync(PYTHON, [join(ROOT, "examples/lm-eval/harness.py"), out], {
          ...{ cwd, env: HARNESS_ENV, encoding: "utf8" },
        });
        expect(status, stderr).toBe(0);
        expect(stdout).toContain(" --include_path own/tasks ");
        expect(stdout).toContain("tiny 1.0.0, form 10: 20 of 20 items answered");

        renameSync(join(out, "tasks"), folder.path("elsewhere"));
        for (const name of ["sums", "differences"]) {
          const file = folder.path(`elsewhere/${name}.yaml`);
          writeFileSync(file, readFileSync(file, "utf8").replace(`${out}/tasks`, folder.path("elsewhere")));
        }
        const argv = ["--bundle", join(out, "bundle"), "--to", "lm-eval", "--out", join(out, "again")];
        expect((await exported(...argv)).notes).toEqual([
          expect.stringMatching(/^own\/tasks, the folder of the tasks' files, isn't here: /),
        ]);
        const { command, tableCommand, notes } = await exported(...argv, "--task-files", "elsewhere");
        expect(notes).toEqual([]);
        for (const [line, logs] of [
          [command, "anchors"],
          [tableCommand, "table"],
        ] as const) {
          // prettier-ignore
          const dummy = line.replace("--model hf --model_args pretrained=MODEL", "--model dummy").replace("--output_path anchors", ""); // prettier-ignore
          const { code, said } = await shell(`${dummy} --log_samples --output_path moved/${logs}`);
          expect(code, said).toBe(0);
          const lines = readdirSync(folder.path(`moved/${logs}`), { recursive: true, encoding: "utf8" }).flatMap((name) => name.endsWith(".jsonl") ? readFileSync(folder.path(`moved/${logs}/${name}`), "utf8").trim().split("\n") : []); // prettier-ignore
          expect(lines).toHaveLength(20);
        }
      },
    );
  },
);

describe.skipIf(!hasModules("inspect_ai"))(
  "commands of Inspect (skipped without inspect_ai: ANCHOREVAL_TEST_PYTHON names an interpreter that has it)",
  () => {
    const isRight = (strength: number, k: number): boolean => (k * 7) % 40 < strength * 5;
    const GSM8K = `
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def key():
    async def solve(state, generate):
        with open("asked.txt", "a", encoding="utf-8") as asked:
            asked.write(f"{state.input_text}\\n")
        right = int(state.input_text.split()[-1].strip("?")) % 3 > 0
        state.output = ModelOutput.from_content(str(state.model), state.target.text if right else "no")
        return state
    return solve

@task
def gsm8k():
    return Task(dataset=MemoryDataset([Sample(input=one, target="yes") for one in QUESTIONS]), solver=key(), scorer=match())
`;
    const QUIZ = `
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def key():
    async def solve(state, generate):
        right = state.sample_id * 7 % 40 < 5 * int(str(state.model)[-1])
        state.output = ModelOutput.from_content(str(state.model), state.target.text if right else "no")
        return state
    return solve

@task
def sums(level, size=3, signs=("-",), words="none"):
    samples = [Sample(id=k, input=f"{level} {signs} {words}: {k} + 1?", target=str(k + 1)) for k in range(size)]
    return Task(dataset=MemoryDataset(samples), solver=key(), scorer=match())
`;

    test("gsm8k: run finds its items by their content, whatever they are called", { timeout: 3 * MINUTE }, async () => {
      const place = madeUp("gsm8k", questionOf);
      const questions = Array.from({ length: 1319 }, (_, k) => questionOf(`gsm8k/${k}`)).reverse();
      folder.write("gsm8k.py", GSM8K.replace("QUESTIONS", JSON.stringify(questions)));
      const argv = ["run", "--bundle", place, "--form", FORM, "--harness", "inspect", "--out", "gsm8k-run", "--json"];
      const out = await succeed(...argv, "--", "gsm8k.py", "--model", "mockllm/model", "--display", "none");
      const anchors = formAnchors(allAnchors(await loadBundle(folderSource(place))), FORM);
      const asked = readFileSync(folder.path("asked.txt"), "utf8").trim().split("\n");
      expect(asked.sort()).toEqual(anchors.map(({ item_id }) => questionOf(item_id)).sort());
      const answers = Object.fromEntries(anchors.map(({ item_id, doc_id }) => [item_id, Number(Number(doc_id) % 3 > 0)])); // prettier-ignore
      await expectEstimate(place, answers, { form: FORM, from: "inspect", logs: "gsm8k-run/logs" });
      expect(JSON.parse(out)).toMatchObject({ answered: 50, run: { asked: 50, of: 1319 } });
    });

    test("a task of a file, with its arguments; the file where it is now", { timeout: 5 * MINUTE }, async () => {
      folder.write("evals/quiz.py", QUIZ);
      const models = Array.from({ length: 7 }, (_, m) => `mockllm/m-${m + 1}`).join(",");
      const passed = `-T level=hard -T size=40 -T 'signs=["+","*"]' -T 'words="1 or two"'`;
      const { code, said } = await shell(`inspect eval evals/quiz.py@sums --model ${models} ${passed} --log-dir evals/logs --display none`); // prettier-ignore
      expect(code, said).toBe(0);
      await succeed("import", "--from", "inspect", "evals/logs", "--out", "evals/board");
      const board = ["--responses", "evals/board/responses.csv.gz", "--items", "evals/board/items.jsonl.gz"];
      await succeed("fit", ...board, "--anchors", "10", "--name", "quiz@1.0.0", "--out", "evals/bundle");

      const argv = ["--bundle", "evals/bundle", "--to", "inspect", "--out", "evals/out"];
      const { commands, notes } = await exported(...argv);
      expect(notes).toEqual([]);
      expect(commands).toHaveLength(1);
      expect(commands[0]).toContain("inspect eval evals/quiz.py@sums --sample-id ");
      const place = folder.path("evals/bundle");
      const anchors = formAnchors(allAnchors(await loadBundle(folderSource(place))), "10");
      const answers = Object.fromEntries(anchors.map(({ item_id, doc_id }) => [item_id, Number(isRight(4, Number(doc_id)))])); // prettier-ignore
      const run = async (line: string): Promise<void> => {
        const ended = await shell(`${line.replace("PROVIDER/MODEL", "mockllm/m-4")} --display none`);
        expect(ended.code, ended.said).toBe(0);
        await expectEstimate(place, answers, { form: "10", from: "inspect", logs: "anchors" });
      };
      renameSync(folder.path("anchors"), folder.path("anchors-lm-eval"));
      await run(commands[0]!);

      renameSync(folder.path("evals/quiz.py"), folder.path("quiz.py"));
      expect((await exported(...argv)).notes).toEqual([expect.stringMatching(/^evals\/quiz\.py isn't here: /)]);
      const moved = await exported(...argv, "--task-files", "quiz.py");
      expect(moved.notes).toEqual([]);
      await run(moved.commands[0]!);
      expect((await exported(...argv, "--task-files", ".")).commands).toEqual(moved.commands);
    });
  },
);
