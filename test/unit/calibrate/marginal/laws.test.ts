import { createRandom, itemBank } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { calibrateMarginal } from "../../../../offline-trainer/src/calibrate/marginal/calibrate-marginal.ts";
import {
  MARGINAL_MODELS,
  type MarginalCalibration,
  type MarginalOptions,
} from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import type { CodedResponses } from "../../../../offline-trainer/src/calibrate/types.ts";
import { largestDifference } from "../../../support/fixture.ts";
import { drawnResponses } from "./drawn-responses.ts";

/** What a search leaves of a difference between two ways to the same maximum. */
const SAME = 2e-4;
const PARAMETERS = ["a", "b", "lower", "upper"] as const;
const ones = (count: number): number[] => new Array<number>(count).fill(1);

describe.each(MARGINAL_MODELS)("%s", (model) => {
  const { responses } = drawnResponses({ model, subjects: 300, items: 8, missing: 0.1, seed: 12 });
  const { subjects, items, signs } = responses;
  const fit = (data: CodedResponses, options: Partial<MarginalOptions> = {}): Promise<MarginalCalibration> =>
    calibrateMarginal(data, { model, tolerance: 1e-11, ...options });
  const plain = fit(responses);

  /** The same responses, models in the order of `rows`, items in that of `columns`. */
  const arranged = (rows: readonly number[], columns: readonly number[]): CodedResponses => ({
    subjects: rows.length,
    items: columns.length,
    signs: Int8Array.from(
      { length: rows.length * columns.length },
      (_, k) => signs[rows[Math.floor(k / columns.length)]! * items + columns[k % columns.length]!]!,
    ),
  });
  const all = (count: number): number[] => Array.from({ length: count }, (_, k) => k);

  function expectSame(actual: MarginalCalibration, expected: MarginalCalibration, columns = all(items)): void {
    expect(Math.abs(actual.logPosterior - expected.logPosterior)).toBeLessThan(1e-6);
    for (const name of PARAMETERS) {
      expect(
        largestDifference(
          actual[name],
          columns.map((i) => expected[name][i]!),
        ),
      ).toBeLessThan(SAME);
      expect(
        largestDifference(
          actual.standardErrors![name],
          columns.map((i) => expected.standardErrors![name][i]!),
        ),
      ).toBeLessThan(10 * SAME);
    }
  }

  test("items and models may stand in any order", async () => {
    const random = createRandom("order");
    const rows = random.shuffle(all(subjects));
    const columns = random.shuffle(all(items));
    const moved = await fit(arranged(rows, columns));
    const expected = await plain;
    expectSame(moved, expected, columns);
    expect(
      largestDifference(
        moved.theta,
        rows.map((m) => expected.theta[m]!),
      ),
    ).toBeLessThan(SAME);
  });

  test("a model of weight 2 is two models, one of weight 0 none", async () => {
    const rows = all(subjects);
    const twice = await fit(arranged([...rows, ...rows.slice(0, 40)], all(items)));
    const weighted = await fit(responses, { modelWeights: rows.map((m) => (m < 40 ? 2 : 1)) });
    expectSame(weighted, twice);
    const fewer = await fit(arranged(rows.slice(30), all(items)));
    const without = await fit(responses, { modelWeights: rows.map((m) => (m < 30 ? 0 : 1)) });
    expectSame(without, fewer);
    // It gets its ability all the same.
    expect(largestDifference(without.theta.subarray(30), fewer.theta)).toBeLessThan(SAME);
    expect(without.theta.subarray(0, 30).every(Number.isFinite)).toBe(true);
  });

  test("an item of weight 0, or that nobody answered, is absent: NaN, and nothing to the others", async () => {
    const others = all(items).filter((i) => i !== 3);
    const without = await fit(arranged(all(subjects), others));
    const unanswered = signs.map((sign, k) => (k % items === 3 ? 0 : sign));
    for (const absent of [
      await fit(responses, { itemWeights: all(items).map((i) => (i === 3 ? 0 : 1)) }),
      await fit({ subjects, items, signs: unanswered }),
      await fit(responses, { itemWeights: all(items).map((i) => (i === 3 ? 0 : 1)), modelWeights: ones(subjects) }),
    ]) {
      for (const name of PARAMETERS) {
        expect(absent[name][3]).toBeNaN();
        expect(absent.standardErrors![name][3]).toBeNaN();
        expect(
          largestDifference(
            others.map((i) => absent[name][i]!),
            without[name],
          ),
        ).toBeLessThan(SAME);
      }
      expect(largestDifference(absent.theta, without.theta)).toBeLessThan(SAME);
    }
  });

  test("missing cells count for nothing: a model without answers changes no item and is where the population is", async () => {
    const empty = await fit({
      subjects: subjects + 1,
      items,
      signs: Int8Array.from([...signs, ...ones(items).map(() => 0)]),
    });
    expectSame(empty, await plain);
    expect(empty.theta[subjects]).toBeCloseTo(0, 7);
    expect(empty.thetaSd[subjects]).toBeCloseTo(1, 7);
  });

  // The 3PL's lower asymptote turned over would be an upper one, which it doesn't have.
  test.skipIf(model === "3pl")("right and wrong of everything change places: abilities turn over", async () => {
    const priors = { lower: { mean: -2, flat: 0, sd: 1 }, upper: { mean: -2, flat: 0, sd: 1 } };
    const one = await fit(responses, { priors });
    const other = await fit({ subjects, items, signs: signs.map((sign) => -sign) }, { priors });
    expect(Math.abs(other.logPosterior - one.logPosterior)).toBeLessThan(1e-6);
    const turned = (values: Float64Array, by: (value: number) => number): Float64Array => values.map(by);
    expect(largestDifference(other.a, one.a)).toBeLessThan(SAME);
    expect(
      largestDifference(
        other.b,
        turned(one.b, (b) => -b),
      ),
    ).toBeLessThan(SAME);
    expect(
      largestDifference(
        other.theta,
        turned(one.theta, (theta) => -theta),
      ),
    ).toBeLessThan(SAME);
    expect(
      largestDifference(
        other.lower,
        turned(one.upper, (upper) => 1 - upper),
      ),
    ).toBeLessThan(SAME);
  });

  // Nor has one item of the 1PL a discrimination of its own.
  const ofItsOwn = model === "2pl" || model === "4pl";
  test.runIf(ofItsOwn)("right and wrong of one item change places: its discrimination turns over", async () => {
    const priors = { lower: { mean: -2, flat: 0, sd: 1 }, upper: { mean: -2, flat: 0, sd: 1 } };
    const one = await fit(responses, { priors });
    const other = await fit({ subjects, items, signs: signs.map((s, k) => (k % items === 2 ? -s : s)) }, { priors });
    expect(Math.abs(other.logPosterior - one.logPosterior)).toBeLessThan(1e-6);
    expect(Math.abs(other.a[2]! + one.a[2]!)).toBeLessThan(SAME);
    expect(Math.abs(other.b[2]! + one.b[2]!)).toBeLessThan(SAME);
    expect(Math.abs(other.upper[2]! - 1 + one.lower[2]!)).toBeLessThan(SAME);
    expect(largestDifference(other.theta, one.theta)).toBeLessThan(SAME);
  });
});

describe("beside fixed items", () => {
  const { responses, bank } = drawnResponses({ model: "2pl", subjects: 600, items: 30, mean: 0.7, sd: 1.4, seed: 4 });
  const fixedItems = Array.from({ length: 15 }, (_, k) => 2 * k);
  const fixed = {
    items: fixedItems,
    bank: itemBank(
      Float64Array.from(fixedItems, (i) => bank.a[i]!),
      Float64Array.from(fixedItems, (i) => bank.b[i]!),
    ),
  };

  test("they stay to the bit, new ones come to lie on their scale, the population is found", async () => {
    const fit = await calibrateMarginal(responses, { model: "2pl", fixed });
    for (const i of fixedItems) {
      expect([fit.a[i], fit.b[i], fit.lower[i], fit.upper[i]]).toEqual([bank.a[i], bank.b[i], 0, 1]);
      expect([fit.standardErrors!.a[i], fit.standardErrors!.b[i]]).toEqual([0, 0]);
    }
    for (let i = 1; i < 30; i += 2) {
      expect(Math.abs(fit.a[i]! - bank.a[i]!)).toBeLessThan(4 * fit.standardErrors!.a[i]!);
      expect(Math.abs(fit.b[i]! - bank.b[i]!)).toBeLessThan(4 * fit.standardErrors!.b[i]!);
    }
    expect(Math.abs(fit.population.mean - 0.7)).toBeLessThan(0.2);
    expect(Math.abs(fit.population.sd - 1.4)).toBeLessThan(0.2);
  });

  test("what was calibrated freely is found again, population and all", async () => {
    const free = await calibrateMarginal(responses, { model: "2pl", tolerance: 1e-11 });
    const again = await calibrateMarginal(responses, {
      model: "2pl",
      tolerance: 1e-11,
      fixed: {
        items: fixedItems,
        bank: itemBank(
          ...([free.a, free.b].map((values) => Float64Array.from(fixedItems, (i) => values[i]!)) as [
            Float64Array,
            Float64Array,
          ]),
        ),
      },
    });
    expect(largestDifference(again.a, free.a)).toBeLessThan(SAME);
    expect(largestDifference(again.b, free.b)).toBeLessThan(SAME);
    expect(Math.abs(again.population.mean)).toBeLessThan(SAME);
    expect(Math.abs(again.population.sd - 1)).toBeLessThan(SAME);
  });

  test("asymptotes of fixed items hold whatever the model of the others", async () => {
    const drawn = drawnResponses({ model: "4pl", subjects: 300, items: 10, seed: 6 });
    const first = [0, 1, 2, 3];
    const part = (values: ArrayLike<number>): Float64Array => Float64Array.from(first, (i) => values[i]!);
    const asymptotes = { lower: part(drawn.bank.lower!), upper: part(drawn.bank.upper!) };
    const fit = await calibrateMarginal(drawn.responses, {
      model: "2pl",
      fixed: { items: first, bank: itemBank(part(drawn.bank.a), part(drawn.bank.b), asymptotes) },
    });
    expect(part(fit.lower)).toEqual(asymptotes.lower);
    expect(part(fit.upper)).toEqual(asymptotes.upper);
    expect([...fit.lower.subarray(4)]).toEqual(ones(6).map(() => 0));
  });

  test("all of them fixed: population and abilities are what is left to estimate", async () => {
    const items = Array.from({ length: 30 }, (_, i) => i);
    const fit = await calibrateMarginal(responses, { model: "2pl", fixed: { items, bank } });
    expect(fit.a).toEqual(Float64Array.from(bank.a));
    expect(fit.converged).toBe(true);
    expect(Math.abs(fit.population.mean - 0.7)).toBeLessThan(0.2);
    expect(Math.abs(fit.population.sd - 1.4)).toBeLessThan(0.2);
  });

  test("the 1PL's new items take their discrimination", async () => {
    const drawn = drawnResponses({ model: "1pl", subjects: 200, items: 10 });
    const fit = await calibrateMarginal(drawn.responses, {
      model: "1pl",
      fixed: { items: [0, 1, 2], bank: itemBank(Float64Array.of(0.9, 0.9, 0.9), Float64Array.of(0, 1, -1)) },
    });
    expect([...fit.a]).toEqual(ones(10).map(() => 0.9));
  });
});
