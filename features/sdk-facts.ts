import type { Manifest } from "../sdk/core/bundle/manifest.ts";
import type { BundleFact } from "../sdk/words/bundle-words.ts";
import { gateFacts } from "./gates/sdk/facts.ts";
import { priceFacts } from "./prices/sdk/bundle-prices.ts";
import { coldStartFacts } from "./routing/sdk/facts.ts";
import { subscoreFacts } from "./subscores/sdk/facts.ts";
import { componentFacts } from "./trials/sdk/components.ts";
import { baseFacts } from "./versions/sdk.ts";

/** The facts for people of what features add to a bundle. */
export const FACTS: readonly ((manifest: Manifest) => BundleFact[])[] = [
  baseFacts,
  priceFacts,
  coldStartFacts,
  componentFacts,
  gateFacts,
  subscoreFacts,
];
