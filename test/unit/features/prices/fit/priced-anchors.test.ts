import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { inclusionProbabilities } from "anchoreval/internal/core/numeric/sampling";
import { expect, test } from "vitest";
import type { AnchorInput, ChosenAnchors } from "../../../../../offline-trainer/src/anchors/anchor-method.ts";
import { stratified } from "../../../../../offline-trainer/src/anchors/stratified.ts";
import { screened } from "../../../../../offline-trainer/src/anchors/screened.ts";
import {
  priced,
  pricedDraw,
  pricedMethod,
  residualVariances,
} from "../../../../../features/prices/fit/priced-anchors.ts";
import { planForms } from "../../../../../offline-trainer/src/fit/form-plans.ts";
import { recommended, withKnowledge } from "../../../../../offline-trainer/src/methods/method.ts";
import { anchorInput, anchorInputOf } from "../../../../support/select-anchors.ts";

const ITEMS = 40;
const random = createRandom("prices");
const prices = Float64Array.from({ length: ITEMS }, () => Math.exp(1.2 * random.normal()));
const input: AnchorInput = { ...anchorInput({ items: ITEMS, sizes: [5, 12] }), knowledge: prices };
const draw = (
  own: AnchorInput,
  seed: number,
): ReadonlyMap<number, { items: Uint32Array; inclusion: Float64Array | null }> =>
  (priced.prepare(own).draw(createRandom(seed)) as ChosenAnchors).sets;
const costOf = (items: Iterable<number>): number => [...items].reduce((sum, i) => sum + prices[i]!, 0);

test("of few models all anchors are drawn: masses are w/π, π ∝ w·√(v/c) between its bounds", () => {
  const { items, inclusion } = draw(input, 1).get(12)!;
  const variance = residualVariances(input);
  const ratios = Array.from(
    items,
    (i, j) => inclusion![j]! / (input.weights[i]! * Math.sqrt(variance[i]! / prices[i]!)),
  );
  const open = ratios.filter((_, j) => {
    const tilt = inclusion![j]! / (12 * input.weights[items[j]!]!);
    return tilt > 0.3 && tilt < 3.5 && inclusion![j]! < 1;
  });
  expect(open.length).toBeGreaterThan(5);
  for (const own of open) expect(own / open[0]!).toBeCloseTo(1, 6);
});

test("forms cost less than those chosen without prices, of as many items", () => {
  const seeds = Array.from({ length: 20 }, (_, k) => k);
  const mean = (method: typeof priced): number =>
    seeds.reduce((sum, seed) => {
      const { sets } = method.prepare(input).draw(createRandom(seed)) as ChosenAnchors;
      return sum + costOf(sets.get(12)!.items) / seeds.length;
    }, 0);
  expect(mean(priced)).toBeLessThan(0.6 * mean(screened));
});

test("even prices, all 0 or all 3, draw as one another", () => {
  const even = (price: number) => draw({ ...input, knowledge: new Float64Array(ITEMS).fill(price) }, 3).get(5)!;
  expect(even(0)).toEqual(even(3));
});

test("a draw by price has each item with its stated probability, and an unbiased total", () => {
  const prepared = pricedDraw.prepare(input);
  const [draws, stream] = [4000, createRandom("draws")];
  const score = Float64Array.from({ length: ITEMS }, () => Math.round(stream.next()));
  const truth = score.reduce((sum, own, i) => sum + own * input.weights[i]!, 0);
  const stated = new Map<number, number>();
  const counts = new Map<number, number>();
  let [total, squares] = [0, 0];
  for (let k = 0; k < draws; k++) {
    const { items, inclusion, mass } = (prepared.draw(stream.fork(`draw ${k}`)) as ChosenAnchors).sets.get(12)!;
    let own = 0;
    items.forEach((item, j) => {
      stated.set(item, inclusion![j]!);
      counts.set(item, (counts.get(item) ?? 0) + 1);
      own += mass[j]! * score[item]!;
    });
    total += own;
    squares += (own - truth) ** 2;
  }
  for (const [item, chance] of stated)
    expect(Math.abs(counts.get(item)! - draws * chance)).toBeLessThan(
      4.5 * Math.sqrt(draws * chance * (1 - chance)) + 1,
    );
  expect(Math.abs(total / draws - truth)).toBeLessThan((4.5 * Math.sqrt(squares / draws)) / Math.sqrt(draws));
});

test("an item's price in other units changes nothing", () => {
  const scaled = draw({ ...input, knowledge: prices.map((own) => 1e6 * own) }, 3).get(12)!;
  const own = draw(input, 3).get(12)!;
  expect(scaled.items).toEqual(own.items);
  scaled.inclusion!.forEach((value, j) => expect(value).toBeCloseTo(own.inclusion![j]!, 9));
});

test("of many models those chosen on purpose tell most for their price", () => {
  // Twins answer alike, and one of each pair costs ten times as much as the other.
  const [models, pairs] = [200, 15];
  const stream = createRandom("twins");
  const theta = Float64Array.from({ length: models }, () => stream.normal());
  const b = Float64Array.from({ length: 2 * pairs }, (_, i) => ((i >> 1) - pairs / 2) / 4);
  const answers = Array.from({ length: pairs }, (_, k) =>
    Float64Array.from(theta, (own) => (stream.next() < 1 / (1 + Math.exp(b[2 * k]! - 2 * own)) ? 1 : 0)),
  );
  const twins = anchorInputOf({
    weights: new Float64Array(2 * pairs).fill(1 / (2 * pairs)),
    accuracy: Float64Array.from({ length: 2 * pairs }, (_, i) =>
      answers[i >> 1]!.reduce((sum, y) => sum + y / models, 0),
    ),
    bank: itemBank(new Float64Array(2 * pairs).fill(2), b),
    abilities: theta,
    column: (item) => answers[item >> 1]!,
    sizes: [6],
    random: createRandom(1),
    knowledge: Float64Array.from({ length: 2 * pairs }, (_, i) => (i % 2 === 0 ? 1 : 10)),
  });
  const certain = [...(priced.prepare(twins).draw(createRandom(1)) as ChosenAnchors).sets.get(6)!.items].filter(
    (item) => item % 2 === 0,
  );
  expect(certain.length).toBeGreaterThanOrEqual(4);
  expect(inclusionProbabilities(twins.weights, 6)[0]).toBeCloseTo(0.2, 12); // the draw by weight alone is even
});

test("a variance is that of the answers about the curves, drawn to the mean of all items", () => {
  const variance = residualVariances(input);
  expect(Math.min(...variance)).toBeGreaterThan(0);
  const models = input.models.length;
  const mean = variance.reduce((sum, own) => sum + own, 0) / ITEMS;
  variance.forEach((own) => expect(own).toBeGreaterThanOrEqual((20 / (20 + models)) * mean - 1e-12));
});

test("scenarios share a total by 1/√ of their mean price, between a quarter and four times an even share", () => {
  const scenarios = ["a", "b", "c"].map((id) => ({ id, count: 400 }));
  const knowledge = new Map([["a", Float64Array.of(1, 3)], ["b", Float64Array.of(8)], ["c", Float64Array.of(9, 27)]]); // prettier-ignore
  for (const anchors of [priced, pricedDraw]) {
    const plans = planForms(scenarios, { anchors, knowledge }, { sizes: [], totals: [13, 222] });
    expect(plans.map((plan) => [...plan.anchors.values()])).toEqual([[5, 4, 4], [119, 61, 42]]); // prettier-ignore
  }
  const dear = new Map(knowledge).set("c", Float64Array.of(1e6));
  const [plan] = planForms(scenarios, { anchors: priced, knowledge: dear }, { sizes: [], totals: [600] });
  expect(plan!.anchors.get("c")).toBe(52); // a quarter of an even share of what is left at two each, and these two
  const free = new Map(["a", "b", "c"].map((id) => [id, Float64Array.of(0)]));
  const [even] = planForms(scenarios, { anchors: priced, knowledge: free }, { sizes: [], totals: [99] });
  expect([...even!.anchors.values()]).toEqual([33, 33, 33]);
});

test("a method by price has the prices of each scenario's items as its anchors' knowledge", () => {
  const items = ["a/1", "a/2", "b/1"].map((id) => ({ item_id: id, scenario: id.slice(0, 1) }));
  const method = pricedMethod(recommended, { items: new Map([["a/1", 1], ["a/2", 2], ["b/1", 3]]) }); // prettier-ignore
  expect(method.anchors.name).toBe("priced");
  expect(pricedMethod({ ...recommended, anchors: stratified }, { items: new Map() }).anchors.name).toBe("priced-draw");
  const scenarios = [{ id: "a", matrix: { items: items.slice(0, 2) } }, { id: "b", matrix: { items: items.slice(2) } }]; // prettier-ignore
  const { knowledge } = withKnowledge(method, { scenarios } as never);
  expect([...knowledge!]).toEqual([["a", Float64Array.of(1, 2)], ["b", Float64Array.of(3)]]); // prettier-ignore
});
