import { readdirSync } from "node:fs";
import { bundleFiles, customised, fit, type FitOptions, recommended, resolveBackend } from "anchoreval-trainer";
import { parseManifest } from "anchoreval/bundle";
import { beforeAll, describe, expect, test } from "vitest";
import { foldThreads } from "../../../offline-trainer/src/fit/folds.ts";
import { submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";
import { WHOLE } from "../../support/whole.ts";

const folder = tempFolder();
const matrix = smallLeaderboard({ models: 24, items: [30, 16], missing: 0.05 });
type Files = ReturnType<typeof bundleFiles>;

async function filesOf(
  change: Partial<FitOptions> = {},
  provider: "cpu" | "typescript" = "typescript",
  board = matrix,
): Promise<Files> {
  const { backend } = await resolveBackend(provider, { threads: 1 });
  const described = { benchmark: "demo", version: "1.0.0", created: "2026-01-01T00:00:00Z", seed: 1, sizes: [4, 9] };
  const method = await customised(recommended, { dims: 1, folds: 3, draws: 2 });
  return bundleFiles(await fit(board, { ...described, method, backend, ...change }));
}

describe("held-out models on threads", () => {
  let alone: Files;
  beforeAll(async () => {
    alone = await filesOf();
  });

  test.each(WHOLE ? [1, 2, 9] : [2, 9])("%d give the bundle that none gives, to the byte", async (count) => {
    expect(await filesOf({ threads: { count, provider: "typescript" } })).toEqual(alone);
  });

  test("whose calibrations a device computes, are the same as one after the other", async () => {
    // As on a card, by the graph of whole rounds on the CPU.
    const { onnxNodeBackend } = (await import(
      new URL("../../../offline-trainer/dist/offline-trainer/src/backends/node/onnx-node-backend.js", import.meta.url)
        .href
    )) as typeof import("../../../offline-trainer/src/backends/node/onnx-node-backend.ts");
    const backend = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });
    const threads = { count: 2, provider: "cuda" } as const;
    expect(await filesOf({ backend, threads })).toEqual(await filesOf({ backend }));
  });

  test("so do they with ONNX Runtime, graded scores and choices left to the data", async () => {
    const method = await customised(recommended, { dims: "auto", folds: 2, draws: 1 });
    expect(await filesOf({ method, threads: { count: 2, provider: "cpu" } }, "cpu")).toEqual(
      await filesOf({ method }, "cpu"),
    );
  });

  test("so do they where copies are left out, which texts tell: threads have none", async () => {
    const text = (i: number): string =>
      `what does the story of the miller and his ${i % 13} sons tell of ${"abc"[i % 3]!}?`;
    const told = { ...matrix, items: matrix.items.map((item, i) => ({ ...item, text: text(i % 20) })) };
    const method = await customised(recommended, { selection: "essence", dims: 1, folds: 2, draws: 1 });
    const options = { method, sizes: [4] };
    const files = await filesOf(options, "typescript", told);
    expect(parseManifest(files.get("manifest.json")!).fit["filtered"]).toMatchObject({
      a: { dropped: { sameText: 10 } },
    });
    expect(await filesOf({ ...options, threads: { count: 2, provider: "typescript" } }, "typescript", told)).toEqual(
      files,
    );
  });

  test("leave checkpoints that a fit without threads goes on from, and the other way round", async () => {
    const checkpoint = folder.path("states");
    expect(await filesOf({ checkpoint, threads: { count: 2, provider: "typescript" } })).toEqual(alone);
    const states = readdirSync(checkpoint);
    expect(states.length).toBe(2 * 5); // two banks: three folds, weak to strong, and all models
    expect(await filesOf({ checkpoint })).toEqual(alone);
    expect(readdirSync(checkpoint)).toEqual(states);
  });

  test("tell how far they are, each in parts, up to the whole", async () => {
    const told: [number, string][] = [];
    const onProgress = (done: number, of: number, note: string): number => told.push([done / of, note]);
    await filesOf({ onProgress, threads: { count: 2, provider: "typescript" } });
    const shares = told.map(([share]) => share);
    expect(shares).toEqual(shares.toSorted((x, y) => x - y));
    expect(told.at(-1)).toEqual([1, "a, b"]);
    expect(new Set(shares).size).toBeGreaterThan(20);
    expect(told.some(([, note]) => /^a, b: loss \d+ nats$/.test(note))).toBe(true);
  });

  test("hear an end that is asked for", async () => {
    for (const after of [0, 0.1, 0.4]) {
      const controller = new AbortController();
      const onProgress = (done: number, of: number): void => {
        if (done / of >= after) controller.abort();
      };
      if (after === 0) controller.abort();
      const refused = filesOf({ signal: controller.signal, onProgress, threads: { count: 2, provider: "typescript" } });
      expectRefusal(await rejection(refused), "aborted", "was "); // interrupted, or stopped
    }
  });

  test("hand on what breaks in them, with its code", async () => {
    const broken = { dims: 2, folds: 2, irtModel: "3pl", estimation: "marginal" } as const;
    const method = await customised(recommended, broken);
    const refused = filesOf({ method, threads: { count: 2, provider: "typescript" } });
    expectRefusal(await rejection(refused), "unsupported", "marginal estimation takes");
  });
});

test("are taken where they pay, and never beside a device", () => {
  expect(foldThreads("cpu", 2, 400 * 28_659)).toEqual({ count: 2, provider: "cpu" });
  expect(foldThreads("typescript", 8, 83 * 3504)).toEqual({ count: 8, provider: "typescript" });
  expect(foldThreads("cpu", 1, 400 * 28_659)).toBeUndefined();
  expect(foldThreads("cpu", 2, 20 * 60)).toBeUndefined();
  expect(foldThreads("cuda", 8, 400 * 28_659)).toEqual({ count: 8, provider: "cuda" });
  expect(foldThreads("webgpu", 8, 400 * 28_659)).toBeUndefined();
});

test("copies of models change nothing, to the byte", async () => {
  const models = [...matrix.subjects.keys()];
  const doubled = submatrix(matrix, [...models, ...models.map(() => 3)], [...matrix.items.keys()]);
  const named = doubled.subjects.map((name, m) => (m < models.length ? name : `${name} ${m}`));
  expect(await filesOf({}, "typescript", { ...doubled, subjects: named })).toEqual(await filesOf());
});
