import { costWords, knownPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import { invalidOption, option, rare } from "../../../cli/src/program/command.ts";
import type { EstimatePart, PlanPart } from "../../../cli/src/options/parts.ts";
import { commonUnit, PRICE_OPTIONS, readBudget, readBundlePrices, readPrices } from "./price-options.ts";

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
      const { choiceLines } = await import("./price-choices.ts");
      const unit = commonUnit(prices.unit, budget?.unit ?? null, "--budget");
      const fields = priceChoices(bundle, plan, { ...prices, unit }, budget && budget.amount);
      return { fields, lines: ["", ...choiceLines(fields, plan)] };
    };
  },
};
