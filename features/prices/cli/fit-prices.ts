import { invalidOption, rare } from "../../../cli/src/program/command.ts";
import type { FitOptionPart } from "../../../cli/src/options/fit.ts";
import { PRICE_OPTIONS, readPrices } from "./price-options.ts";

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
      return { part: byPrices(itemPrices(prices.named, matrix.items, prices.unit)) };
    };
  },
};
