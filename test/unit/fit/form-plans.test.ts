import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anchorNumbers, anchorsIn, formPlans, totalForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { refusal } from "../../support/refusal.ts";

const scenariosOf = (counts: readonly number[]) => counts.map((count, s) => ({ id: `s${s}`, count }));
const boards = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 });
const shares = (total: number, counts: readonly number[], relative?: readonly number[]): number[] => {
  const scenarios = scenariosOf(counts);
  const form = totalForm(total, scenarios, relative);
  return scenarios.map(({ id }) => anchorsIn(form, id));
};

describe("a total", () => {
  test("is met exactly; every scenario has one, none more than its items", () => {
    fc.assert(
      fc.property(boards, fc.nat(), (counts, at) => {
        const items = counts.reduce((sum, count) => sum + count, 0);
        const total = counts.length + (at % (items - counts.length + 1));
        const own = shares(total, counts);
        expect(own.reduce((sum, n) => sum + n, 0)).toBe(total);
        own.forEach((n, s) => {
          expect(n).toBeGreaterThanOrEqual(1);
          expect(n).toBeLessThanOrEqual(counts[s]!);
        });
        // As even as can be: who has less than another by two has no more items.
        const most = Math.max(...own);
        own.forEach((n, s) => n < most - 1 && expect(n).toBe(counts[s]));
      }),
    );
  });

  test("holds no less of any scenario than a smaller one", () => {
    fc.assert(
      fc.property(boards, (counts) => {
        const items = counts.reduce((sum, count) => sum + count, 0);
        for (let total = counts.length; total < items; total++) {
          const more = shares(total + 1, counts);
          shares(total, counts).forEach((n, s) => expect(more[s]).toBeGreaterThanOrEqual(n));
        }
      }),
    );
  });

  test("in proportion is met exactly, holds no less than a smaller one, and two of each scenario once it can", () => {
    const relative = fc.array(fc.double({ min: 0.25, max: 4, noNaN: true }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(boards, relative, (counts, own) => {
        const items = counts.reduce((sum, count) => sum + count, 0);
        let before = counts.map(() => 0);
        for (let total = counts.length; total <= items; total++) {
          const found = shares(total, counts, own);
          expect(found.reduce((sum, n) => sum + n, 0)).toBe(total);
          found.forEach((n, s) => {
            expect(n).toBeGreaterThanOrEqual(before[s]!);
            expect(n).toBeLessThanOrEqual(counts[s]!);
            expect(n).toBeGreaterThanOrEqual(Math.min(counts[s]!, total > 2 * counts.length ? 2 : 1));
          });
          before = found;
        }
      }),
      { numRuns: 6 },
    );
    expect(shares(100, [80, 80, 80], [1, 2, 4])).toEqual([16, 29, 55]);
    expect(shares(100, [80, 80, 20], [1, 2, 4])).toEqual([28, 52, 20]);
  });

  test.each([
    { total: 10, counts: [40, 30, 20, 40], expected: [3, 2, 2, 3] },
    { total: 12, counts: [50, 1, 2, 50], expected: [4, 1, 2, 5] },
    { total: 3, counts: [5, 5, 5], expected: [1, 1, 1] },
    { total: 7, counts: [3, 4], expected: [3, 4] },
  ])("of $total among $counts", ({ total, counts, expected }) => {
    expect(shares(total, counts)).toEqual(expected);
  });

  test.each([
    { total: 2, message: "`total` must be at least one anchor for each of the 3 scenarios; got 2" },
    { total: 61, message: "`total` must be at most the 60 items of all scenarios; got 61" },
  ])("of $total is refused", ({ total, message }) => {
    expect(refusal(() => totalForm(total, scenariosOf([10, 20, 30])))).toMatchObject({
      code: "invalid_option",
      message,
    });
  });
});

describe("the forms of a fit", () => {
  const scenarios = scenariosOf([100, 100, 8]);
  const idsOf = (sizes: readonly number[], totals: readonly number[]): string[] =>
    formPlans(sizes, totals, scenarios).map(({ id }) => id);

  test("ask fewer items first, each once, whichever way they were asked for", () => {
    expect(idsOf([20, 5, 20], [40, 100, 40])).toEqual(["5", "total-40", "20", "total-100"]);
  });

  test("a total that is a form per scenario is that form", () => {
    expect(idsOf([10], [28, 29])).toEqual(["10", "total-29"]); // 10, 10 and all 8
    expect(idsOf([], [28])).toEqual(["total-28"]);
  });

  test("every scenario's anchors are no fewer in a later one", () => {
    fc.assert(
      fc.property(
        boards,
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        (counts, sizes, at) => {
          const items = counts.reduce((sum, count) => sum + count, 0);
          const totals = at.map((n) => counts.length + (n % (items - counts.length + 1)));
          const own = scenariosOf(counts);
          const asked = formPlans(sizes, totals, own).map((form) =>
            own.map(({ id, count }) => Math.min(count, anchorsIn(form, id))),
          );
          asked
            .slice(1)
            .forEach((later, k) => later.forEach((n, s) => expect(n).toBeGreaterThanOrEqual(asked[k]![s]!)));
        },
      ),
    );
  });

  test("the numbers of anchors that they take of a scenario", () => {
    const plans = formPlans([5, 20], [40], scenarios);
    expect(scenarios.map(({ id }) => anchorNumbers(plans, id))).toEqual([
      [5, 16, 20],
      [5, 16, 20],
      [5, 8, 20],
    ]);
  });

  test.each([
    { sizes: [], totals: [], message: "anchors must be whole numbers of at least 1, got " },
    { sizes: [2.5], totals: [], message: "anchors must be whole numbers of at least 1, got 2.5" },
    { sizes: [4], totals: [0], message: "anchors must be whole numbers of at least 1, got 4, 0" },
  ])("$sizes and $totals are refused", ({ sizes, totals, message }) => {
    expect(refusal(() => formPlans(sizes, totals, scenarios))).toMatchObject({ code: "invalid_option", message });
  });
});
