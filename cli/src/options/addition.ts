import type { Fit } from "anchoreval-trainer/internal/fit/fit";
import type { BundleContent, Manifest } from "anchoreval/bundle";

/** Something that an option adds to a fitted bundle. Its modules are loaded when the option is given. */
export interface Addition {
  /** Name in the timings. */
  readonly stage: string;
  /** @returns the bundle's content with the addition */
  add(result: Fit): Promise<BundleContent>;
  words(manifest: Manifest): string[];
}
