import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { ScoreMaps } from "anchoreval/internal/core/estimators/score-maps";
import {
  BASE_ESTIMATORS,
  type AnchorFactors,
  type AnchorSet,
  type Blend,
} from "anchoreval/internal/core/estimators/types";
import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import type { MonotoneMap } from "anchoreval/internal/core/numeric/functions";
import type { ScenarioModel } from "anchoreval/internal/core/scoring/scenario-estimate";
import fc from "fast-check";
import { itemFactors } from "./factors.ts";

const real = (min: number, max: number): fc.Arbitrary<number> =>
  fc.double({ min, max, noNaN: true, noDefaultInfinity: true });

/** Scores in [0,1], often its ends. */
export const arbScore: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1) },
  { weight: 1, arbitrary: real(0, 1) },
);

export interface BankShape {
  readonly dims?: number;
  readonly asymptotes?: boolean;
  readonly items?: { readonly min: number; readonly max: number };
}

/** Item banks: discriminations of either sign up to 3, intercepts up to 6, asymptotes at least 0.05 apart. */
export function arbBank({ dims, asymptotes, items = { min: 1, max: 30 } }: BankShape = {}): fc.Arbitrary<ItemBank> {
  return fc
    .record({
      dims: dims === undefined ? fc.integer({ min: 1, max: 4 }) : fc.constant(dims),
      count: fc.integer(items),
      lower: asymptotes === undefined ? fc.boolean() : fc.constant(asymptotes),
      upper: asymptotes === undefined ? fc.boolean() : fc.constant(asymptotes),
    })
    .chain(({ dims: d, count, lower, upper }) => {
      const array = (length: number, min: number, max: number): fc.Arbitrary<Float64Array> =>
        fc.array(real(min, max), { minLength: length, maxLength: length }).map((values) => Float64Array.from(values));
      return fc
        .record({
          a: array(count * d, -3, 3),
          b: array(count, -6, 6),
          lower: array(count, 0, 0.45),
          upper: array(count, 0.5, 1),
        })
        .map((parts) =>
          itemBank(parts.a, parts.b, { lower: lower ? parts.lower : null, upper: upper ? parts.upper : null }),
        );
    });
}

/** Abilities within ±4. */
export function arbTheta(dims: number): fc.Arbitrary<Float64Array> {
  return fc.array(real(-4, 4), { minLength: dims, maxLength: dims }).map((values) => Float64Array.from(values));
}

const arbMap: fc.Arbitrary<MonotoneMap> = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 100 }), real(0, 1)), {
    minLength: 1,
    maxLength: 6,
    selector: ([x]) => x,
  })
  .map((knots) => {
    const y = knots.map(([, value]) => value).sort((one, other) => one - other);
    return {
      x: Float64Array.from(knots.map(([x]) => x / 100).sort((one, other) => one - other)),
      y: Float64Array.from(y),
    };
  });

/** Score maps of one scenario, of any shape. */
const arbScoreMaps: fc.Arbitrary<ScoreMaps> = fc
  .record({
    intercept: real(-0.5, 1),
    begin: real(0, 0.4),
    width: real(0.05, 0.6),
    values: fc.array(fc.array(real(-0.5, 0.5), { minLength: 2, maxLength: 5 }), { minLength: 2, maxLength: 2 }),
  })
  .map(({ intercept, begin, width, values }) => ({
    alone: {
      intercept,
      terms: (["mean", "expected"] as const).map((feature, t) => ({
        ...{ feature, scenario: "one", begin, end: begin + width },
        values: Float32Array.from(values[t]!),
      })),
    },
    together: null,
  }));

/** Blends of any kind. */
const arbBlend: fc.Arbitrary<Blend> = fc
  .record({
    lambda: real(0, 1),
    parts: fc.array(real(0.01, 1), { minLength: BASE_ESTIMATORS.length, maxLength: BASE_ESTIMATORS.length }),
    rmse: real(0.01, 0.3),
  })
  .map(({ lambda, parts, rmse }) => {
    const sum = parts.reduce((total, part) => total + part, 0);
    return {
      lambda,
      stack: Object.fromEntries(BASE_ESTIMATORS.map((id, k) => [id, parts[k]! / sum])) as Blend["stack"],
      rmse,
      overallRmse: null,
      tightening: { inside: 0.5 + lambda, outside: 1 - lambda / 2 },
    };
  });

/** A scenario with anchors, an ability and answers to its anchors. */
export interface Scene {
  readonly model: ScenarioModel;
  readonly blend: Blend;
  readonly theta: Float64Array;
  /** A score of every item. */
  readonly truth: Float64Array;
  /** Which anchors were answered, aligned with them; at least one was. */
  readonly answered: readonly boolean[];
}

/** Scores aligned with the anchors, NaN where there is no answer. */
export function answersOf({ model, truth, answered }: Scene): Float64Array {
  return Float64Array.from(model.anchors.items, (item, j) => (answered[j] ? truth[item]! : NaN));
}

/** Scenes; `complete` answers every anchor, `whole` asks every item and answers it. */
export function arbScene({ whole = false, complete = false } = {}): fc.Arbitrary<Scene> {
  return arbBank({ items: { min: 2, max: 24 } }).chain((bank) => {
    const { count, dims } = bank;
    const length = { minLength: count, maxLength: count };
    return fc
      .record({
        theta: arbTheta(dims),
        truth: fc.array(arbScore, length),
        rawWeights: fc.array(real(0.1, 3), length),
        order: fc.shuffledSubarray(
          Array.from({ length: count }, (_, i) => i),
          { minLength: whole ? count : 1, maxLength: count },
        ),
        rawMass: fc.array(real(0.05, 5), length),
        inclusion: fc.array(real(0.02, 1), length),
        purposive: fc.boolean(),
        blend: arbBlend,
        rank: fc.integer({ min: 1, max: 3 }),
        numbers: fc.array(real(0, 1), { minLength: 5 * count, maxLength: 5 * count }),
        others: fc.array(real(0, 1), { minLength: 5 * count, maxLength: 5 * count }),
        scoreMap: fc.option(arbMap),
        maps: arbScoreMaps,
        skips: fc.array(fc.boolean(), length),
        keep: fc.nat(),
      })
      .map((parts): Scene => {
        const total = parts.rawWeights.reduce((sum, value) => sum + value, 0);
        const size = parts.order.length;
        const anchors: AnchorSet = {
          items: Uint32Array.from(parts.order),
          mass: Float64Array.from(parts.rawMass.slice(0, size)),
          inclusion: parts.purposive ? null : Float64Array.from(parts.inclusion.slice(0, size)),
        };
        const weights = Float64Array.from(parts.rawWeights, (value) => value / total);
        const factorsOf = (numbers: readonly number[]): AnchorFactors =>
          anchorFactors(
            itemFactors(
              weights,
              numbers.slice(0, count),
              numbers.slice(count, count * (1 + parts.rank)).map((value) => value - 0.5),
              numbers.slice(4 * count).map((value) => 0.01 + value),
            ),
            anchors.items,
          );
        return {
          model: {
            bank,
            weights,
            scoreMap: parts.scoreMap,
            anchors,
            factors: factorsOf(parts.numbers),
            answerFactors: factorsOf(parts.others),
            maps: parts.maps,
          },
          blend: parts.blend,
          theta: parts.theta,
          truth: Float64Array.from(parts.truth),
          answered: Array.from(
            { length: size },
            (_, j) => whole || complete || !parts.skips[j] || j === parts.keep % size,
          ),
        };
      });
  });
}
