import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  formQuotas,
  marginCounts,
  marginDistance,
  shareDistance,
  type Stratum,
} from "../../../offline-trainer/src/parallel-forms/quotas.ts";

/** A pool of 57 subjects in five buckets, about 14 000 items, subjects of very unlike size. */
const LARGE: Stratum[] = Array.from({ length: 57 * 5 }, (_, k) => ({
  subject: Math.floor(k / 5),
  bucket: k % 5,
  count: 12 + ((7 * Math.floor(k / 5) ** 2 + 31 * (k % 5)) % 75),
}));

const strata = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 12 })), {
    minLength: 1,
    maxLength: 14,
  })
  .map((cells) => {
    const byPlace = new Map(
      cells.map(([subject, bucket, count]) => [`${subject} ${bucket}`, { subject, bucket, count }]),
    );
    const all = [...byPlace.values()].sort((x, y) => x.subject - y.subject || x.bucket - y.bucket);
    // Subjects and buckets are numbered without gaps, as those of a pool are.
    const places = (axis: "subject" | "bucket"): number[] => [...new Set(all.map((cell) => cell[axis]))].sort();
    const [subjects, buckets] = [places("subject"), places("bucket")];
    return all.map(({ subject, bucket, count }) => ({
      subject: subjects.indexOf(subject),
      bucket: buckets.indexOf(bucket),
      count,
    }));
  });

describe("quotas of forms", () => {
  test("300 items of 14 000: as near to the pool as whole numbers can be, in subjects and in difficulty, in all forms alike", () => {
    for (const forms of [2, 5]) {
      const quotas = formQuotas(LARGE, 300, forms);
      expect(quotas.identical).toBe(true);
      expect(new Set(quotas.forms)).toHaveProperty("size", 1);
      const [quota] = quotas.forms as [Int32Array];
      expect(marginDistance(LARGE, quota, "subject")).toBeCloseTo(quotas.least.subjects, 9);
      expect(marginDistance(LARGE, quota, "bucket")).toBeCloseTo(quotas.least.buckets, 9);
      expect(quotas.least.buckets).toBeLessThan(0.02);
    }
  });

  test("sums are exact and strata never give more than they have, however much is taken", () => {
    fc.assert(
      fc.property(
        strata,
        fc.integer({ min: 2, max: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (cells, forms, share) => {
          const items = cells.reduce((sum, { count }) => sum + count, 0);
          fc.pre(items >= forms);
          const size = Math.max(1, Math.floor((share * items) / forms));
          const quotas = formQuotas(cells, size, forms);
          expect(quotas.forms).toHaveLength(forms);
          for (const quota of quotas.forms) expect(quota.reduce((sum, count) => sum + count, 0)).toBe(size);
          cells.forEach(({ count }, s) => {
            const taken = quotas.forms.map((quota) => quota[s]!);
            expect(Math.min(...taken)).toBeGreaterThanOrEqual(0);
            expect(taken.reduce((sum, own) => sum + own, 0)).toBeLessThanOrEqual(count);
          });
        },
      ),
    );
  });

  test("where all items are taken, forms differ by one item of a stratum, subject or bucket at most", () => {
    fc.assert(
      fc.property(strata, fc.integer({ min: 2, max: 4 }), (cells, forms) => {
        const items = cells.reduce((sum, { count }) => sum + count, 0);
        fc.pre(items % forms === 0);
        const { forms: quotas } = formQuotas(cells, items / forms, forms);
        const apart = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);
        for (const axis of ["subject", "bucket"] as const) {
          const margins = quotas.map((quota) => marginCounts(cells, axis, quota));
          margins[0]!.forEach((_, k) => expect(apart(margins.map((own) => own[k]!))).toBeLessThanOrEqual(1));
        }
      }),
    );
  });

  test("strata with too few items for all forms leave the numbers by subject and by bucket alike", () => {
    // A third bucket of five items, one a subject: no stratum of it can serve three forms, all of it can.
    const cells = [0, 1, 2, 3, 4].flatMap((subject) =>
      [20, 21, 1].map((count, bucket) => ({ subject, bucket, count })),
    );
    const { forms, identical, least } = formQuotas(cells, 42, 3);
    expect(identical).toBe(false);
    for (const quota of forms) {
      expect(marginDistance(cells, quota, "subject")).toBeCloseTo(least.subjects, 9);
      expect(marginDistance(cells, quota, "bucket")).toBeCloseTo(least.buckets, 9);
      expect(quota.filter((_, s) => cells[s]!.bucket === 2).reduce((sum, count) => sum + count, 0)).toBe(1);
    }
    const bySubject = forms.map((quota) => marginCounts(cells, "subject", quota));
    expect(bySubject[1]).toEqual(bySubject[0]);
    expect(bySubject[2]).toEqual(bySubject[0]);
  });

  test("many forms that take most of the pool have the same numbers by subject and by bucket", () => {
    const forms = 20;
    const items = LARGE.reduce((sum, { count }) => sum + count, 0);
    const size = Math.floor((0.85 * items) / forms);
    const quotas = formQuotas(LARGE, size, forms);
    expect(quotas.identical).toBe(false);
    for (const quota of quotas.forms) {
      expect(marginDistance(LARGE, quota, "subject")).toBeCloseTo(quotas.least.subjects, 9);
      expect(marginDistance(LARGE, quota, "bucket")).toBeCloseTo(quotas.least.buckets, 9);
      for (const axis of ["subject", "bucket"] as const)
        expect(marginCounts(LARGE, axis, quota)).toEqual(marginCounts(LARGE, axis, quotas.forms[0]));
    }
  });

  test("the whole pool in two forms: each item once, odd ones shared out", () => {
    const cells = [3, 5, 4, 8, 1, 3].map((count, k) => ({ subject: k >> 1, bucket: k & 1, count }));
    const { forms, identical } = formQuotas(cells, 12, 2);
    expect(identical).toBe(false);
    cells.forEach(({ count }, s) => expect(forms[0]![s]! + forms[1]![s]!).toBe(count));
    expect(marginDistance(cells, forms[0]!, "subject")).toBeLessThan(0.1);
  });

  test("the least distance is that of largest remainders: 1.5 and .5 of 2 are 2 and 0, or 1 and 1", () => {
    const cells = [3, 1].map((count, subject) => ({ subject, bucket: 0, count }));
    expect(formQuotas(cells, 2, 2).least).toEqual({ subjects: 0.5, buckets: 0 });
    expect(shareDistance([2, 0], [3, 1])).toBe(0.5);
    expect(shareDistance([1, 0], [0, 1])).toBe(2);
  });
});
