import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
let boards = 0;

/** Files in a folder of their own; values as JSON, text as it is. */
function board(files: Readonly<Record<string, unknown>>): string {
  const place = `board-${++boards}`;
  for (const [name, value] of Object.entries(files))
    folder.write(`${place}/${name}`, typeof value === "string" ? value : JSON.stringify(value));
  return folder.path(place);
}

const IDS = ["a__x-1", "a__x-2", "b__y-10", "b__y-9", "c__z.js-3"];

/** A run's report as swebench 5 writes it. */
function report(ids: Readonly<Record<string, readonly string[]>>, more: object = {}): object {
  const named = Object.fromEntries(
    ["resolved", "unresolved", "error", "empty_patch", "incomplete"].map((name) => [`${name}_ids`, ids[name] ?? []]),
  );
  const all = Object.values(ids).flat();
  return {
    total_instances: all.length,
    resolved_instances: ids.resolved?.length ?? 0,
    ...named,
    schema_version: 2,
    ...more,
  };
}

interface Board {
  readonly header: string[];
  readonly rows: Readonly<Record<string, readonly string[]>>;
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly models: string | null;
  readonly err: string;
}

async function imported(place: string | readonly string[], ...options: string[]): Promise<Board> {
  const out = folder.path(`out-${++boards}`);
  const { code, err } = await runCommand("import", "--from", "swe-bench", ...[place].flat(), "--out", out, ...options);
  expect(`${code} ${code === 0 ? "" : err}`).toBe("0 ");
  const unpacked = (name: string): string[] => gunzipSync(readFileSync(join(out, name))).toString().trim().split("\n"); // prettier-ignore
  const [header, ...rows] = unpacked("responses.csv.gz").map((line) => line.split(","));
  const models = join(out, "models.csv");
  return {
    header: header!.slice(1),
    rows: Object.fromEntries(rows.map(([model, ...scores]) => [model!, scores])),
    items: unpacked("items.jsonl.gz").map((line) => JSON.parse(line) as Record<string, unknown>),
    models: existsSync(models) ? readFileSync(models, "utf8") : null,
    err,
  };
}

async function refused(place: string, ...options: string[]): Promise<string> {
  const out = folder.path(`out-${++boards}`);
  const { code, err } = await runCommand("import", "--from", "swe-bench", place, "--out", out, ...options);
  expect(code).toBe(2);
  return err;
}

describe("a report of the harness", () => {
  const file = "lab__agent-1.5.run.json";
  const parts = {
    ...{ resolved: [IDS[0]!], unresolved: [IDS[1]!], error: [IDS[2]!], empty_patch: [IDS[3]!] },
    incomplete: [IDS[4]!],
  };

  test("counts errors and empty patches as the benchmark does, and leaves out what had no prediction", async () => {
    const { header, rows, items, err } = await imported(board({ [file]: report(parts) }));
    expect(header).toEqual(["a__x-1", "a__x-2", "b__y-9", "b__y-10"].map((id) => `swe-bench/${id}`));
    expect(rows).toEqual({ "lab/agent-1.5": ["1", "0", "0", "0"] });
    expect(items.map(({ subscenario }) => subscenario)).toEqual(["a/x", "a/x", "b/y", "b/y"]);
    expect(err).toContain('of 4 answers, 2 failed ("an empty patch" once, "the evaluation failed" once)');
  });

  test("says why an environment failed, as swebench 5 tells it", async () => {
    const failed = report(parts, {
      infra_failure_ids: [IDS[1]],
      failure_reasons: { [IDS[1]!]: "out_of_memory", [IDS[2]!]: "tests_timed_out" },
    });
    const { err, rows } = await imported(board({ [file]: failed }), "--errors", "missing");
    expect(err).toContain('"out_of_memory" once');
    expect(err).toContain('"tests_timed_out" once');
    expect(rows).toEqual({ "lab/agent-1.5": ["1", "", "", ""] });
  });

  test("an instance that was judged and failed too, as one with a damaged report, is one", async () => {
    const both = { ...report(parts), completed_ids: [IDS[2]], unresolved_ids: [IDS[1], IDS[2]] };
    expect((await imported(board({ [file]: both }))).rows).toEqual({ "lab/agent-1.5": ["1", "0", "0", "0"] });
  });

  test("a whole run's score is compared with its own, and a miscounted one is said", async () => {
    const whole = { resolved: IDS.slice(0, 2), unresolved: IDS.slice(2) };
    expect((await imported(board({ [file]: report(whole) }))).err).not.toContain("differs");
    const { err } = await imported(board({ [file]: report(whole, { resolved_instances: 3 }) }));
    expect(err).toContain("lab/agent-1.5, swe-bench: 0.400000 here, 0.600000 there");
  });

  test("of swebench 2.0, which names completed instances in place of unresolved ones", async () => {
    const { unresolved_ids: unresolved, ...first } = report(parts) as Record<string, string[]>;
    const completed_ids = [...first["resolved_ids"]!, ...unresolved!];
    const { rows } = await imported(board({ [file]: { ...first, completed_ids } }));
    expect(rows).toEqual({ "lab/agent-1.5": ["1", "0", "0", "0"] });
  });

  test("of sb-cli is of its run and subset, evaluations that failed count, and what is pending has no score", async () => {
    const cloud = report(parts, {
      failed_ids: [IDS[4], "d/w:pr-7"],
      pending_ids: ["d__w-1"],
      incomplete_ids: ["d__w-2"],
    });
    const place = board({
      "swe-bench_verified__test__a.b.json": cloud,
      "swe-bench_verified__test__a.b.response.json": { status: "done" },
      "swe-bench-m__dev__c.json": report({ resolved: IDS }),
    });
    expect(await refused(place)).toContain("multimodal-dev and verified: name the folder of one");
    const { rows, items, err } = await imported(place, "--task-version", "verified");
    expect(rows).toEqual({ "a.b": ["1", "0", "0", "0", "0", "0"] });
    expect(items.at(-1)).toMatchObject({ doc_id: "d/w:pr-7", subscenario: "d/w" }); // as Multi-SWE-bench calls its own
    expect(err).toContain('"the evaluation failed" 3 times');
  });

  test("that its agent's program calls report.json is of the run that its folder is called by", async () => {
    const of = (resolved: number): object => report({ resolved: IDS.slice(0, resolved), unresolved: IDS.slice(resolved) }); // prettier-ignore
    const place = { "gpt_maxiter_30/report.json": of(2), "opus_maxiter_30/report.json": of(4), "qwen/results/output.report.json": of(1) }; // prettier-ignore
    const { rows, err } = await imported(board({ ...place, "opus_maxiter_30/cut.json": '{"resolved_ids": [' }));
    expect(Object.keys(rows)).toEqual(["gpt_maxiter_30", "opus_maxiter_30", "qwen"]);
    expect(err).toMatch(/1 file that can't be read as JSON, left out: .*cut\.json/);
  });

  test("takes what mini-SWE-agent's trajectories of its model say that instances took", async () => {
    const trajectory = (id: string, price: number, model: string): object => ({
      info: { model_stats: { instance_cost: price, api_calls: 3 }, config: { model: { model_name: model } } },
      ...{ trajectory_format: "mini-swe-agent-1.1", instance_id: id, messages: [] },
    });
    const { items } = await imported(
      board({
        [file]: report({ resolved: IDS.slice(0, 3), unresolved: IDS.slice(3) }),
        "run/a__x-1/a__x-1.traj.json": trajectory("a__x-1", 0.5, "lab/agent-1.5"),
        "run/a__x-2.traj.json": { ...trajectory("a__x-2", 0.25, "lab/agent-1.5"), instance_id: undefined },
        "run/b__y-9/b__y-9.traj.json": trajectory("b__y-9", 0, "lab/agent-1.5"),
        "run/b__y-10/b__y-10.traj.json": trajectory("b__y-10", 0.5, "lab/agent-1.5"),
        "other/c__z.js-3.traj.json": trajectory("c__z.js-3", 9, "lab/other"),
        "run/preds.json": { "a__x-1": { instance_id: "a__x-1", model_name_or_path: "lab/agent-1.5", model_patch: "" } },
      }),
    );
    const prices = Object.fromEntries(items.map(({ doc_id, price }) => [doc_id as string, price]));
    expect(prices).toMatchObject({ "a__x-1": 0.5, "a__x-2": 0.25, "b__y-10": 0.5, "b__y-9": 0.5 });
    expect(prices["c__z.js-3"]).toBe(0.5); // 9 is of another model: the median stands in
  });
});

describe("submissions", () => {
  const results = (resolved: readonly string[], more: object = {}): object => ({
    no_generation: [],
    no_logs: [],
    resolved,
    ...more,
  });
  const dataset = IDS.map((id) => `${JSON.stringify({ repo: "a/x", instance_id: id })}\n`).join("");

  test("what nobody resolved is in the dataset alone, and wrong for all", async () => {
    const { rows, models, err } = await imported(
      board({
        "some/20250102_one/results/results.json": results(["a__x-1", "a__x-1"], { no_generation: ["b__y-9"] }),
        "some/20240203_two/results/results.json": results(["a__x-1", "a__x-2"], { no_logs: ["b__y-9"] }),
        "dataset.jsonl": dataset,
      }),
    );
    expect(rows).toEqual({ "20240203_two": ["1", "1", "0", "0", "0"], "20250102_one": ["1", "0", "0", "0", "0"] });
    expect(models).toBe("model,date\n20240203_two,2024-02-03\n20250102_one,2025-01-02\n");
    expect(err).toContain('2 failed ("the evaluation failed" once, "no patch" once)');
  });

  test("of the first ones name all instances themselves; instances' own reports are none, and counts say too little", async () => {
    const { rows, err } = await imported(
      board({
        "lite-5/20231010_one/results/results.json": results(["a__x-1"], { generated: IDS.slice(0, 4), no_generation: ["c__z.js-3"] }), // prettier-ignore
        "lite-5/20231010_one/logs/a__x-1/report.json": { "a__x-1": { patch_exists: true, resolved: true } },
        "lite-5/20240203_two/results/results.json": results(["a__x-1", "a__x-2"]),
        "lite-5/20250203_three/results/results.json": { ...results([]), resolved: 3 },
        "lite-5/instance_ids.json": IDS,
      }),
    );
    expect(rows).toEqual({ "20231010_one": ["1", "0", "0", "0", "0"], "20240203_two": ["1", "1", "0", "0", "0"] });
    expect(err).toContain("1 file of submissions that don't name what they resolved, left out");
  });

  test("of one of several splits are those of its folder, with its instances", async () => {
    const place = board({
      "one/20250102_m/results/results.json": results(["a__x-1"]),
      "one/20250102_m/all_preds.jsonl": dataset,
      "two/20250102_m/results/results.json": results(["d__w-1"]),
      "two/20250102_m/all_preds.jsonl": '{"instance_id": "d__w-1"}\n{"instance_id": "d__w-2"}\n',
    });
    expect(await refused(place)).toContain("one and two: name the folder of one");
    expect(await refused(place, "--task-version", "three")).toContain("--task-version three: there are one and two");
    expect((await imported(place, "--task-version", "two")).rows).toEqual({ "20250102_m": ["1", "0"] });
    expect((await imported(place, "--task-version", "one")).header).toHaveLength(5);
  });

  test.each([
    ["some", "nothing says which others there are"],
    ["multimodal", "nothing says which others there are"], // of three sizes by its version
    ["verified", "verified has 500: 2 are named in these files"],
  ])("of %s without its instances are refused: the score would be too high", async (split, words) => {
    const place = board({ [`${split}/20250102_one/results/results.json`]: results(["a__x-1", "a__x-2"]) });
    expect(await refused(place)).toContain(words);
  });

  test("of a split with more instances than it has are refused", async () => {
    const many = Array.from({ length: 501 }, (_, k) => `a__x-${k}`);
    const place = board({ "verified/20250102_one/results/results.json": results(many) });
    expect(await refused(place)).toContain("verified has 500: 501 are named");
  });

  test("of several splits are refused: a name is of another model's run in each", async () => {
    const details = { "a__x-1": { resolved: true, cost: 0.5, api_calls: 2 } };
    const place = board({
      "lite/20250102_one/per_instance_details.json": details,
      "verified/20250102_one/per_instance_details.json": details,
    });
    expect(await refused(place)).toContain("several parts of SWE-bench, lite and verified: name the folder of one");
  });

  test("details have what each instance took, and 0 is unknown", async () => {
    const { rows, items } = await imported(
      board({
        "verified/20250102_one/per_instance_details.json": {
          "a__x-1": { resolved: true, cost: 0.5, api_calls: 2 },
          "a__x-2": { resolved: false, cost: 1.5, api_calls: 2 },
          "b__y-9": { resolved: false, cost: 0, api_calls: 0 },
          "c__z-1": { resolved: null, cost: 0, api_calls: 0 },
        },
      }),
    );
    expect(rows).toEqual({ "20250102_one": ["1", "0", "0", ""] });
    expect(items.slice(0, 3).map(({ price }) => price)).toEqual([0.5, 1.5, 0.866025]); // the third costs what the median does, in logarithms
  });
});

describe("the site's leaderboards", () => {
  const entry = (name: string, resolved: number, ids: readonly string[]): object => ({
    ...{
      name,
      folder: `20260101_${name}`,
      resolved,
      date: "2026-01-01",
      agent: "mini",
      tags: ["Model: m-1", "Org: Lab, Inc."],
    },
    per_instance_details: Object.fromEntries(
      IDS.map((id) => [id, { resolved: ids.includes(id), cost: 0.1, api_calls: 1 }]),
    ),
  });

  test("of several boards with details one is chosen by its name; another name is refused with those that there are", async () => {
    const boards = { "Bash-only": ["a__x-1"], Multilingual: ["a__x-2"] };
    const leaderboards = Object.entries(boards).map(([name, ids]) => ({ name, results: [entry("one", 20, ids)] }));
    const place = board({ "leaderboards.json": { leaderboards } });
    expect(await refused(place)).toContain("bash-only and multilingual: name the folder of one, or choose one by --task-version"); // prettier-ignore
    expect((await imported(place, "--task-version", "bash-only")).rows).toEqual({ one: ["1", "0", "0", "0", "0"] });
    expect(await refused(place, "--task-version", "lite")).toContain("--task-version lite: there are bash-only and multilingual"); // prettier-ignore
  });

  test("entries with details are models, with what the site says of them; others are counted", async () => {
    const bare = { name: "three", resolved: 70, date: "2026-01-01", tags: [] };
    const place = board({
      "leaderboards.json": {
        leaderboards: [{ name: "Verified", results: [entry("one", 40, IDS.slice(0, 2)), entry("two", 60, []), bare] }],
      },
    });
    const { rows, models, err } = await imported(place);
    expect(rows).toEqual({ one: ["1", "1", "0", "0", "0"], two: ["0", "0", "0", "0", "0"] });
    expect(models).toBe(
      'model,date,llm,organization,agent\none,2026-01-01,m-1,"Lab, Inc.",mini\ntwo,2026-01-01,m-1,"Lab, Inc.",mini\n',
    );
    expect(err).toContain("1 of the 3 entries");
    expect(err).toContain("two, swe-bench: 0.000000 here, 0.600000 there"); // details that were written wrong
  });
});

describe("refused", () => {
  test("predictions alone: nothing says what they resolve", async () => {
    const place = board({ "run/preds.json": { "a__x-1": { instance_id: "a__x-1", model_patch: "diff" } } });
    expect(await refused(place)).toContain("swebench.harness.run_evaluation judges them");
  });

  test("a submission's results that break off, in a folder too", async () => {
    const place = board({ "m.run.json": report({ resolved: IDS }), "some/20250102_one/results/results.json": '{"res' });
    expect(await refused(place)).toContain("results.json: it is not valid JSON");
  });

  test.each([
    ["other JSON", '{"results": 1}'],
    ["damaged JSON", '{"resolved_ids": ['],
  ])("%s that was named", async (_, text) => {
    const place = join(board({ "x.json": text }), "x.json");
    expect(await refused(place)).toContain("x.json");
  });

  test("another metric", async () => {
    const place = board({ "m.run.json": report({ resolved: IDS }) });
    expect(await refused(place, "--metric", "swe-bench=tests")).toContain(
      "swe-bench has no metric tests: this log has resolved",
    );
  });
});

const SHARED = fileURLToPath(
  new URL("../../../../../shared/data/swebench-verified-bash/responses.csv.gz", import.meta.url),
);
const ABSENT = existsSync(SHARED) ? "" : " (skipped: the shared data are not beside this checkout)";

test.skipIf(ABSENT !== "")(`a real board comes back from details and from submissions as it was${ABSENT}`, async () => {
  const [header, ...rows] = gunzipSync(readFileSync(SHARED)).toString().trim().split("\n").map((line) => line.split(",")); // prettier-ignore
  const ids = header!.slice(1).map((id) => id.split("/")[1]!);
  const expected = rows.map(([model, ...scores]) => [model!, Object.fromEntries(ids.map((id, k) => [id, scores[k]]))]);
  const comeBack = async (place: string): Promise<unknown> => {
    const read = await imported(place);
    const names = read.header.map((id) => id.slice("swe-bench/".length));
    return Object.entries(read.rows).map(([model, scores]) => [model, Object.fromEntries(names.map((id, k) => [id, scores[k]]))]); // prettier-ignore
  };
  const details = Object.fromEntries(
    rows.map(([model, ...scores]) => [
      model!,
      Object.fromEntries(ids.map((id, k) => [id, { resolved: scores[k] === "1", cost: 0, api_calls: 1 }])),
    ]),
  );
  expect(await comeBack(board({ "info_for_leaderboard.json": details }))).toEqual(expected);
  const place = board({
    "all_preds.jsonl": ids.map((id) => `${JSON.stringify({ instance_id: id, model_patch: "d" })}\n`).join(""),
    ...Object.fromEntries(
      rows.map(([model, ...scores]) => [
        `verified/${model!.replaceAll("/", "-")}/results/results.json`,
        { no_generation: [], no_logs: [], resolved: ids.filter((_, k) => scores[k] === "1") },
      ]),
    ),
  });
  const named = expected.map(([model, scores]) => [(model as string).replaceAll("/", "-"), scores] as const);
  expect(new Map((await comeBack(place)) as [string, unknown][])).toEqual(new Map(named));
});
