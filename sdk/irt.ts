/**
 * Item response theory: item banks, response functions, information, abilities, and other programs' parameters.
 * Logistic metric (no 1.702), one or several dimensions, one to four parameters.
 * @module anchoreval/irt
 */
export { mapAbility, type AbilityEstimate, type ScoredItems } from "./core/ability/map.ts";
export { scaledPrior, type AbilityPrior } from "./core/ability/prior.ts";
export { sigmoid } from "./core/numeric/functions.ts";
export {
  fromMirt,
  fromPyIrt,
  fromTinyBenchmarks,
  toMirt,
  toPyIrt,
  toTinyBenchmarks,
  type ForeignParameters,
} from "./core/irt/conversions.ts";
export { difficulties, discriminations, itemBank, type FloatArray, type ItemBank } from "./core/irt/item-bank.ts";
export { itemInformation, itemLogit, itemResponse, itemResponses, testInformation } from "./core/irt/response.ts";
