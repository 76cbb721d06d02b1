import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { delimiter } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { documentOf, loggedContent, taskOf, writeBundle } from "../../../support/logged-bundle.ts";
import { writeLogs } from "../../../support/lm-eval-logs.ts";
import { listing, runCommand } from "../../../support/run-command.ts";
import { sampleContent } from "../../../support/sample-bundle.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const content = loggedContent({ harness: "lm-eval", shots: 0, metric: "acc", filter: "none" });
const bundle = writeBundle(folder.path("bundle"), content);
const anchors = content.scenarios.flatMap((scenario) => scenario.anchors);
const MODEL = ["--", "--model", "hf"];

/** Logs of the anchors, as a run of the harness leaves them. */
const tasks = Object.fromEntries(
  [...new Set(anchors.map(taskOf))].map((task) => {
    const own = anchors.filter((anchor) => taskOf(anchor) === task);
    return [task, { documents: own.map(({ index }) => documentOf(task, index, index % 2)) }];
  }),
);
const RUN = { model: "made-up", date: "2026-01-01T00-00-00.000000", tasks, shots: 0 };
const logs = writeLogs(folder.path("prepared"), RUN);

/** A program lm_eval on the PATH: fails as long as there is a file `broken`, else leaves the logs where it is told to. */
const bin = folder.path("bin");
const program = folder.write(
  "bin/lm_eval",
  `#!/bin/sh
echo "asked: $*"
if [ -e "${folder.path("broken")}" ]; then exit 3; fi
while [ "$1" != "--output_path" ]; do shift; done
mkdir -p "$2" && cp -r "${logs}" "$2"
`,
);
chmodSync(program, 0o755);

beforeEach(() => {
  vi.stubEnv("PATH", [bin, "/bin", "/usr/bin"].join(delimiter));
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("run", () => {
  test("has the harness's arguments last in its usage, and what follows the dashes isn't its own", async () => {
    const { out } = await runCommand("run", "--help");
    expect(out).toMatch(/^usage: anchoreval run --bundle \S+ \[OPTIONS\] -- ARGUMENTS…$/m);
    const { err } = await runCommand("run", "--bundle", bundle, ...MODEL, "--help", "--limit", "1");
    expect(err).toContain("--limit isn't for the harness's own arguments here");
  });

  test("a bundle of scores of several trials is refused before anything runs", async () => {
    const fit = { ...content.manifest.fit, trialMetric: "pass@2" };
    const trials = writeBundle(folder.path("trials"), { ...content, manifest: { ...content.manifest, fit } });
    const { code, err } = await runCommand("run", "--bundle", trials, "--out", folder.path("refused"), ...MODEL);
    expect([code, err]).toEqual([2, expect.stringContaining("pass@2, of several trials an item") as string]);
    expect(existsSync(folder.path("refused"))).toBe(false);
  });

  test("a run that failed is gone on with in its folder, a finished one isn't", async () => {
    const out = folder.path("out");
    const call = ["run", "--bundle", bundle, "--out", out, "--quiet", ...MODEL];
    folder.write("broken", "");
    const failed = await runCommand(...call);
    expect(failed.err).toContain(
      `lm_eval ended with exit code 3 (its output is in ${out}/harness.log); what was answered is kept in ${out}: the same call of anchoreval run again goes on from there [unavailable]`,
    );
    expect(failed.code).toBe(1);
    expect(readdirSync(out).sort()).toEqual(["harness.log", "request.json", "samples.json"]);
    const other = await runCommand("run", "--bundle", bundle, "--form", "8", "--out", out, ...MODEL);
    expect(other.err).toContain(`--out ${out} holds something else than a run of the same that was broken off`);

    rmSync(folder.path("broken"));
    const { tasks: every, ...prepared } = RUN;
    const alone = { ...prepared, date: "2025-12-01T00-00-00.000000", tasks: { alpha: every["alpha"]! } };
    writeLogs(`${out}/logs`, alone); // an earlier run, which is left out
    const again = await runCommand("run", "--json", ...call.slice(1));
    expect(again.code).toBe(0);
    const result = JSON.parse(again.out) as { run: { warnings: string[] }; warnings: object[] };
    expect(result.warnings).toContainEqual(expect.objectContaining({ code: "run_choice" }));
    expect(result).toMatchObject({ answered: 40, run: { folder: out, asked: 40, of: 100, model: "made-up" } });
    expect(result.run.warnings[0]).toMatch(/^the tasks could not be looked at before the run/);
    expect(JSON.parse(readFileSync(`${out}/estimate.json`, "utf8"))).toEqual(result);
    const cache = `--use_cache ${out}/answers`;
    expect(readFileSync(`${out}/harness.log`, "utf8").trim().split("\n")).toEqual([
      expect.stringContaining(cache),
      expect.stringContaining(cache),
    ]);

    const third = await runCommand(...call);
    expect(third.err).toContain(`--out ${out} holds a finished run of the same`);
    expect(third.code).toBe(2);
  });

  test("prints score, interval, what it took and where it lies", async () => {
    const out = folder.path("printed");
    const { code, out: text } = await runCommand("run", "--bundle", bundle, "--out", out, "--quiet", ...MODEL);
    expect(code).toBe(0);
    expect(text).toContain("made-up on sample 1.0.0, form 20: 40 of 40 items answered");
    expect(text).toMatch(/\noverall +\d+\.\d +\d+\.\d to \d+\.\d +40 of 40\n/);
    expect(text).toContain("40 items in place of 100: a full run would ask 2.5 times as many.");
    expect(text).toContain("\nwarning: the tasks could not be looked at before the run"); // --quiet keeps remarks back
    expect(text).toContain(`Everything lies in ${out}: the logs in ${out}/logs, this result in ${out}/estimate.json.`);
  });

  test("of a bundle of several trials it says what the run's noise is, as estimate does of its logs", async () => {
    const each = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, trials: 3, repeated: 900 };
    const manifest = { ...content.manifest, fit: { varianceComponents: { alpha: each, "beta/γ": each } } };
    const tried = writeBundle(folder.path("tried"), { ...content, manifest });
    const out = folder.path("noise");
    const { out: text } = await runCommand("run", "--bundle", tried, "--out", out, "--quiet", ...MODEL);
    const { out: estimated } = await runCommand("estimate", `${out}/logs`, "--bundle", tried, "--from", "lm-eval");
    const [noise] = /over runs[^\n]*/.exec(estimated) ?? [];
    expect(noise).toBeDefined();
    expect(text).toContain(noise);
    const { trials } = JSON.parse(readFileSync(`${out}/estimate.json`, "utf8")) as { trials?: object };
    expect(trials).toMatchObject({ overall: { basis: "components" } });
  });

  test("--summary adds the same as Markdown, warnings included; a run that isn't made has none", async () => {
    const summary = folder.write("job.md", "# Tonight\n\n");
    const call = ["run", "--bundle", bundle, "--out", folder.path("summed"), "--summary", summary];
    const { out } = await runCommand(...call, "--quiet", ...MODEL);
    const [, score, interval] = /\noverall +(\S+) +(\S+ to \S+)/.exec(out)!;
    const text = readFileSync(summary, "utf8");
    expect(text.split("\n")[2]).toBe(`### made-up on sample 1.0.0: ${score!}, 95 % interval ${interval!}`);
    expect(text).toContain(`\n| overall | ${score!} | ${interval!} | 40 of 40 |  |\n`);
    expect(text).toContain("\n40 items in place of 100: a full run would ask 2.5 times as many.\n");
    expect(text).toContain("\n> **warning:** the tasks could not be looked at before the run");
    const dry = await runCommand(...call, "--dry-run", ...MODEL);
    expect([dry.code, dry.err]).toEqual([2, expect.stringContaining("--summary is for a run's result, and --dry-run")]);
  });

  test("--dry-run prints the command, with and without a harness, and writes nothing", async () => {
    const before = listing(folder.path(""));
    const call = ["run", "--bundle", bundle, "--out", folder.path("dry"), "--dry-run", ...MODEL, "--gen_kwargs", "a b"];
    const command = `lm_eval --model hf --gen_kwargs 'a b' --tasks alpha,beta_first,beta_second --samples ${folder.path("dry/samples.json")} --num_fewshot 0 --log_samples --output_path ${folder.path("dry/logs")} --use_cache ${folder.path("dry/answers")}\n`;
    expect((await runCommand(...call)).out).toContain(command);
    vi.stubEnv("PATH", folder.path("nowhere"));
    const absent = await runCommand(...call);
    expect(absent.out).toContain(command);
    expect(absent.err).toContain('pip install "lm_eval[hf]"');
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("names the line that installs a harness which isn't there", async () => {
    vi.stubEnv("PATH", folder.path("nowhere"));
    const out = folder.path("absent");
    for (const [harness, line] of [
      ["lm-eval", 'pip install "lm_eval[hf]"'],
      ["inspect", "pip install inspect_ai"],
    ] as const) {
      const call = ["run", "--bundle", bundle, "--harness", harness, "--out", out, "--", "--model", "m"];
      const { code, err } = await runCommand(...call);
      expect(err).toContain(`isn't installed here`);
      expect(err).toContain(`install it:\n  ${line} [unsupported]`);
      expect(code).toBe(2);
    }
    expect(existsSync(out)).toBe(false);
  });

  test.each<[string, readonly string[], string]>([
    ["no model", ["--"], "nothing says which model to run"],
    [
      "a word before the dashes",
      ["quiz.py", "--", "--model", "hf"],
      "unexpected argument quiz.py: those of the harness follow --",
    ],
    [
      "tasks of its own",
      [...MODEL, "--tasks", "gsm8k"],
      "--tasks isn't for the harness's own arguments here: the bundle's anchors name the tasks",
    ],
    ["a limit", [...MODEL, "--limit=5"], "--limit isn't for the harness's own arguments here"],
    [
      "a folder of its own",
      [...MODEL, "-o", "logs"],
      "-o isn't for the harness's own arguments here: name the folder by --out",
    ],
    ["another harness", ["--harness", "helm", ...MODEL], "--harness must be one of lm-eval, inspect; got helm"],
    ["a form that isn't there", ["--form", "7", ...MODEL], "form"],
    ["a folder of other files", ["--out", bundle, ...MODEL], `--out ${bundle} holds something else`],
  ])("refuses %s", async (_, argv, message) => {
    const before = listing(folder.path(""));
    const { code, out, err } = await runCommand("run", "--bundle", bundle, ...argv);
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("refuses ids that are the source's own, unless a file says what they number", async () => {
    const named = loggedContent({ harness: "lm-eval", "ids/alpha": "source" });
    const place = writeBundle(folder.path("source"), named);
    const call = ["run", "--bundle", place, "--dry-run"];
    const refused = await runCommand(...call, ...MODEL);
    expect(refused.err).toContain("no harness can be told to ask the items of alpha: their ids are the source's own");
    expect(refused.code).toBe(2);
    const lines = anchors.map(({ item_id, scenario, index }) => ({ item_id, scenario, task: "mine", doc_id: index }));
    const items = folder.write("map.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { code, out } = await runCommand(...call, "--items", items, ...MODEL);
    expect(code).toBe(0);
    expect(out).toContain("--tasks mine ");
  });

  test("needs an installed harness where a field names the documents", async () => {
    vi.stubEnv("PATH", folder.path("nowhere"));
    const place = writeBundle(folder.path("fields"), loggedContent({ harness: "lm-eval", ids: "question_id" }));
    const { code, err } = await runCommand("run", "--bundle", place, "--dry-run", ...MODEL);
    expect(err).toContain("the anchors are named by the field question_id of the harness's documents");
    expect(code).toBe(2);
  });

  test("says where the bundle's models were run with another harness", async () => {
    const place = writeBundle(folder.path("elsewhere"), loggedContent({ harness: "ZeroEval" }));
    const call = ["run", "--bundle", place, "--harness", "lm-eval", "--dry-run"];
    expect((await runCommand(...call, ...MODEL)).err).toContain(
      "warning: the models that the bundle was fitted on were run with ZeroEval, not with lm-eval, which may",
    );
    expect((await runCommand("run", "--bundle", bundle, "--dry-run", ...MODEL)).err).not.toContain("were run with");
  });

  test("asks which harness, where the bundle doesn't say", async () => {
    const bare = writeBundle(folder.path("bare"), sampleContent());
    const { code, err } = await runCommand("run", "--bundle", bare, ...MODEL);
    expect(err).toContain("--harness is needed: lm-eval or inspect");
    expect(code).toBe(2);
  });
});

describe("--items", () => {
  const bare = writeBundle(folder.path("unplaced"), sampleContent());
  const lines = anchors.map(({ item_id, scenario, task, doc_id }) => ({ item_id, scenario, task, doc_id }));
  const items = folder.write("items.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));

  test("brings tasks and documents to a bundle that was fitted without: export, estimate", async () => {
    const out = folder.path("exported");
    const call = ["--bundle", bare, "--to", "lm-eval", "--out", out];
    const { code, out: text } = await runCommand("export", ...call, "--items", items);
    expect(code).toBe(0);
    expect(text).toContain(`--from lm-eval --items ${items} anchors/MODEL`);
    const list = JSON.parse(readFileSync(`${out}/sample-1.0.0-20.samples.json`, "utf8")) as Record<string, number[]>;
    expect(Object.values(list).flat()).toHaveLength(40);

    const given = [
      "estimate",
      "--bundle",
      bare,
      "--from",
      "lm-eval",
      "--items",
      items,
      "--metric",
      "acc",
      "--json",
      logs,
    ];
    const placed = JSON.parse((await runCommand(...given)).out) as { score: number };
    const own = ["estimate", "--bundle", bundle, "--from", "lm-eval", "--json", logs];
    expect(placed.score).toBe((JSON.parse((await runCommand(...own)).out) as { score: number }).score);
  });

  test("refuses a file that names no anchor, and one of other content", async () => {
    const nobody = folder.write("nobody.jsonl", '{"item_id": "x", "scenario": "y", "task": "t", "doc_id": 1}\n');
    const none = await runCommand("export", "--bundle", bare, "--to", "lm-eval", "--out", "x", "--items", nobody);
    expect(none.err).toContain(`${nobody} has no task and doc_id of any anchor of this bundle [invalid_data]`);
    const { item_id, scenario } = anchors[0]!;
    const line = { item_id, scenario, task: "t", doc_id: 1, hash: "0".repeat(64) };
    const changed = folder.write("changed.jsonl", JSON.stringify(line));
    const other = await runCommand("export", "--bundle", bundle, "--to", "lm-eval", "--out", "x", "--items", changed);
    expect(other.err).toContain(`${changed}: 1 item has another hash than in the bundle: `);
    expect(other.code).toBe(2);
  });
});
