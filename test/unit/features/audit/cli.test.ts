import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../offline-trainer/src/backends/typescript.ts";
import { auditLeaderboard } from "../../../../features/audit/fit/audit-leaderboard.ts";
import { auditedItems } from "../../../../features/audit/fit/findings.ts";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { responseMatrix } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { DEFAULT_SETTINGS } from "../../../../offline-trainer/src/methods/settings.ts";
import { ITEM_KINDS } from "../../../../features/simulate/fit/items.ts";
import { simulateLeaderboard } from "../../../../features/simulate/fit/simulate-leaderboard.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { lastGiven, listing, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const board = folder.path("board");
const SHAPE = { models: 100, items: 500, scenarios: 2, seed: 5, mislabelledShare: 0.06 } as const;
const data = ["--responses", `${board}/responses.csv.gz`, "--items", `${board}/items.jsonl.gz`];
const quick = ["--provider", "typescript", "--set", "dims=2"];
const families = folder.path("families.csv");

beforeAll(async () => {
  const settings = folder.write("settings.json", JSON.stringify({ ...SHAPE, text: true }));
  expect((await runProgram(["simulate", "--settings", settings, "--out", board])).code).toBe(0);
  const models = readFileSync(`${board}/models.jsonl`, "utf8").trimEnd().split("\n");
  const lines = models.map((line) => {
    const { model, family } = JSON.parse(line) as { model: string; family: string };
    return `${model},${family}\n`;
  });
  writeFileSync(families, lines.join(""));
});

interface Document {
  readonly header: Readonly<Record<string, unknown>>;
  readonly banks: readonly Readonly<Record<string, unknown>>[];
  readonly scenarios: readonly Readonly<Record<string, unknown>>[];
  readonly items: readonly (Readonly<Record<string, unknown>> & { rank: number; item_id: string; reasons: string[] })[];
  readonly pairs: readonly Readonly<Record<string, unknown>>[];
  readonly models: readonly Readonly<Record<string, unknown>>[];
}

describe("anchoreval audit", () => {
  let document: Document;
  const file = folder.path("audit.jsonl");

  beforeAll(async () => {
    const argv = ["audit", ...data, ...quick, "--families", families, "--out", file, "--json"];
    const { code, out, err } = await runProgram(lastGiven(argv));
    expect({ code, err }).toEqual({ code: 0, err: "plain TypeScript: asked for\n" });
    document = JSON.parse(out) as Document;
  });

  test("--permute adds what the same figures are of shuffled answers", async () => {
    const small = folder.path("small");
    const settings = folder.write("small.json", JSON.stringify({ ...SHAPE, models: 60, items: 240 }));
    expect((await runProgram(["simulate", "--settings", settings, "--out", small])).code).toBe(0);
    const shuffled = ["--permute", "1", "--top", "1"];
    const argv = ["audit", "--responses", `${small}/responses.csv.gz`, ...quick, ...shuffled];
    const { code, out } = await runProgram(argv);
    expect(code).toBe(0);
    expect(out).toContain("Negative control: the same answers shuffled once within items");
    expect(out).toMatch(/\nscenario-1 +0\.9\d\d .* 2 +[12]\n/);
    const asked = JSON.parse((await runProgram([...argv, "--json"])).out) as {
      controls: { asGoodAsNoise: string[] }[];
    };
    expect(asked.controls.map(({ asGoodAsNoise }) => asGoodAsNoise)).toEqual([[], []]);
    expect(document).not.toHaveProperty("controls");
    const refused = await runProgram([...argv, "--held-out", "0"]);
    expect({ code: refused.code, err: refused.err }).toEqual({
      code: 2,
      err: expect.stringContaining("--permute compares what is predicted of held-out answers") as string,
    });
  });

  test("says by what and on what it was made", () => {
    const digest = createHash("sha256")
      .update(readFileSync(`${board}/responses.csv.gz`))
      .digest("hex");
    expect(document.header).toMatchObject({
      data: `sha256:${digest}`,
      provider: "plain TypeScript: asked for",
      weighting: "subscenarios",
      dims: 2,
      seed: 1,
      heldOut: 0.1,
    });
    expect(document.header["families"]).toBeLessThan(30);
    expect(document.banks).toHaveLength(2);
    for (const bank of document.banks) {
      expect(bank["dims"]).toBe(2);
      expect(bank["gradientNorm"]).toBeGreaterThan(0);
      expect(bank["reliability"]).toHaveLength(2);
      expect(bank["heldOutGain"]).toBeGreaterThan(0);
    }
    expect(document.scenarios.map(({ scenario }) => scenario)).toEqual(["scenario-1", "scenario-2"]);
    for (const { alpha, reliability } of document.scenarios) {
      expect(reliability).toBeGreaterThan(0.5);
      expect(alpha === null || (alpha as number) > 0.5).toBe(true);
    }
  });

  test("finds planted wrong keys: nine in ten of those it is sure of", () => {
    const { matrix, truth } = simulateLeaderboard({ ...SHAPE, text: true });
    const kinds = new Map(matrix.items.map(({ item_id: id }, i) => [id, ITEM_KINDS[truth.items.kind[i]!]!]));
    const planted = [...kinds.values()].filter((kind) => kind === "mislabelled").length;
    const sure = document.items.filter((item) => (item["falling"] as number) > 0.9);
    const right = sure.filter(({ item_id: id }) => kinds.get(id) === "mislabelled").length;
    expect(planted).toBeGreaterThan(20);
    expect(right / sure.length).toBeGreaterThan(0.9);
    expect(right / planted).toBeGreaterThan(0.3);
    expect(document.items.slice(0, sure.length).map(({ item_id: id }) => id)).toEqual(
      sure.map(({ item_id: id }) => id),
    );
  });

  test("saves every item, the document those with findings", () => {
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { record: string; rank: number | null; item_id: string });
    const items = records.filter(({ record }) => record === "item");
    expect(items).toHaveLength(500);
    expect(new Set(items.map(({ item_id: id }) => id)).size).toBe(500);
    const ranked = items.filter(({ rank }) => rank !== null);
    expect(ranked).toEqual(document.items.map((own) => ({ record: "item", ...own })));
    expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, k) => k + 1));
    expect(records.filter(({ record }) => record === "model")).toHaveLength(document.models.length);
    expect(records.filter(({ record }) => record === "pair")).toHaveLength(document.pairs.length);
  });

  test("the same input and seed give the same bytes, gzip or not, with or without a held-out part", async () => {
    const zipped = folder.path("again.jsonl.gz");
    const { code } = await runProgram(["audit", ...data, ...quick, "--families", families, "--out", zipped, "--quiet"]);
    expect(code).toBe(0);
    expect(gunzipSync(readFileSync(zipped)).toString()).toBe(readFileSync(file, "utf8"));
    const csv = folder.path("items.csv");
    await runProgram(["audit", ...data, ...quick, "--families", families, "--held-out", "0", "--out", csv, "--json"]);
    const lines = readFileSync(csv, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(501);
    expect(lines[1]).toContain(document.items[0]!.item_id);
    expect(existsSync(`${csv}.part`)).toBe(false);
  });

  test("prints the worst for people, --top of each kind, and what to do next", async () => {
    const argv = ["audit", ...data, ...quick, "--families", families, "--held-out", "0", "--top", "2"];
    const { code, out, err } = await runProgram(lastGiven(argv));
    expect(code).toBe(0);
    expect(out).toMatch(/^scenario +models +items +dims +reliability/);
    expect(out).toContain("Likely a wrong key: strong models miss it, weak ones get it (");
    const rows = out.split("Likely a wrong key")[1]!.split("\n\n")[0]!.split("\n").slice(1);
    expect(rows).toHaveLength(3);
    expect(rows[1]).toContain(document.items[0]!.item_id);
    expect(rows[1]).toContain("Question ");
    expect(err).toContain("--out FILE.jsonl saves every item");
  });
});

describe("what is refused, and leaves nothing behind", () => {
  const good = folder.write("good.csv", "model,x/1,x/2\na,1,0\nb,0,1\nc,1,1\nd,0,0\ne,1,0\nf,0,1\n");
  const few = folder.write("few.csv", "model,x/1,x/2\na,1,0\nb,0,1\n");
  const twice = folder.write("twice.csv", "a,one\na,two\n");
  const torn = folder.write("torn.csv", "a,one\njust a name\n");
  const out = folder.path("out.jsonl");
  const base = ["--responses", good, "--provider", "typescript"];
  const cases: readonly [string, readonly string[], string, string | RegExp][] = [
    ["no responses", [], "invalid_option", "--responses is needed"],
    [
      "dims",
      [...base, "--set", "dims=auto"],
      "invalid_option",
      "--set dims must be a whole number from 1 to 50; got auto",
    ],
    [
      "held-out",
      [...base, "--held-out", "0.9"],
      "invalid_option",
      "--held-out must be a number from 0 to 0.5; got 0.9",
    ],
    ["top", [...base, "--top", "0"], "invalid_option", "--top must be a whole number of at least 1; got 0"],
    ["seed", [...base, "--seed", "1.5"], "invalid_option", "--seed must be a whole number of at least 0; got 1.5"],
    ["provider", [...base, "--provider", "abacus"], "invalid_option", /--provider must be one of auto, .*; got abacus/],
    ["ending", [...base, "--out", folder.path("a.txt")], "invalid_option", /ends in \.jsonl, \.csv/],
    ["folder", [...base, "--out", folder.path("no/a.csv")], "invalid_option", /can't be written: .* isn't a folder/],
    ["families", [...base, "--families", folder.path("none"), "--out", out], "not_found", /none could not be read/],
    [
      "two families",
      [...base, "--families", twice, "--out", out],
      "invalid_data",
      /line 2: model "a" is of two families/,
    ],
    [
      "a torn line",
      [...base, "--families", torn, "--out", out],
      "invalid_data",
      /a line must be model,family, got "just a name"/,
    ],
    ["few models", [...base, "--responses", few, "--out", out], "invalid_data", /at least 5 are needed/],
  ];
  test.each(cases)("%s", async (_, argv, code, message) => {
    const before = listing(folder.path(""));
    const run = await runProgram(lastGiven(["audit", ...argv, "--json"]));
    expect(run.code).toBe(2);
    const { error } = JSON.parse(run.out) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    if (typeof message === "string") expect(error.message).toBe(message);
    else expect(error.message).toMatch(message);
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("Ctrl-C ends it with exit code 1; an older file stays as it was", async () => {
    writeFileSync(out, '{"record":"item"}\n');
    const before = listing(folder.path(""));
    const run = await runProgram(["audit", ...data, ...quick, "--out", out], (text, interrupt) => {
      if (text.startsWith("plain TypeScript")) setImmediate(interrupt);
    });
    expect({ code: run.code, out: run.out }).toEqual({ code: 1, out: "" });
    expect(run.err).toContain("anchoreval: the audit was stopped; nothing was written [aborted]\n");
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("a scenario that hardly a model has run", async () => {
    const items = ["x", "y"].flatMap((scenario) => [1, 2, 3].map((k) => ({ item_id: `${scenario}/${k}`, scenario })));
    const scores = Float64Array.from({ length: 6 * 6 }, (_, k) => (k % 6 < 3 || k < 18 ? k % 2 : NaN));
    const matrix = responseMatrix(["a", "b", "c", "d", "e", "f"], items, scores);
    const audit = auditLeaderboard(matrix, {
      configuration: DEFAULT_SETTINGS,
      dims: 1,
      seed: 1,
      backend: typescriptBackend,
      heldOut: 0,
    });
    expectRefusal(await rejection(audit), "invalid_data", "only 3 models have answers in y");
  });
});

describe("odd leaderboards", () => {
  const options = { configuration: DEFAULT_SETTINGS, dims: 8, seed: 1, backend: typescriptBackend, heldOut: 0.1 };

  test("few models, constant items, missing and graded scores: every number is one or absent", async () => {
    const text = [
      "model,x/1,x/2,x/3,x/4,y/1,y/2",
      ...Array.from({ length: 24 }, (_, m) =>
        [`m${m}`, 1, 0, m % 2, m < 22 ? "" : 1, (m % 5) / 4, m % 3 === 0 ? "" : ((m * 7) % 10) / 10].join(","),
      ),
    ];
    const { matrix } = await readResponses(folder.write("odd.csv", `${text.join("\n")}\n`));
    const audit = await auditLeaderboard(matrix, options);
    const items = auditedItems(audit);
    const of = (id: string) => items.find(({ info }) => info.item_id === id)!;
    expect(of("x/1").findings.map(({ reason }) => reason)).toContain("ceiling");
    expect(of("x/2").findings.map(({ reason }) => reason)).toContain("floor");
    expect(of("x/4").findings.map(({ reason }) => reason)).toEqual(["few-answers"]);
    for (const { audit: own } of items) {
      expect(own.aErrors.every((error) => error > 0 && Number.isFinite(error))).toBe(true);
      expect(own.bError).toBeGreaterThan(0);
      expect(Object.values(own.key).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
    }
    expect(audit.scenarios).toHaveLength(2);
  });

  test("models that are all alike", async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({ item_id: `i${i}`, scenario: "s" }));
    const names = Array.from({ length: 25 }, (_, m) => `twin ${m}`);
    const matrix = responseMatrix(
      names,
      items,
      Float64Array.from({ length: 750 }, (_, k) => k % 2),
    );
    const audit = await auditLeaderboard(matrix, options);
    expect(audit.families).toBe(1);
    expect(audit.scenarios[0]!.audit.scoreReliability.alpha).toBeNull();
    expect(auditedItems(audit)).toHaveLength(30);
  });
});
