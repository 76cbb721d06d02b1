import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { featuresOf } from "../../../offline-trainer/src/anchors/sublime/item-features.ts";
import type { ItemTable } from "../../../offline-trainer/src/ingest/item-table.ts";
import { itemFeatures } from "../../../offline-trainer/src/item-features/item-features.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

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
  test("of texts: measures, and a space in which texts of one topic are near", () => {
    const { columns, points } = itemFeatures(items, { random });
    expect(columns.map(({ name }) => name)).toContain("reading ease");
    const square = (i: number, j: number): number => {
      let sum = 0;
      for (let d = 0; d < points!.dims; d++)
        sum += (points!.values[i * points!.dims + d]! - points!.values[j * points!.dims + d]!) ** 2;
      return sum;
    };
    for (let i = 0; i < 9; i++) expect(square(i, i + 3)).toBeLessThan(square(i, i + 1));
  });

  test("no texts, no measures and no space: unless embeddings give one", () => {
    expect(itemFeatures(bare, { random })).toEqual({ columns: [], points: null, subscenarios: null, strata: null });
    expect(itemFeatures(items, { random, texts: "no" })).toEqual({
      columns: [],
      points: null,
      subscenarios: null,
      strata: null,
    });
    const vectors = new Map(items.map(({ item_id: id }, i) => [id, Float64Array.of(1, i % 3, i)]));
    const { columns, points } = itemFeatures(bare, { random, embeddings: { file: "e.csv", width: 3, vectors } });
    expect(columns).toEqual([]);
    expect(points).toMatchObject({ count: 24, dims: 16 });
  });

  test("some texts: measures of those, and no space", () => {
    const some = [...items.slice(0, 20), ...bare.slice(20)];
    const { columns, points } = itemFeatures(some, { random });
    expect(points).toBeNull();
    expect(columns[0]!.values[19]).toBeGreaterThan(0);
    expect(columns[0]!.values[20]).toBeNaN();
  });

  test("columns made elsewhere stand behind, an empty cell isn't known, rows in any order", () => {
    const { columns } = itemFeatures(bare, { random, table: judged((i) => (i === 3 ? "" : String(i / 2))) });
    expect(columns.map(({ name }) => name)).toEqual(["judge"]);
    expect(columns[0]!.values[3]).toBeNaN();
    expect(columns[0]!.values[5]).toBe(2.5);
    const turned = judged((i) => String(i));
    const more = { ...turned, rows: [["elsewhere", "9"], ...turned.rows.toReversed()], lines: [...turned.lines, 99] };
    expect(itemFeatures(bare, { random, table: more }).columns[0]!.values[5]).toBe(5);
  });

  test("featuresOf: those of some items", () => {
    const all = itemFeatures(items, { random });
    const own = featuresOf(all, [5, 2]);
    expect(own.columns[0]!.values).toEqual(Float64Array.of(all.columns[0]!.values[5]!, all.columns[0]!.values[2]!));
    expect(own.points!.values.slice(16)).toEqual(all.points!.values.slice(32, 48));
    expect(own.points!.count).toBe(2);
  });
});

describe("what is refused", () => {
  test("texts that are asked for and aren't there", () => {
    expectRefusal(
      refusal(() => itemFeatures([...items.slice(1), { ...items[0]!, text: " " }], { random, texts: "yes" })),
      "invalid_data",
      'items without a text, 1 of 24: "q/0"',
    );
  });

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
    ["text", judged((i) => (i === 4 ? "hard" : "1")), 'a feature is a number, got "hard"'],
    ["NaN", judged((i) => (i === 4 ? "NaN" : "1")), 'a feature is a number, got "NaN"'],
  ])("a table with %s", (_, given, message) => {
    const error = refusal(() => itemFeatures(items, { random, table: given }));
    expect(error.code).toBe("invalid_data");
    expect(error.message.replace("row 3", "line 3")).toContain(message);
  });
});
