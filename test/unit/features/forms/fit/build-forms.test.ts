import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import {
  buildParallelForms,
  difficultyBuckets,
  type ParallelForms,
} from "../../../../../features/forms/fit/build-forms.ts";
import {
  answeredDifficulty,
  NO_DIFFICULTY,
  type PoolDifficulty,
} from "../../../../../features/forms/fit/difficulty.ts";
import { itemPool, type ItemPool, joinKeys } from "../../../../../features/forms/fit/item-pool.ts";
import { summarizeForms, formsWords } from "../../../../../features/forms/fit/summarize-forms.ts";
import type { ItemTable } from "../../../../../offline-trainer/src/matrix/item-table.ts";
import { type ResponseMatrix, submatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { simulatedBenchmark } from "./simulated-benchmark.ts";

let table: ItemTable;
let matrix: ResponseMatrix;
let pool: ItemPool;
let difficulty: PoolDifficulty;

const measure = (own: ItemPool, answers: ResponseMatrix, sameItems?: boolean): Promise<PoolDifficulty> =>
  answeredDifficulty(own, joinKeys(own), answers, {
    backend: typescriptBackend,
    random: createRandom(1),
    ...(sameItems !== undefined && { sameItems }),
  });
const build = (own: PoolDifficulty, size: number, count: number, seed = 1, from = pool): ParallelForms =>
  buildParallelForms(from, own, { size, count, buckets: 5, random: createRandom(seed) });

beforeAll(async () => {
  ({ table, matrix } = simulatedBenchmark({ items: 1000, subjects: 10, models: 60 }));
  pool = itemPool(table, { by: "Subject", exclude: ["科目_03"] });
  difficulty = await measure(pool, matrix);
});

/** A pool for what is said of it, not for how alike its forms are. */
const small = simulatedBenchmark({ items: 150, subjects: 3, models: 12 });
const smallPool = itemPool(small.table, { by: "Subject" });

describe("parallel forms of a benchmark with borrowed answers", () => {
  test("are disjoint, of the wanted size, without excluded items, as near to the pool as whole numbers can be", () => {
    const built = build(difficulty, 100, 3);
    const items = built.forms.flatMap((form) => [...form.items]);
    expect(built.forms.map((form) => form.items.length)).toEqual([100, 100, 100]);
    expect(new Set(items).size).toBe(300);
    const { forms, pairs, leastDistance, identicalQuotas } = summarizeForms(built, 1, 5);
    expect(identicalQuotas).toBe(true);
    for (const { distance, subjects } of forms) {
      expect(distance).toEqual(leastDistance);
      expect(distance.difficulty).toBeLessThan(0.02);
      expect(Object.keys(subjects)).not.toContain("科目_03");
    }
    for (const { distance } of pairs) expect(distance).toEqual({ subjects: 0, difficulty: 0 });
  });

  test("differ by less than a quarter of a point in expected score, and in information by less than a fiftieth", () => {
    const { pairs, curves } = summarizeForms(build(difficulty, 100, 2), 1, 5);
    expect(pairs[0]!.expectedScoreDifference!.mean).toBeLessThan(0.0025);
    const { pool: whole, forms } = curves!.information;
    const middle = 6;
    for (const form of forms) expect(form[middle]! / whole[middle]!).toBeCloseTo(1, 1);
    expect(Math.abs(forms[0]![middle]! / forms[1]![middle]! - 1)).toBeLessThan(0.02);
  });

  test("are the same with the same seed, and others with another", () => {
    const items = (seed: number): number[][] => build(difficulty, 50, 2, seed).forms.map((form) => [...form.items]);
    expect(items(7)).toEqual(items(7));
    expect(items(7)).not.toEqual(items(8));
  });

  test("hold of models that weren't seen: scores on two forms differ less than on random ones", async () => {
    const models = [...matrix.subjects.keys()];
    const sources = models.filter((m) => m % 3 > 0);
    const own = await measure(pool, submatrix(matrix, sources, [...matrix.items.keys()]));
    const column = new Map(matrix.items.map((item, i) => [item.item_id, i]));
    const columns = pool.ids!.values.map((id) => column.get(id)!);
    const gap = (forms: readonly ArrayLike<number>[]): number => {
      const score = (m: number, form: ArrayLike<number>): number =>
        Array.from(form, (item) => matrix.scores[m * matrix.items.length + columns[item]!]!).reduce(
          (sum, y) => sum + y,
          0,
        ) / form.length;
      const targets = models.filter((m) => m % 3 === 0);
      return targets.reduce((sum, m) => sum + Math.abs(score(m, forms[0]!) - score(m, forms[1]!)), 0) / targets.length;
    };
    const random = (seed: number): number[][] => {
      const order = createRandom(seed).shuffle([...pool.rows.keys()]);
      return [order.slice(0, 200), order.slice(200, 400)];
    };
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    const matched = mean(seeds.map((seed) => gap(build(own, 200, 2, seed).forms.map((form) => form.items))));
    expect(matched).toBeLessThan(0.9 * mean(seeds.map((seed) => gap(random(seed)))));
  });

  test("say that difficulty is borrowed, or that nobody knows, or that it isn't; equating is verified in the last case alone", async () => {
    const told = (own: PoolDifficulty): { verified: boolean; words: string } => {
      const summary = summarizeForms(build(own, 20, 2, 1, smallPool), 1, 5);
      return { verified: summary.equating.verified, words: formsWords(summary).join("\n") };
    };
    expect(told(await measure(smallPool, small.matrix))).toEqual({
      verified: false,
      words: expect.stringContaining("It is treated as borrowed") as string,
    });
    expect(told(await measure(smallPool, small.matrix, false))).toEqual({
      verified: false,
      words: expect.stringContaining("It is borrowed: the answers are to other texts than these") as string,
    });
    expect(told(await measure(smallPool, small.matrix, true))).toEqual({
      verified: true,
      words: expect.stringContaining("The answers are to these very items.") as string,
    });
  });

  test("say in how many dimensions answers were calibrated, and where that didn't converge", async () => {
    const words = (own: PoolDifficulty): string =>
      formsWords(summarizeForms(build(own, 20, 2, 1, smallPool), 1, 5)).join("\n");
    const own = await measure(smallPool, small.matrix);
    expect(words(own)).toMatch(/ Calibrated in (one dimension|\d dimensions)\. /);
    const broken = { ...own, answered: { ...own.answered!, dims: 3, converged: false } };
    expect(words(broken)).toContain(" Calibrated in 3 dimensions; the calibration didn't converge, so that expected scores are less sure. "); // prettier-ignore
  });

  test("texts of the responses' items tell whether they are the same", async () => {
    const asked = small.table.columns.indexOf("Question");
    const withTexts = (text: (i: number) => string): ResponseMatrix => ({
      ...small.matrix,
      items: small.matrix.items.map((item, i) => ({ ...item, text: text(i) })),
    });
    const same = await measure(
      smallPool,
      withTexts((i) => small.table.rows[i]![asked]!.replace("\n", "  ")),
    );
    expect(same.source).toMatchObject({ borrowed: "no", sameTexts: { same: 150, other: 0 } });
    const other = await measure(
      smallPool,
      withTexts((i) => (i % 2 === 0 ? small.table.rows[i]![asked]! : `Question ${i}`)),
    );
    expect(other.source).toMatchObject({ borrowed: "yes", sameTexts: { same: 75, other: 75 } });
    expect(formsWords(summarizeForms(build(other, 20, 2, 1, smallPool), 1, 5)).join("\n")).toMatch(
      /\(\d+ of 150 texts are the same\)/,
    );
  });

  test("texts that differ where the answers were said to be to these very items are a warning", async () => {
    const items = small.matrix.items.map((item, i) => ({ ...item, text: `Question ${i}` }));
    const own = await measure(smallPool, { ...small.matrix, items }, true);
    expect(summarizeForms(build(own, 20, 2, 1, smallPool), 1, 5).warnings).toContain(
      "the answers were said to be to these very items, but 150 of 150 have another text there",
    );
  });

  test("graded scores are cut, and what chance does to them isn't claimed", async () => {
    const scores = Float32Array.from(small.matrix.scores, (score, k) => (score + (k % 4) / 4) / 1.75);
    const summary = summarizeForms(
      build(await measure(smallPool, { ...small.matrix, scores }), 20, 2, 1, smallPool),
      1,
      5,
    );
    expect(summary.difficulty.calibration!.threshold).toBeGreaterThan(0);
    expect(summary.pairs[0]!.chanceDifference).toBeNull();
    expect(summary.pairs[0]!.expectedScoreDifference!.mean).toBeGreaterThanOrEqual(0);
  });

  test("items without answers are a bucket of their own, in every form by their share, with a warning", async () => {
    const some = [...small.matrix.items.keys()].filter((i) => i % 4 > 0);
    const partly = await measure(smallPool, submatrix(small.matrix, [...small.matrix.subjects.keys()], some));
    const summary = summarizeForms(build(partly, 40, 2, 1, smallPool), 1, 5);
    const unknown = summary.pool.buckets.at(-1)!;
    expect(unknown).toMatchObject({ bucket: "unknown", from: null, to: null });
    expect(unknown.share).toBeCloseTo(0.25, 1);
    for (const form of summary.forms) expect(form.buckets["unknown"]!.share).toBeCloseTo(unknown.share, 1);
    expect(summary.warnings[0]).toMatch(
      /^\d+ items of \d+ have no difficulty \(no responses\): they form a bucket of their own, "unknown"$/,
    );
  });

  test("four models are too few, and a form needs items with answers", async () => {
    const few = submatrix(small.matrix, [0, 1, 2, 3], [...small.matrix.items.keys()]);
    expectRefusal(await rejection(measure(smallPool, few)), "invalid_data", "only 4 models have answers");
    const last = [148, 149];
    const hardly = await measure(smallPool, submatrix(small.matrix, [...small.matrix.subjects.keys()], last));
    expectRefusal(
      refusal(() => summarizeForms(build(hardly, 3, 5, 1, smallPool), 1, 5)),
      "invalid_data",
      "a form has no item with answers",
    );
  });

  test("a stopped calibration is no result", async () => {
    const stopped = answeredDifficulty(smallPool, joinKeys(smallPool), small.matrix, {
      backend: typescriptBackend,
      random: createRandom(1),
      signal: AbortSignal.abort(),
    });
    expectRefusal(await rejection(stopped), "aborted", "stopped");
  });
});

describe("parallel forms without answers", () => {
  test("by a column of difficulties: both moments match the pool's", () => {
    const random = createRandom(3);
    const values = Float64Array.from(pool.rows, () => 500 + 100 * random.normal() ** 2);
    values[3] = NaN;
    const own: PoolDifficulty = { source: { kind: "column", column: "level" }, values, answered: null };
    const { forms, pool: whole, equating, warnings, curves } = summarizeForms(build(own, 100, 2), 1, 5);
    for (const form of forms) {
      expect(form.difficulty!.mean / whole.difficulty!.mean).toBeCloseTo(1, 3);
      expect(form.difficulty!.sd / whole.difficulty!.sd).toBeCloseTo(1, 1);
    }
    expect(curves).toBeNull();
    expect(equating).toMatchObject({ method: "identity", verified: false });
    expect(equating.poolScores[0]!.slice(0, 3)).toEqual([0, 0.01, 0.02]);
    expect(warnings[0]).toContain("1 item of");
  });

  test("by subjects alone, which is said", () => {
    const summary = summarizeForms(build(NO_DIFFICULTY, 100, 2), 1, 5);
    expect(summary.refinement).toBeNull();
    expect(summary.forms[0]!.distance.subjects).toBe(summary.leastDistance.subjects);
    expect(summary.warnings).toEqual([]);
    expect(formsWords(summary)).toContain(
      "Difficulty: none given, so the forms are alike in subjects only. Add it with `responses` or `difficulty`.",
    );
  });

  test("ties leave fewer buckets, subjects may be too small, strata too poor: each is said", () => {
    const values = Float64Array.from(pool.rows, (_, item) => item % 2);
    const own: PoolDifficulty = { source: { kind: "column", column: "level" }, values, answered: null };
    expect(summarizeForms(build(own, 3, 2), 1, 5).warnings).toEqual([
      "equal difficulties leave 2 buckets of the 5 requested",
      expect.stringMatching(/^\d+ subjects of 9 are too small to have an item in forms of 3$/) as string,
    ]);
    const half = Math.floor(pool.rows.length / 2);
    expect(summarizeForms(build(own, half, 2), 1, 5).warnings).toContain(
      "some strata have too few items for every form to have the same number: forms differ there",
    );
  });
});

describe("buckets of difficulty", () => {
  test("are of equal size where no two items tie, from the lowest up", () => {
    const { bucketOf, buckets } = difficultyBuckets(Float64Array.of(5, 1, 3, 2, 4, 6), 3);
    expect([...bucketOf]).toEqual([2, 0, 1, 0, 1, 2]);
    expect(buckets).toEqual([
      { unknown: false, from: 1, to: 2, items: 2 },
      { unknown: false, from: 3, to: 4, items: 2 },
      { unknown: false, from: 5, to: 6, items: 2 },
    ]);
  });

  test("items without a difficulty have a bucket of their own, the last one", () => {
    const { bucketOf, buckets } = difficultyBuckets(Float64Array.of(NaN, 1, 0, NaN), 2);
    expect([...bucketOf]).toEqual([2, 1, 0, 2]);
    expect(buckets.at(-1)).toEqual({ unknown: true, items: 2 });
    expect(difficultyBuckets(Float64Array.of(NaN, NaN), 5).buckets).toEqual([{ unknown: true, items: 2 }]);
  });

  test("equal difficulties are never parted, every item has a bucket, and counts are true", () => {
    const values = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(NaN)), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 8 }), (list, count) => {
        const { bucketOf, buckets } = difficultyBuckets(Float64Array.from(list), count);
        expect(buckets.filter(({ unknown }) => !unknown).length).toBeLessThanOrEqual(count);
        buckets.forEach(({ items }, k) => {
          expect(items).toBeGreaterThan(0);
          expect(bucketOf.filter((own) => own === k)).toHaveLength(items);
        });
        list.forEach((value, item) => {
          const bucket = buckets[bucketOf[item]!]!;
          expect(bucket.unknown).toBe(Number.isNaN(value));
          if (!bucket.unknown) expect(value >= bucket.from && value <= bucket.to).toBe(true);
        });
      }),
    );
  });
});
