import { withPart } from "anchoreval/internal/core/bundle/part";
import { pricesPart } from "anchoreval/internal/features/prices/core";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { notedPrices } from "anchoreval/internal/features/prices/sdk/bundle-prices";
import type { ItemPrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import type { AnchorInput, AnchorMethod } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import {
  drawnSizes,
  nestedLevels,
  stratifiedSamples,
  tiltedWeights,
} from "../../../offline-trainer/src/anchors/stratified.ts";
import { screenedSamples } from "../../../offline-trainer/src/anchors/screened.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import type { Method } from "../../../offline-trainer/src/methods/method.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";

/** An item counts as costing at least this share of its scenario's mean: no form is made of what happens to be free. */
const LEAST_PRICE = 1e-3;

/**
 * `priced`: {@link screenedSamples} by price. Those on purpose are chosen by what they tell of the full score for what they
 * cost; the others are drawn with the chances of {@link pricedDraw}. A purposive choice among samples, as `screened` is.
 * Its knowledge is the prices of the scenario's items, at least 0.
 */
export const priced: AnchorMethod = {
  name: "priced",
  source: { module: import.meta.url, name: "priced" },
  drawn: true,
  estimator: "gate",
  shares: pricedShares,
  prepare: (input) => {
    const costs = relativePrices(input.knowledge as Float64Array);
    return screenedSamples(input, { costs, chances: pricedChances(input, costs) });
  },
};

/**
 * `priced-draw`: {@link stratifiedSamples} with π ∝ w·√(v/c), v the variance of an item's answer about its prediction and c
 * its price, within the bounds of a tilted draw: of all π with the same expected price Σπc these leave the least variance
 * Σw²v/π. π is known exactly. Its knowledge is that of {@link priced}.
 * @see Cochran (1977), Sampling Techniques, §5.5, for the least variance at a cost
 */
export const pricedDraw: AnchorMethod = {
  name: "priced-draw",
  source: { module: import.meta.url, name: "pricedDraw" },
  drawn: true,
  estimator: "gate",
  shares: pricedShares,
  prepare: (input) => {
    const chances = pricedChances(input, relativePrices(input.knowledge as Float64Array));
    return stratifiedSamples(input, nestedLevels(chances, drawnSizes(input)));
  },
};

/**
 * Shares of scenarios that count alike, in proportion to 1/√c within the bounds of a tilted draw, c the mean price of a
 * scenario's items: of all forms at a price these leave the least variance of the mean of the scenarios' scores where the
 * scenarios' own variances are alike. How unlike they are only answers tell, and the form is planned before them.
 * @see Cochran (1977), Sampling Techniques, §5.5
 */
function pricedShares(
  scenarios: readonly { readonly id: string }[],
  knowledge: ReadonlyMap<string, unknown> | undefined,
): Float64Array {
  const means = Float64Array.from(scenarios, ({ id }) => {
    const prices = knowledge!.get(id) as Float64Array;
    return prices.reduce((sum, price) => sum + price, 0) / prices.length;
  });
  const even = new Float64Array(means.length).fill(1 / means.length);
  return tiltedWeights(even, relativePrices(means).map((cost) => 1 / Math.sqrt(cost))); // prettier-ignore
}

/** Prices over their mean, none below {@link LEAST_PRICE}; all 1 where nothing costs anything. */
function relativePrices(prices: Float64Array): Float64Array {
  const mean = prices.reduce((sum, price) => sum + price, 0) / prices.length;
  return prices.map((price) => (mean === 0 ? 1 : Math.max(price / mean, LEAST_PRICE)));
}

function pricedChances(input: AnchorInput, costs: Float64Array): Float64Array {
  const measure = residualVariances(input).map((variance, i) => Math.sqrt(variance / costs[i]!));
  return tiltedWeights(input.weights, measure);
}

/** Source models that the mean of all items' variances counts as, beside an item's own: of few, that is noise. */
const PRIOR_MODELS = 20;

/**
 * Variance of every item's answer about its prediction by the response model, over the source models: half of it by the
 * answers, half by the curves' p(1−p); drawn to the mean of all items as by {@link PRIOR_MODELS} more models.
 */
export function residualVariances({
  bank,
  abilities,
  column,
}: Pick<AnchorInput, "bank" | "abilities" | "column">): Float64Array {
  const { count, dims } = bank;
  const models = abilities.length / dims;
  const curves = Array.from({ length: models }, (_, m) =>
    itemResponses(abilities.subarray(m * dims, (m + 1) * dims), bank),
  );
  const sums = Float64Array.from({ length: count }, (_, i) => {
    const answers = column(i);
    return curves.reduce((sum, curve, m) => {
      const p = curve[i]!;
      return sum + ((answers[m]! - p) ** 2 + p * (1 - p)) / 2;
    }, 0);
  });
  const mean = sums.reduce((sum, variance) => sum + variance, 0) / (models * count);
  return sums.map((sum) => (sum + PRIOR_MODELS * mean) / (models + PRIOR_MODELS));
}

/**
 * A method whose anchors are chosen by price: {@link pricedDraw} where they were stratified, else {@link priced}.
 * @param prices - of all items of the benchmark
 * @throws AnchorEvalError `invalid_data` by the fit, for an item without a price of at least 0
 */
export function pricedMethod(method: Method, { items }: Pick<ItemPrices, "items">): Method {
  const anchors = method.anchors.name === "stratified" ? pricedDraw : priced;
  return {
    ...method,
    anchors: { ...anchors, know: (scenario) => Float64Array.from(scenario, ({ item_id: id }) => priceOf(id, items)) },
  };
}

function priceOf(id: string, prices: ItemPrices["items"]): number {
  const price = prices.get(id);
  if (price === undefined || !(price >= 0 && price < Infinity))
    throw new AnchorEvalError(
      "invalid_data",
      `item ${id} has ${price === undefined ? "no price" : `the price ${price}`}: every item takes one, a number of at least 0`,
    );
  return price;
}

/** Whether anchors that are chosen so can be chosen by price, too. @param selection - of a method's settings */
export function isPriceable(selection: string): boolean {
  return [DEFAULT_SETTINGS.selection, "stratified"].includes(selection);
}

/**
 * The part of a fit that chooses anchors by price and notes the prices in the bundle, so that estimates say what their
 * answers cost.
 * @param prices - of all items of the benchmark
 * @throws AnchorEvalError by the fit: as `pricedMethod`; `invalid_option` for a method whose anchors are chosen neither
 * by `screened` nor by `stratified`
 * @example
 * const prices = { unit: "usd", items: new Map(matrix.items.map(({ item_id: id }) => [id, id.startsWith("long/") ? 0.02 : 0.001])) };
 * const { content } = await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [byPrices(prices)] });
 */
export function byPrices(prices: ItemPrices): FitPart {
  return {
    stage: "prices",
    method: (method) => {
      const { selection } = method.settings;
      if (!isPriceable(selection))
        throw invalidOption(
          `prices choose anchors by what they tell for their price: they aren't for those chosen by ${selection}`,
        );
      return pricedMethod(method, prices);
    },
    add: ({ content }) => ({
      ...content,
      manifest: withPart(content.manifest, pricesPart, notedPrices(content, prices)),
    }),
  };
}
