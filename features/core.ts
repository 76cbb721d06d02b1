import type { BundlePart } from "../sdk/core/bundle/part.ts";
import { knownScoresPart } from "./known-scores/core.ts";
import { limitsPart } from "./adaptive/core/limits.ts";
import { gateFormsPart } from "./gates/core.ts";
import { pricesPart } from "./prices/core.ts";
import { coldStartPart } from "./routing/core/cold-start.ts";
import { subscoresPart } from "./subscores/core/part.ts";
import { componentsPart, trialMetricPart } from "./trials/core.ts";
import { unaskedPart } from "./unasked/core.ts";
import { basePart } from "./versions/core.ts";

/** The features' parts of a bundle. */
export const PARTS: readonly BundlePart<unknown>[] = [
  ...[coldStartPart, limitsPart, basePart, unaskedPart],
  ...[pricesPart, componentsPart, trialMetricPart, gateFormsPart, subscoresPart],
  knownScoresPart,
];
