import { budgetField, PRICE_FIELDS } from "./prices/http.ts";
import { TrialPlanSchema, trialsQuery } from "./trials/http.ts";

/** What a request for a plan may have beside the trunk's own options. */
export const QUERY_FIELDS = { ...budgetField, ...trialsQuery };

/** What stands in a plan of items beside its own fields. */
export const PLAN_FIELDS = PRICE_FIELDS;

/** Plans of something else. */
export const OTHER_PLANS = [TrialPlanSchema] as const;
