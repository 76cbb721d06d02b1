import type { PartedManifest } from "../sdk/core/bundle/part.ts";
import type { Manifest } from "../sdk/core/bundle/manifest.ts";
import { baseWords } from "./versions/sdk.ts";

/** What is said of a fit about that which features add to a bundle: sentences, none where it hasn't such a thing. */
export const WORDS: readonly ((manifest: PartedManifest & Pick<Manifest, "scenarios" | "sources">) => string[])[] = [
  baseWords,
];
