import type { BundlePart } from "../sdk/core/bundle/part.ts";
import { gateFormsPart } from "./gates/core.ts";
import { pricesPart } from "./prices/core.ts";
import { subscoresPart } from "./subscores/core/part.ts";
import { componentsPart, trialMetricPart } from "./trials/core.ts";

/** The features' parts of a bundle. */
export const PARTS: readonly BundlePart<unknown>[] = [
  pricesPart,
  componentsPart,
  trialMetricPart,
  gateFormsPart,
  subscoresPart,
];
