import { partOf } from "anchoreval/internal/core/bundle/part";
import { basePart } from "anchoreval/internal/features/versions/core";
import { existsSync, readFileSync } from "node:fs";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import type { Bundle, Manifest } from "anchoreval/bundle";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, test } from "vitest";
import { writeWideCsv } from "../../../../../offline-trainer/src/matrix/write-tables.ts";
import { type ResponseMatrix, scoreAt, submatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { type CommandResult, lastGiven, runCommand, runProgram } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";
import { WHOLE } from "../../../../support/whole.ts";

const folder = tempFolder();
/** Answers to the items of both versions: the old one lacks the last ten of each scenario, the new one the first ten. */
const all = smallLeaderboard({ models: 20, items: [80, 60] });
const inScenario = (id: string): number[] => all.items.flatMap(({ scenario }, i) => (scenario === id ? [i] : []));
const come = new Set(["a", "b"].flatMap((id) => inScenario(id).slice(-10)));
const leave = new Set(["a", "b"].flatMap((id) => inScenario(id).slice(0, 10)));
const columns = Array.from(all.items.keys());
const models = Array.from(all.subjects.keys());
const part = (rows: number[], keep: (column: number) => boolean): ResponseMatrix =>
  submatrix(all, rows, columns.filter(keep));
const lines = (matrix: ResponseMatrix): string => matrix.items.map((item) => `${JSON.stringify(item)}\n`).join("");
const older = part(models, (i) => !come.has(i));
const newer = part(models, (i) => !leave.has(i));
const oldItems = folder.write("old.jsonl", lines(older));
const newItems = folder.write("new.jsonl", lines(newer));
const [old, rerun, few] = ["old.csv", "rerun.csv", "few.csv"].map((name) => folder.path(name)) as [
  string,
  string,
  string,
];

function fit(version: string, out: string, ...more: string[]): Promise<CommandResult> {
  const how = ["--name", `quiz@${version}`, "--created", "2026-01-01", "--provider", "typescript"];
  return runProgram(lastGiven(["fit", "--responses", old, ...how, "--out", folder.path(out), ...more]));
}

const based = (...more: string[]): Promise<CommandResult> =>
  fit("2.0.0", "v2", "--base", folder.path("v1"), "--items", newItems, ...more);

interface Loaded {
  readonly bundle: Bundle;
  readonly manifest: Manifest;
  /** Parameters by item id. */
  readonly parameters: ReadonlyMap<string, readonly number[]>;
}

async function load(name: string): Promise<Loaded> {
  const source = folderSource(folder.path(name));
  const bundle = await loadBundle(source);
  const ids = await loadItemLines(source, bundle.manifest);
  let line = 0;
  const parameters = [...bundle.scenarios.values()].flatMap(({ bank }) =>
    Array.from(bank.b, (b, i) => {
      const a = Array.from(bank.a.subarray(i * bank.dims, (i + 1) * bank.dims));
      return [ids.record(line++).item_id, [...a, b]] as const;
    }),
  );
  return { bundle, manifest: bundle.manifest, parameters: new Map(parameters) };
}

beforeAll(async () => {
  await writeWideCsv(old, older);
  await writeWideCsv(
    rerun,
    part([3, 8, 12, 15, 17, 19], (i) => come.has(i)),
  );
  await writeWideCsv(
    few,
    part([3], (i) => come.has(i)),
  );
  expect((await fit("1.0.0", "v1", "--items", oldItems, "--anchors", "8,20", "--set", "dims=1")).code).toBe(0);
});

/** Calibrated or chosen in ways that others of the table have, too. */
const MORE_KINDS = [
  { name: "marginal", how: ["--set", "dims=1", "--set", "estimation=marginal"] },
  { name: "chosen on purpose", how: ["--set", "dims=1", "--set", "selection=greedy-variance"] },
];

describe("fit --base", () => {
  test("what stands keeps its parameters to the last bit, anchors stay, and the words say so", async () => {
    const { code, out } = await based("--rerun", rerun);
    expect(code).toBe(0);
    const { out: shown } = await runCommand("show", folder.path("v2"));
    for (const table of [out, shown]) {
      expect(table).toMatch(
        /\nbase +quiz 1\.0\.0\nfixed items +100 of 120\nlinked items +20, by the answers of 6 models/,
      );
      expect(table).toMatch(/\ndrawn answers +70\.0 % of those to linked items, 11\.7 % of all: run more models/);
      expect(table).toMatch(/\nlinking +−?\d+\.\d \+ \d\.\d{3} × score, ± \d+\.\d \(95 %, 20 models\)\n/);
    }
    const report = readFileSync(folder.path("v2/report.html"), "utf8");
    expect(report).toContain("100 of 120 items keep their parameters of quiz 1.0.0");
    expect(report).toContain("full scores, and measured errors, rest on them for 11.7 % of the answers");
    const [before, after] = [await load("v1"), await load("v2")];
    let same = 0;
    for (const [id, own] of after.parameters) {
      if (!before.parameters.has(id)) continue;
      expect(own).toEqual(before.parameters.get(id));
      same++;
    }
    expect(same).toBe(100);
    const { forms } = after.manifest;
    expect(partOf(after.manifest, basePart)).toMatchObject({
      version: "1.0.0",
      digest: before.bundle.digest,
      items: { standing: 100, placed: 20 },
      rerun: 6,
      drawn: 0.7,
      texts: false,
    });
    expect(forms.map(({ id }) => id)).toEqual(["8", "20"]); // the base's, none was asked for
    for (const form of forms)
      for (const { id } of after.manifest.scenarios) {
        const anchorsOf = ({ bundle }: Loaded): string[] => [...bundle.scenarios.get(id)!.forms.get(form.id)!.itemIds];
        const had = new Set(anchorsOf(before));
        const still = [...had].filter((item) => after.parameters.has(item));
        const kept = anchorsOf(after).filter((item) => had.has(item));
        expect(kept.length).toBeGreaterThanOrEqual(0.7 * still.length);
      }
  });

  test("sizes that the base hadn't keep the anchors of those that it had", async () => {
    const place = ["--base", folder.path("v1"), "--items", newItems, "--rerun", rerun];
    const { code, out } = await fit("2.0.0", "sizes", ...place, "--anchors", "12,30");
    expect(code).toBe(0);
    const [before, after] = [await load("v1"), await load("sizes")];
    for (const { id } of after.manifest.scenarios) {
      const anchorsOf = ({ bundle }: Loaded, form: string): readonly string[] =>
        bundle.scenarios.get(id)!.forms.get(form)!.itemIds;
      const still = anchorsOf(before, "20").filter((item) => after.parameters.has(item));
      const asked = new Set(anchorsOf(before, "20"));
      expect(still.filter((item) => anchorsOf(after, "30").includes(item)).length).toBeGreaterThanOrEqual(
        0.7 * still.length,
      );
      expect(anchorsOf(after, "12").filter((item) => asked.has(item)).length).toBeGreaterThanOrEqual(6); // others: new items, gone anchors
    }
    expect(out).toMatch(/\nkept anchors .*\d+ of 60 in form 30/);
  });

  test("linked items are where the answers of everybody put them, about", async () => {
    const after = await load("v2");
    const column = new Map(all.items.map(({ item_id: id }, i) => [id, i]));
    const accuracy = (id: string): number =>
      models.reduce((sum, m) => sum + scoreAt(all, m, column.get(id)!) / models.length, 0);
    const fresh = [...come].map((i) => all.items[i]!.item_id);
    const easier = fresh.map((id) => [-after.parameters.get(id)![1]!, accuracy(id)] as const);
    expect(correlation(easier)).toBeGreaterThan(0.6); // six answers an item
  });

  test("its estimates are of the new items, and go over to the old version's scores", async () => {
    const { bundle } = await load("v2");
    const column = new Map(all.items.map(({ item_id: id }, i) => [id, i]));
    const asked = [...bundle.scenarios.values()].flatMap((scenario) => [...scenario.forms.get("20")!.itemIds]);
    let [error, biased] = [0, 0];
    for (const m of models) {
      const given = Object.fromEntries(asked.map((id) => [id, scoreAt(all, m, column.get(id)!)]));
      const { score } = estimateFromAnchors(bundle, given);
      const truth = mean(["a", "b"].map((id) => fullScore(newer, m, id)));
      error += Math.abs(score! - truth) / models.length;
      biased += (score! - truth) / models.length;
    }
    expect(error).toBeLessThan(0.06);
    expect(Math.abs(biased)).toBeLessThan(0.03);
    const answers = folder.write(
      "answers.json",
      JSON.stringify(Object.fromEntries(asked.map((id) => [id, scoreAt(all, 2, column.get(id)!)]))),
    );
    const { out } = await runCommand("estimate", "--bundle", folder.path("v2"), "--responses", answers);
    expect(out).toMatch(/as quiz 1\.0\.0 would have scored it: overall \d+\.\d \(\d+\.\d to \d+\.\d\), a \d+\.\d/);
    const { out: json } = await runCommand("estimate", "--bundle", folder.path("v2"), "--responses", answers, "--json");
    expect(JSON.parse(json)).toMatchObject({ bridged: { benchmark: "quiz", version: "1.0.0" } });
  });

  test("without anybody run again, items are linked by their scenario's, or by one model's answers", async () => {
    const { code, out } = await based("--out", folder.path("alone"));
    expect(code).toBe(0);
    expect(out).toMatch(/\nlinked items +20, by the other items\n/);
    expect(out).toMatch(/\ndrawn answers +100\.0 % of those to linked items/);
    const { code: ofOne, out: told } = await based("--rerun", few, "--out", folder.path("few"));
    expect(ofOne).toBe(0);
    expect(told).toMatch(/\nlinked items +20, by the answers of 1 model and the other items\n/);
  });

  test("the same items, told by their ids, are the same bundle again but for what is learned beside", async () => {
    const { code, out, err } = await fit("1.1.0", "same", "--base", folder.path("v1"), "--items", oldItems);
    expect(code).toBe(0);
    expect(err).toContain("120 items are assumed to be the base's by their ids");
    expect(out).toMatch(/\nfixed items +120 of 120\n/);
    const [before, after] = [await load("v1"), await load("same")];
    expect(after.parameters).toEqual(before.parameters);
    for (const [id, { forms }] of before.bundle.scenarios)
      for (const [form, { itemIds }] of forms)
        expect([...after.bundle.scenarios.get(id)!.forms.get(form)!.itemIds].sort()).toEqual([...itemIds].sort());
    expect(partOf(after.manifest, basePart)!.bridge.overall).toMatchObject({
      models: 20,
      slope: expect.closeTo(1, 9) as number,
    });
  });

  test.each([
    { name: "1pl", how: ["--set", "irt-model=1pl", "--set", "estimation=marginal"] },
    { name: "two dimensions", how: ["--set", "dims=2"] },
    { name: "a total, too", how: ["--set", "dims=1", "--total", "12"] },
    ...(WHOLE ? MORE_KINDS : []),
  ])("a base of another kind: $name", async ({ how }) => {
    expect((await fit("1.0.0", "other", "--items", oldItems, "--anchors", "10", ...how)).code).toBe(0);
    const onIt = ["--base", folder.path("other"), "--items", newItems, "--rerun", rerun];
    expect((await fit("2.0.0", "onOther", ...onIt)).code).toBe(0);
    const [before, after] = [await load("other"), await load("onOther")];
    for (const [id, own] of after.parameters)
      if (before.parameters.has(id)) expect(own).toEqual(before.parameters.get(id));
    const kinds = ({ manifest }: Loaded): unknown =>
      manifest.forms.map(({ id, selection, estimator }) => [id, selection, estimator]);
    expect(kinds(after)).toEqual(kinds(before));
    expect(after.manifest.banks.map(({ id, dims, irtModel }) => [id, dims, irtModel])).toEqual(
      before.manifest.banks.map(({ id, dims, irtModel }) => [id, dims, irtModel]),
    );
  });

  test("items with asymptotes can't be stood on", async () => {
    const eight = folder.path("eight.csv"); // too few to hold any out, which takes seconds
    await writeWideCsv(eight, submatrix(older, models.slice(0, 8), [...older.items.keys()]));
    const how = ["--responses", eight, "--items", oldItems, "--anchors", "10", "--set", "irt-model=3pl"];
    expect((await fit("1.0.0", "guessed", ...how)).code).toBe(0);
    const { code, err } = await fit("2.0.0", "refused", "--base", folder.path("guessed"), "--items", newItems);
    expect([code, err]).toEqual([2, expect.stringContaining("was calibrated by 3pl")]);
  });

  test("the same input gives the same bytes", async () => {
    const first = readFileSync(folder.path("v2/manifest.json"));
    await based("--rerun", rerun);
    expect(readFileSync(folder.path("v2/manifest.json")).equals(first)).toBe(true);
  });

  const other = folder.write(
    "other.jsonl",
    `${newer.items.map((item) => JSON.stringify({ ...item, scenario: item.scenario === "b" ? "c" : "a" })).join("\n")}\n`,
  );
  const mostly = folder.write(
    "mostly.jsonl",
    newer.items
      .map((item, i) => `${JSON.stringify({ ...item, item_id: i % 80 < 50 ? `x${i}` : item.item_id })}\n`)
      .join(""),
  );
  test.each([
    { name: "no items", argv: ["--base", "v1"], message: "--items is needed" },
    {
      name: "another run's file alone",
      argv: ["--rerun", rerun, "--items", oldItems, "--anchors", "5"],
      message: "--rerun is for --base alone",
    },
    { name: "no such base", argv: ["--base", "nowhere", "--items", newItems], message: "nowhere" },
    {
      name: "the same major version",
      argv: ["--base", "v1", "--items", newItems],
      version: "1.1.0",
      message: "so the version must be at least 2.0.0, got 1.1.0",
    },
    {
      name: "another weighting",
      argv: ["--base", "v1", "--items", newItems, "--set", "weighting=items"],
      message: "the base weighs by subscenarios",
    },
    {
      name: "a new scenario with items that nobody answered",
      argv: ["--base", "v1", "--items", other],
      message: "c is a new scenario, and nobody answered 10 of its 50 items",
    },
    {
      name: "few fixed items",
      argv: ["--base", "v1", "--items", mostly],
      message: "a scale needs at least half",
    },
    {
      name: "answers to items that the base lacks",
      argv: ["--base", "v1", "--items", newItems, "--responses", rerun],
      message: "items that quiz 1.0.0 doesn't have",
    },
    {
      name: "answers to items that nobody described",
      argv: ["--base", "v1", "--items", newItems, "--rerun", old],
      message: "that aren't described",
    },
    {
      name: "cold items",
      argv: ["--base", "v1", "--items", newItems, "--cold-start", newItems],
      message: "--base links items without answers itself",
    },
  ])("refused, and nothing written: $name", async ({ argv, version = "2.0.0", message }) => {
    const places = argv.map((own, k) => (argv[k - 1] === "--base" ? folder.path(own) : own));
    const { code, err } = await fit(version, "refused", ...places);
    expect(err).toContain(message);
    expect([code, existsSync(folder.path("refused"))]).toEqual([2, false]);
  });
});

describe("a new scenario", () => {
  const board = smallLeaderboard({ models: 20, items: [60, 40, 50] });
  const [had, whole] = [
    ["a", "b"],
    ["a", "b", "c"],
  ].map((ids) => (i: number) => ids.includes(board.items[i]!.scenario));
  const own = (rows: number[], keep: (column: number) => boolean): ResponseMatrix =>
    submatrix(board, rows, [...board.items.keys()].filter(keep));
  const isNew = (i: number): boolean => !had!(i);
  const paths = ["two.csv", "three.csv", "third.csv", "four.csv"].map((name) => folder.path(name));
  const [two, three, third, four] = paths as [string, string, string, string];
  const items = folder.write("three.jsonl", lines(own(models, whole!)));
  const grow = (out: string, base: string, ...more: string[]): Promise<CommandResult> =>
    fit("2.0.0", out, "--base", folder.path(base), "--items", items, ...more);

  beforeAll(async () => {
    await writeWideCsv(two, own(models, had!));
    await writeWideCsv(three, own(models, whole!));
    await writeWideCsv(third, own(models.slice(6), isNew));
    await writeWideCsv(four, own(models.slice(0, 4), isNew));
    const how = [
      "--items",
      folder.write("two.jsonl", lines(own(models, had!))),
      "--anchors",
      "8,20",
      "--set",
      "dims=1",
    ];
    expect((await fit("1.0.0", "g1", "--responses", two, ...how)).code).toBe(0);
  });

  test.each([
    { name: "all answers in one table", argv: ["--responses", three], answered: 20 },
    { name: "its answers apart, of some of the models", argv: ["--responses", two, "--rerun", third], answered: 14 },
  ])("is calibrated beside items and anchors that stay: $name", async ({ argv, answered }) => {
    const { code, out } = await grow("g2", "g1", ...argv);
    expect(code).toBe(0);
    expect(out).toMatch(/\nfixed items +100 of 150\nnew scenarios +50 items\n/);
    expect(readFileSync(folder.path("g2/report.html"), "utf8")).toContain("50 are of scenarios that 1.0.0 hasn");
    const [before, after] = [await load("g1"), await load("g2")];
    for (const [id, parameters] of before.parameters) expect(after.parameters.get(id)).toEqual(parameters);
    for (const [id, { forms }] of before.bundle.scenarios)
      for (const [form, { itemIds }] of forms)
        expect([...after.bundle.scenarios.get(id)!.forms.get(form)!.itemIds].sort()).toEqual([...itemIds].sort());
    expect([...after.bundle.scenarios.get("c")!.forms.keys()]).toEqual(["8", "20"]);
    const { items: counts, rerun: again, drawn, bridge } = partOf(after.manifest, basePart)!;
    expect([counts, again, drawn]).toEqual([{ standing: 100, placed: 0, calibrated: 50 }, 0, 0]);
    expect(Object.keys(bridge.scenarios)).toEqual(["a", "b"]);
    expect(bridge.scenarios["a"]).toMatchObject({ models: 20, slope: expect.closeTo(1, 9) as number });
    expect(bridge.overall!.models).toBe(answered);
    expect(bridge.overall!.error).toBeGreaterThan(0); // c moves it

    const column = new Map(board.items.map(({ item_id: id }, i) => [id, i]));
    const asked = [...after.bundle.scenarios.values()].flatMap(({ forms }) => [...forms.get("20")!.itemIds]);
    const errors = models.map((m) => {
      const given = Object.fromEntries(asked.map((id) => [id, scoreAt(board, m, column.get(id)!)]));
      const truth = mean(["a", "b", "c"].map((id) => fullScore(own(models, whole!), m, id)));
      return Math.abs(estimateFromAnchors(after.bundle, given).score! - truth);
    });
    expect(mean(errors)).toBeLessThan(0.06);
  });

  test.each([
    {
      name: "four models have both",
      base: "g1",
      argv: ["--responses", two, "--rerun", four],
      message: "c is a new scenario, and 4 models have answers to it and to the base's items; at least 5 are needed",
    },
    {
      name: "a version that doesn't say so",
      base: "g1",
      argv: ["--responses", three, "--name", "quiz@1.1.0"],
      message: "so the version must be at least 2.0.0, got 1.1.0",
    },
  ])("is refused, and nothing written: $name", async ({ base, argv, message }) => {
    const { code, err } = await grow("refused", base, ...argv);
    expect(err).toContain(message);
    expect([code, existsSync(folder.path("refused"))]).toEqual([2, false]);
  });
});

describe("scores between 0 and 1", () => {
  const graded = smallLeaderboard({ models: 20, items: [80, 60], graded: true });
  const own = (rows: number[], keep: (column: number) => boolean): ResponseMatrix =>
    submatrix(graded, rows, columns.filter(keep));
  const paths = ["graded.csv", "graded-rerun.csv"].map((name) => folder.path(name)) as [string, string];

  test("are cut where the base cut them; what isn't answered is drawn from the scores that there are", async () => {
    await writeWideCsv(
      paths[0],
      own(models, (i) => !come.has(i)),
    );
    await writeWideCsv(
      paths[1],
      own(models.slice(0, 12), (i) => come.has(i)),
    );
    const made = ["--created", "2026-01-01", "--provider", "typescript", "--responses", paths[0]];
    const first = ["--items", oldItems, "--name", "quiz@1.0.0", "--anchors", "20", "--set", "dims=1"];
    expect((await runProgram(["fit", ...made, ...first, "--out", folder.path("g1")])).code).toBe(0);
    const then = ["--items", newItems, "--name", "quiz@2.0.0", "--base", folder.path("g1"), "--rerun", paths[1]];
    expect((await runProgram(["fit", ...made, ...then, "--out", folder.path("g2")])).code).toBe(0);
    const [before, after] = [await load("g1"), await load("g2")];
    const thresholds = ({ manifest }: Loaded): (number | null)[] =>
      manifest.scenarios.map(({ threshold }) => threshold);
    expect(thresholds(after)).toEqual(thresholds(before));
    expect(thresholds(before)).not.toContain(null);
    const same = [...after.parameters].filter(([id]) => before.parameters.has(id));
    for (const [id, parameters] of same) expect(parameters).toEqual(before.parameters.get(id));
    expect(same).toHaveLength(100);
    const scores = [...after.bundle.scenarios.get("a")!.sourceScores];
    const truth = models
      .map((m) =>
        fullScore(
          own(models, (i) => !leave.has(i)),
          m,
          "a",
        ),
      )
      .sort((x, y) => x - y);
    expect(mean(scores.map((score, k) => Math.abs(score - truth[k]!)))).toBeLessThan(0.02);
  });
});

function fullScore(matrix: ResponseMatrix, model: number, scenario: string): number {
  const groups = new Map<string | undefined, number[]>();
  matrix.items.forEach((item, i) => {
    if (item.scenario !== scenario) return;
    groups.set(item.subscenario, [...(groups.get(item.subscenario) ?? []), scoreAt(matrix, model, i)]);
  });
  return mean([...groups.values()].map(mean));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, own) => sum + own, 0) / values.length;
}

function correlation(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(pairs.map(([own]) => own)), mean(pairs.map(([, own]) => own))];
  const of = (f: (pair: readonly [number, number]) => number): number => mean(pairs.map(f));
  return of(([p, q]) => (p - x) * (q - y)) / Math.sqrt(of(([p]) => (p - x) ** 2) * of(([, q]) => (q - y) ** 2));
}
