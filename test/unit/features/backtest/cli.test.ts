import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AnchorEvalErrorCode } from "anchoreval";
import { ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { beforeAll, describe, expect, test } from "vitest";
import type { RecipeRow } from "../../../../features/backtest/fit/backtest.ts";
import type { BacktestRow } from "../../../../features/backtest/fit/rows.ts";
import { writeItems, writeWideCsv } from "../../../../offline-trainer/src/matrix/write-tables.ts";
import type { ResponseMatrix } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../../../offline-trainer/src/matrix/scenarios.ts";
import { loadMethod } from "../../../../offline-trainer/src/methods/index.ts";
import { methodDigest, recommended as recommendedMethod } from "../../../../offline-trainer/src/methods/method.ts";
import { lastGiven, runCommand } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";
import { smallLeaderboard } from "../../fit/small-leaderboard.ts";
import { WHOLE } from "../../../support/whole.ts";

const PROGRAM = fileURLToPath(new URL("../../../../sdk/bin/anchoreval.js", import.meta.url));
const folder = tempFolder();
const matrix = smallLeaderboard({ models: 16, items: [40, 24] });

async function write(name: string, own: ResponseMatrix): Promise<string[]> {
  const [responses, items] = [`${name}.csv.gz`, `${name}.jsonl.gz`].map((file) => folder.path(file));
  await writeWideCsv(responses!, own);
  await writeItems(items!, own.items);
  return ["--responses", responses!, "--items", items!];
}

let data: string[];
beforeAll(async () => {
  data = await write("leaderboard", matrix);
});

describe("--json", () => {
  interface Document {
    readonly header: Record<string, unknown>;
    readonly rows: readonly BacktestRow[];
  }
  const SHORT = ["--anchors", "30,6,6", "--seeds", "2", "--threads", "1", "--provider", "typescript"];
  const HEADLINE = "gate";
  const text = expect.any(String) as string;
  const number = expect.any(Number) as number;
  const run = (...argv: string[]): Promise<{ stdout: string; stderr: string }> =>
    promisify(execFile)(process.execPath, [PROGRAM, ...lastGiven(["backtest", ...data, ...SHORT, "--json", ...argv])]);

  let document: Document;
  beforeAll(async () => {
    const { stdout, stderr } = await run("--save-split", folder.path("split.json"));
    expect(stderr).toMatch(
      /^16 models, 64 items; scores 0 to 1, 2 distinct; none missing\na: 40 items, .*; b: 24 items, .*\n$/,
    );
    document = JSON.parse(stdout) as Document;
  });

  test("--split COLUMN: whole groups of a column, or the newest of its dates", async () => {
    const rows = matrix.subjects.map((name, m) => ({ name, scaffold: `s${m % 4}`, month: `2026-${String(12 - (m % 12)).padStart(2, "0")}` })); // prettier-ignore
    const models = folder.write("models.csv", `scaffold,model,month\n${rows.map((own) => `${own.scaffold},${own.name},${own.month}\n`).join("")}`); // prettier-ignore
    const lines = folder.write("models.jsonl", rows.map(({ name, ...own }) => `${JSON.stringify({ model: name, ...own })}\n`).join("")); // prettier-ignore
    const short = ["--anchors", "6", "--seeds", "1", "--scenario", "b"];
    const groups = JSON.parse((await run(...short, "--families", models, "--split", "scaffold")).stdout) as Document;
    expect(groups.header).toMatchObject({ split: "family", splitBy: "scaffold" });
    if (WHOLE) {
      const pairs = folder.write("scaffolds.csv", rows.map((own) => `${own.name},${own.scaffold}\n`).join(""));
      const named = JSON.parse((await run(...short, "--families", pairs, "--split", "family")).stdout) as Document;
      expect(groups.rows).toEqual(named.rows);
    }
    const saved = folder.path("newest.json");
    const newest = JSON.parse((await run(...short, "--families", lines, "--split", "month", "--save-split", saved)).stdout) as Document; // prettier-ignore
    expect(newest.header).toMatchObject({ split: "newest", splitBy: "month" });
    const held = ["org/model-0", "org/model-1", "org/model-12", "org/model-13"];
    expect(JSON.parse(readFileSync(saved, "utf8"))).toEqual({ b: [held] });
  });

  test("one document: what it is of, and its rows", () => {
    expect(Object.keys(document)).toEqual(["header", "rows"]);
    const version = (
      JSON.parse(readFileSync(new URL("../../../../offline-trainer/package.json", import.meta.url), "utf8")) as {
        version: string;
      }
    ).version;
    expect(document.header).toEqual({
      data: `sha256:${createHash("sha256").update(readFileSync(data[1]!)).digest("hex")}`,
      board: expect.objectContaining({ models: 16, items: 64, range: [0, 1], missing: 0, findings: [] }) as object,
      weighting: "subscenarios",
      split: "interpolation",
      version,
      configuration: methodDigest(recommendedMethod),
    });
  });

  test.skipIf(!WHOLE)("--full-scores: errors are against the scores given", async () => {
    const rows = scenarioSlices(matrix.items, "subscenarios").flatMap((slice) =>
      Array.from(
        fullScores(matrix, slice).score,
        (score, m) => `${matrix.subjects[m]!},${slice.id},${0.1 + 0.5 * score}`,
      ),
    );
    const file = folder.write("full.csv", ["model,scenario,score", ...rows].join("\n"));
    const { stdout } = await run("--full-scores", file);
    const own = (JSON.parse(stdout) as Document).rows;
    expect(own.map(({ n, scenario, estimator }) => [n, scenario, estimator])).toEqual(
      document.rows.map(({ n, scenario, estimator }) => [n, scenario, estimator]),
    );
    // All lie on a line of slope ½, so that an estimator of the mean errs by half.
    const mae = (from: readonly BacktestRow[]): number[] =>
      from.filter(({ estimator }) => estimator === "p-irt-dr").map((row) => row.mae);
    for (const [k, error] of mae(own).entries()) expect(error).toBeCloseTo(mae(document.rows)[k]! / 2, 9);
  });

  test("a row for each size, scenario and estimator: sizes once, ascending", () => {
    expect(document.rows.map(({ n, scenario, estimator }) => [n, scenario, estimator])).toEqual(
      [6, 30].flatMap((n) =>
        ["a", "b", "overall"].flatMap((scenario) => ESTIMATORS.map((estimator) => [n, scenario, estimator])),
      ),
    );
  });

  test("every field of every row, null where there is nothing to say", () => {
    for (const row of document.rows) {
      const headline = row.estimator === HEADLINE;
      const interval = headline ? number : null;
      // 30 anchors ask b, which has 24 items, whole: random items make no error there.
      const whole = row.n === 30 && row.scenario === "b";
      const random = whole || row.scenario === "overall" ? null : number;
      expect(row).toEqual({
        scenario: text,
        split: "interpolation",
        n: number,
        selection: "screened",
        irtModel: "2pl",
        dims: 2, // 12 sources, five for each dimension
        estimator: text,
        recommended: headline,
        recipe: "recommended",
        headline,
        configuration: document.header["configuration"],
        mae: number,
        rmse: number,
        bias: number,
        p95: number,
        spearman: number,
        kendall: number,
        coverage95: interval,
        halfWidth95: interval,
        winkler95: interval,
        intervalMethod: headline ? "conformal" : null,
        ratioToRandom: whole ? null : number,
        randomMae: number,
        randomCoverage95: random,
        randomHalfWidth95: random,
        randomWinkler95: random,
        ratioSe: whole ? null : number,
        coverageSe: interval,
        lambda: row.estimator === "gp-irt" && row.scenario !== "overall" ? number : null,
        targets: number,
        seeds: 2,
        failures: 0,
      });
    }
  });

  test("errors are in points, shares are not", () => {
    for (const row of document.rows) {
      expect(row.rmse).toBeGreaterThanOrEqual(row.mae - 1e-9);
      expect(row.mae).toBeGreaterThanOrEqual(Math.abs(row.bias) - 1e-9);
      expect(row.p95).toBeLessThanOrEqual(100);
      if (row.n === 6) expect(row.randomMae).toBeGreaterThan(2);
      if (row.randomCoverage95 !== null) {
        expect(row.randomCoverage95).toBeLessThanOrEqual(1);
        expect(row.randomHalfWidth95).toBeGreaterThan(2);
        expect(row.randomWinkler95).toBeGreaterThanOrEqual(2 * row.randomHalfWidth95! - 1e-9);
      }
      if (row.estimator !== HEADLINE) continue;
      expect(row.coverage95).toBeLessThanOrEqual(1);
      expect(row.winkler95).toBeGreaterThanOrEqual(2 * row.halfWidth95! - 1e-9);
      if (row.n === 6) expect(row.halfWidth95).toBeGreaterThan(2);
    }
  });

  test("--save-split: who was held out, by scenario and seed; --targets takes it back and gives the same document", async () => {
    const saved = JSON.parse(readFileSync(folder.path("split.json"), "utf8")) as Record<string, string[][]>;
    expect(Object.keys(saved)).toEqual(["a", "b"]);
    for (const seeds of Object.values(saved)) {
      expect(seeds).toHaveLength(2);
      for (const names of seeds) {
        expect(new Set(names).size).toBe(4);
        expect(names).toHaveLength(4);
        for (const name of names) expect(matrix.subjects).toContain(name);
      }
    }
    const second = folder.path("second.json");
    const alone = JSON.parse((await run("--seeds", "1", "--seed", "1", "--save-split", second)).stdout) as Document;
    expect(JSON.parse(readFileSync(second, "utf8"))).toEqual({ a: [saved["a"]![1]], b: [saved["b"]![1]] });
    expect(alone.header).toEqual(document.header);
    const targets = folder.write("targets.txt", `${saved["a"]![1]!.join("\n")}\n`);
    const named = JSON.parse((await run("--seeds", "1", "--seed", "1", "--targets", targets)).stdout) as Document;
    expect(named).toEqual(alone);
  });
});

test("several recipes: on the same models, each scenario by itself or all together, in one table", async () => {
  const options = ["--recipe", "recommended,random", "--split", "interpolation,extrapolation", "--anchors", "6"];
  const run = (...argv: string[]): Promise<{ stdout: string }> => {
    const argument = [
      PROGRAM,
      ...lastGiven(["backtest", ...data, ...options, "--seeds", "1", "--threads", "1", ...argv]),
    ];
    return promisify(execFile)(process.execPath, [...argument, "--provider", "typescript", "--quiet"]);
  };
  const { header, rows } = JSON.parse((await run("--json")).stdout) as {
    header: { split: string; recipes: Record<string, string> };
    rows: RecipeRow[];
  };
  expect(header.split).toBe("interpolation,extrapolation");
  expect(header.recipes).toEqual({
    recommended: methodDigest(recommendedMethod),
    random: methodDigest(await loadMethod("random")),
  });
  const scores = rows.filter(({ headline }) => headline);
  expect(scores.map(({ split, recipe, scenario, estimator }) => [split, recipe, scenario, estimator])).toEqual(
    ["interpolation", "extrapolation"].flatMap((split) =>
      ["recommended", "random"].flatMap((recipe) =>
        ["a", "b", "overall"].map((scenario) => [
          split,
          recipe,
          scenario,
          recipe === "random" ? "anchor-mean" : "gate",
        ]),
      ),
    ),
  );
  const [recommended, random] = ["recommended", "random"].map((name) => scores.filter(({ recipe }) => recipe === name));
  recommended!.forEach((row, k) => {
    expect(random![k]!.targets).toBe(row.targets);
    // Of 200 draws each; other models would have another error altogether.
    expect(random![k]!.randomMae / row.randomMae).toBeCloseTo(1, 1);
  });
  const lines = (await run("--scenario", "b")).stdout.split("\n");
  expect(lines[0]).toMatch(/^split +n +recipe +error +RMSE/);
  expect(lines.slice(1, 5).map((line) => line.split(/ +/).slice(0, 3))).toEqual([
    ["interpolation", "6", "recommended"],
    ["interpolation", "6", "random"],
    ["extrapolation", "6", "recommended"],
    ["extrapolation", "6", "random"],
  ]);
});

describe("refusals", () => {
  async function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const { code, out: stdout, err: stderr } = await runCommand("backtest", ...argv);
    return { code, stdout, stderr };
  }

  /** Each is refused with exit code 2, in words and as JSON, and nothing is written. */
  async function refused(argv: readonly string[], code: AnchorEvalErrorCode, fragment: string): Promise<void> {
    const file = folder.path("refused.json");
    const words = await run(...argv, "--save-split", file);
    expect(words).toMatchObject({ code: 2, stdout: "" });
    expect(words.stderr).toContain(fragment);
    expect(words.stderr).toContain(`[${code}]`);
    const json = await run(...argv, "--json");
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({
      error: { code, message: expect.stringContaining(fragment) as string },
    });
    expect(existsSync(file)).toBe(false);
  }

  test.each([
    [["--split", "random"], "--split takes interpolation, extrapolation, family, newest, or a column"],
    [
      ["--recipe", "random,best"],
      "--recipe takes recommended, random, tinybenchmarks, essence, metabench, sublime; got best",
    ],
    [["--set", "estimator=irt"], "--set estimator must be one of auto, anchor-mean, p-irt, gp-irt,"],
    [["--estimates", "p-irt"], "unknown option --estimates; see anchoreval backtest --help"],
    [
      ["--set", "selection=best"],
      "--set selection must be one of stratified, random, screened, greedy-variance, essence, fisher-information, sublime, irt-kmeans, correctness-kmeans; got best",
    ],
    [["--pool", ""], '--pool: an id must not be empty, got ""'],
    [["--set", "weighting=models"], "--set weighting must be one of subscenarios, items; got models"],
    [["--set", "lambda=1"], "--set lambda must be one of learned, reference; got 1"],
    [["--provider", "tpu"], "--provider must be one of auto, cuda, webgpu, cpu, typescript; got tpu"],
    [["--set", "irt-model=grm"], "--set irt-model must be one of 1pl, 2pl, 3pl, 4pl; got grm"],
    [["--anchors", "0"], "--anchors must be a whole number of at least 1; got 0"],
    [["--anchors", "10,2.5"], "--anchors must be a whole number of at least 1; got 2.5"],
    [["--anchors", "10,"], "--anchors must be a whole number of at least 1; got "],
    [["--seeds", "0"], "--seeds must be a whole number from 1 to 1000; got 0"],
    [["--seed=-1"], "--seed must be a whole number of at least 0; got -1"],
    [["--threads", "0"], "--threads must be a whole number from 1 to 256; got 0"],
    [["--set", "dims=51"], "--set dims must be a whole number from 1 to 50; got 51"],
  ])("%j", async (argv, message) => {
    await refused([...data, ...argv], "invalid_option", message);
  });

  test("responses that are not named, or not there", async () => {
    await refused([], "invalid_option", "--responses is needed");
    const absent = folder.path("absent.csv");
    await refused(["--responses", absent], "not_found", `${absent}: there is no such file`);
  });

  test("a scenario that isn't there", async () => {
    await refused(
      [...data, "--scenario", "a", "--scenario", "c"],
      "unknown_scenario",
      "there is no scenario c: there are a, b",
    );
  });

  test("models that answer everything right: no variance, not too few models", async () => {
    const right = await write("right", { ...matrix, scores: matrix.scores.map(() => 1), observed: null });
    const { code, err } = await runCommand("backtest", ...right, "--anchors", "8", "--split", "interpolation");
    expect(code).toBe(2);
    expect(err).toContain('no variance in "a", "b": the 16 models have the same score on every item');
    expect(err).toContain("no variance in a, b: the 16 models have the same score on every item, so that all count as copies of one and none can be held out [invalid_data]"); // prettier-ignore
    expect(err).not.toContain("source models and");
  });

  test("too few models", async () => {
    const few = await write("few", smallLeaderboard({ models: 6 }));
    await refused(
      few,
      "invalid_data",
      "interpolation leaves 4 source models and 2 targets in a, b: at least 5 and 1 are needed (targets have at least 98 % of the weight observed)",
    );
  });

  test("targets that are not there, as a file or in the responses", async () => {
    const absent = folder.path("absent.txt");
    await refused([...data, "--targets", absent], "not_found", absent);
    const targets = folder.write("other.txt", "org/model-3\nx\n");
    await refused([...data, "--targets", targets], "invalid_data", "the responses have no model");
  });

  test("a column that doesn't say who is held out", async () => {
    const option = ["--split", "released", "--families"];
    const all = matrix.subjects.map((name, m) => `${name},2026-01-${10 + m}\n`);
    const table = (name: string, lines: readonly string[]): string =>
      folder.write(`${name}.csv`, `model,released\n${lines.join("")}`);
    const dates = table("dates", all);
    await refused([...data, "--split", "released"], "invalid_option", "a column of --families FILE, which isn't given"); // prettier-ignore
    await refused([...data, ...option, dates, "--targets", dates], "invalid_option", "--targets says who is held out, as --split released does"); // prettier-ignore
    await refused([...data, ...option, folder.path("none.csv")], "not_found", "none.csv");
    await refused([...data, "--split", "date", "--families", dates], "invalid_data", 'there is no column "date" (--split); the columns are "model", "released"'); // prettier-ignore
    const lines = folder.write("lines.csv", all.join(""));
    await refused([...data, ...option, lines], "invalid_data", 'there is no column "model" (--families)');
    await refused([...data, "--families", dates], "invalid_data", 'there is no column "family" (--families)');
    const short = table("short", [...all.slice(1), "org/model-0,\n"]);
    await refused([...data, ...option, short], "invalid_data", 'there is no released of "org/model-0"');
    const twice = table("twice", [...all, "org/model-3,2026-02-01\n"]);
    await refused([...data, ...option, twice], "invalid_data", `${twice}: row 18, column "released": model "org/model-3" is "2026-02-01" here and "2026-01-13" above`); // prettier-ignore
    for (const date of ["soon", "2026-02-30x", "01.02.2026"]) {
      const wrong = table("wrong", ["org/model-0,2026-01-10\n", `org/model-1,${date}\n`]);
      await refused([...data, ...option, wrong], "invalid_data", `of "org/model-1" none: "${date}"; write dates`);
    }
  });

  test("where the held-out models are saved, of several back-tests", async () => {
    const { code, stderr } = await run(...data, "--recipe", "all", "--save-split", folder.path("all.json"));
    expect([code, stderr]).toEqual([2, expect.stringContaining("--save-split takes one recipe and one split")]);
  });

  test("families that tell nothing", async () => {
    const families = folder.write("families.csv", "org/model-0,one\norg/model-1\n");
    const option = ["--split", "family", "--families"];
    await refused([...data, ...option, families], "invalid_data", `${families}: line 2`);
    const one = folder.write("one.csv", matrix.subjects.map((name) => `${name},one\n`).join(""));
    await refused(
      [...data, ...option, one],
      "invalid_data",
      "family leaves no fold with source models and targets in a, b: at least 5 and 1 are needed (targets have at least 98 % of the weight observed)",
    );
  });
});
