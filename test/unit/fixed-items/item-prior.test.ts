import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { itemPriors } from "../../../offline-trainer/src/fixed-items/item-prior.ts";

const random = createRandom("items");
const easy = Array.from({ length: 60 }, () => [1 + 0.2 * random.normal(), -2 + 0.5 * random.normal()]);
const hard = Array.from({ length: 60 }, () => [1 + 0.2 * random.normal(), 2 + 0.5 * random.normal()]);
const described = {
  dims: 1,
  parameters: Float64Array.from([...easy, ...hard].flat()),
  subscenarios: [...easy.map(() => "easy"), ...hard.map(() => "hard"), "easy", "hard", "new"],
  coordinates: null,
};

describe("what is known of items before models answer them", () => {
  const prior = itemPriors(described, random.fork("none"));

  test("they lie about their subscenario's items", () => {
    expect(prior(120).mean[1]).toBeGreaterThan(-2.2);
    expect(prior(120).mean[1]).toBeLessThan(-1.6);
    expect(prior(121).mean[1]).toBeGreaterThan(1.6);
    expect(1 / Math.sqrt(prior(120).precision[3]!)).toBeLessThan(0.8); // as they lie, not as the scenario's do
  });

  test("those of a new subscenario about the scenario's", () => {
    expect(Math.abs(prior(122).mean[1]!)).toBeLessThan(0.3);
  });

  test("texts that tell difficulties bring the prior nearer, and narrow it", () => {
    const all = [...easy, ...hard, [1, -2.9], [1, 2.9], [1, 0]];
    const coordinates = Float64Array.from(all.flatMap(([, b]) => [b! + 0.05 * random.normal(), random.normal()]));
    const told = itemPriors({ ...described, coordinates }, random.fork("texts"));
    expect(told(120).mean[1]).toBeLessThan(-2.6);
    expect(told(121).mean[1]).toBeGreaterThan(2.6);
    expect(told(120).precision[3]).toBeGreaterThan(4 * prior(120).precision[3]!);
  });

  test("texts that tell nothing change nothing much", () => {
    const coordinates = Float64Array.from({ length: 2 * described.subscenarios.length }, () => random.normal());
    const told = itemPriors({ ...described, coordinates }, random.fork("noise"));
    expect(Math.abs(told(120).mean[1]! - prior(120).mean[1]!)).toBeLessThan(0.25);
  });
});
