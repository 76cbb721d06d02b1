import { readFileSync } from "node:fs";
import { join } from "node:path";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { bundleFiles, fit } from "anchoreval-trainer";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import { scoreAt } from "../../offline-trainer/src/matrix/response-matrix.ts";
import { memorySource } from "../support/memory-source.ts";
import { ROOT, sourceFiles } from "../support/source-imports.js";
import { smallLeaderboard } from "../unit/fit/small-leaderboard.ts";
import { sharpest } from "./example-method.ts";

const NAMES = /tinybenchmarks|metabench|essence|sublime|k-?means|fisher-information/i;

/** The main road: it calls methods without knowing their names. */
const ROAD = [
  "offline-trainer/src/fit",
  "offline-trainer/src/anchors",
  "offline-trainer/src/calibrate",
  "sdk/core/bundle",
];

test("no method is named on the main road", () => {
  const files = ROAD.flatMap((folder) => sourceFiles(folder));
  expect(files.length).toBeGreaterThan(30);
  const named = files.filter((file) => NAMES.test(readFileSync(join(ROOT, file), "utf8")));
  expect(named).toEqual([]);
});

describe("docs/methods.md", () => {
  test("shows the example that is compiled here, in about 40 lines", () => {
    const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, "docs/methods.md"), "utf8"))!;
    expect(code).toBe(readFileSync(join(ROOT, "test/package/example-method.ts"), "utf8"));
    expect(code!.split("\n").length).toBeLessThanOrEqual(42);
  });

  test("its method is fitted on a simulated board, and the bundle scores with its anchors", async () => {
    const matrix = smallLeaderboard({ models: 30, items: [50] });
    const fitted = await fit(matrix, {
      ...{ benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [5, 10], seed: 1 },
      method: sharpest,
      backend: typescriptBackend,
    });
    const { trained, scenario } = fitted.parts[0]!.learned.scenarios[0]!;
    const { a, dims } = trained.bank;
    const sharpness = (i: number): number => Math.hypot(...a.subarray(i * dims, (i + 1) * dims));
    const sharpestOf = (items: ArrayLike<number>): number => Math.max(...Array.from(items, sharpness));
    for (const form of fitted.parts[0]!.forms) {
      const { items, mass } = form.scenarios.get("a")!.anchors;
      expect(new Set(items).size).toBe(Number(form.id));
      expect(mass.reduce((sum, own) => sum + own, 0)).toBeCloseTo(1, 12);
      expect(sharpestOf(items)).toBe(sharpestOf(Array.from(scenario.matrix.items.keys())));
    }
    expect(fitted.content.manifest.forms[1]).toMatchObject({ selection: "sharpest", estimator: "stack" });
    const bundle = await loadBundle(memorySource(bundleFiles(fitted)));
    const scores = matrix.items.map((_, i) => scoreAt(matrix, 0, i));
    const { items } = fitted.parts[0]!.forms[1]!.scenarios.get("a")!.anchors;
    const answers = Object.fromEntries(Array.from(items, (i) => [matrix.items[i]!.item_id, scores[i]!]));
    const estimate = estimateFromAnchors(bundle, answers, { form: "10" });
    const full = scores.reduce((sum, score) => sum + score / scores.length, 0);
    expect(Math.abs(estimate.scenarios["a"]!.score! - full)).toBeLessThan(0.15);
  });
});
