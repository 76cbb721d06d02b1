import { attemptCost, meanCost, totalOf } from "anchoreval/internal/logs/cost";
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

describe("what an item cost", () => {
  type Logged = Parameters<typeof attemptCost>[0];
  const costOf = (logged: Logged): ReturnType<typeof attemptCost> => attemptCost(logged, "a.eval", "sample", 7);
  const cost = (...attempts: Logged[]): unknown => meanCost(attempts.map((logged) => costOf(logged).cost));

  test("is the mean over the attempts that say it, of each kind apart; 0 and NaN are none", () => {
    expect(cost({ tokens: 120, seconds: 2 }, { tokens: 180 }, { tokens: 0, seconds: NaN })).toEqual({
      tokens: 150,
      seconds: 2,
    });
    expect(cost({ price: 0.01 })).toEqual({ price: 0.01 });
  });

  test("is absent where no attempt says anything", () => {
    expect(meanCost([])).toBeNull();
    const silent: Logged[] = [{ tokens: 0 }, { tokens: null, seconds: null }, { price: NaN }, {}];
    expect(silent.map(costOf)).toEqual([{}, {}, {}, {}]);
    expect(cost(...silent)).toBeNull();
  });

  test.each([-1, -1e-9, Infinity, -Infinity])("can't be %d", (tokens) => {
    const error = refusal(() => cost({ tokens: 100 }, { tokens }));
    expectRefusal(error, "invalid_data", `a.eval: sample 7: tokens of an answer are a number above 0, got ${tokens}`);
    expect(error.issues).toMatchObject([{ path: ["a.eval", 7, "tokens"], code: "out_of_range" }]);
  });
});
