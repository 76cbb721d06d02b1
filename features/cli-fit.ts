import type { FitOptionPart } from "../cli/src/options/fit.ts";
import { coldStart } from "./routing/cli/cold-start.ts";
import { gateForms } from "./gates/cli/gate-forms.ts";
import { learnKnownScores } from "./known-scores/cli.ts";
import { itemCosts } from "./prices/cli.ts";
import { learnSubscores } from "./subscores/cli.ts";
import { trialMetric, varianceComponents } from "./trials/cli/fit-trials.ts";
import { earlierVersion } from "./versions/cli/base.ts";

/** The features' parts of a fit, in the order in which they see its answers and its method. */
export const FIT_PARTS: readonly FitOptionPart[] = [
  ...[trialMetric, coldStart, varianceComponents, gateForms, itemCosts, learnSubscores],
  learnKnownScores,
  earlierVersion,
];
