import { existsSync, readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { loadBundle } from "anchoreval";
import type { BundleContent } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { describe, expect, it } from "vitest";
import { loggedContent, taskOf, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { sampleContent } from "../../../support/sample-bundle.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { quote } from "../../../../cli/src/bundles/form-anchors.ts";

const folder = tempFolder();
const content = loggedContent({ shots: 5, chatTemplate: true });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);

describe("export --to lm-eval", () => {
  it("writes the list for --samples: each task's documents, ascending", async () => {
    const out = folder.path("out");
    const { code, out: text } = await runCommand("export", "--bundle", bundle, "--to", "lm-eval", "--out", out);
    expect(code).toBe(0);
    const file = `${out}/sample-1.0.0-20.samples.json`;
    const list = JSON.parse(readFileSync(file, "utf8")) as Record<string, number[]>;
    expect(Object.keys(list)).toEqual(["alpha", "beta_first", "beta_second"]);
    for (const [task, documents] of Object.entries(list))
      expect(documents).toEqual(
        anchors
          .filter((anchor) => taskOf(anchor) === task)
          .map((anchor) => anchor.index)
          .sort((left, right) => left - right),
      );
    expect(text).toContain(
      `  lm_eval --model hf --model_args pretrained=MODEL --tasks alpha,beta_first,beta_second --samples ${file} --num_fewshot 5 --apply_chat_template --log_samples --output_path anchors\n`,
    );
    expect(text).toContain("lm-eval draws few-shot examples anew for each document");
    expect(text).toContain(`anchoreval estimate --bundle ${bundle} --form 20 --from lm-eval anchors/MODEL`);
  });

  it("writes a task that asks the same: its settings, its bundle as seen from the file, its documents", async () => {
    const out = folder.path("tasks/own");
    const { out: text } = await runCommand("export", "--bundle", bundle, "--to", "lm-eval", "--out", out);
    expect(text).toContain(
      `  lm_eval --model hf --model_args pretrained=MODEL --tasks sample_anchored --include_path ${out} --apply_chat_template\n`,
    );
    const { digest } = await loadBundle(folderSource(bundle));
    const lines = readFileSync(`${out}/sample_anchored.yaml`, "utf8").trim().split("\n");
    expect(lines.slice(2, 14)).toEqual([
      "task: sample_anchored",
      "class: !function anchoreval.lm_eval.AnchoredTask",
      "num_fewshot: 5",
      "metadata:",
      '  version: "1.0.0"',
      "  anchoreval:",
      '    bundle: "../../bundle"',
      `    digest: "${digest}"`,
      '    form: "20"',
      "    tasks:",
      '      "alpha":',
      "        items:",
    ]);
    const documents = lines.flatMap((line) => /^ {10}- \[("[^"]+"), (\d+)\]$/.exec(line)?.slice(1).join() ?? []);
    expect(documents.sort()).toEqual(anchors.map(({ item_id, index }) => `"${item_id}",${index}`).sort());
  });

  it("names documents by their field, where a bundle's ids are one, and a bundle that comes along by its name", async () => {
    const out = folder.path("named");
    const argv = ["export", "--bundle", "mmlu-pro", "--form", "10", "--to", "lm-eval", "--out", out];
    const { code, out: text } = await runCommand(...argv);
    expect(code).toBe(0);
    expect(text).toContain(`Run them with the Python package anchoreval beside lm_eval`);
    expect(text).not.toContain("--samples");
    const yaml = readFileSync(`${out}/mmlu_pro_anchored.yaml`, "utf8");
    expect(yaml).toContain('    bundle: "mmlu-pro@1.0.0"\n');
    expect(yaml).toMatch(/^ {6}"mmlu_pro_business":\n {8}field: "question_id"\n {8}items:\n {10}- \["521", "521"\]\n/m);
  });

  it("refuses ids of which nobody knows the documents", async () => {
    const place = writeBundle(folder.path("source"), loggedContent({ "ids/alpha": "source" }));
    const argv = ["export", "--bundle", place, "--to", "lm-eval", "--out", folder.path("none")];
    expect((await runCommand(...argv)).err).toContain("no harness can be told to ask the items of alpha");
    expect(existsSync(folder.path("none"))).toBe(false);
  });

  it("takes another form, and tells as JSON", async () => {
    const { out } = await runCommand(
      "export",
      "--bundle",
      bundle,
      "--form",
      "8",
      "--to",
      "lm-eval",
      "--out",
      folder.path("o8"),
      "--json",
    );
    const told = JSON.parse(out) as { items: number; documents: Record<string, number[]> };
    expect(told).toMatchObject({ form: "8", items: 16 });
    expect(Object.values(told.documents).flat()).toHaveLength(16);
  });

  it("tells examples by task where they differ", async () => {
    const varied = writeBundle(folder.path("varied"), loggedContent({ "shots/alpha": 5, "shots/beta_first": 0 }));
    const { out } = await runCommand("export", "--bundle", varied, "--to", "lm-eval", "--out", folder.path("ov"));
    expect(out).toContain("Few-shot examples differ by task (alpha 5, beta_first 0)");
    expect(out).not.toContain("--num_fewshot");
  });

  it.each<readonly [string, BundleContent["manifest"]["protocol"], readonly string[], string | null, RegExp | null]>([
    ["said once", { taskCall: '["--include_path","."]' }, [], ".", null],
    [
      "the one that all lie in",
      {
        "taskCall/alpha": '["--include_path","test/unit"]',
        "taskCall/beta_first": '["--include_path","test/support/python"]',
      },
      ...([[], "test", null] as const),
    ],
    [
      "gone",
      { taskCall: '["--include_path","no/tasks"]' },
      [],
      "no/tasks",
      /^no\/tasks, the folder of .* isn't here: start lm_eval where/,
    ],
    ["moved", { taskCall: '["--include_path","no/tasks"]' }, ["--task-files", "sdk/logs"], "sdk/logs", null],
    ["moved, and not here", {}, ["--task-files", "my tasks"], "'my tasks'", /^my tasks, the folder of .* isn't here: /],
    ["none, of the harness's own", { harnessVersion: "0.4.12" }, [], null, null],
    [
      "not said by older logs",
      { harnessVersion: "0.4.11" },
      [],
      null,
      /^The logs don't say where the tasks' files are/,
    ],
    [
      "mixed",
      { harnessVersion: "mixed", taskCall: "mixed" },
      [],
      null,
      /^The logs don't say where the tasks' files are/,
    ],
  ])("the folder of tasks of one's own: %s", async (name, protocol, more, include, note) => {
    const place = writeBundle(folder.path(`own-${name}`), loggedContent({ harness: "lm-eval", ...protocol }));
    const out = folder.path(`own-${name}-out`);
    const argv = ["export", "--bundle", place, "--to", "lm-eval", "--out", out, "--json", ...more];
    const { out: text } = await runCommand(...argv);
    const { command, notes } = JSON.parse(text) as { command: string; notes: string[] };
    expect(/--include_path (\S+|'.*') --samples/.exec(command)?.[1] ?? null).toBe(include);
    expect(notes).toEqual(note === null ? [] : [expect.stringMatching(note)]);
    const yaml = readFileSync(`${out}/sample_anchored.yaml`, "utf8");
    const seen = /^ {4}folder: "(.*)"$/m.exec(yaml)?.[1] ?? null;
    expect(seen === null ? null : relative("", resolve(out, seen)) || ".").toBe(include && include.replaceAll("'", ""));
  });

  it("refuses anchors without task and document by name, and writes nothing", async () => {
    const bare = writeBundle(folder.path("bare"), sampleContent());
    const out = folder.path("none");
    const { code, err } = await runCommand("export", "--bundle", bare, "--to", "lm-eval", "--out", out);
    expect(code).toBe(2);
    expect(err).toContain("40 anchors name no task and document of lm-eval: alpha/");
    expect(existsSync(out)).toBe(false);
  });
});

describe("export --to helm, --to inspect, --to opencompass", () => {
  it.each(["helm", "inspect", "opencompass"])("%s: ids by task, in the order in which they are asked", async (to) => {
    const out = folder.path(to);
    const place = writeBundle(folder.path(`bundle-${to}`), loggedContent({ harness: to }));
    const { code } = await runCommand("export", "--bundle", place, "--to", to, "--out", out);
    expect(code).toBe(0);
    const list = JSON.parse(readFileSync(`${out}/sample-1.0.0-20.${to}.json`, "utf8")) as Record<string, number[]>;
    for (const [task, ids] of Object.entries(list))
      expect(ids).toEqual(anchors.filter((anchor) => taskOf(anchor) === task).map((anchor) => anchor.index));
  });

  it.each([
    ["lm-eval", "inspect", "isn't"],
    ["inspect", "lm-eval", "isn't"],
    ["evalplus", "lm-eval", "isn't"],
    ["evalplus", "helm", "isn't"],
    ["opencompass", "inspect", "isn't"],
    ["of my own", "inspect", "isn't"],
    ["of my own", "helm", "isn't"],
    ["of my own", "opencompass", "isn't"],
    ["of my own", "lm-eval", "is"],
    ["evalplus", "ids", "is"],
  ])("ids of %s: %s %s told to ask them, as the same ids are other items there", async (harness, to, answer) => {
    const place = writeBundle(folder.path(`of-${harness}`), loggedContent({ harness }));
    const { code, err } = await runCommand("export", "--bundle", place, "--to", to, "--out", folder.path("to"));
    expect(code).toBe(answer === "is" ? 0 : 2);
    if (answer !== "is") expect(err).toMatch(/the bundle's items are named as [\w-]+ names? them/);
    // All have hashes: what finds them by these is said.
    if (["lm-eval", "inspect"].includes(to) && answer !== "is")
      expect(err).toContain(`find them by their content, with anchoreval run --bundle ${quote(place)} --form 20 --harness ${to}, or`); // prettier-ignore
  });

  it.each([
    [{ harness: "of my own" }, "nothing says that the bundle's items are named as inspect names them: find them by"],
    [{ harness: "of my own", ids: "doc_id" }, "named as lm-eval names them, and inspect would be told to ask others"],
    [{ harness: "helm" }, "by these names: ask them by helm, or find them by their content, with anchoreval run"],
  ])("a refusal says whose names they are, and what to do: %j", async (protocol, words) => {
    const place = writeBundle(folder.path("whose"), loggedContent(protocol));
    const { err } = await runCommand("export", "--bundle", place, "--to", "inspect", "--out", folder.path("to"));
    expect(err).toContain(words);
    expect(err).toContain("give a table of items (--items) with the task and doc_id of each in inspect");
  });

  it("refuse anchors without task and id by name", async () => {
    const bare = sampleContent();
    const manifest = { ...bare.manifest, protocol: { harness: "inspect" } };
    const place = writeBundle(folder.path("bare-samples"), { ...bare, manifest });
    const { code, err } = await runCommand(
      "export",
      "--bundle",
      place,
      "--to",
      "inspect",
      "--out",
      folder.path("none"),
    );
    expect(code).toBe(2);
    expect(err).toContain("name no task and sample of a harness");
  });
});

describe("export --to inspect", () => {
  const call = (...words: string[]): string => JSON.stringify(words);
  const commandsOf = async (
    name: string,
    protocol: BundleContent["manifest"]["protocol"],
    ...more: string[]
  ): Promise<{ commands: string[]; notes: string[] }> => {
    const place = writeBundle(folder.path(`calls-${name}`), loggedContent({ harness: "inspect", ...protocol }));
    const argv = ["export", "--bundle", place, "--to", "inspect", "--out", folder.path("calls"), "--json", ...more];
    const { commands, notes } = JSON.parse((await runCommand(...argv)).out) as { commands: string[]; notes: string[] };
    return {
      notes,
      commands: commands.map((line) => line.replace(/^inspect eval | --sample-id \S+ --log-dir anchors| --model PROVIDER\/MODEL$/g, "")), // prettier-ignore
    };
  };
  const CALLS = {
    "taskCall/alpha": call("no/quiz.py@first", "-T", "words=a b"),
    "taskCall/beta_first": call("evals/second"),
  };

  it("has each task's file or package, and its arguments; what the logs don't say is named, and a file that isn't here", async () => {
    expect(await commandsOf("all", CALLS)).toEqual({
      commands: ["no/quiz.py@first -T 'words=a b'", "evals/second", "beta_second"],
      notes: [
        expect.stringMatching(/^The logs don't say in one way how to call beta_second: /),
        expect.stringMatching(/^no\/quiz\.py isn't here: start inspect where /),
      ],
    });
  });

  it("takes files where they are now: one file, or those of their names in a folder", async () => {
    const file = folder.write("now/quiz.py", "");
    expect(await commandsOf("file", CALLS, "--task-files", file)).toEqual({
      commands: [`${file}@first -T 'words=a b'`, "evals/second", `${file}@beta_second`],
      notes: [expect.stringMatching(/^The logs don't say in one way the arguments of beta_second: /)],
    });
    const named = { ...CALLS, "taskCall/beta_second": call("other.py@third") };
    expect(await commandsOf("folder", named, "--task-files", folder.path("now"))).toEqual({
      commands: [`${file}@first -T 'words=a b'`, "evals/second", `${folder.path("now/other.py")}@third`],
      notes: [expect.stringMatching(/other\.py isn't here: /)],
    });
  });

  it("--task-files: refused of a folder whose file nothing names, and of other targets", async () => {
    const place = writeBundle(folder.path("untold"), loggedContent({ harness: "inspect" }));
    const argv = ["export", "--bundle", place, "--out", folder.path("calls"), "--task-files", folder.path("")];
    expect((await runCommand(...argv, "--to", "inspect")).err).toContain(
      "in which of its files alpha is: name the file",
    );
    expect((await runCommand(...argv, "--to", "ids")).err).toContain(
      "--task-files is for lm-eval and inspect, not for --to ids",
    );
  });
});

describe("export --to ids", () => {
  it("writes the item ids in the order in which they are asked", async () => {
    const out = folder.path("ids");
    await runCommand("export", "--bundle", bundle, "--form", "20", "--to", "ids", "--out", out);
    expect(readFileSync(`${out}/sample-1.0.0-20.ids.txt`, "utf8")).toBe(
      anchors.map(({ item_id }) => `${item_id}\n`).join(""),
    );
  });

  it("needs to be told what for", async () => {
    expect((await runCommand("export", "--bundle", bundle, "--out", "x")).err).toContain("--to is needed");
    expect((await runCommand("export", "--bundle", bundle, "--to", "nowhere", "--out", "x")).err).toContain(
      "--to must be one of lm-eval, inspect, helm, ",
    );
  });
});
