import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { difficultyBuckets } from "../../../offline-trainer/src/parallel-forms/difficulty-buckets.ts";

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
