import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerCosts, type TypicalPrices } from "../../../../../features/prices/fit/typical-prices.ts";

const board = (count: number, scenario: (i: number) => string = () => "s") =>
  Array.from({ length: count }, (_, i) => ({ item_id: `q${i}`, scenario: scenario(i) }));

/** Prices of items by models' tokens, NaN for none. */
function tokenPrices(models: readonly (readonly number[])[], items = board(models[0]!.length)): TypicalPrices {
  const costs = new AnswerCosts();
  models.forEach((own, m) =>
    own.forEach((tokens, i) => {
      if (!Number.isNaN(tokens)) costs.add(`m${m}`, `q${i}`, { tokens });
    }),
  );
  return costs.prices(items).prices[0]!;
}
const values = ({ items }: TypicalPrices): number[] => [...items.values()];

describe("where every model spends by a factor of its own", () => {
  const [factors, items] = [
    [1, 2, 40],
    [10, 30, 20, 500],
  ] as const;
  const models = factors.map((factor) => items.map((item) => factor * item));

  test("prices are those of the model in the middle", () => {
    values(tokenPrices(models)).forEach((price, i) => expect(price).toBeCloseTo(2 * items[i]!, 9));
  });

  test("answers that are missing move none, though a mean over rows would", () => {
    const gaps = models.map((own, m) => own.map((tokens, i) => ((m === 0 && i === 0) || (m === 1 && i === 0) || (m === 2 && i === 3) ? NaN : tokens))); // prettier-ignore
    values(tokenPrices(gaps)).forEach((price, i) => expect(price).toBeCloseTo(2 * items[i]!, 5));
  });

  test("an answer that ran away moves none", () => {
    const away = models.map((own, m) => own.map((tokens, i) => (m === 1 && i === 2 ? tokens * 1e4 : tokens)));
    values(tokenPrices(away)).forEach((price, i) => expect(price).toBeCloseTo(2 * items[i]!, 9));
  });
});

test("a model that spends by another factor moves the prices of what it answered by one factor", () => {
  const drawn = [fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1, max: 6 }), fc.double({ min: 0.01, max: 100, noNaN: true })] as const; // prettier-ignore
  fc.assert(
    fc.property(...drawn, (seed, count, factor) => {
      const random = createRandom(`prices ${seed}`);
      const models = Array.from({ length: count }, () => Array.from({ length: 9 }, () => (random.next() < 0.2 ? NaN : Math.exp(3 * random.next())))); // prettier-ignore
      models[0]!.fill(1, 0, 5);
      const scaled = models.map((own, m) => (m === 0 ? own.map((tokens) => tokens * factor) : own));
      const [before, after] = [tokenPrices(models), tokenPrices(scaled)];
      const moved = values(before).map((price, i) => Math.log(values(after)[i]! / price));
      const answered = moved.filter((_, i) => !Number.isNaN(models[0]![i]));
      expect(Math.max(...answered) - Math.min(...answered)).toBeLessThan(1e-3);
      expect(after.assumed).toEqual(before.assumed);
    }),
  );
});

describe("models that share no item can't be compared", () => {
  test("each group's items cost what its own middle model spends", () => {
    const found = values(tokenPrices([[10, 20, NaN, NaN], [30, 60, NaN, NaN], [20, 40, NaN, NaN], [NaN, NaN, 5000, 7000]])); // prettier-ignore
    found.forEach((price, i) => expect(price).toBeCloseTo([20, 40, 5000, 7000][i]!, 6));
  });
});

describe("items of which nothing is known", () => {
  test("cost the median of their scenario, else of all, and are named", () => {
    const items = board(7, (i) => (i < 3 ? "a" : i < 6 ? "b" : "c"));
    const costs = new AnswerCosts();
    [10, 30, NaN, 100, 300, 500].forEach((tokens, i) =>
      Number.isNaN(tokens) ? undefined : costs.add("m", `q${i}`, { tokens }),
    );
    const { prices, remarks } = costs.prices(items);
    expect(prices[0]!.assumed).toEqual(["q2", "q6"]);
    expect(prices[0]!.items.get("q2")).toBeCloseTo(Math.sqrt(10 * 30), 9);
    expect(prices[0]!.items.get("q6")).toBeCloseTo(100, 9);
    expect(remarks).toEqual([expect.stringContaining('tokens: no answer to 2 items of 7 says what it took; they are taken to cost the median of their scenario, those of "c" the median of all items: "q2", "q6"')]); // prettier-ignore
  });

  test("leave no prices where they are most of all, which is said", () => {
    const costs = new AnswerCosts();
    costs.add("m", "q0", { tokens: 10, seconds: 1 });
    for (const id of ["q1", "q2"]) costs.add("m", id, { seconds: 2 });
    const { prices, remarks } = costs.prices(board(5));
    expect(prices.map(({ kind }) => kind)).toEqual(["seconds"]);
    expect(remarks[0]).toBe("tokens are known of 1 of 5 items alone, too few for prices");
  });

  test("without any answer's cost there is nothing to say", () => {
    const costs = new AnswerCosts();
    costs.add("m", "elsewhere", { tokens: 10 });
    expect(costs.prices(board(2))).toEqual({ prices: [], remarks: [] });
  });
});

test("a cell's cost is the mean over its answers", () => {
  const costs = new AnswerCosts();
  costs.add("m", "q0", { tokens: 10 }, 3);
  costs.add("m", "q0", { tokens: 50 });
  expect(costs.prices(board(1)).prices[0]!.items.get("q0")).toBeCloseTo(20, 9);
});
