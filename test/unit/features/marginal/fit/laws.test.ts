import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import {
  calibrateMarginal,
  type MarginalCalibration,
} from "../../../../../features/marginal/fit/calibrate-marginal.ts";
import { MARGINAL_MODELS } from "../../../../../features/marginal/fit/problem.ts";
import type { CodedResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";
import { largestDifference } from "../../../../support/fixture.ts";
import { drawnResponses } from "./drawn-responses.ts";

/** What a search leaves of a difference between two ways to the same maximum. */
const SAME = 2e-4;
const PARAMETERS = ["a", "b", "lower", "upper"] as const;
const ones = (count: number): number[] => new Array<number>(count).fill(1);

describe.each(MARGINAL_MODELS)("%s", (model) => {
  const { responses } = drawnResponses({ model, subjects: 300, items: 8, missing: 0.1, seed: 12 });
  const { subjects, items, signs } = responses;
  const fit = (data: CodedResponses): Promise<MarginalCalibration> =>
    calibrateMarginal(data, { model, tolerance: 1e-11 });
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
    for (const name of PARAMETERS)
      expect(
        largestDifference(
          actual[name],
          columns.map((i) => expected[name][i]!),
        ),
      ).toBeLessThan(SAME);
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

  test("an item that nobody answered is absent: NaN, and nothing to the others", async () => {
    const others = all(items).filter((i) => i !== 3);
    const without = await fit(arranged(all(subjects), others));
    const absent = await fit({ subjects, items, signs: signs.map((sign, k) => (k % items === 3 ? 0 : sign)) });
    for (const name of PARAMETERS) {
      expect(absent[name][3]).toBeNaN();
      expect(
        largestDifference(
          others.map((i) => absent[name][i]!),
          without[name],
        ),
      ).toBeLessThan(SAME);
    }
    expect(largestDifference(absent.theta, without.theta)).toBeLessThan(SAME);
  });

  test("missing cells count for nothing: a model without answers changes no item and is where the population is", async () => {
    const empty = await fit({
      subjects: subjects + 1,
      items,
      signs: Int8Array.from([...signs, ...ones(items).map(() => 0)]),
    });
    expectSame(empty, await plain);
    expect(empty.theta[subjects]).toBeCloseTo(0, 7);
  });

  // A lower asymptote turned over would be an upper one, which has another prior, or which there isn't.
  const turns = model === "1pl" || model === "2pl";
  test.runIf(turns)("right and wrong of everything change places: abilities turn over", async () => {
    const one = await plain;
    const other = await fit({ subjects, items, signs: signs.map((sign) => -sign) });
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
  });

  // Nor has one item of the 1PL a discrimination of its own.
  test.runIf(model === "2pl")("right and wrong of one item change places: its discrimination turns over", async () => {
    const one = await plain;
    const other = await fit({ subjects, items, signs: signs.map((s, k) => (k % items === 2 ? -s : s)) });
    expect(Math.abs(other.logPosterior - one.logPosterior)).toBeLessThan(1e-6);
    expect(Math.abs(other.a[2]! + one.a[2]!)).toBeLessThan(SAME);
    expect(Math.abs(other.b[2]! + one.b[2]!)).toBeLessThan(SAME);
    expect(largestDifference(other.theta, one.theta)).toBeLessThan(SAME);
  });
});
