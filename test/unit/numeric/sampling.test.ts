import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { inclusionProbabilities, pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { expectBinomial } from "../../support/binomial.ts";

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

test.each([
  ["equal weights", [1, 1, 1, 1], 2, [0.5, 0.5, 0.5, 0.5]],
  ["in proportion where none is certain", [1, 2, 3, 4], 2, [0.2, 0.4, 0.6, 0.8]],
  ["the heaviest certain, the rest shares what is left", [10, 1, 1, 2], 2, [1, 0.25, 0.25, 0.5]],
  ["one makes the next certain", [8, 3, 1, 1], 3, [1, 1, 0.5, 0.5]],
  ["exactly certain", [2, 1, 1], 2, [1, 0.5, 0.5]],
  ["all", [3, 1, 5], 3, [1, 1, 1]],
  ["one", [3, 1, 4], 1, [3 / 8, 1 / 8, 4 / 8]],
])("%s", (_, weights, n, expected) => {
  const result = inclusionProbabilities(Float64Array.from(weights), n);
  expected.forEach((value, i) => expect(result[i]).toBeCloseTo(value, 14));
  expect(sum(result)).toBeCloseTo(n, 12);
});

test("does not depend on the scale of the weights or the order of the items", () => {
  const weights = Float64Array.of(0.7, 0.1, 0.4, 3, 0.2, 1.4);
  const result = inclusionProbabilities(weights, 3);
  const scaled = inclusionProbabilities(
    weights.map((value) => 1e-4 * value),
    3,
  );
  const turned = inclusionProbabilities(weights.toReversed(), 3).toReversed();
  result.forEach((value, i) => {
    expect(scaled[i]).toBeCloseTo(value, 14);
    expect(turned[i]).toBeCloseTo(value, 14);
  });
});

const DRAWS = 20_000;

/** π of several kinds, each summing to a whole number. */
const CASES: [string, number[], number][] = [
  ["equal", new Array<number>(12).fill(1 / 3), 4],
  ["unequal", [0.9, 0.05, 0.3, 0.75, 0.2, 0.6, 0.4, 0.1, 0.95, 0.25, 0.35, 0.15], 5],
  ["some certain, some never", [1, 0.5, 0, 0.25, 1, 0.75, 0.5, 0, 1], 5],
  ["one alone", [0.2, 0.3, 0.1, 0.4], 1],
  ["all but one", [0.9, 0.8, 0.7, 0.95, 0.65], 4],
  ["sums that rounding misses", Array.from({ length: 10 }, (_, k) => (k + 1) * (3 / 55)), 3],
];

function draws(probabilities: readonly number[], each: (drawn: readonly number[]) => void): void {
  const random = createRandom("pivotal");
  for (let draw = 0; draw < DRAWS; draw++) each(pivotalSample(probabilities, random));
}

describe.each(CASES)("probabilities %s", (_, probabilities, size) => {
  test("are what units are drawn with", () => {
    const counts = new Float64Array(probabilities.length);
    draws(probabilities, (drawn) => drawn.forEach((k) => (counts[k]! += 1)));
    probabilities.forEach((probability, k) => {
      if (probability === 0 || probability === 1) expect(counts[k]).toBe(DRAWS * probability);
      else expectBinomial(counts[k]!, DRAWS, probability);
    });
  });

  test("give samples of one size, ascending, no unit twice", () => {
    let odd = 0;
    draws(probabilities, (drawn) => {
      if (drawn.length !== size || drawn.some((k, j) => j > 0 && k <= drawn[j - 1]!)) odd++;
    });
    expect(odd).toBe(0);
  });

  test("spread the draws: every first part holds its cumulated probability, rounded up or down", () => {
    const cumulated = probabilities.map((__, k) =>
      probabilities.slice(0, k + 1).reduce((sum, value) => sum + value, 0),
    );
    let odd = 0;
    draws(probabilities, (drawn) => {
      let count = 0;
      for (let k = 0; k < probabilities.length; k++) {
        if (drawn[count] === k) count++;
        if (count < Math.floor(cumulated[k]! + 1e-9) || count > Math.ceil(cumulated[k]! - 1e-9)) odd++;
      }
    });
    expect(odd).toBe(0);
  });

  test("so that no run with a sum of at most 1 holds more than two", () => {
    const runs: [number, number][] = [];
    for (let from = 0; from < probabilities.length; from++)
      for (let to = from, sum = 0; to < probabilities.length; to++) {
        sum += probabilities[to]!;
        if (sum <= 1 + 1e-9) runs.push([from, to]);
      }
    let most = 0;
    draws(probabilities, (drawn) => {
      for (const [from, to] of runs) {
        let count = 0;
        for (const k of drawn) if (k >= from && k <= to) count++;
        most = Math.max(most, count);
      }
    });
    expect(most).toBeLessThanOrEqual(2);
  });
});

test("strata of mass 1 that end at a unit's end hold one draw each, and neighbours in them are drawn apart", () => {
  // Two strata, 0–2 and 3–5.
  const pairs = new Map<string, number>();
  draws([0.2, 0.5, 0.3, 0.6, 0.1, 0.3], (drawn) => {
    pairs.set(drawn.join(), (pairs.get(drawn.join()) ?? 0) + 1);
  });
  expect([...pairs.keys()].sort()).toEqual(["0,3", "0,4", "0,5", "1,3", "1,4", "1,5", "2,3", "2,4", "2,5"]);
  // The strata's draws are independent.
  expectBinomial(pairs.get("1,3")!, DRAWS, 0.5 * 0.6);
  expectBinomial(pairs.get("0,5")!, DRAWS, 0.2 * 0.3);
});

test("what is certain draws nothing from the stream", () => {
  const random = createRandom(1);
  expect(pivotalSample([1, 0, 1, 1], random)).toEqual([0, 2, 3]);
  expect(pivotalSample([], random)).toEqual([]);
  expect(random.next()).toBe(createRandom(1).next());
});
