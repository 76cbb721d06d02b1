import { itemWeights } from "anchoreval/internal/core/bundle/bundle";
import { expect, test } from "vitest";

const scenario = {
  items: 6,
  subscenarios: [
    { id: "a", items: 1 },
    { id: "b", items: 2 },
    { id: "c", items: 3 },
  ],
};

test("each subscenario counts the same", () => {
  expect(itemWeights(scenario, "subscenarios")).toEqual(Float64Array.of(1 / 3, 1 / 6, 1 / 6, 1 / 9, 1 / 9, 1 / 9));
});

test("each item counts the same", () => {
  expect(itemWeights(scenario, "items")).toEqual(new Float64Array(6).fill(1 / 6));
});

test("one subscenario: both are the same", () => {
  const one = { items: 7, subscenarios: [{ id: null, items: 7 }] };
  expect(itemWeights(one, "subscenarios")).toEqual(itemWeights(one, "items"));
});

test("weights sum to 1", () => {
  const many = { items: 0, subscenarios: [3, 1, 4, 1, 5, 9, 26, 535].map((items) => ({ id: null, items })) };
  many.items = many.subscenarios.reduce((sum, { items }) => sum + items, 0);
  for (const weighting of ["items", "subscenarios"] as const)
    expect(itemWeights(many, weighting).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 13);
});
