import { describe, expect, test } from "vitest";
import { givenDifficulty } from "../../../../../features/forms/fit/difficulty.ts";
import { checkFormSizes, itemPool, joinItems, joinKeys } from "../../../../../features/forms/fit/item-pool.ts";
import type { ItemTable } from "../../../../../offline-trainer/src/matrix/item-table.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";

function table(...rows: readonly (readonly string[])[]): ItemTable {
  const [columns, ...items] = rows as [string[], ...string[][]];
  return { name: "items.csv", columns, rows: items, lines: items.map((_, k) => k + 2) };
}

const GOOD = table(
  ["ID", "Subject", "en", "hard"],
  ["1", "law, civil", "e1", "0.5"],
  ["2", "史", "e2", "-1e1"],
  ["3", "law, civil", "", ""],
  ["4", "math", "e4", " 2 "],
);

describe("a pool of items", () => {
  test("has the subjects in order of their first item, ids, and every row that isn't excluded", () => {
    const pool = itemPool(GOOD, { by: "Subject", exclude: ["math"] });
    expect([...pool.rows]).toEqual([0, 1, 2]);
    expect(pool.subjects).toEqual(["law, civil", "史"]);
    expect([...pool.subjectOf]).toEqual([0, 1, 0]);
    expect(pool.excluded).toEqual([{ subject: "math", items: 1 }]);
    expect(pool.ids).toEqual({ column: "ID", values: ["1", "2", "3"] });
  });

  test("a subject with a comma is excluded as it is called, others by a list", () => {
    expect(itemPool(GOOD, { by: "Subject", exclude: ["law, civil"] }).subjects).toEqual(["史", "math"]);
    expect(itemPool(GOOD, { by: "Subject", exclude: ["史, math"] }).subjects).toEqual(["law, civil"]);
  });

  test("without a column of subjects all items are of one; without ids it has none", () => {
    const pool = itemPool(table(["Question"], ["a"], ["a"]), {});
    expect(pool).toMatchObject({ by: null, subjects: ["all"], ids: null });
  });

  test("difficulties are any numbers; an empty cell isn't known and isn't 0", () => {
    const { values, source } = givenDifficulty(itemPool(GOOD, { by: "Subject" }), "hard");
    expect([...values!]).toEqual([0.5, -10, NaN, 2]);
    expect(source).toEqual({ kind: "column", column: "hard" });
  });

  test("items are joined to responses by any column; those without are left out", () => {
    const pool = itemPool(GOOD, { by: "Subject" });
    const joined = joinItems(pool, joinKeys(pool, "en"), [{ item_id: "e4" }, { item_id: "e9" }, { item_id: "e1" }]);
    expect([...joined.items]).toEqual([0, 3]);
    expect([...joined.columns]).toEqual([2, 0]);
  });
});

describe("what is refused by name", () => {
  const pool = (): ReturnType<typeof itemPool> => itemPool(GOOD, { by: "Subject" });
  const cases: readonly [string, () => unknown, "invalid_data" | "invalid_option", string][] = [
    [
      "no such subject column",
      () => itemPool(GOOD, { by: "subject" }),
      "invalid_data",
      'no column "subject" (`by`); the columns are "ID", "Subject"',
    ],
    ["no such id column", () => itemPool(GOOD, { id: "key" }), "invalid_data", 'no column "key" (`id`)'],
    [
      "an id twice",
      () => itemPool(table(["id"], ["a"], ["b"], ["a"]), {}),
      "invalid_data",
      'row 4, column "id": id "a" is there twice, first in row 2',
    ],
    [
      "an item without id",
      () => itemPool(table(["item_id"], ["a"], [" "]), {}),
      "invalid_data",
      'row 3, column "item_id": the item has no id',
    ],
    [
      "an item without subject",
      () => itemPool(table(["s"], ["x"], [""]), { by: "s" }),
      "invalid_data",
      'row 3, column "s": the item has no subject',
    ],
    [
      "an excluded subject that there isn't",
      () => itemPool(GOOD, { by: "Subject", exclude: ["math,physics"] }),
      "invalid_option",
      '`exclude` "physics": there is no such subject in column "Subject"; there are "law, civil", "史", "math"',
    ],
    [
      "subjects excluded without their column",
      () => itemPool(GOOD, { exclude: ["math"] }),
      "invalid_option",
      "name their column with `by`",
    ],
    [
      "everything excluded",
      () => itemPool(GOOD, { by: "Subject", exclude: ["math,史", "law, civil"] }),
      "invalid_option",
      "`exclude` leaves no item",
    ],
    [
      "more items than there are",
      () => checkFormSizes(pool(), 3, 2),
      "invalid_option",
      "2 forms of 3 items take 6, and there are 4: `size` is at most 2",
    ],
    [
      "more forms than items",
      () => checkFormSizes(pool(), 1, 5),
      "invalid_option",
      "5 forms of 1 items take 5, and there are 4: `count` is at most 4",
    ],
    [
      "no such difficulty",
      () => givenDifficulty(pool(), "difficulty"),
      "invalid_data",
      'no column "difficulty" (`difficulty`)',
    ],
    [
      "a difficulty that is no number",
      () => givenDifficulty(pool(), "Subject"),
      "invalid_data",
      'row 2, column "Subject": a difficulty must be a number, got "law, civil"; an empty cell means that it isn\'t known',
    ],
    [
      "an infinite difficulty",
      () => givenDifficulty(itemPool(table(["d"], ["1e999"]), {}), "d"),
      "invalid_data",
      'a difficulty must be a number, got "1e999"',
    ],
    [
      "no difficulty at all",
      () => givenDifficulty(itemPool(table(["d", "x"], ["", "1"]), {}), "d"),
      "invalid_data",
      "no item has a difficulty",
    ],
    [
      "nothing to join by",
      () => joinKeys(itemPool(table(["q"], ["a"]), {})),
      "invalid_option",
      "`join` must name the items' column",
    ],
    ["no such column to join by", () => joinKeys(pool(), "EN"), "invalid_data", 'no column "EN" (`join`)'],
    [
      "two items of one key",
      () => joinKeys(itemPool(table(["k"], ["a"], ["a"]), {}), "k"),
      "invalid_data",
      'row 3, column "k": id "a" is there twice, first in row 2',
    ],
    [
      "nothing in common",
      () => joinItems(pool(), joinKeys(pool(), "en"), [{ item_id: "x/1" }, { item_id: "x/2" }]),
      "invalid_data",
      'no item has responses: here are ids such as "e1", "e2", "", …, in the responses "x/1", "x/2"',
    ],
  ];
  test.each(cases)("%s", (_, act, code, fragment) => {
    expectRefusal(refusal(act), code, fragment);
  });
});
