import { planDoor, type ReadPlan, type ReadRequest, type RemarkedPlan, type RemarkedRequest } from "./plan/sdk/door.ts";
import { priceRemark } from "./prices/sdk/price-choices.ts";
import { trialPlanReading } from "./trials/sdk/plan-trials.ts";

const PLUGS = { readings: [trialPlanReading], remarks: [priceRemark] } as const;

/** A request for a plan of items. */
export type PlanRequest = RemarkedRequest<(typeof PLUGS.remarks)[number]>;

/** A plan of items, with the forms by price where the bundle was fitted by prices and no gap is asked for. */
export type ServedPlan = RemarkedPlan<(typeof PLUGS.remarks)[number]>;

/** A request for a plan of something else, by an option that plans of items haven't. */
export type OtherPlanRequest = ReadRequest<(typeof PLUGS.readings)[number]>;

/** A plan of something else than items. */
export type OtherPlan = ReadPlan<(typeof PLUGS.readings)[number]>;

/** The plan that a request asks for. @throws AnchorEvalError as those; `invalid_option` for options that don't go together */
export const planRequest = planDoor(PLUGS);
