import { invalidOption } from "anchoreval/internal/core/errors";
import type { Bundle } from "anchoreval/internal/core/bundle/bundle";
import {
  amountWords,
  type BundlePrices,
  costWords,
  knownPrices,
} from "anchoreval/internal/features/prices/sdk/bundle-prices";
import type { NamedPrices, PriceColumn } from "anchoreval/internal/features/prices/sdk/parse-prices";
import { counted, percent, points, priceWords, textTable } from "anchoreval/internal/words/figures";
import { type OptionReader, type OptionSpecs, option, rare } from "../../cli/src/program/command.ts";
import type { Output } from "../../cli/src/program/output.ts";
import type { FitOptionPart } from "../../cli/src/options/fit.ts";
import type { EstimatePart } from "../../cli/src/options/parts.ts";
import type { PlanPart } from "../plan/cli.ts";
import type { PriceChoices } from "anchoreval/internal/features/prices/sdk/price-choices";
import type { Plan } from "anchoreval/internal/features/plan/sdk/types";

/** The prices of items. */
export const PRICE_OPTIONS = {
  prices: option("FILE", "what items cost: JSON {item or scenario: price}, or a table with item_id and price"),
  ...rare({
    "price-column": option(
      "COLUMN[+COLUMN][:UNIT],…",
      "column of the prices, an item's being the mean over its rows, and their unit, such as price:usd (default price; columns tokens and seconds are their own units); further ones, as in price:usd,seconds, are noted beside and choose nothing",
    ),
  }),
} as const satisfies OptionSpecs;

/** An amount of `--budget`, its unit null where it has none. */
interface Budget {
  readonly amount: number;
  readonly unit: string | null;
}

/** Columns that are called after their unit, such as `import` writes them. */
const NAMED_UNITS = ["tokens", "seconds"] as const;

const UNIT = /^[a-z]{1,16}$/i;

function readColumn(text: string): PriceColumn {
  const [, column, word] = /^(.+?)(?::([^:]*))?$/s.exec(text.trim()) ?? [];
  if (column === undefined) throw invalidOption("--price-column names columns, as in price:usd,seconds; one is empty");
  const unit = word ?? NAMED_UNITS.find((name) => name === column) ?? null;
  if (unit !== null && !UNIT.test(unit))
    throw invalidOption(`the unit of --price-column is a word of letters, 16 at most, as in price:usd; got ${unit}`);
  return { column, unit };
}

/**
 * Reads `--prices`, those of each column, before it is known which items there are; null where it isn't given.
 * @throws AnchorEvalError `invalid_option` for another price option without it; what `parsePrices` throws
 */
export async function readPrices(options: OptionReader, output: Output): Promise<NamedPrices[] | null> {
  const columns = options.text("price-column")?.split(",").map(readColumn);
  const file = options.text("prices");
  if (file === undefined) {
    options.refuse(["price-column"], "is for the prices of --prices FILE, which isn't given");
    return null;
  }
  const { fileChunks } = await import("anchoreval/internal/node/read-file");
  const { parsePrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
  const all = await parsePrices(file, fileChunks(file), columns);
  for (const { file: place, names, rows, zeros } of all) {
    if (rows > names.size)
      output.remark(`${place}: ${counted(rows, "price")} of ${counted(names.size, "name")}, each the mean of its own`);
    if (zeros > 0) output.remark(`${place}: ${counted(zeros, "price")} of ${rows} are 0: leave empty what isn't known`);
  }
  return all;
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
async function readBundlePrices(
  bundle: Bundle,
  named: readonly NamedPrices[],
  options: OptionReader,
  signal: AbortSignal,
): Promise<BundlePrices> {
  const { bundlePrices } = await import("anchoreval/internal/features/prices/sdk/bundle-prices");
  const { loadItemLines } = await import("anchoreval/internal/bundles/read-file");
  const { itemPrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
  const { openBundle } = await import("../../cli/src/bundles/open-bundle.ts");
  const lines = await loadItemLines(openBundle(options.required("bundle")), bundle.manifest, { signal });
  const items = Array.from({ length: lines.count }, (_, k) => lines.record(k));
  return bundlePrices(bundle, itemPrices(named, items), items);
}

/** Prices of items: they choose the anchors, and the bundle notes them. */
export const itemCosts: FitOptionPart = {
  options: { Extensions: rare(PRICE_OPTIONS) },
  async read({ options, output, method: { settings } }) {
    const prices = await readPrices(options, output);
    if (prices === null) return null;
    const { byPrices, isPriceable } = await import("anchoreval-trainer/internal/features/prices/fit/priced-anchors");
    if (!isPriceable(settings.selection))
      throw invalidOption(
        `--prices chooses anchors by what they tell for their price: it isn't for those chosen by ${settings.selection}`,
      );
    return async ({ matrix }) => {
      const { itemPrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
      return { part: byPrices(itemPrices(prices, matrix.items)) };
    };
  },
};

/** The cost of an estimate's answers, in words. */
export const answerCosts: EstimatePart = {
  options: { Data: rare(PRICE_OPTIONS) },
  async read({ options, output, signal }) {
    const asked = await readPrices(options, output);
    if (asked === null) return null; // those of the bundle, where it has some
    return { options: async (bundle) => ({ prices: await readBundlePrices(bundle, asked, options, signal) }) };
  },
  words: ({ cost }) => (cost === undefined ? null : { after: [costWords(cost)] }),
};

/** Which choices of a plan a budget pays. */
export const planPrices: PlanPart = {
  options: {
    Prices: { ...PRICE_OPTIONS, budget: option("PRICE", "the most that all items may cost, such as 5usd") },
  },
  async read({ options, output, signal }) {
    if (options.isGiven("gap")) options.refuse(["prices", "budget"], "goes with --half-width, not with --gap");
    const asked = await readPrices(options, output);
    const budget = readBudget(options);
    if (options.isGiven("gap")) return null;
    return async (bundle, plan) => {
      const prices = asked ? await readBundlePrices(bundle, asked, options, signal) : knownPrices(bundle);
      if (prices === null) {
        if (budget === null) return null;
        throw invalidOption("--budget needs prices: --prices FILE, as this bundle wasn't fitted by any");
      }
      const { priceChoices } = await import("anchoreval/internal/features/prices/sdk/price-choices");
      const unit = commonUnit(prices.unit, budget?.unit ?? null, "--budget");
      const fields = priceChoices(bundle, plan, { ...prices, unit }, budget && budget.amount);
      return { fields, lines: ["", ...choiceLines(fields, plan)] };
    };
  },
};

/** Most choices that are shown: the others lie between them. */
const MOST_SHOWN = 12;

function choiceLines(choosing: PriceChoices, { level, wanted }: Plan): string[] {
  const { unit, budget, whole, choices, chosen, predicting, beside = [] } = choosing;
  const costs = [{ unit, cost: chosen?.cost ?? 0, whole }, ...beside];
  const marked = beside.length === 0 ? "" : `, those marked ${amountWords(costs, "cost")}`;
  const every = Math.ceil(choices.length / MOST_SHOWN);
  const shown = choices.filter((choice, k) => choice === chosen || (choices.length - 1 - k) % every === 0);
  const goal = wanted && "halfWidth" in wanted ? wanted.halfWidth : null;
  const within = budget === null ? "" : ` within ${priceWords(budget, unit)}`;
  return [
    ...textTable(
      [
        ["", "form", "price", `half-width (${percent(level)})`, ...(predicting ? ["scenarios to ask"] : [])],
        ...shown.map((choice) => [
          choice === chosen ? ">" : "",
          choice.form,
          priceWords(choice.cost, unit),
          points(choice.halfWidth),
          ...(predicting ? [choice.scenarios.join(", ")] : []),
        ]),
      ],
      predicting ? "llrrl" : "llrr",
    ),
    `All items of the benchmark cost ${amountWords(costs, "whole")}${marked}.`,
    ...(chosen === null
      ? [`No ${predicting ? "choice" : "form"} is${within === "" ? " there" : within}.`]
      : goal !== null && chosen.halfWidth > goal
        ? [`None${within} is as narrow as asked for: the narrowest is marked.`]
        : []),
    predicting
      ? "Scenarios that aren't asked are predicted from the others; half-widths by price are of the overall score, of a model in the middle of the source models."
      : "Half-widths by price are of the overall score, those that nine models in ten have at most.",
  ];
}
