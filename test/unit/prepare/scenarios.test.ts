import { describe, expect, test } from "vitest";
import { responseMatrix, type ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices, sliceColumns } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const items = (...places: string[]): ItemInfo[] =>
  places.map((place, i) => {
    const [scenario, subscenario] = place.split("/");
    return { item_id: `i${i}`, scenario: scenario!, ...(subscenario !== undefined && { subscenario }) };
  });

describe("slices", () => {
  test("are the runs of columns, with their subscenarios in order", () => {
    const slices = scenarioSlices(items("a", "a", "b/p", "b/q", "b/q", "b/q", "b", "b"), "subscenarios");
    expect(slices.map(({ id, begin, count, subscenarios }) => ({ id, begin, count, subscenarios }))).toEqual([
      { id: "a", begin: 0, count: 2, subscenarios: [{ id: null, items: 2 }] },
      {
        id: "b",
        begin: 2,
        count: 6,
        subscenarios: [
          { id: "p", items: 1 },
          { id: "q", items: 3 },
          { id: null, items: 2 },
        ],
      },
    ]);
    // Each subscenario counts the same: 1/3, over one, three and two items.
    [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 6, 1 / 6].forEach((weight, i) =>
      expect(slices[1]!.weights[i]).toBeCloseTo(weight, 14),
    );
  });

  test("by items: each item counts the same", () => {
    const [slice] = scenarioSlices(items("b/p", "b/q", "b/q", "b/q"), "items");
    expect(Array.from(slice!.weights)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  test("of items that aren't grouped are refused", () => {
    expectRefusal(
      refusal(() => scenarioSlices(items("a", "b", "a"), "items")),
      "invalid_data",
      "the items are not grouped by scenario",
    );
    expectRefusal(
      refusal(() => scenarioSlices(items("a/p", "a/q", "a/p"), "items")),
      "invalid_data",
      "the items of a are not grouped by subscenario",
    );
  });
});

test("sliceColumns takes the scenarios' columns as a matrix of its own", () => {
  const all = items("a", "b", "b", "c");
  const matrix = responseMatrix(["x", "y"], all, Float64Array.of(0, 1, NaN, 1, 1, 0, 1, 0));
  const slices = scenarioSlices(all, "items");
  const own = sliceColumns(matrix, [slices[1]!, slices[2]!]);
  expect(own.items.map((item) => item.item_id)).toEqual(["i1", "i2", "i3"]);
  expect(own.subjects).toEqual(["x", "y"]);
  expect(Array.from(own.observed!)).toEqual([1, 0, 1, 1, 1, 1]);
  expect(Array.from(own.scores).filter((_, k) => k !== 1)).toEqual([1, 1, 0, 1, 0]);
});
