import type { Manifest } from "../sdk/core/bundle/manifest.ts";
import type { PartedManifest } from "../sdk/core/bundle/part.ts";
import type { BundleFact } from "../sdk/words/bundle-words.ts";
import { fullScoreFacts, fullScoreWords } from "./full-scores/sdk.ts";
import { gateFacts } from "./gates/sdk/facts.ts";
import { priceFacts } from "./prices/sdk/bundle-prices.ts";
import { knownScoreFacts } from "./known-scores/sdk/facts.ts";
import { coldStartFacts } from "./routing/sdk/facts.ts";
import { subscoreFacts } from "./subscores/sdk/facts.ts";
import { componentFacts } from "./trials/sdk/components.ts";
import { unaskedFacts } from "./unasked/sdk/facts.ts";
import { baseFacts, baseWords } from "./versions/sdk.ts";

/** The facts for people of what features add to a bundle. */
export const FACTS: readonly ((manifest: Manifest) => BundleFact[])[] = [
  fullScoreFacts,
  unaskedFacts,
  baseFacts,
  priceFacts,
  coldStartFacts,
  componentFacts,
  gateFacts,
  subscoreFacts,
  knownScoreFacts,
];

/** Sentences on a fit about that which features add to its bundle: none where it hasn't such a thing. */
export const WORDS: readonly ((manifest: PartedManifest & Pick<Manifest, "scenarios" | "sources">) => string[])[] = [
  baseWords,
  fullScoreWords,
];
