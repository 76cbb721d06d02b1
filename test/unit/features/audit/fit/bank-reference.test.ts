import { MeanSquares } from "anchoreval/internal/core/person-fit/statistics";
import { describe, expect, test } from "vitest";
import {
  abilityCovariances,
  itemAtFit,
  probabilities,
  itemCovariance,
  itemLeverage,
} from "../../../../../features/audit/fit/fitted-answers.ts";
import { type ItemFitTest, residualGroupsTest, sX2 } from "../../../../../features/audit/fit/item-fit.ts";
import { abilityReliability, scoreReliability } from "../../../../../features/audit/fit/item-statistics.ts";
import { answerLikeness } from "../../../../../features/audit/fit/near-copies.ts";
import { largestDifference, readFixture } from "../../../../support/fixture.ts";
import { answersOf, matrixOf, type ReferenceBank } from "./reference.ts";

interface BankFixture extends ReferenceBank {
  readonly families: readonly number[];
  readonly precision: readonly number[];
  readonly weights: readonly number[];
  readonly expected: {
    readonly p: readonly number[];
    readonly abilityCovariances: readonly number[];
    readonly leverage: readonly number[];
    readonly information: readonly (readonly number[])[];
    readonly covariance: readonly (readonly number[])[];
    readonly itemLeverage: readonly (readonly number[])[];
    readonly meanSquares: readonly Readonly<Record<string, number>>[];
    readonly residualGroups: readonly (ItemFitTest | null)[];
    readonly pairs: readonly (Readonly<Record<string, number>> & { readonly items: readonly [number, number] })[];
    readonly abilityReliability: readonly number[];
    readonly scoreReliability: number;
    readonly alpha: number;
    readonly complete: number;
  };
}

const bank = readFixture<BankFixture>("audit/bank.json");
const { expected, tolerance, models, items } = bank;
const answers = answersOf(bank);
const covariances = abilityCovariances(answers);
const at = Array.from({ length: items }, (_, i) => itemAtFit(answers, i, covariances));
const column = (values: readonly number[], i: number): number[] =>
  Array.from({ length: models }, (_, m) => values[m * items + i]!);

describe("numpy and SciPy give the same", () => {
  test("probabilities, covariances of abilities, leverages", () => {
    expect(largestDifference(covariances, expected.abilityCovariances)).toBeLessThan(tolerance);
    for (let i = 0; i < items; i++) {
      expect(
        largestDifference(probabilities(answers, i, new Float64Array(models)), column(expected.p, i)),
      ).toBeLessThan(tolerance);
      expect(largestDifference(at[i]!.leverage, column(expected.leverage, i))).toBeLessThan(tolerance);
    }
  });

  test("information and covariance of items' parameters, both terms", () => {
    const precision = Float64Array.from(bank.precision);
    for (let i = 0; i < items; i++) {
      expect(largestDifference(at[i]!.information, expected.information[i]!)).toBeLessThan(tolerance);
      const covariance = itemCovariance(answers, at[i]!, precision);
      expect(largestDifference(covariance, expected.covariance[i]!)).toBeLessThan(tolerance);
      expect(largestDifference(itemLeverage(answers, at[i]!, covariance), expected.itemLeverage[i]!)).toBeLessThan(
        tolerance,
      );
    }
  });

  test("infit and outfit with their z, by Wright & Masters's definitions", () => {
    for (let i = 0; i < items; i++) {
      const squares = new MeanSquares();
      at[i]!.signs.forEach((sign, m) => {
        if (sign !== 0) squares.add(Number(sign > 0), at[i]!.p[m]!);
      });
      for (const [name, value] of Object.entries(squares.fit))
        expect(Math.abs(value - expected.meanSquares[i]![name]!), name).toBeLessThan(tolerance);
    }
  });

  test("the residual χ²", () => {
    expect(expected.residualGroups.filter((own) => own !== null).length).toBeGreaterThan(8);
    for (let i = 0; i < items; i++) {
      const own = residualGroupsTest(answers, at[i]!);
      const reference = expected.residualGroups[i] ?? null;
      if (reference === null) {
        expect(own).toBeNull();
        continue;
      }
      expect(own!.degrees).toBe(reference.degrees);
      expect(Math.abs(own!.statistic - reference.statistic)).toBeLessThan(1e-8);
      expect(Math.abs(own!.p - reference.p)).toBeLessThan(1e-8);
    }
  });

  test("Q3, agreement and z of every pair", () => {
    const families = Int32Array.from(bank.families);
    for (const { items: pair, ...values } of expected.pairs)
      for (const [one, other] of [pair, [pair[1], pair[0]]] as const) {
        const { items: named, ...own } = answerLikeness(answers, one, other, families);
        expect(named).toEqual(pair);
        for (const [name, value] of Object.entries(own))
          expect(Math.abs(value - values[name]!), name).toBeLessThan(tolerance);
      }
  });

  test("reliabilities, alpha (which is KR-20)", () => {
    const slice = {
      id: "s",
      begin: 0,
      count: items,
      subscenarios: [{ id: null, items }],
      weights: Float64Array.from(bank.weights),
    };
    const rows = Array.from({ length: models }, (_, m) => m);
    expect(largestDifference(abilityReliability(answers, covariances), expected.abilityReliability)).toBeLessThan(
      tolerance,
    );
    const own = scoreReliability(answers, matrixOf(bank), rows, slice, true);
    expect(own.model).toBeCloseTo(expected.scoreReliability, 10);
    expect(own.alpha).toBeCloseTo(expected.alpha, 10);
    expect(own.complete).toBe(expected.complete);
    expect(scoreReliability(answers, matrixOf(bank), rows, slice, false).model).toBeNull();
  });
});

test("S-X² is that of all response patterns, summed one by one", () => {
  const fixture = readFixture<
    ReferenceBank & { readonly ability: { mean: number; variance: number }; readonly expected: readonly ItemFitTest[] }
  >("audit/s-x2.json");
  const own = sX2(answersOf(fixture), fixture.ability)!;
  expect(own).toHaveLength(fixture.items);
  own.forEach((result, i) => {
    const reference = fixture.expected[i]!;
    expect(result!.degrees).toBe(reference.degrees);
    expect(Math.abs(result!.statistic - reference.statistic)).toBeLessThan(fixture.tolerance);
    expect(Math.abs(result!.p - reference.p)).toBeLessThan(fixture.tolerance);
  });
});
