import type { EstimatePart } from "../cli/src/options/parts.ts";
import { estimateJudged } from "./judge/cli.ts";
import { estimateKnownScore } from "./known-scores/cli.ts";
import { answerCosts } from "./prices/cli.ts";
import { estimateRecords } from "./records/cli.ts";
import { estimateSubscores } from "./subscores/cli.ts";
import { estimateTrials } from "./trials/cli/parts.ts";
import { bridged } from "./versions/cli/parts.ts";

/** The features' parts of `estimate`, in the order of what they say. */
export const ESTIMATE_PARTS: readonly EstimatePart[] = [
  bridged,
  estimateTrials,
  answerCosts,
  estimateSubscores,
  estimateKnownScore,
  estimateRecords,
  estimateJudged,
];
