import { answeredSample, knownBounds } from "anchoreval/internal/core/estimators/answered-sample";
import type { AnchorSet } from "anchoreval/internal/core/estimators/types";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../support/fixture.ts";
import { anchorsOf, referenceScenarios, scoresOf } from "../../support/reference-scenario.ts";

const { cases, tolerance } = referenceScenarios;

test.each(cases)("masses and share: $name", (scenario) => {
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  expect(largestDifference(sample.mass, scenario.expected.mass)).toBeLessThan(tolerance.absolute);
  expect(sample.share).toBeCloseTo(scenario.expected.share, 12);
  expect(Array.from(sample.items)).toEqual(scenario.anchors.items.filter((_, j) => scenario.scores[j] !== null));
  expect(Array.from(sample.scores)).toEqual(scenario.scores.filter((score) => score !== null));
});

const anchors: AnchorSet = {
  items: Uint32Array.of(9, 4, 7, 1, 5),
  mass: Float64Array.of(1, 2, 3, 4, 10),
  inclusion: Float64Array.of(0.5, 0.4, 0.3, 0.2, 0.1),
};

describe("the mass of a missing anchor", () => {
  test("goes half to either answered neighbour", () => {
    const sample = answeredSample(anchors, [1, NaN, NaN, 0, 1])!;
    expect(sample.mass).toEqual(Float64Array.of(3.5 / 20, 6.5 / 20, 10 / 20));
    expect(sample.share).toBe(15 / 20);
  });

  test("goes to the only one at an end", () => {
    expect(answeredSample(anchors, [NaN, NaN, 1, 0, NaN])!.mass).toEqual(Float64Array.of(6 / 20, 14 / 20));
    expect(answeredSample(anchors, [NaN, NaN, NaN, 0, NaN])!.mass).toEqual(Float64Array.of(1));
  });
});

test("35 of 50 equal masses are .7, whatever their sums round to", () => {
  for (const own of [1, 0.1, 1 / 3, 1 / 437, 1 / 567]) {
    const equal = {
      items: Uint32Array.from({ length: 50 }, (_, j) => j),
      mass: new Float64Array(50).fill(own),
      inclusion: null,
    };
    for (const from of [0, 7, 15]) {
      const scores = Array.from({ length: 50 }, (_, j) => (j >= from && j < from + 35 ? 1 : NaN));
      expect(answeredSample(equal, scores)!.share).toBe(0.7);
    }
  }
});

test("a complete answer keeps the masses, renormalised, and the inclusion probabilities", () => {
  const sample = answeredSample(anchors, [1, 0, 1, 0, 1])!;
  expect(sample.mass).toEqual(Float64Array.of(0.05, 0.1, 0.15, 0.2, 0.5));
  expect(sample.inclusion).toEqual(anchors.inclusion);
  expect(sample.share).toBe(1);
});

test("missing answers lower the inclusion probabilities in proportion", () => {
  expect(answeredSample(anchors, [1, NaN, 1, NaN, 1])!.inclusion).toEqual(
    Float64Array.of(0.5 * 0.6, 0.3 * 0.6, 0.1 * 0.6),
  );
});

test("a purposive choice has no inclusion probabilities, whatever is answered", () => {
  expect(answeredSample({ ...anchors, inclusion: null }, [1, NaN, 1, 1, 1])!.inclusion).toBeNull();
});

test("nothing answered is no sample", () => {
  expect(answeredSample(anchors, [NaN, NaN, NaN, NaN, NaN])).toBeNull();
});

test.each(cases)("[Σ_A w·y, Σ_A w·y + Σ_U w]: $name", (scenario) => {
  const sample = answeredSample(anchorsOf(scenario), scoresOf(scenario))!;
  const { low, high } = knownBounds(Float64Array.from(scenario.expected.weights), sample);
  expect(Math.abs(low - scenario.expected.bounds[0])).toBeLessThan(tolerance.absolute);
  expect(Math.abs(high - scenario.expected.bounds[1])).toBeLessThan(tolerance.absolute);
});

test("all items answered leave one score", () => {
  const sample = {
    items: Uint32Array.of(2, 0, 1),
    positions: Uint32Array.of(0, 1, 2),
    scores: Float64Array.of(0.1, 0.7, 1),
    mass: new Float64Array(3).fill(1 / 3),
    inclusion: null,
    share: 1,
  };
  const { low, high } = knownBounds(Float64Array.of(0.2, 0.3, 0.5), sample);
  expect(high).toBe(low);
  expect(low).toBeCloseTo(0.14 + 0.3 + 0.05, 15);
});

test("never pass 1, though the weights' sum rounds past it", () => {
  const weights = new Float64Array(3).fill((1 + 2 ** -52) / 3);
  const sample = {
    items: Uint32Array.of(0, 1, 2),
    positions: Uint32Array.of(0, 1, 2),
    scores: Float64Array.of(1, 1, 1),
    mass: new Float64Array(3).fill(1 / 3),
    inclusion: null,
    share: 1,
  };
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(1);
  expect(knownBounds(weights, sample)).toEqual({ low: 1, high: 1 });
});

test("a mass without an answer goes to the answered anchors next to it, half to either, all at an end", () => {
  const masses = (all: readonly number[], known: readonly number[]): number[] => {
    const items = Uint32Array.from(all.keys());
    const given = Array.from(items, (j) => (known.includes(j) ? 0 : NaN));
    const total = all.reduce((sum, own) => sum + own, 0);
    const { mass } = answeredSample({ items, inclusion: null, mass: Float64Array.from(all) }, given)!;
    return Array.from(mass, (own) => Math.round(own * total * 1e9) / 1e9);
  };
  expect(masses([32, 16, 8, 4, 2, 1], [1, 4])).toEqual([32 + 16 + 4 + 2, 4 + 2 + 2 + 1]);
  expect(masses([1, 2, 4, 8, 16, 32], [2])).toEqual([63]);
  expect(masses([1, 2, 4], [0, 1, 2])).toEqual([1, 2, 4]);
});
