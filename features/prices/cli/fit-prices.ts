import { DEFAULT_SETTINGS } from "anchoreval-trainer/internal/methods/settings";
import { invalidOption } from "../../../cli/src/program/command.ts";
import type { FitExtension } from "../../../cli/src/options/fit.ts";
import { PRICE_OPTIONS, readPrices } from "./price-options.ts";

/** Prices of items: they choose the anchors, and the bundle notes them. */
export const itemCosts: FitExtension = {
  options: PRICE_OPTIONS,
  async read({ options, output, method: { settings } }) {
    const given = await readPrices(options, output);
    if (given === null) return null;
    if (![DEFAULT_SETTINGS.selection, "stratified"].includes(settings.selection))
      throw invalidOption(
        `--prices chooses anchors by what they tell for their price: it isn't for those chosen by ${settings.selection}`,
      );
    return async ({ matrix }) => {
      const { itemPrices } = await import("anchoreval/internal/features/prices/sdk/parse-prices");
      const { pricedMethod, withPrices } =
        await import("anchoreval-trainer/internal/features/prices/fit/priced-anchors");
      const prices = itemPrices(given.named, matrix.items, given.unit);
      return {
        method: (own) => pricedMethod(own, prices),
        addition: { stage: "prices", add: ({ content }) => withPrices(content, prices) },
      };
    };
  },
};
