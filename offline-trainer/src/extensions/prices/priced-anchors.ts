import type { BundleContent } from "anchoreval/bundle";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { notedPrices } from "anchoreval/internal/prices/bundle-prices";
import type { ItemPrices } from "anchoreval/internal/prices/parse-prices";
import type { AnchorInput, AnchorMethod } from "../../anchors/anchor-method.ts";
import { screenedSamples } from "../../anchors/screened.ts";
import { tiltedWeights } from "../../anchors/tilted.ts";
import type { Method } from "../../methods/method.ts";

/** An item counts as costing at least this share of its scenario's mean: no form is made of what happens to be free. */
const LEAST_PRICE = 1e-3;

/** The way of choosing as manifests name it. */
const NAME = "priced";

/**
 * `priced`: {@link screenedSamples} by price. Those on purpose are chosen by what they tell of the full score for what they
 * cost; the others are drawn with π ∝ w·√(v/c), v the variance of an item's answer about its prediction and c its price,
 * within the bounds of a tilted draw: of all π with the same expected price Σπc these leave the least variance Σw²v/π.
 * Its knowledge is the prices of the scenario's items, at least 0.
 * @see Cochran (1977), Sampling Techniques, §5.5, for the least variance at a cost
 */
export const priced: AnchorMethod = {
  name: NAME,
  source: { module: import.meta.url, name: "priced" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => {
    const prices = input.knowledge as Float64Array;
    const mean = prices.reduce((sum, own) => sum + own, 0) / prices.length;
    const costs = prices.map((own) => (mean === 0 ? 1 : Math.max(own / mean, LEAST_PRICE)));
    const measure = residualVariances(input).map((variance, i) => Math.sqrt(variance / costs[i]!));
    return screenedSamples(input, { costs, chances: tiltedWeights(input.weights, measure) });
  },
};

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
  const mean = sums.reduce((sum, own) => sum + own, 0) / (models * count);
  return sums.map((sum) => (sum + PRIOR_MODELS * mean) / (models + PRIOR_MODELS));
}

/** A method whose anchors are {@link priced}. @param prices - of all items of the benchmark */
export function pricedMethod(method: Method, { items }: Pick<ItemPrices, "items">): Method {
  return {
    ...method,
    anchors: { ...priced, know: (own) => Float64Array.from(own, ({ item_id: id }) => items.get(id)!) },
  };
}

/** A bundle's content with its prices noted in `fit.prices`, and its forms as chosen by them. */
export function withPrices(content: BundleContent, prices: ItemPrices): BundleContent {
  const { manifest } = content;
  return {
    ...content,
    manifest: {
      ...manifest,
      forms: manifest.forms.map((form) => ({ ...form, selection: NAME })),
      fit: { ...manifest.fit, prices: notedPrices(content, prices) },
    },
  };
}
