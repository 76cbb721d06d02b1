/** Prices of items, and what answers cost. */
export type { ItemPrices } from "./parse-prices.ts";
export type { AnswerCost } from "./bundle-prices.ts";
