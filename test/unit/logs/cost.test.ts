import { sampleCost, totalOf } from "anchoreval/internal/logs/cost";
import { describe, expect, test } from "vitest";
import { expectRefusal, refusal } from "../../support/refusal.ts";

test.each<[readonly unknown[], number | null]>([
  [[120, 30], 150],
  [[120, null], null],
  [[undefined], null],
  [["120", 30], null],
])("the total of %j is %j", (parts, total) => {
  expect(totalOf(...parts)).toBe(total);
});

describe("what a sample cost", () => {
  const cost = (...trials: Parameters<typeof sampleCost>[0]): unknown => sampleCost(trials, "a.eval", "sample", 7).cost;

  test("is the mean over the trials that say it, of each kind apart; 0 and NaN are none", () => {
    expect(cost({ tokens: 120, seconds: 2 }, { tokens: 180 }, { tokens: 0, seconds: NaN })).toEqual({
      tokens: 150,
      seconds: 2,
    });
    expect(cost({ price: 0.01 })).toEqual({ price: 0.01 });
  });

  test("is absent where no trial says anything", () => {
    expect(sampleCost([], "a.eval", "sample", 7)).toEqual({});
    expect(sampleCost([{ tokens: 0 }, { tokens: null, seconds: null }, {}], "a.eval", "sample", 7)).toEqual({});
  });

  test.each([-1, -1e-9, Infinity, -Infinity])("can't be %d", (tokens) => {
    const error = refusal(() => cost({ tokens: 100 }, { tokens }));
    expectRefusal(error, "invalid_data", `a.eval: sample 7: tokens of an answer are a number above 0, got ${tokens}`);
    expect(error.issues).toMatchObject([{ path: ["a.eval", 7, "tokens"], code: "out_of_range" }]);
  });
});
