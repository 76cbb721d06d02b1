import { describe, expect, test } from "vitest";
import {
  groupedOrder,
  groupItems,
  type ItemInfo,
  responseMatrix,
  sharedMatrix,
  unvariedScenarios,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";

function item(id: string, scenario: string, subscenario?: string): ItemInfo {
  return { item_id: id, scenario, ...(subscenario !== undefined && { subscenario }) };
}

const MIXED = [
  item("0", "b", "q"),
  item("1", "a"),
  item("2", "b", "p"),
  item("3", "b"),
  item("4", "a"),
  item("5", "b", "q"),
];

test("scenarios, then subscenarios, in the order of their first item; items keep theirs", () => {
  expect([...groupedOrder(MIXED)]).toEqual([0, 5, 2, 3, 1, 4]);
});

test("a scenario and a subscenario of the same name, or named like an object's property, are kept apart", () => {
  expect([...groupedOrder([item("0", "a", "b"), item("1", "b", "a"), item("2", "a", "b")])]).toEqual([0, 2, 1]);
  expect([...groupedOrder([item("0", "__proto__"), item("1", "x", "__proto__"), item("2", "__proto__")])]).toEqual([
    0, 2, 1,
  ]);
});

test("grouping a matrix moves its columns, missing ones too; a grouped one is given back", () => {
  const matrix = responseMatrix(
    ["m", "n"],
    MIXED,
    Float64Array.of(0, 0.1, 0.2, NaN, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, NaN),
  );
  const grouped = groupItems(matrix);
  expect(grouped.items.map((entry) => entry.item_id).join("")).toBe("052314");
  expect([...grouped.observed!]).toEqual([1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1]);
  expect(grouped.scores[1]).toBeCloseTo(0.5);
  expect(grouped.scores[10]).toBeCloseTo(0.7);
  expect(groupItems(grouped)).toBe(grouped);
});

const items = ["x", "y"].map((item_id) => ({ item_id, scenario: "s", subscenario: "t", text: "long", hash: "h" }));

describe.each([
  ["bytes", [0, 1, 1, 0]],
  ["bytes with missing ones", [0, 1, NaN, 0]],
  ["fractions with missing ones", [0, 0.3, NaN, 1]],
])("a matrix of %s", (_, scores) => {
  const matrix = responseMatrix(["m", "n"], items, Float64Array.from(scores));

  test("is the same in shared memory, but for its texts", () => {
    const shared = sharedMatrix(matrix);
    expect(shared.scores.buffer).toBeInstanceOf(SharedArrayBuffer);
    if (matrix.observed) expect(shared.observed!.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect({ ...shared, items }).toEqual(matrix);
    for (const item of shared.items) expect(item).not.toHaveProperty("text");
    expect(shared.items.map((item) => ({ ...item, text: "long" }))).toEqual(items);
  });
});

test("scenarios in which nothing varies", () => {
  const items = ["a/1", "a/2", "b/1"].map((id) => ({ item_id: id, scenario: id[0]! }));
  const of = (rows: readonly (readonly number[])[]): string[] =>
    unvariedScenarios(responseMatrix(["m", "n"], items, Float64Array.from(rows.flat())));
  expect(of([[1, 0, 1], [1, 0, 0]])).toEqual(["a"]); // prettier-ignore
  expect(of([[1, 0, NaN], [1, 1, 0]])).toEqual(["b"]); // prettier-ignore
  expect(of([[0.5, 1, 1], [0.5, 1, 1]])).toEqual(["a", "b"]); // prettier-ignore
});
