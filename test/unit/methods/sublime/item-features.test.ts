import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { ItemTable } from "../../../../offline-trainer/src/matrix/item-table.ts";
import { itemStrata } from "../../../../offline-trainer/src/methods/sublime/given-features.ts";
import { itemFeatures, selectFeatures } from "../../../../offline-trainer/src/methods/sublime/item-features.ts";
import { expectRefusal, refusal } from "../../../support/refusal.ts";

const TOPICS = ["river stone water", "engine wheel road", "flower garden seed"];
const items = Array.from({ length: 24 }, (_, i) => ({
  item_id: `q/${i}`,
  scenario: i < 12 ? "a" : "b",
  text: `What about ${TOPICS[i % 3]!}, number ${i}? ${"It flows well. ".repeat(1 + (i % 4))}`,
}));
const bare = items.map(({ item_id, scenario }) => ({ item_id, scenario }));
const random = createRandom("item features");
const table = (columns: string[], rows: string[][]): ItemTable => ({
  name: "features.csv",
  columns,
  rows,
  lines: rows.map((_, row) => row + 2),
});
const judged = (cell: (i: number) => string): ItemTable =>
  table(
    ["item_id", "judge"],
    items.map(({ item_id: id }, i) => [id, cell(i)]),
  );

describe("itemFeatures", () => {
  test("of texts: a space in which texts of one topic are near", () => {
    const { columns, points } = itemFeatures(items, { random });
    expect(columns).toEqual([]);
    const square = (i: number, j: number): number => {
      let sum = 0;
      for (let d = 0; d < points!.dims; d++)
        sum += (points!.values[i * points!.dims + d]! - points!.values[j * points!.dims + d]!) ** 2;
      return sum;
    };
    for (let i = 0; i < 9; i++) expect(square(i, i + 3)).toBeLessThan(square(i, i + 1));
  });

  test("without texts, or with some only, no space: unless embeddings give one", () => {
    expect(itemFeatures(bare, { random })).toEqual({ columns: [], points: null, subscenarios: null, strata: null });
    expect(itemFeatures([...items.slice(0, 20), ...bare.slice(20)], { random }).points).toBeNull();
    const vectors = new Map(items.map(({ item_id: id }, i) => [id, Float64Array.of(1, i % 3, i)]));
    const { columns, points } = itemFeatures(bare, { random, embeddings: { file: "e.csv", width: 3, vectors } });
    expect(columns).toEqual([]);
    expect(points).toMatchObject({ count: 24, dims: 16 });
  });

  test("columns made elsewhere: an empty cell isn't known, rows in any order", () => {
    const { columns } = itemFeatures(bare, { random, table: judged((i) => (i === 3 ? "" : String(i / 2))) });
    expect(columns.map(({ name }) => name)).toEqual(["judge"]);
    expect(columns[0]!.values[3]).toBeNaN();
    expect(columns[0]!.values[5]).toBe(2.5);
    const turned = judged((i) => String(i));
    const more = { ...turned, rows: [["elsewhere", "9"], ...turned.rows.toReversed()], lines: [...turned.lines, 99] };
    expect(itemFeatures(bare, { random, table: more }).columns[0]!.values[5]).toBe(5);
  });

  test("selectFeatures: those of some items", () => {
    const all = itemFeatures(items, { random, table: judged((i) => String(i)) });
    const own = selectFeatures(all, [5, 2]);
    expect(own.columns[0]!.values).toEqual(Float64Array.of(all.columns[0]!.values[5]!, all.columns[0]!.values[2]!));
    expect(own.points!.values.slice(16)).toEqual(all.points!.values.slice(32, 48));
    expect(own.points!.count).toBe(2);
  });
});

describe("what is refused", () => {
  test("items without an embedding", () => {
    const vectors = new Map(items.slice(1).map(({ item_id: id }) => [id, Float64Array.of(1, 2)]));
    expectRefusal(
      refusal(() => itemFeatures(items, { random, embeddings: { file: "e.jsonl", width: 2, vectors } })),
      "invalid_data",
      'e.jsonl: 1 question has no embedding: "q/0"',
    );
  });

  test.each([
    ["no ids", table(["id", "x"], [["q/0", "1"]]), 'there is no column "item_id" (--item-features)'],
    [
      "nothing but ids",
      table(
        ["item_id"],
        items.map(({ item_id: id }) => [id]),
      ),
      "no column of features beside item_id",
    ],
    [
      "an item twice",
      table(
        ["item_id", "x"],
        [
          ["q/0", "1"],
          ["q/0", "2"],
        ],
      ),
      'line 3, column "item_id": item "q/0" is there twice',
    ],
    ["items without a row", table(["item_id", "x"], [["q/0", "1"]]), 'items without a row, 23 of 24: "q/1"'],
    ["text", judged((i) => (i === 4 ? "hard" : "1")), 'a feature must be a number, got "hard"'],
    ["an infinite number", judged((i) => (i === 4 ? "inf" : "1")), 'a feature must be a number, got "inf"'],
  ])("a table with %s", (_, given, message) => {
    const error = refusal(() => itemFeatures(items, { random, table: given }));
    expect(error.code).toBe("invalid_data");
    expect(error.message.replace("row 3", "line 3")).toContain(message);
  });
});

const quizItems = ["a", "b", "c"].map((item_id, i) => ({
  item_id,
  scenario: "s",
  subscenario: i < 2 ? "x" : "y",
}));
const quizIds = quizItems.map(({ item_id, scenario }) => ({ item_id, scenario }));
const strataTable = (name: string, columns: string[], rows: string[][]): ItemTable => ({
  ...{ name, columns, rows },
  lines: rows.map((_, r) => r + 2),
});
const file = strataTable(
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
    expect(itemStrata("subscenario", quizItems, {})).toEqual({
      name: "subscenario",
      labels: Int32Array.of(0, 0, 1),
    });
    expect(itemStrata("grade", quizIds, { items: file })).toEqual({
      name: "grade",
      labels: Int32Array.of(0, 1, 1),
    });
    expect(itemStrata("grade", quizIds, { features: file }).labels).toEqual(Int32Array.of(0, 1, 1));
  });

  test("a column of the features that is the strata's needn't have numbers, and is no feature", () => {
    const features = strataTable(
      "judged.csv",
      ["item_id", "grade", "judge"],
      [
        ["a", "easy", "1"],
        ["b", "hard", "2"],
        ["c", "hard", ""],
      ],
    );
    const strata = itemStrata("grade", quizIds, { features });
    const described = itemFeatures(quizIds, { table: features, strata, random: createRandom(1) });
    expect(described.columns).toEqual([{ name: "judge", values: Float64Array.of(1, 2, NaN) }]);
    expect(described.strata).toBe(strata);
  });

  test.each<[string, () => unknown, string, string]>([
    ["nowhere", () => itemStrata("level", quizIds, { items: file }), "invalid_option", "there are"],
    ["no file", () => itemStrata("subscenario", quizIds, {}), "invalid_option", "and neither is given"],
    ["the ids", () => itemStrata("item_id", quizIds, { items: file }), "invalid_option", "there is no such column"],
    [
      "both files",
      () => itemStrata("grade", quizIds, { items: file, features: file }),
      "invalid_option",
      "in --items and",
    ],
    [
      "an item without a row",
      () => itemStrata("grade", [...quizIds, { item_id: "d", scenario: "s" }], { items: file }),
      "invalid_data",
      'items without a row, 1 of 4: "d"',
    ],
    [
      "an item without a value",
      () =>
        itemStrata("grade", quizIds, {
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
      () => itemStrata("subscenario", [...quizItems, { item_id: "d", scenario: "s" }], {}),
      "invalid_data",
      'items without a subscenario, which --strata asks for, 1 of 4: "d"',
    ],
  ])("%s", (_, run, code, message) => {
    const error = refusal(run);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});
