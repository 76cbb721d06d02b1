/** A fit by what items cost. */
export { byPrices } from "./priced-anchors.ts";
