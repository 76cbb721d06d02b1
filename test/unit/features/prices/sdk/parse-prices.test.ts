import {
  itemPrices,
  type NamedPrices,
  parsePrices,
  type PriceColumn,
} from "anchoreval/internal/features/prices/sdk/parse-prices";
import { describe, expect, test } from "vitest";
import { refusal } from "../../../../support/refusal.ts";

const readAll = (text: string, columns?: readonly PriceColumn[], name = "prices"): Promise<NamedPrices[]> =>
  // eslint-disable-next-line @typescript-eslint/require-await
  parsePrices(name, (async function* () { yield new TextEncoder().encode(text); })(), columns); // prettier-ignore
const read = async (text: string, column?: string, name?: string, unit: string | null = null): Promise<NamedPrices> =>
  (await readAll(text, column === undefined ? undefined : [{ column, unit }], name))[0]!;

const prices = async (text: string, column?: string): Promise<Record<string, number | null>> =>
  Object.fromEntries(Array.from((await read(text, column)).names, ([id, { price }]) => [id, price]));

const items = ["a/1", "a/2", "b/1"].map((id) => ({ item_id: id, scenario: id.slice(0, 1) }));

describe("prices are read", () => {
  test.each<[string, string, string | undefined]>([
    ["an object", '{"a/1": 2, "b/1": 0.5}', undefined],
    ["an object over several lines", '{\n"a/1": 2,\n"b/1": 0.5\n}', undefined],
    ["JSON lines", '{"item_id":"a/1","price":2}\n{"item_id":"b/1","price":0.5}\n', undefined],
    ["CSV", "item_id,price\na/1,2\nb/1,.5\n", undefined],
    ["CSV with semicolons and other columns", "scenario;item_id;price\na;a/1;2\nb;b/1;5e-1\n", undefined],
    ["a column by its name", "item_id,price,usd\na/1,9,2\nb/1,9,.5\n", "usd"],
    ["a sum of columns", "item_id,in,out\na/1,1.5,.5\nb/1,0,0.5\n", "in+out"],
    ["means over rows", "model,item_id,price\nm,a/1,1\nn,a/1,3\nm,b/1,.5\nn,b/1,\n", undefined],
  ])("from %s", async (_, text, column) => {
    expect(await prices(text, column)).toEqual({ "a/1": 2, "b/1": 0.5 });
  });

  test("what is missing is never 0: an item without a price has none, a sum without a part neither", async () => {
    expect(await prices("item_id,in,out\na/1,1,\na/1,1,2\nb/1,NA,5\n", "in+out")).toEqual({ "a/1": 3, "b/1": null });
    const { rows, zeros } = await read("item_id,price\na/1,0\na/2,\nb/1,2\n");
    expect({ rows, zeros }).toEqual({ rows: 2, zeros: 1 });
  });
});

describe("refused, its place named, are", () => {
  test.each<[string, string, string, string | undefined]>([
    ["a price below 0", "item_id,price\na/1,1\nb/1,-1\n", 'row 3, column "price": a price is a number, at least 0, got "-1"', undefined], // prettier-ignore
    ["a price that is no number", "item_id,price\na/1,free\n", 'row 2, column "price": a price is a number', undefined],
    ["a comma in a number", 'item_id,price\na/1,"1,500"\n', 'row 2, column "price": a price is a number', undefined],
    [
      "a price too large to be one",
      "item_id,price\na/1,1e999\n",
      'row 2, column "price": a price is a number',
      undefined,
    ],
    ["a negative price in JSON", '{"a/1": 1, "b/1": -2}', 'item "b/1": a price is a number, at least 0', undefined],
    ["text in JSON", '{"a/1": "2"}', 'item "a/1": a price is a number, at least 0, got the text "2"', undefined],
    ["null in JSON", '{"a/1": null}', 'item "a/1": null is no price', undefined],
    ["NaN in JSON", '{"a/1": NaN}', "null is no price", undefined],
    ["an item twice in JSON", '{"a/1": 1, "a/1": 2}', "it is there twice", undefined],
    ["a negative price in JSON lines", '{"item_id":"a/1","usd":-2}', 'line 1, field "usd": a price is', "usd"],
    ["a field that no line has", '{"item_id":"a/1","usd":2}', 'no line has the field "price"', undefined],
    ["a column that isn't there", "item_id,price\na/1,1\n", 'there is no column "usd"', "usd"],
    ["a table that names no items", "id,price\na/1,1\n", 'there is no column "item_id"', undefined],
    ["a column that is there twice", "item_id,price,price\na/1,1,2\n", 'column "price" is there twice', undefined],
    ["a row that names no item", "item_id,price\n,1\n", "row 2", undefined],
    ["a row of another width", "item_id,price\na/1,1,2\n", "row 2: the row has 3 cells", undefined],
    ["a table without prices", "item_id,price\na/1,\n", "the file has no prices", undefined],
    ["an empty file", "", "the file is empty", undefined],
  ])("%s", async (_, text, message, column) => {
    const error = await read(text, column).then(() => null, (thrown: unknown) => thrown); // prettier-ignore
    expect(error).toMatchObject({ code: "invalid_data" });
    expect((error as Error).message).toContain(message);
  });
});

describe("of a benchmark's items", () => {
  test("they are each item's own, or its scenario's", async () => {
    const own = itemPrices([await read('{"a/1": 1, "a/2": 2, "b/1": 3}', "price", "prices", "usd")], items);
    expect(own).toEqual({ unit: "usd", items: new Map([["a/1", 1], ["a/2", 2], ["b/1", 3]]) }); // prettier-ignore
    const shared = itemPrices([await read("scenario,price\na,1\nb,4\n")], items);
    expect([...shared.items.values()]).toEqual([1, 1, 4]);
  });

  test.each<[string, string, string]>([
    ["an unknown item", "item_id,price\na/1,1\na/2,1\nb/1,1\nb/2,1\n", 'prices: row 5: "b/2" is no item'],
    ["an item without a price", "item_id,price\na/1,1\nb/1,1\n", 'prices: prices lack "a/2"'],
    ["an item whose cells are empty", "item_id,price\na/1,1\na/2,\nb/1,1\n", 'prices: prices lack "a/2"'],
    ["several", "item_id,price\na/1,1\n", 'prices: prices lack 2 items: "a/2", "b/1"'],
    ["a scenario without a price", '{"a": 1}', 'prices: prices lack "b"'],
  ])("%s is refused", async (_, text, message) => {
    const named = await read(text);
    const error = refusal(() => itemPrices([named], items));
    expect(error.code).toBe("invalid_data");
    expect(error.message).toContain(message);
  });
});

describe("of several columns", () => {
  const columns = [
    { column: "price", unit: "usd" },
    { column: "run+wait", unit: "seconds" },
  ];

  test.each([
    ["CSV", "item_id,price,run,wait\na/1,1,60,0\na/2,2,60,60\nb/1,3,0,0\n"],
    [
      "JSON lines",
      '{"item_id":"a/1","price":1,"run":60,"wait":0}\n{"item_id":"a/2","price":2,"run":60,"wait":60}\n{"item_id":"b/1","price":3,"run":0,"wait":0}\n',
    ],
  ])("the first are the prices, the others stand beside, in %s", async (_, text) => {
    const { beside, ...prices } = itemPrices(await readAll(text, columns), items);
    expect(prices).toEqual({ unit: "usd", items: new Map([["a/1", 1], ["a/2", 2], ["b/1", 3]]) }); // prettier-ignore
    expect(beside).toEqual([{ unit: "seconds", items: new Map([["a/1", 60], ["a/2", 120], ["b/1", 0]]) }]); // prettier-ignore
  });

  test("an item that lacks one of them is refused by name, with the column", async () => {
    const named = await readAll("item_id,price,run,wait\na/1,1,60,0\na/2,2,60,\nb/1,3,0,0\n", columns);
    const error = refusal(() => itemPrices(named, items));
    expect(error).toMatchObject({
      code: "invalid_data",
      message: 'prices, column "run+wait": prices lack "a/2"',
    });
  });

  test("a column that isn't there is refused, and so is an object, which has none", async () => {
    await expect(readAll("item_id,price\na/1,1\n", columns)).rejects.toThrow('there is no column "run"');
    await expect(readAll('{"a/1": 1}', columns)).rejects.toThrow("an object has one price an item, and no columns");
  });
});
