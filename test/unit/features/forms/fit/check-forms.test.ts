import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import {
  checkForms,
  type FormsCheck,
  formsWork,
  heldOutModels,
} from "../../../../../features/forms/fit/build-forms.ts";
import { answeredDifficulty } from "../../../../../features/forms/fit/difficulty.ts";
import { itemPool, joinKeys } from "../../../../../features/forms/fit/item-pool.ts";
import { type ResponseMatrix, scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { modelFamilies } from "../../../../../offline-trainer/src/matrix/families.ts";
import { countedBackend } from "../../../../support/counted-backend.ts";
import { simulatedBenchmark } from "./simulated-benchmark.ts";

const { table, matrix: simulated } = simulatedBenchmark({ items: 240, subjects: 4, models: 24 });
/** Every answer there: what is missing is stored as wrong. */
const matrix: ResponseMatrix = { ...simulated, observed: null };
const pool = itemPool(table, { by: "Subject" });
const keys = joinKeys(pool, "ID");
const everything = Uint32Array.from(matrix.items.keys());
/** Twelve families of two. */
const families = new Map(matrix.subjects.map((name, m) => [name, `maker ${m % 12}`]));
/** Families of replicates are one. */
const groups = modelFamilies(matrix, families);
const known = { models: 24, families: new Set(groups).size };
const shape = { size: 30, count: 2, buckets: 4 };
const check = (own: ResponseMatrix, table = families) =>
  checkForms(pool, keys, own, {
    ...{ ...shape, families: table, backend: typescriptBackend, random: createRandom("check") },
  });

test("the work of difficulties and their check is what the backend calibrates", async () => {
  const backend = countedBackend();
  const random = createRandom("work");
  await answeredDifficulty(pool, keys, matrix, { backend, random });
  const [alone, checked] = [false, true].map((isChecked) => formsWork(pool, keys, matrix, isChecked));
  expect(alone).toEqual({ models: 24, items: 240, dims: 4, scenarios: 1, calibrations: backend.opened });
  await checkForms(pool, keys, matrix, { ...shape, families, backend, random });
  expect(checked).toEqual({ ...alone, calibrations: backend.opened });
});

describe("heldOutModels", () => {
  test("whole families, each once, in four parts", () => {
    const held = heldOutModels(matrix, everything, families, createRandom(1));
    if ("reason" in held) throw new Error(held.reason);
    expect(held).toMatchObject(known);
    expect(held.splits.length).toBe(4);
    expect(held.splits.flatMap(({ targets }) => targets).toSorted((x, y) => x - y)).toEqual(
      Array.from(matrix.subjects.keys()),
    );
    for (const { sources, targets } of held.splits) {
      const own = new Set(sources.map((m) => groups[m]));
      expect(targets.some((m) => own.has(groups[m]))).toBe(false);
    }
  });

  test("models that left much out are learned from, and not held out", () => {
    const observed = new Uint8Array(matrix.scores.length).fill(1);
    observed.fill(0, 0, 10); // ten of the first one's 240
    const held = heldOutModels({ ...matrix, observed }, everything, families, createRandom(1));
    if ("reason" in held) throw new Error(held.reason);
    expect(held.models).toBe(23);
    expect(held.splits.flatMap(({ targets }) => targets)).not.toContain(0);
    expect(held.splits.filter(({ sources }) => sources.includes(0)).length).toBe(3);
  });

  test.each<[string, ResponseMatrix, Map<string, string> | undefined, string]>([
    [
      "few families",
      matrix,
      new Map(matrix.subjects.map((name) => [name, "maker"])),
      "24 models of 1 family have answered 98 % of the items, and 8 families are needed",
    ],
    [
      "names that tell none",
      { ...matrix, subjects: matrix.subjects.map((_, m) => `model-${m}`) },
      undefined,
      "the models have no names to tell families by: give `families`, a file of model,family",
    ],
  ])("%s", (_, own, table, reason) => {
    const held = heldOutModels(own, everything, table, createRandom(1));
    expect(held).toEqual({ reason });
  });
});

describe("checkForms", () => {
  let found: Extract<FormsCheck, { kind: "folds" }>;
  beforeAll(async () => {
    const own = await check(matrix);
    if (own.kind === "none") throw new Error(own.reason);
    found = own;
  });

  test("compares held-out models' scores on two forms with those on two random ones", () => {
    expect(found).toMatchObject({ folds: 4, ...known });
    const { forms, random, ratio } = found;
    expect(ratio.mean).toBeCloseTo(forms.mean / random.mean, 4);
    // E|x − y| of two random halves of sixty items, for scores that go by right or wrong: √(2/π)·√(2·p(1−p)/30).
    const expected = matrix.subjects.map((_, m) => {
      const share = everything.reduce((sum, i) => sum + scoreAt(matrix, m, i), 0) / everything.length;
      return Math.sqrt((2 / Math.PI) * ((2 * share * (1 - share)) / 30));
    });
    const mean = expected.reduce((sum, own) => sum + own, 0) / expected.length;
    expect(Math.abs(random.mean / mean - 1)).toBeLessThan(0.15);
    expect(ratio.mean).toBeLessThan(1);
    expect(ratio.standardError).toBeGreaterThan(0);
  });

  test("is the same from the same seed", async () => {
    expect(await check(matrix)).toEqual(found);
  });

  test("says why there is none", async () => {
    const same = { ...matrix, scores: matrix.scores.map((_, at) => Number(at < 120 * 240)), observed: null };
    expect(await check(same as ResponseMatrix)).toMatchObject({ kind: "none" });
    const few = new Map(matrix.subjects.map((name) => [name, "one"]));
    expect(await check(matrix, few)).toEqual({
      kind: "none",
      reason: "24 models of 1 family have answered 98 % of the items, and 8 families are needed",
    });
  });
});
