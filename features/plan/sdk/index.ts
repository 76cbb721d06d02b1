/** How many items it takes. */
export { planFromBundle } from "./plan-from-bundle.ts";
export type { Plan, PlannedForm, PlanOptions, Precision } from "./types.ts";
