import { planGate } from "./gates/cli/parts.ts";
import { type PlanPart, planWith } from "./plan/cli.ts";
import { planPrices } from "./prices/cli.ts";
import { planTrials } from "./trials/cli/parts.ts";

/** The features' parts of `plan`. */
export const PLAN_PARTS: readonly PlanPart[] = [planGate, planTrials, planPrices];

export const planCommand = planWith(PLAN_PARTS);
