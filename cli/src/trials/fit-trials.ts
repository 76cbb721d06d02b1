import { withVarianceComponents } from "anchoreval-trainer/internal/extensions/trials/variance-components";
import type { Responses } from "anchoreval-trainer/internal/matrix/read-responses";
import type { ItemInfo } from "anchoreval-trainer/internal/matrix/response-matrix";
import { componentWords } from "anchoreval/internal/trials/components";
import type { Addition } from "../options/exposure.ts";

/** The variance components that a fit on several trials of each item leaves in the bundle's notes. */
export function repeatedTrials(trials: NonNullable<Responses["trials"]>, items: readonly ItemInfo[]): Addition {
  return {
    stage: "trials",
    add: ({ content }) => Promise.resolve(withVarianceComponents(content, trials, items)),
    words: componentWords,
  };
}
