import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { exportForm, expectSameEstimate, fitLogs, solvingModels } from "../../../support/form-round-trip.ts";
import { loggedContent, writeBundle } from "../../../support/logged-bundle.ts";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const IDS = Array.from({ length: 60 }, (_, k) =>
  k % 3 === 0 ? `odd [${k}]?` : k % 3 === 1 ? `task-${k}.hard` : `task-${k}`,
);
const write = (path: string, value: unknown): string => folder.write(path, JSON.stringify(value));

/** A run by `tb run`, as terminal-bench 0.2 writes it. */
function writeBench(root: string, model: string, { ids, solved, version }: Run): void {
  const results = ids.map((id) => ({
    ...{ id: `${model}/${id}`, trial_name: `${id}.1-of-1.run`, task_id: id, is_resolved: solved.has(id) },
    ...{ failure_mode: "unset", parser_results: {}, total_input_tokens: 0, total_output_tokens: 0 },
  }));
  write(`${root}/${model}/results.json`, { results, accuracy: solved.size / ids.length });
  const [dataset_name, dataset_version] = version.split(" ");
  write(`${root}/${model}/run_metadata.json`, { agent_name: "terminus-2", model_name: model, dataset_name, dataset_version }); // prettier-ignore
}

/** A job of Harbor 0.26. */
function writeHarbor(
  root: string,
  model: string,
  { ids, solved, version, source = version.split(" ")[0]! }: Run,
): void {
  const [, number] = version.split(" ");
  const key = number?.startsWith("sha256:") === true ? "ref" : "version";
  write(`${root}/${model}/config.json`, { datasets: [{ name: source, [key]: number }] });
  for (const [k, id] of ids.entries())
    write(`${root}/${model}/t__${k}/result.json`, {
      ...{ id: `${model}/${id}`, trial_name: `t__${k}`, source, finished_at: "2026-05-01T00:00:00Z" },
      task_name: source.includes("/") ? `${source.split("/")[0]}/${id}` : id,
      agent_info: { name: "terminus-2", model_info: { name: model, provider: "lab" } },
      verifier_result: { rewards: { reward: Number(solved.has(id)) } },
    });
}

interface Run {
  readonly ids: readonly string[];
  readonly solved: ReadonlySet<string>;
  readonly version: string;
  /** The dataset's name with its organisation, of a package. */
  readonly source?: string;
}

interface Case {
  readonly version: string;
  readonly source?: string;
  readonly writeRun: typeof writeBench;
  readonly logs: string;
  /** Begins and ends the command, by the base of the files' names. */
  readonly command: (base: string) => readonly [string, string];
  readonly option: string;
  /** Precedes a task's id in its pattern. */
  readonly before?: string;
  readonly byFile?: (base: string) => string;
  readonly file: (
    patterns: readonly string[],
    base: string,
    ids: readonly string[],
  ) => readonly [ending: string, content: object | string];
}

const DIGEST = `sha256:${"a".repeat(64)}`;

const CASES: readonly Case[] = [
  {
    version: "terminal-bench-core 0.1.1",
    ...{ writeRun: writeBench, logs: "runs", option: "--task-id" },
    command: (base) => [
      "tb run --dataset terminal-bench-core==0.1.1",
      `--n-attempts 1 --agent terminus-2 --model MODEL --output-path ${base}.runs`,
    ],
    file: (_, __, ids) => ["tasks.txt", ids.map((id) => `${id}\n`).join("")],
  },
  {
    version: "terminal-bench 2.0",
    ...{ writeRun: writeHarbor, logs: "jobs", option: "-i" },
    command: (base) => ["harbor run -d terminal-bench@2.0", `-k 1 -a terminus-2 -m MODEL -o ${base}.jobs`],
    byFile: (base) => `harbor run -c ${base}.harbor.json -a terminus-2 -m MODEL`,
    file: (task_names, base) => [
      "harbor.json",
      {
        ...{ jobs_dir: `${base}.jobs`, n_attempts: 1 },
        datasets: [{ name: "terminal-bench", version: "2.0", task_names }],
      },
    ],
  },
  {
    version: `terminal-bench-2-1 ${DIGEST}`,
    source: "terminal-bench/terminal-bench-2-1",
    ...{ writeRun: writeHarbor, logs: "jobs", option: "-i", before: "*/" },
    command: (base) => [
      `harbor run -d terminal-bench/terminal-bench-2-1@${DIGEST}`,
      `-k 1 -a terminus-2 -m MODEL -o ${base}.jobs`,
    ],
    byFile: (base) => `harbor run -c ${base}.harbor.json -a terminus-2 -m MODEL`,
    file: (task_names, base) => [
      "harbor.json",
      {
        ...{ jobs_dir: `${base}.jobs`, n_attempts: 1 },
        datasets: [{ name: "terminal-bench/terminal-bench-2-1", ref: DIGEST, task_names }],
      },
    ],
  },
];

describe.each(CASES)(
  "a bundle of $version",
  ({ version, source, writeRun, logs, command, option, before = "", byFile, file }) => {
    test("is asked by its tasks alone, as patterns of nothing else; its run comes back", async () => {
      const name = version.replace(/ .*/, "");
      const run = { ids: IDS, version, ...(source !== undefined && { source }) };
      for (const [model, solved] of solvingModels(IDS)) writeRun(`${name}-logs`, model, { ...run, solved });
      const bundle = await fitLogs(folder, "terminal-bench", folder.path(`${name}-logs`), name);
      const out = folder.path(`${name}-out`);
      const base = `${out}/quiz-1.0.0-20`;
      const said = await exportForm(bundle, "terminal-bench", out);
      const [ran, next] = said.split("\n").filter((line) => line.startsWith("  ")).map((line) => line.trim()); // prettier-ignore
      const [begin, end] = command(base);
      expect([ran!.slice(0, begin.length), ran!.slice(-end.length)]).toEqual([begin, end]);
      const options = ran!.slice(begin.length, -end.length).trim().split(new RegExp(` ?${option} `)).slice(1); // prettier-ignore
      expect(next).toBe(`anchoreval estimate --bundle ${bundle} --form 20 --from terminal-bench ${base}.${logs}`);
      if (byFile) expect(said).toContain(`The same by a file, for any number of tasks: ${byFile(base)}`);

      // As a shell takes them, and then Python's fnmatch.
      const patterns = options.map((word) => word.trim().replace(/^'(.*)'$/, "$1"));
      const ids = patterns.map((pattern) => pattern.slice(before.length).replace(/\[([[*?])\]/g, "$1"));
      expect(patterns.every((pattern) => pattern.startsWith(before))).toBe(true);
      expect(ids).toHaveLength(20);
      expect(IDS).toEqual(expect.arrayContaining(ids));
      expect(ids.filter((id) => id.includes("["))).not.toEqual([]);
      for (const [k, id] of ids.entries())
        expect(patterns[k]).toBe(before + id.replace("[", "[[]").replace("?", "[?]"));
      const [ending, content] = file(patterns, base, ids);
      const text = readFileSync(`${base}.${ending}`, "utf8");
      expect(typeof content === "string" ? text : JSON.parse(text)).toEqual(content);

      const solved = new Set(ids.filter((_, k) => k % 3 > 0));
      writeRun(`${name}-out/quiz-1.0.0-20.${logs}`, "2026-11-29__14-00-00", { ...run, ids, solved });
      const answers = write(`${name}.json`, Object.fromEntries(ids.map((id) => [`terminal-bench/${id}`, Number(solved.has(id))]))); // prettier-ignore
      const warnings = await expectSameEstimate(bundle, {
        harness: "terminal-bench",
        logs: `${base}.${logs}`,
        answers,
      });
      expect(warnings).toEqual([]);
    });
  },
);

test("where nothing says which dataset it is, that is to be put in; anchors without task and doc_id are refused", async () => {
  const solving = solvingModels(IDS);
  const rows = Array.from(solving, ([model, solved]) => `${model},${IDS.map((id) => Number(solved.has(id))).join()}`);
  const responses = folder.write("table.csv", `model,${IDS.map((id) => `tb/${id}`).join()}\n${rows.join("\n")}\n`);
  const items = folder.write(
    "items.jsonl",
    IDS.map(
      (id) => `${JSON.stringify({ item_id: `tb/${id}`, scenario: "tb", task: "terminal-bench", doc_id: id })}\n`,
    ).join(""),
  );
  const fit = ["fit", "--responses", responses, "--anchors", "20", "--name", "quiz@1.0.0"];
  expect(await runCommand(...fit, "--items", items, "--out", folder.path("named"))).toMatchObject({ code: 0 });
  const said = await exportForm(folder.path("named"), "terminal-bench", folder.path("named-out"));
  expect(said).toMatch(/ {2}harbor run -d DATASET -i /);
  expect(said).toContain("The bundle doesn't say which dataset it is of: put it in");
  expect((await runCommand(...fit, "--out", folder.path("plain"))).code).toBe(0);
  const refused = await runCommand("export", "--bundle", folder.path("plain"), "--to", "terminal-bench", "--out", folder.path("no")); // prettier-ignore
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("20 anchors name no task and sample of a harness: tb/") as string }); // prettier-ignore
});

test("other harnesses' documents, which have numbers, are refused", async () => {
  const place = writeBundle(folder.path("untold"), loggedContent());
  const refused = await runCommand("export", "--bundle", place, "--to", "terminal-bench", "--out", folder.path("no"));
  expect(`${refused.code} ${refused.err}`).toMatch(/^2 anchoreval: an item is number \d+: tasks of Terminal-Bench and Harbor have names/); // prettier-ignore
});
