import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readItems } from "../../../offline-trainer/src/matrix/items-file.ts";
import { type ItemInfo, responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { wideCsvLines, writeItems, writeWideCsv } from "../../../offline-trainer/src/matrix/write-tables.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const ITEMS: ItemInfo[] = [
  { scenario: "x", item_id: 'x/"1"', text: "Ünïcode\n\u2028 and lines", doc_id: 0 },
  { item_id: "x/2,3", scenario: "x", subscenario: "s", hash: "0".repeat(64), task: "t", doc_id: "a" },
];

test("a wide table: shortest decimals, empty cells, quotes by RFC 4180", () => {
  const matrix = responseMatrix(["a b", 'c,"d"'], ITEMS, Float64Array.of(0.1, NaN, 1, 1 / 3));
  expect([...wideCsvLines(matrix)].join("")).toBe('model,"x/""1""","x/2,3"\na b,0.1,\n"c,""d""",1,0.33333334\n');
});

test("the same matrix gives the same bytes: no time, no name and no system in the header", async () => {
  const matrix = responseMatrix(["a", "b"], ITEMS, Float64Array.of(0, 1, NaN, 1));
  await writeWideCsv(folder.path("one.csv.gz"), matrix);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await writeWideCsv(folder.path("two.csv.gz"), matrix);
  const bytes = readFileSync(folder.path("one.csv.gz"));
  expect(bytes.equals(readFileSync(folder.path("two.csv.gz")))).toBe(true);
  expect([...bytes.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  expect(gunzipSync(bytes).toString()).toBe('model,"x/""1""","x/2,3"\na,0,1\nb,,1\n');
  await writeWideCsv(folder.path("plain.csv"), matrix);
  expect(readFileSync(folder.path("plain.csv")).equals(gunzipSync(bytes))).toBe(true);
});

test("items read back as they were written, fields that are not an item's left out", async () => {
  const path = folder.path("items.jsonl.gz");
  await writeItems(
    path,
    ITEMS.map((entry) => ({ ...entry, answer: "gold" })),
  );
  expect(await readItems(path)).toEqual(ITEMS);
  const [first] = gunzipSync(readFileSync(path)).toString().split("\n");
  expect(first).toBe('{"item_id":"x/\\"1\\"","scenario":"x","text":"Ünïcode\\n\u2028 and lines","doc_id":0}');
});
