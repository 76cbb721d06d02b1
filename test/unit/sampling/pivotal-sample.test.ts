import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { expectBinomial } from "../../support/binomial.ts";

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
