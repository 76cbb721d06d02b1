import type { PlanPart } from "../cli/src/options/parts.ts";
import { planGate } from "./gates/cli/parts.ts";
import { planPrices } from "./prices/cli.ts";
import { planTrials } from "./trials/cli/parts.ts";

/** The features' parts of `plan`. */
export const PLAN_PARTS: readonly PlanPart[] = [planGate, planTrials, planPrices];
