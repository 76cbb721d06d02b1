import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import type { BundlePrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import type { NamedPrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import { counted } from "anchoreval/internal/words/figures";
import { type OptionReader, type OptionSpecs, option, rare, invalidOption } from "../../../cli/src/program/command.ts";
import type { Output } from "../../../cli/src/program/output.ts";

/** The prices of items. */
export const PRICE_OPTIONS = {
  prices: option("FILE", "what items cost: JSON {item or scenario: price}, or a table with item_id and price"),
  ...rare({
    "price-column": option(
      "COLUMN[+COLUMN][:UNIT]",
      "column of the prices, an item's being the mean over its rows, and their unit, such as price:usd (default price; columns tokens and seconds are their own units)",
    ),
  }),
} as const satisfies OptionSpecs;

/** The prices of `--prices`, before it is known which items there are. */
export interface GivenPrices {
  readonly named: NamedPrices;
  readonly unit: string | null;
}

/** An amount of `--budget`, its unit null where it has none. */
export interface Budget {
  readonly amount: number;
  readonly unit: string | null;
}

/** Columns that are called after their unit, such as `import` writes them. */
const NAMED_UNITS = ["tokens", "seconds"] as const;

const UNIT = /^[a-z]{1,16}$/i;

/**
 * Reads `--prices`; null where it isn't given.
 * @throws AnchorEvalError `invalid_option` for another price option without it; what `parsePrices` throws
 */
export async function readPrices(options: OptionReader, output: Output): Promise<GivenPrices | null> {
  const [, column, word] = /^(.+?)(?::([^:]*))?$/s.exec(options.text("price-column") ?? "") ?? [];
  const unit = word ?? NAMED_UNITS.find((name) => name === column) ?? null;
  if (unit !== null && !UNIT.test(unit))
    throw invalidOption(`the unit of --price-column is a word of letters, 16 at most, as in price:usd; got ${unit}`);
  const file = options.text("prices");
  if (file === undefined) {
    options.refuse(["price-column"], "is for the prices of --prices FILE, which isn't given");
    return null;
  }
  const { fileChunks } = await import("anchoreval/internal/node/read-file");
  const { parsePrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
  const named = await parsePrices(file, fileChunks(file), column);
  if (named.rows > named.names.size)
    output.remark(`${file}: ${counted(named.rows, "price")} of ${counted(named.names.size, "name")}, each the mean of its own`); // prettier-ignore
  if (named.zeros > 0)
    output.remark(`${file}: ${counted(named.zeros, "price")} of ${named.rows} are 0: leave empty what isn't known`);
  return { named, unit };
}

/**
 * Reads `--budget`, an amount with its unit or without; null where it isn't given.
 * @throws AnchorEvalError `invalid_option`
 */
export function readBudget(options: OptionReader): Budget | null {
  const text = options.text("budget");
  if (text === undefined) return null;
  const [, amount, unit] = /^\s*(\d+\.?\d*|\.\d+)\s*([a-z]{1,16})?\s*$/i.exec(text) ?? [];
  if (amount === undefined)
    throw invalidOption(
      `--budget must be an amount of at least 0, with its unit or without, such as 5usd; got ${text}`,
    );
  return { amount: Number(amount), unit: unit ?? null };
}

/** The unit that prices and what is said beside them have in common. @throws AnchorEvalError `invalid_option` for two */
export function commonUnit(unit: string | null, other: string | null, what: string): string | null {
  if (unit !== null && other !== null && unit !== other)
    throw invalidOption(`the prices are in ${unit}, ${what} says ${other}`);
  return unit ?? other;
}

/** The prices of a bundle's items by those of `--prices`. @throws AnchorEvalError as `itemPrices` */
export async function readBundlePrices(
  bundle: Bundle,
  { named, unit }: GivenPrices,
  options: OptionReader,
  signal: AbortSignal,
): Promise<BundlePrices> {
  const { bundlePrices } = await import("anchoreval/internal/features/prices/sdk/bundle-prices");
  const { loadItemLines } = await import("anchoreval/internal/bundles/read-file");
  const { itemPrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
  const { openBundle } = await import("../../../cli/src/bundles/open-bundle.ts");
  const lines = await loadItemLines(openBundle(options.required("bundle")), bundle.manifest, { signal });
  const items = Array.from({ length: lines.count }, (_, k) => lines.record(k));
  return bundlePrices(bundle, itemPrices(named, items, unit), items);
}
