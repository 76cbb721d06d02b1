import { createHash } from "node:crypto";
import { readFileSync, utimesSync } from "node:fs";
import { type Bundle, estimateFromAnchors, loadBundle } from "anchoreval";
import { estimandWords } from "anchoreval/internal/core/bundle/bundle";
import type { Manifest } from "anchoreval/bundle";
import { encodeManifest } from "anchoreval/internal/core/bundle/digest";
import { BUNDLE_FILES } from "anchoreval/internal/core/bundle/names";
import { ESTIMATORS, estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { folderSource } from "anchoreval/node";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { errorLines } from "../../../../cli/src/bundles/bundle-tables.ts";
import { typescriptBackend } from "../../../../offline-trainer/src/backends/typescript.ts";
import { bundleFiles, type Fit, fit as fitMatrix } from "../../../../offline-trainer/src/fit/fit.ts";
import { heldOutScore } from "../../../../offline-trainer/src/fit/held-out-scores.ts";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { withoutCopies } from "../../../../offline-trainer/src/matrix/alike/copies.ts";
import { fullScores, scenarioSlices } from "../../../../offline-trainer/src/matrix/scenarios.ts";
import { scoresOn } from "../../../../offline-trainer/src/matrix/benchmark.ts";
import { type ResponseMatrix, scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { customised } from "../../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "../../../../offline-trainer/src/methods/settings.ts";
import { closingWords } from "../../../../offline-trainer/src/fit/closing-words.ts";
import { renderReport } from "../../../../features/fit-report.ts";
import { filesOf, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const EPOCH = "1767225600";
const data = (board: string): string[] => [
  ...["--responses", folder.path(`${board}/responses.csv.gz`)],
  ...["--items", folder.path(`${board}/items.jsonl.gz`)],
];
const SHAPE = { models: 28, items: 80, scenarios: 2, subscenarios: 2, missingBlocks: 0.04 };

/** Fits in plain TypeScript, one dimension: small and the same everywhere. */
async function fit(name: string, ...more: string[]): Promise<{ path: string; code: number; out: string; err: string }> {
  const path = folder.path(name);
  const given = more.includes("--anchors") ? more : ["--anchors", "6,14", ...more];
  const reading = more.includes("--responses") ? [] : data("board");
  const run = await runProgram([
    ...["fit", ...reading, "--name", "demo@1.0.0", "--out", path],
    ...["--provider", "typescript", "--set", "dims=1", ...given],
  ]);
  return { path, ...run };
}

const createdOf = (path: string): string =>
  (JSON.parse(readFileSync(`${path}/manifest.json`, "utf8")) as Manifest).created;

beforeAll(async () => {
  for (const [board, more] of [
    ["board", { seed: 3 }],
    ["graded", { seed: 4, samples: 4, missingCells: 0.01 }],
  ] as const) {
    const settings = folder.write(`${board}.json`, JSON.stringify({ ...SHAPE, ...more }));
    const { code, err } = await runProgram(["simulate", "--settings", settings, "--out", folder.path(board)]);
    expect({ code, err }).toEqual({ code: 0, err: `writing ${folder.path(board)}\n` });
  }
});
afterEach(() => void vi.unstubAllEnvs());

describe("the same bytes", () => {
  test("for the same input and seed; other bytes for another seed", async () => {
    vi.stubEnv("SOURCE_DATE_EPOCH", EPOCH);
    const first = await fit("first", "--anchors", "6", "--seed", "5");
    expect({ code: first.code, names: Object.keys(filesOf(first.path)) }).toEqual({
      code: 0,
      names: BUNDLE_FILES.filter((name) => name !== "cold-items.jsonl" && name !== "routing.safetensors").sort(),
    });
    expect(createdOf(first.path)).toBe("2026-01-01T00:00:00Z");
    const other = await fit("elsewhere/other", "--anchors", "6", "--seed", "6");
    expect(filesOf(other.path)["anchors.jsonl"]).not.toEqual(filesOf(first.path)["anchors.jsonl"]);
    expect(filesOf(other.path)["manifest.json"]).not.toEqual(filesOf(first.path)["manifest.json"]);
    // Neither paths nor names of files are in a bundle.
    for (const bytes of Object.values(filesOf(first.path))) {
      expect(bytes.includes(folder.path(""))).toBe(false);
      expect(bytes.includes("responses.csv")).toBe(false);
    }
    // Over an old bundle: the new one takes its place, which is said where they differ.
    const old = createHash("sha256").update(filesOf(other.path)["manifest.json"]!).digest("hex");
    const again = await fit("elsewhere/other", "--anchors", "6", "--seed", "5");
    expect(filesOf(again.path)).toEqual(filesOf(first.path));
    expect(again.err).toContain(`${again.path} held another bundle, sha256:${old}: it is replaced\n`);
    expect((await fit("elsewhere/other", "--anchors", "6", "--seed", "5")).err).not.toContain("replaced");
  });

  test("without SOURCE_DATE_EPOCH the date is the responses file's, and nothing else differs", async () => {
    const responses = folder.path("board/responses.csv.gz");
    const at = async (name: string, date: string): Promise<Record<string, Buffer>> => {
      utimesSync(responses, new Date(), new Date(date));
      const { path } = await fit(name, "--anchors", "3");
      expect(createdOf(path)).toBe(date);
      return filesOf(path);
    };
    const first = await at("morning", "2026-02-03T04:05:06Z");
    const second = await at("evening", "2026-02-03T20:15:16Z");
    const rest = ({ "manifest.json": manifest, ...files }: Record<string, Buffer>): unknown => [
      files,
      { ...(JSON.parse(manifest!.toString()) as Manifest), created: "", checksum: "" },
    ];
    expect(rest(second)).toEqual(rest(first));
    expect(second["manifest.json"]).not.toEqual(first["manifest.json"]);
  });

  test("--created comes before SOURCE_DATE_EPOCH", async () => {
    vi.stubEnv("SOURCE_DATE_EPOCH", EPOCH);
    const { path } = await fit("dated", "--anchors", "3", "--created", "2025-06-07T01:30:00+02:00");
    expect(createdOf(path)).toBe("2025-06-06T23:30:00Z");
  });
});

test("--families decides who is held out together: what was measured changes, what was fitted doesn't", async () => {
  vi.stubEnv("SOURCE_DATE_EPOCH", EPOCH);
  const { matrix } = await readResponses(folder.path("board/responses.csv.gz"), {
    items: folder.path("board/items.jsonl.gz"),
  });
  const table = folder.write("families.csv", `model,family\n${matrix.subjects.map((name, m) => `${name},${m % 9}\n`).join("")}`); // prettier-ignore
  const own = filesOf((await fit("own-families", "--anchors", "6")).path);
  const given = filesOf((await fit("given-families", "--anchors", "6", "--families", table)).path);
  expect(given["manifest.json"]).not.toEqual(own["manifest.json"]);
  expect(given["anchors.json"]).toEqual(own["anchors.json"]);
  const none = await fit("no-families", "--families", folder.path("none.csv"));
  expect(none.code).toBe(2);
  expect(none.err).toContain("none.csv could not be read");
});

test("--json is one document: where, what, in which words, by what and how long", async () => {
  const { path, out, err } = await fit("json", "--json", "--description", "a test", "--licence", "CC0-1.0");
  const document = JSON.parse(out) as Record<string, unknown>;
  const bytes = readFileSync(`${path}/manifest.json`);
  const manifest = JSON.parse(bytes.toString()) as Manifest;
  expect(document).toEqual({
    bundle: path,
    digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
    provider: "plain TypeScript: asked for",
    board: expect.objectContaining({ models: 28, items: 80, range: [0, 1], distinct: 2, findings: [] }) as object,
    manifest,
    words: [
      ...closingWords(manifest),
      estimandWords(manifest)!,
      expect.stringContaining("scenario-1: the 27 source models' scores spread no"),
    ],
    milliseconds: expect.objectContaining({
      reading: expect.any(Number) as number,
      "held-out models": expect.any(Number) as number,
      calibration: expect.any(Number) as number,
    }) as object,
    peakMemory: expect.any(Number) as number,
  });
  expect(manifest).toMatchObject({
    benchmark: "demo",
    version: "1.0.0",
    description: "a test",
    data: { licence: "CC0-1.0", source: null },
    weighting: "subscenarios",
    defaultForm: "14",
    sources: { models: 27, names: null },
    fit: { ...DEFAULT_SETTINGS, dims: 1, seed: 1, backend: "typescript" },
  });
  expect(manifest.forms.map(({ id }) => id)).toEqual(["6", "14"]);
  expect(err).toMatch(
    /^28 models, 80 items; scores 0 to 1, 2 distinct; under 1 % missing\nscenario-1: .*\nplain TypeScript: asked for\n28 models × 80 items in one dimension: about 0\.2 GB of memory, \d+\.\d GB free\nevery answer the same as another model's, so that both count as one: \S+\nscenario-1: the 27 source models' scores spread no .*\n$/,
  );
});

test("for people it ends in tables and the digest; --quiet keeps remarks back", async () => {
  const { path, out, err } = await fit("words", "--quiet");
  const bytes = readFileSync(`${path}/manifest.json`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const errors = errorLines(JSON.parse(bytes.toString()) as Manifest);
  const estimand = estimandWords(JSON.parse(bytes.toString()) as Manifest)!;
  expect(out).toBe(`${errors.join("\n")}\n${estimand}\n\nbundle  demo@1.0.0 in ${path}\ndigest  sha256:${digest}\n`);
  expect(errors.indexOf("")).toBe(1 + 6); // two forms: two scenarios and the overall score
  expect(err).toBe("");
});

test("--total is met exactly, beside forms per scenario; one that is such a form is said to be", async () => {
  const path = folder.path("total");
  const run = await runProgram(
    ["fit", ...data("board"), "--name", "demo@1.0.0", "--out", path, "--provider", "typescript"].concat(
      ...["--set", "dims=1", "--anchors", "4", "--total", "9,8,20", "--json"],
    ),
  );
  const { manifest } = JSON.parse(run.out) as { manifest: Manifest };
  expect(run.err).toContain("--total 8 is form 4\n");
  expect(manifest.defaultForm).toBe("total-20");
  expect(
    manifest.forms.map(({ id, scenarios }) => [id, ...Object.values(scenarios).map(({ items }) => items)]),
  ).toEqual([
    ["4", 4, 4],
    ["total-9", 4, 5],
    ["total-20", 10, 10],
  ]);
  for (const { overall, scenarios } of manifest.forms) {
    expect(overall!.measured.interpolation!.models).toBeGreaterThan(0);
    for (const { measured } of Object.values(scenarios)) expect(measured.interpolation).not.toBeNull();
  }
  const bundle = await loadBundle(folderSource(path));
  const answers = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("total-9")!.itemIds);
  const { form, score } = estimateFromAnchors(bundle, Object.fromEntries(answers.map((id, k) => [id, k % 2])));
  expect(form).toBe("total-9");
  expect(score).toBeGreaterThan(0);
});

/** What the command fits, by the function that it calls. */
async function fitted(board: string, change: Partial<FitSettings>, sizes: readonly number[]): Promise<Fitted> {
  const [, responses, , items] = data(board) as [string, string, string, string];
  const { matrix } = withoutCopies((await readResponses(responses, { items })).matrix);
  const method = await customised(recommended, { dims: 1, ...change });
  const described = { benchmark: "demo", version: "1.0.0", created: "2026-01-01T00:00:00Z", seed: 1 };
  const result = await fitMatrix(matrix, { ...described, method, sizes, backend: typescriptBackend });
  return { matrix, result };
}

interface Fitted {
  readonly matrix: ResponseMatrix;
  readonly result: Fit;
}

test("the command writes what the function gives, and notes its options", async () => {
  const { path } = await fit("command", ...data("graded"), "--set", "separate=true", "--created", "2026-01-01");
  const { result } = await fitted("graded", { linked: false }, [6, 14]);
  const files = bundleFiles(result, await renderReport(result));
  const { "manifest.json": written, ...others } = filesOf(path);
  const manifest = JSON.parse(written!.toString()) as Manifest;
  expect(manifest.fit["provenance"]).toHaveProperty("fit.options.separate", true);
  const rest = { ...manifest.fit, provenance: undefined };
  const own = { ...others, "manifest.json": encodeManifest({ ...manifest, fit: rest }) };
  expect(Object.fromEntries(Object.entries(own).map(([name, bytes]) => [name, new Uint8Array(bytes)]))).toEqual(
    Object.fromEntries(files),
  );
});

describe.each([
  { board: "board", change: {} },
  { board: "graded", change: {} },
  { board: "board", change: { selection: "irt-kmeans" } as const },
])("a bundle of $board $change", ({ board, change }) => {
  const sizes = [6, 14, 500];
  let matrix: ResponseMatrix;
  let result: Fit;
  let bundle: Bundle;

  beforeAll(async () => {
    ({ matrix, result } = await fitted(board, change, sizes));
    const name = `served ${board} ${Object.keys(change).join(" ")}`;
    for (const [file, bytes] of bundleFiles(result)) folder.write(`${name}/${file}`, bytes);
    bundle = await loadBundle(folderSource(folder.path(name)));
  });

  /** Answers of a model to the anchors of a form. */
  function answers(model: number, form: string): Record<string, number> {
    const column = new Map(matrix.items.map((item, i) => [item.item_id, i]));
    return Object.fromEntries(
      [...bundle.scenarios.values()]
        .flatMap((scenario) => scenario.forms.get(form)!.itemIds)
        .map((id): [string, number] => [id, scoreAt(matrix, model, column.get(id)!)])
        .filter(([, score]) => !Number.isNaN(score)),
    );
  }

  test("is estimated from by the SDK as the trainer does, to 1e-9", () => {
    let compared = 0;
    let placed = 0;
    const [part] = result.parts; // all scenarios are pooled
    const { benchmark, learned, forms } = part!;
    for (const n of sizes) {
      const form = forms.find(({ id }) => id === String(n))!;
      const { overall: overallForm, scenarios } = bundle.manifest.forms.find(({ id }) => id === String(n))!;
      for (let model = 0; model < matrix.subjects.length; model++) {
        const scores = benchmark.scenarios.map(
          (scenario) =>
            [scenario.id, scoresOn(scenario, model, form.scenarios.get(scenario.id)!.anchors.items)] as const,
        );
        const own = form.scoring.estimate(new Map(scores));
        const served = estimateFromAnchors(bundle, answers(model, String(n)), { form: String(n) });
        const { seen } = overallForm!;
        const place = seen && learned.place(own);
        const overall = place && { ...place, ...seen, truth: 0 };
        if (overall !== null) placed++;
        for (const { id: scenario } of benchmark.scenarios) {
          const { sourceScores } = bundle.scenarios.get(scenario)!;
          const { details, answered } = served.scenarios[scenario]!;
          const described = scenarios[scenario]!;
          const together = own.pooled && described.together !== null;
          const estimate = own.scenario(scenario, together ? "pooled" : "separate");
          if (answered === 0) {
            expect(estimate).toBeNull();
            continue;
          }
          expect(details!.evidence).toBe(together ? "together" : "alone");
          const blend = together ? described.together : described;
          const pattern = own.pattern(scenario)!;
          const held = {
            model,
            draw: 0,
            fold: 0,
            truth: 0,
            part: null,
            seen: { worst: sourceScores[0]!, best: sourceScores.at(-1)!, overall },
            answers: null,
            failed: false,
            ...estimate!,
            pattern,
          };
          for (const id of ESTIMATORS)
            expect(Math.abs(details!.estimators[id] - heldOutScore(held, id, blend))).toBeLessThan(1e-9);
          for (const name of ["lzStar", "infit", "outfit", "preknowledge"] as const)
            expect(Math.abs(details!.pattern[name]! - pattern[name]!)).toBeLessThan(1e-8);
          // It starts from the lowest score seen, which the bundle holds in float32.
          expect(Math.abs(details!.pattern.brokenRun / pattern.brokenRun - 1)).toBeLessThan(1e-5);
          compared++;
        }
      }
    }
    expect(compared).toBeGreaterThan(2 * 3 * 24);
    expect(placed > 0).toBe(learned.linked.common !== null);
  });

  test("with all items answered gives the exact score, and an interval of no width", () => {
    let complete = 0;
    for (let model = 0; model < matrix.subjects.length; model++) {
      const given = answers(model, "500");
      if (Object.keys(given).length < matrix.items.length) continue;
      complete++;
      const { score, interval, scenarios, warnings } = estimateFromAnchors(bundle, given, { form: "500" });
      const truths = result.parts.flatMap(({ benchmark }) =>
        benchmark.scenarios.map((scenario): [string, number] => [
          scenario.id,
          fullScores(scenario.matrix, scenario).score[model]!,
        ]),
      );
      for (const [id, truth] of truths) {
        const own = scenarios[id]!;
        expect(own.exact).toBe(true);
        expect(own.score).toBeCloseTo(truth, 12);
        expect(own.interval).toEqual({ low: own.score, high: own.score, level: 0.95, method: "exact" });
        for (const id of ESTIMATORS) expect(own.details!.estimators[id]).toBeCloseTo(truth, 12);
      }
      expect(score).toBeCloseTo(
        truths.reduce((sum, [, truth]) => sum + truth / truths.length, 0),
        12,
      );
      expect(interval).toEqual({ low: score, high: score, level: 0.95, method: "exact" });
      expect(warnings.map(({ code }) => code)).not.toContain("missing_answers");
    }
    expect(complete).toBeGreaterThan(0);
  });

  test("says that the whole form is exact, and measures the others", () => {
    const maeOf = (form: string, scenario: string): number => {
      const { estimator, scenarios } = bundle.manifest.forms.find(({ id }) => id === form)!;
      expect(scenarios[scenario]!.whole).toBe(form === "500");
      return estimatorFigure(scenarios[scenario]!.measured.interpolation!.estimators, estimator).mae;
    };
    for (const scenario of bundle.scenarios.keys()) {
      // Held-out models lack 2 % of the weight at most.
      expect(maeOf("500", scenario)).toBeLessThanOrEqual(0.02);
      for (const form of ["6", "14"]) expect(maeOf(form, scenario)).toBeGreaterThan(maeOf("500", scenario));
    }
  });
});

let files = 0;
describe("--full-scores", () => {
  const given = async (change: (rows: string[]) => string[] = (rows) => rows): Promise<string> => {
    const { matrix } = await readResponses(folder.path("board/responses.csv.gz"), {
      items: folder.path("board/items.jsonl.gz"),
    });
    const slices = scenarioSlices(matrix.items, "subscenarios");
    const rows = slices.flatMap((slice) => {
      const { score } = fullScores(matrix, slice);
      return matrix.subjects.flatMap((model, m) =>
        Number.isNaN(score[m]!) ? [] : `${model},${slice.id},${0.1 + 0.8 * score[m]!}`,
      );
    });
    return folder.write(`full-${++files}.csv`, ["model,scenario,score", ...change(rows)].join("\n"));
  };

  test("are what the bundle estimates, which it and the program say", async () => {
    const file = await given((rows) => rows.slice(1));
    const { path, code, err, out } = await fit("full", "--anchors", "6", "--full-scores", file, "--json");
    expect(code).toBe(0);
    expect(err).toMatch(/: 1 of \d+ models have no full score: they calibrate the items/);
    const { words, manifest } = JSON.parse(out) as { words: string[]; manifest: Manifest };
    expect(words.join("\n")).toMatch(/none is ever exact/);
    for (const { fullScore } of manifest.scenarios) expect(fullScore!.slope).toBeCloseTo(0.8, 6);
    const shown = await runProgram(["show", path]);
    expect(shown.out).toMatch(/full scores +Scores are on items that the bundle doesn't have/);
  });

  test.each([[["--base", "somewhere"], /--base/]])("with %j is refused", async (more, option) => {
    const { code, err } = await fit("refused", "--full-scores", "full.csv", ...more);
    expect(code).toBe(2);
    expect(err).toMatch(option);
    expect(err).toMatch(/isn't what --full-scores asks for/);
  });

  test("a file that breaks a rule is refused by name", async () => {
    const file = await given((rows) => [...rows, rows[0]!.replace(/[\d.]+$/, "0.5")]);
    const { code, err } = await fit("refused", "--full-scores", file);
    expect(code).toBe(2);
    expect(err).toContain(file);
    expect(err).toMatch(/has another score in .* already/);
  });
});
