import { encodeBundle } from "anchoreval/bundle";
import { batchProbabilities } from "anchoreval/internal/features/adaptive/core/population";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { beforeAll, describe, expect, test } from "vitest";
import { adaptiveEvaluation, localAdaptive } from "anchoreval/internal/features/adaptive/sdk/adaptive-session";
import { type ItemPool, loadAdaptive } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { itemsPrice, pricedPool, withinBudget } from "anchoreval/internal/features/adaptive/sdk/priced";
import { memorySource } from "../../../../support/memory-source.ts";
import { rejection } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

let pool: ItemPool;
let prices: { unit: string; items: Map<string, number> };
const scenarios = ["alpha", "beta/γ"];

beforeAll(async () => {
  pool = await loadAdaptive(memorySource(encodeBundle(sampleContent())));
  const random = createRandom("prices");
  const ids = Array.from({ length: 100 }, (_, i) => pool.item(i).item_id);
  prices = { unit: "usd", items: new Map(ids.map((id, i) => [id, i === 0 ? 0 : Math.exp(random.normal())])) };
});

const answers = (items: readonly { item_id: string }[]): Record<string, number> =>
  Object.fromEntries(items.map(({ item_id: id }) => [id, id.length % 2]));

describe("a priced pool", () => {
  test("draws with π ∝ wσ/√c within the bounds, all known", () => {
    const [plain, own] = [pool, pricedPool(pool, prices)].map((from) => from.population(scenarios));
    const expected = [new Float64Array(100).fill(0.5)];
    const draw = (population: NonNullable<typeof own>) => {
      const { items, inclusion } = batchProbabilities(population, [], expected, 5);
      return new Map(Array.from(items, (item, k) => [item, inclusion[k]!]));
    };
    const [even, tilted] = [draw(plain!), draw(own!)];
    const ratio = (i: number): number => tilted.get(i)! / even.get(i)!;
    const price = (i: number): number => prices.items.get(pool.item(own!.lines[i]!).item_id)!;
    const order = [...tilted.keys()].sort((i, j) => price(i) - price(j));
    const within = order.filter((i) => own!.factors![i]! > 1.001 / 16 && own!.factors![i]! < 0.999);
    expect(within.length).toBeGreaterThan(80);
    for (const i of within)
      expect(ratio(i) * Math.sqrt(price(i))).toBeCloseTo(ratio(within[0]!) * Math.sqrt(price(within[0]!)), 9);
    expect(own!.factors![order[0]!]).toBe(1); // what is free goes up by the bound, no more
    expect([...tilted.values()].reduce((sum, own) => sum + own, 0)).toBeCloseTo(5, 9);
    expect(Math.min(...own!.factors!)).toBeGreaterThanOrEqual(1 / 16);
  });

  test("one price for all changes no probability", () => {
    const even = { items: new Map(Array.from(prices.items.keys(), (id) => [id, 0])) };
    const factors = pricedPool(pool, even).population(scenarios).factors!;
    expect(new Set(factors).size).toBe(1);
  });

  test("refuses items without a price", () => {
    expect(() => pricedPool(pool, { items: new Map() }).population(scenarios)).toThrow("there is no price of item");
  });
});

describe("a budget", () => {
  test("is never overspent, ends the evaluation before the items that would, and keeps its score", async () => {
    for (const budget of [12, 30, 55]) {
      const source = withinBudget(localAdaptive(pricedPool(pool, prices), "seed"), prices, budget);
      const evaluation = adaptiveEvaluation(source, { batch: 5, budget: 100 });
      let spent = 0;
      for await (const items of evaluation) {
        spent += itemsPrice(prices, items);
        evaluation.answer(answers(items));
      }
      expect(spent).toBeLessThanOrEqual(budget);
      const { stopped, model, items, state } = evaluation.step!;
      expect({ items, state, rule: stopped!.rule }).toEqual({ items: [], state: null, rule: "budget" });
      expect(stopped!.message).toContain(`above ${budget} usd`);
      expect(model!.score).not.toBeNull();
    }
  });

  test("beyond the price of what is asked anyway changes nothing", async () => {
    const plain = localAdaptive(pool, "seed");
    const source = withinBudget(plain, prices, 1e9);
    const [first, other] = [await source.begin({ batch: 5, budget: 10 }), await plain.begin({ batch: 5, budget: 10 })];
    expect({ ...first, state: null }).toEqual({ ...other, state: null });
    const next = await source.next(first.state!, { responses: answers(first.items) });
    const again = await source.next(first.state!, { responses: answers(first.items) });
    expect(again).toEqual(next);
    const last = await source.next(next.state!, { responses: answers(next.items) });
    expect(last.stopped!.message).not.toContain("usd");
  });

  test("that isn't enough for the first items is refused", async () => {
    const source = withinBudget(localAdaptive(pool, "seed"), prices, 0.01);
    const error = await rejection(source.begin({ batch: 5 }));
    expect(error.code).toBe("invalid_option");
    expect(error.message).toContain("the first 5 items cost");
  });

  test.each(["5", -5, 0, NaN, null])("of %j is refused", (budget) => {
    expect(() => withinBudget(localAdaptive(pool, "seed"), prices, budget as number)).toThrow("a budget must be");
  });
});
