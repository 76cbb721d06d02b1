import { describe, expect, test } from "vitest";
import type { ItemTable } from "../../../offline-trainer/src/ingest/item-table.ts";
import { itemFeatures, itemStrata } from "../../../offline-trainer/src/methods/sublime/item-features.ts";
import { createRandom } from "anchoreval/core";
import { refusal } from "../../support/refusal.ts";

const items = ["a", "b", "c"].map((item_id, i) => ({ item_id, scenario: "s", subscenario: i < 2 ? "x" : "y" }));
const bare = items.map(({ item_id, scenario }) => ({ item_id, scenario }));
const table = (name: string, columns: string[], rows: string[][]): ItemTable => ({
  ...{ name, columns, rows },
  lines: rows.map((_, r) => r + 2),
});
const file = table(
  "items.jsonl",
  ["item_id", "grade"],
  [
    ["c", "hard"],
    ["a", "easy"],
    ["b", "hard"],
  ],
);

describe("itemStrata", () => {
  test("the items' subscenarios, or any column of either file by item", () => {
    expect(itemStrata("subscenario", items, {})).toEqual({ name: "subscenario", labels: Int32Array.of(0, 0, 1) });
    expect(itemStrata("grade", bare, { items: file })).toEqual({ name: "grade", labels: Int32Array.of(0, 1, 1) });
    expect(itemStrata("grade", bare, { features: file }).labels).toEqual(Int32Array.of(0, 1, 1));
  });

  test("a column of the features that is the strata's needn't have numbers, and is no feature", () => {
    const features = table(
      "judged.csv",
      ["item_id", "grade", "judge"],
      [
        ["a", "easy", "1"],
        ["b", "hard", "2"],
        ["c", "hard", ""],
      ],
    );
    const strata = itemStrata("grade", bare, { features });
    const described = itemFeatures(bare, { table: features, strata, random: createRandom(1) });
    expect(described.columns).toEqual([{ name: "judge", values: Float64Array.of(1, 2, NaN) }]);
    expect(described.strata).toBe(strata);
  });

  test.each<[string, () => unknown, string, string]>([
    ["nowhere", () => itemStrata("level", bare, { items: file }), "invalid_option", "there are"],
    ["no file", () => itemStrata("subscenario", bare, {}), "invalid_option", "and neither is given"],
    ["the ids", () => itemStrata("item_id", bare, { items: file }), "invalid_option", "there is no such column"],
    [
      "both files",
      () => itemStrata("grade", bare, { items: file, features: file }),
      "invalid_option",
      "in --items and",
    ],
    [
      "an item without a row",
      () => itemStrata("grade", [...bare, { item_id: "d", scenario: "s" }], { items: file }),
      "invalid_data",
      'items without a row, 1 of 4: "d"',
    ],
    [
      "an item without a value",
      () =>
        itemStrata("grade", bare, {
          items: {
            ...file,
            rows: [
              ["a", ""],
              ["b", "x"],
              ["c", " "],
            ],
          },
        }),
      "invalid_data",
      'items.jsonl: row 2, column "grade": item "a" has no value',
    ],
    [
      "an item without a subscenario",
      () => itemStrata("subscenario", [...items, { item_id: "d", scenario: "s" }], {}),
      "invalid_data",
      'items without a subscenario, which --strata asks for, 1 of 4: "d"',
    ],
  ])("%s", (_, run, code, message) => {
    const error = refusal(run);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});
