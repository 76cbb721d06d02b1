import type { ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import type { Method } from "anchoreval-trainer/internal/methods/method";
import { DEFAULT_SETTINGS } from "anchoreval-trainer/internal/methods/settings";
import { itemPrices } from "anchoreval/internal/prices/parse-prices";
import { invalidOption } from "../command.ts";
import type { Addition } from "../options/exposure.ts";
import type { GivenPrices } from "./price-options.ts";

/** Prices of a fit: they choose its anchors, and its bundle notes them. */
interface FitPrices extends Addition {
  method(method: Method): Method;
}

/**
 * The prices of the items of a fit.
 * @param method - that is fitted @param matrix - with its items
 * @throws AnchorEvalError `invalid_option` for anchors that are chosen another way; as `itemPrices`
 */
export async function fitPrices(given: GivenPrices, method: Method, matrix: ResponseMatrix): Promise<FitPrices> {
  const { selection } = method.settings;
  if (![DEFAULT_SETTINGS.selection, "stratified"].includes(selection))
    throw invalidOption(
      `--prices chooses anchors by what they tell for their price: it isn't for those chosen by ${selection}`,
    );
  const prices = itemPrices(given.named, matrix.items, given.unit);
  const { pricedMethod, withPrices } = await import("anchoreval-trainer/internal/extensions/prices/priced-anchors");
  return {
    stage: "prices",
    method: (own) => pricedMethod(own, prices),
    add: (result) => Promise.resolve(withPrices(result, prices)),
    words: () => [],
  };
}
