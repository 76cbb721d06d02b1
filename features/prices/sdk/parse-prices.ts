import { AnchorEvalError } from "../../../sdk/core/errors.ts";
import { allLines, type LineBatch } from "../../../sdk/tables/chunk-lines.ts";
import { checkWidth, csvRecords } from "../../../sdk/tables/csv-records.ts";
import { DataIssues, firstFew, quoted } from "../../../sdk/tables/data-issues.ts";
import { jsonRecords, parseJsonObject } from "../../../sdk/tables/json-records.ts";
import { jsonPrice, priceText } from "./price-reader.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** Prices of a benchmark's items. */
export interface ItemPrices {
  /** Of dollars, tokens or seconds; null where nobody said. */
  readonly unit: string | null;
  /** By item id, at least 0, of every item of the benchmark. */
  readonly items: ReadonlyMap<string, number>;
  /** Of another trial of an item over that of its first one, in [0,1]. @default 1 */
  readonly repeat?: number;
  /** By other measures, which choose nothing, such as seconds beside dollars. */
  readonly beside?: readonly ItemPrices[];
}

/** A column of prices: `a+b` adds the columns a and b, and has no price where one of them has none. */
export interface PriceColumn {
  readonly column: string;
  readonly unit: string | null;
}

/** Prices as a file has them: of items, or each of a scenario's items. */
export interface NamedPrices {
  /** And its column, where several are read. */
  readonly file: string;
  readonly unit: string | null;
  /** The mean price of each name's rows, at least 0, and where it stands first; null where no row has one. */
  readonly names: ReadonlyMap<string, { readonly price: number | null; readonly row?: number }>;
  /** Rows that have a price, and those of them whose price is 0. */
  readonly rows: number;
  readonly zeros: number;
}

/** The columns of prices where none is named. */
const PRICE_COLUMNS: readonly PriceColumn[] = [{ column: "price", unit: null }];

/** The columns whose cells are names, the first that is there. */
const NAME_COLUMNS = ["item_id", "scenario"] as const;

/**
 * Reads prices: a JSON object `{item or scenario: price}`, or a table, CSV or JSON lines, with `item_id` (else `scenario`)
 * and a column of prices. A name's price is the mean over its rows, as of trials or models; a cell that is empty, null or a
 * word such as NA is no price, and never 0.
 * @param name - of the file
 * @param chunks - its bytes, unpacked
 * @returns those of each column
 * @throws AnchorEvalError `invalid_data` naming file, row, column and rule: a price below 0 or not finite, a column that
 *   isn't there, …
 * @example const [{ names }] = await parsePrices(file.name, blobChunks(file.name, file), [{ column: "in+out", unit: "tokens" }]);
 */
export async function parsePrices(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  columns = PRICE_COLUMNS,
): Promise<NamedPrices[]> {
  const batches = await allLines(name, chunks);
  const lines = batches.flatMap((batch) => batch.lines);
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined) return new DataIssues(name).fail({}, "empty", "the file is empty");
  const isJson = first.trimStart().startsWith("{");
  const isObject =
    isJson && !/\.(jsonl|ndjson)(\.gz)?$/i.test(name) && !/^\{.*"(item_id|scenario)"\s*:\s*"/.test(first);
  if (isObject && columns.length > 1)
    return new DataIssues(name).fail({}, "missing_column", "an object has one price an item, and no columns");
  const all: NamedPrices[] = [];
  for (const { column, unit } of columns) {
    const parts = column.split("+").map((part) => part.trim());
    const read = isObject
      ? readObject(name, lines.join("\n"))
      : await (isJson ? readJsonLines : readCsv)(name, batches, parts);
    all.push({ file: columns.length === 1 ? name : `${name}, column ${quoted(column)}`, unit, ...read });
  }
  return all;
}

type PricesByName = Omit<NamedPrices, "file" | "unit">;

/** Sums of prices by name. */
class PriceSums {
  readonly #sums = new Map<string, { sum: number; rows: number; row?: number }>();
  readonly #issues: DataIssues;
  #rows = 0;
  #zeros = 0;

  constructor(issues: DataIssues) {
    this.#issues = issues;
  }

  /** @param prices - of the row's columns; NaN = none */
  take(name: unknown, prices: readonly number[], place: { row?: number; column?: string }): void {
    if (typeof name !== "string" || name === "") {
      this.#issues.add(place, "missing_name", "the row names no item");
      return;
    }
    const entry = this.#sums.get(name) ?? { sum: 0, rows: 0, ...place };
    this.#sums.set(name, entry);
    const price = prices.reduce((sum, next) => sum + next, 0);
    if (Number.isNaN(price)) return;
    entry.sum += price;
    entry.rows++;
    this.#rows++;
    if (price === 0) this.#zeros++;
  }

  found(): PricesByName {
    this.#issues.refuse();
    if (this.#rows === 0) this.#issues.fail({}, "empty", "the file has no prices");
    const names = Array.from(this.#sums, ([name, { sum, rows, row }]) => {
      const price = rows === 0 ? null : sum / rows;
      return [name, row === undefined ? { price } : { price, row }] as const;
    });
    return { names: new Map(names), rows: this.#rows, zeros: this.#zeros };
  }
}

function readObject(file: string, text: string): PricesByName {
  const issues = new DataIssues(file, "answers");
  const sums = new PriceSums(issues);
  const object = parseJsonObject(text, "the file", {}, issues) ?? {};
  for (const [name, value] of Object.entries(object)) {
    const price = jsonPrice(value, { column: name }, issues);
    sums.take(name, [price], {});
    if (value === null)
      issues.add({ column: name }, "missing_price", "null is no price: leave the item out, or give one");
  }
  return sums.found();
}

async function readJsonLines(
  file: string,
  batches: readonly LineBatch[],
  columns: readonly string[],
): Promise<PricesByName> {
  const issues = new DataIssues(file, "lines");
  const sums = new PriceSums(issues);
  const seen = new Set<string>();
  for await (const records of jsonRecords(batches, issues))
    for (const { row, fields } of records) {
      const named = NAME_COLUMNS.find((column) => Object.hasOwn(fields, column)) ?? NAME_COLUMNS[0];
      const prices = columns.map((column) => {
        if (!Object.hasOwn(fields, column)) return NaN;
        seen.add(column);
        return jsonPrice(lookUp(fields, column), { row, column }, issues);
      });
      sums.take(fields[named], prices, { row, column: named });
    }
  const absent = columns.find((column) => !seen.has(column));
  if (absent !== undefined) issues.fail({}, "missing_column", `no line has the field ${quoted(absent)}`);
  return sums.found();
}

async function readCsv(file: string, batches: readonly LineBatch[], columns: readonly string[]): Promise<PricesByName> {
  const issues = new DataIssues(file);
  const sums = new PriceSums(issues);
  let header: readonly string[] | null = null;
  let [nameAt, named, places]: [number, string, readonly number[]] = [0, "", []];
  for await (const records of csvRecords(batches, issues))
    for (const record of records) {
      const { row, cells } = record;
      if (header === null) {
        header = cells;
        named = NAME_COLUMNS.find((column) => cells.includes(column)) ?? "";
        const absent = named === "" ? [NAME_COLUMNS[0]] : columns.filter((column) => !cells.includes(column));
        const twice = [named, ...columns].find((column) => cells.indexOf(column) !== cells.lastIndexOf(column));
        if (absent.length > 0)
          issues.fail(
            { row },
            "missing_column",
            `there is no column ${firstFew(absent)}; the columns are ${firstFew(cells, 20)}`,
          );
        if (twice !== undefined) issues.fail({ row }, "duplicate", `column ${quoted(twice)} is there twice`);
        nameAt = cells.indexOf(named);
        places = columns.map((column) => cells.indexOf(column));
      } else if (checkWidth(record, header, issues)) {
        const prices = places.map((at, k) => priceText(cells[at]!, { row, column: columns[k]! }, issues));
        sums.take(cells[nameAt], prices, { row, column: named });
      }
    }
  return sums.found();
}

/** An item, as far as prices are of it. */
export type PricedItem = Readonly<Record<"item_id" | "scenario", string>>;

/**
 * Prices of every item of a benchmark, by what a file names: its scenarios, whose items cost the same, or its items.
 * @param named - the first are the prices, others are noted beside
 * @throws AnchorEvalError `invalid_data` naming the file and, for a name that is no item, the row; items or scenarios
 *   without a price are named, too
 * @example itemPrices(named, items).items.get("gsm/17")
 */
export function itemPrices(named: readonly NamedPrices[], items: readonly PricedItem[]): ItemPrices {
  const [first, ...beside] = named.map((prices) => pricesOfItems(prices, items));
  return beside.length === 0 ? first! : { ...first!, beside };
}

function pricesOfItems({ file, names, unit }: NamedPrices, items: readonly PricedItem[]): ItemPrices {
  const scenarios = new Set(items.map(({ scenario }) => scenario));
  const ids = new Set(items.map(({ item_id }) => item_id));
  const keys = Array.from(names.keys());
  const byScenario = keys.some((name) => scenarios.has(name)) && !keys.some((name) => ids.has(name));
  const all = byScenario ? scenarios : ids;
  const issues = new DataIssues(file);
  for (const [name, { row }] of names)
    if (!all.has(name))
      issues.add(
        row === undefined ? {} : { row },
        "unknown_item",
        `${quoted(name)} is no ${byScenario ? "scenario" : "item"} of this benchmark`,
      );
  issues.refuse();
  const priceOf = (name: string): number | null => names.get(name)?.price ?? null;
  const lacking = Array.from(all).filter((name) => priceOf(name) === null);
  if (lacking.length > 0)
    throw new AnchorEvalError(
      "invalid_data",
      `${file}: prices lack ${lacking.length === 1 ? "" : `${lacking.length} ${byScenario ? "scenarios" : "items"}: `}${firstFew(lacking)}`,
      { issues: [{ path: [file, lacking[0]!], code: "missing_price", message: "it has no price" }] },
    );
  return {
    unit,
    items: new Map(items.map(({ item_id, scenario }) => [item_id, priceOf(byScenario ? scenario : item_id)!])),
  };
}
