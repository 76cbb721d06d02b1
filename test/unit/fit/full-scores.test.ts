import { encodeManifest } from "anchoreval/internal/core/bundle/digest";
import {
  AnchorEvalError,
  type Bundle,
  checkFromAnchors,
  compareFromAnchors,
  estimateFromAnchors,
  loadBundle,
  planFromBundle,
  rankFromAnchors,
} from "anchoreval";
import { parseManifest } from "anchoreval/bundle";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { FULL_SCORE_PARAMETERIZATION } from "anchoreval/internal/core/bundle/names";
import { PARAMETERIZATION } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { readBase } from "../../../features/versions/fit/base.ts";
import { bundleFiles, fit } from "../../../offline-trainer/src/fit/fit.ts";
import { type ResponseMatrix, scoreAt, submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { renderReport } from "../../../features/fit-report.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const all = smallLeaderboard({ models: 44, items: [80, 60] });
const rows = [...all.subjects.keys()];

/** Full scores of all models over all items. */
function scoresOf(matrix: ResponseMatrix): Map<string, Float64Array> {
  return new Map(scenarioSlices(matrix.items, "items").map((slice) => [slice.id, fullScores(matrix, slice).score]));
}

async function fitted(matrix: ResponseMatrix, sizes: readonly number[], selection?: "greedy-variance") {
  const settings = { dims: 1, folds: 3, draws: 2, weighting: "items", ...(selection && { selection }) } as const;
  const options = { benchmark: "demo", version: "1.0.0", created: "2026-01-01T00:00:00Z", seed: 1 };
  const method = await customised(recommended, settings);
  const result = await fit(matrix, { ...options, method, sizes, backend: typescriptBackend });
  const files = bundleFiles(result);
  const source = { name: "demo", read: (name: "manifest.json") => Promise.resolve(files.get(name) ?? null) };
  return { result, files, source, bundle: await loadBundle(source) };
}

/** A model's answers to the items that a form asks. */
function answersOf(bundle: Bundle, form: string, matrix: ResponseMatrix, model: number): Record<string, number> {
  const asked = new Set([...bundle.scenarios.values()].flatMap((own) => own.forms.get(form)!.itemIds));
  return Object.fromEntries(
    matrix.items.flatMap(({ item_id: id }, i) => (asked.has(id) ? [[id, scoreAt(matrix, model, i)] as const] : [])),
  );
}

describe("full scores that are the means over the items", () => {
  test("give the estimates of a fit without them, which isn't sure of one more thing", async () => {
    const plain = await fitted(all, [12]);
    const full = await fitted({ ...all, fullScores: scoresOf(all) }, [12]);
    expect(full.files.get("items.jsonl")).toEqual(plain.files.get("items.jsonl"));
    expect(full.files.get("anchors.jsonl")).toEqual(plain.files.get("anchors.jsonl"));
    expect(plain.bundle.manifest.parameterization).toBe(PARAMETERIZATION);
    expect(full.bundle.manifest.parameterization).toBe(FULL_SCORE_PARAMETERIZATION);
    for (const m of rows.slice(0, 6)) {
      const answers = answersOf(plain.bundle, "12", all, m);
      const [own, same] = [plain, full].map(({ bundle }) => estimateFromAnchors(bundle, answers));
      for (const id of ["a", "b"])
        for (const name of ["p-irt", "p-irt-dr", "gaussian", "aipw"] as const)
          expect(
            Math.abs(own!.scenarios[id]!.details!.estimators[name] - same!.scenarios[id]!.details!.estimators[name]),
          ).toBeLessThan(1e-9);
      expect(Math.abs(own!.score! - same!.score!)).toBeLessThan(0.005);
    }
  });
});

describe("half of the items hidden", () => {
  const random = createRandom("half");
  const half = scenarioSlices(all.items, "items").flatMap(({ begin, count }) =>
    random
      .shuffle(Array.from({ length: count }, (_, i) => begin + i))
      .slice(0, count / 2)
      .sort((i, j) => i - j),
  );
  const truths = scoresOf(all);
  const visible = submatrix(all, rows, half);
  const halved: ResponseMatrix = { ...visible, fullScores: truths };
  let own: Awaited<ReturnType<typeof fitted>>;
  beforeAll(async () => {
    own = await fitted(halved, [10, 40]);
  });

  test("the scores seen are the full ones, and errors are measured against them", () => {
    for (const id of ["a", "b"]) {
      const { sourceScores, fullScore } = own.bundle.scenarios.get(id)!;
      expect(sourceScores).toEqual(Float32Array.from(truths.get(id)!).sort());
      expect(fullScore).toMatchObject({ models: 44 });
      expect(fullScore!.error).toBeGreaterThan(0.01);
    }
    // 40 of the 30 and 40 visible items are all of them, and yet there is an error.
    const { scenarios } = own.bundle.manifest.forms.find(({ id }) => id === "40")!;
    for (const { whole, measured } of Object.values(scenarios)) {
      expect(whole).toBe(false);
      expect(measured.interpolation!.estimators.gate.mae).toBeGreaterThan(0.01);
    }
  });

  test("no score is exact, it is said, and intervals hold the full scores", () => {
    let held = 0;
    for (const m of rows) {
      const estimate = estimateFromAnchors(own.bundle, answersOf(own.bundle, "40", visible, m), { form: "40" });
      for (const [id, { exact, interval, answered, of }] of Object.entries(estimate.scenarios)) {
        expect([exact, answered]).toEqual([false, of]);
        expect(estimate.warnings.find(({ code, scenario }) => code === "beyond_items" && scenario === id)).toBeTruthy();
        expect(interval!.high - interval!.low).toBeGreaterThan(0.02);
        held += interval!.low <= truths.get(id)![m]! && truths.get(id)![m]! <= interval!.high ? 1 : 0;
      }
    }
    expect(held / (2 * rows.length)).toBeGreaterThan(0.9);
    const some = estimateFromAnchors(own.bundle, answersOf(own.bundle, "10", visible, 0), { form: "10" });
    expect(some.warnings.map(({ code }) => code)).not.toContain("beyond_items");
  });

  test("anchors that aren't drawn have intervals by errors against full scores, all items asked too", async () => {
    const { bundle } = await fitted(halved, [40], "greedy-variance");
    const { scenarios } = estimateFromAnchors(bundle, answersOf(bundle, "40", visible, 0), { form: "40" });
    for (const { interval } of Object.values(scenarios)) {
      expect(interval!.method).toBe("cross-validated");
      expect(interval!.high - interval!.low).toBeGreaterThan(0.02);
    }
  });

  test("models without full scores calibrate the items and teach nothing else", async () => {
    const some = new Map(
      Array.from(truths, ([id, scores]) => [id, scores.map((score, m) => (m % 3 === 0 ? NaN : score))] as const),
    );
    const { bundle } = await fitted({ ...visible, fullScores: some }, [10]);
    expect(bundle.manifest.sources.models).toBe(44);
    const known = rows.filter((m) => m % 3 !== 0);
    for (const [id, { sourceScores, fullScore }] of bundle.scenarios) {
      expect(fullScore!.models).toBe(known.length);
      expect(sourceScores).toEqual(Float32Array.from(known, (m) => truths.get(id)![m]!).sort());
      const { interpolation } = bundle.manifest.forms[0]!.scenarios[id]!.measured;
      expect(interpolation!.models).toBe(known.length);
    }
    const bank = own.bundle.scenarios.get("a")!.bank;
    expect(bundle.scenarios.get("a")!.bank.b).toEqual(bank.b);
  });

  test("the report says that no score is exact", async () => {
    const report = new TextDecoder().decode(await renderReport(own.result));
    expect(report).toContain("more than the 70 items that it has");
    expect(report).toContain("none is ever exact");
    expect(report).not.toContain("every item is asked");
  });

  test.each([
    [
      "compareFromAnchors",
      (model: { responses: Record<string, number> }) => compareFromAnchors(own.bundle, model, model),
    ],
    [
      "rankFromAnchors",
      (model: { responses: Record<string, number> }) =>
        rankFromAnchors(own.bundle, [
          { ...model, name: "x" },
          { ...model, name: "y" },
        ]),
    ],
    [
      "checkFromAnchors",
      (model: { responses: Record<string, number> }) => checkFromAnchors(own.bundle, model, { minScore: 0.5 }),
    ],
    ["planFromBundle", () => planFromBundle(own.bundle, { halfWidth: 0.05 })],
    ["itemPool", async () => itemPool(own.bundle, await loadItemLines(own.source, own.bundle.manifest))],
    ["readBase", () => readBase(own.source)],
  ] as const)("%s reads the bundle's items alone, and refuses", async (_, act) => {
    // prettier-ignore
    const model = { responses: answersOf(own.bundle, "10", visible, 0), form: "10" };
    const refused: unknown = await (async () => act(model))().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AnchorEvalError);
    expect((refused as AnchorEvalError).code).toBe("unsupported");
    expect((refused as AnchorEvalError).message).toMatch(/scores are on items that it doesn't have/);
  });

  test.each([
    [
      "a bundle that doesn't say so",
      (manifest: object) => ({ ...manifest, parameterization: PARAMETERIZATION }),
      /all scenarios have a fullScore/,
    ],
    [
      "one that says so, and has no lines",
      (manifest: { scenarios: object[] }) => ({
        ...manifest,
        scenarios: manifest.scenarios.map((scenario) => ({ ...scenario, fullScore: undefined })),
      }),
      /all scenarios have a fullScore/,
    ],
    [
      "a form that calls itself exact",
      (manifest: { forms: { scenarios: Record<string, object> }[] }) => ({
        ...manifest,
        forms: manifest.forms.map((form) => ({
          ...form,
          scenarios: Object.fromEntries(
            Object.entries(form.scenarios).map(([id, scenario]) => [id, { ...scenario, whole: true }]),
          ),
        })),
      }),
      /whole is true/,
    ],
  ] as const)("%s is refused", (_, change, message) => {
    // prettier-ignore
    const manifest = JSON.parse(new TextDecoder().decode(own.files.get("manifest.json"))) as never;
    const bytes = encodeManifest(change(manifest));
    expect(() => parseManifest(bytes)).toThrow(expect.objectContaining({ code: "bundle_invalid" }) as Error);
    expect(() => parseManifest(bytes)).toThrow(message);
  });
});
