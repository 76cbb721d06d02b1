import { budgetField, costField, PRICE_FIELDS } from "./prices/http.ts";
import { knownScoresAsked, knownScoresField } from "./known-scores/http.ts";
import { subscoresAsked, subscoresField } from "./subscores/http.ts";
import { passEstimate, TRIAL_FIELDS, TrialPlanSchema, trialsField, trialsQuery } from "./trials/http.ts";
import { bridgedField } from "./versions/http.ts";

const REMARKS = { ...costField, ...bridgedField, ...subscoresField, ...knownScoresField };

/** The fields of a request for an estimate. */
export const REQUEST_FIELDS = { ...TRIAL_FIELDS, ...subscoresAsked, ...knownScoresAsked };

/** Fields of an estimate beside the trunk's own. */
export const ESTIMATE_FIELDS = { ...trialsField, ...REMARKS };

/** Estimates of another kind. */
export const OTHER_ESTIMATES = [passEstimate(REMARKS)] as const;

/** Fields of a request for a plan, beside the trunk's own options. */
export const QUERY_FIELDS = { ...budgetField, ...trialsQuery };

/** Fields of a plan of items, beside its own. */
export const PLAN_FIELDS = PRICE_FIELDS;

/** Plans of something else. */
export const OTHER_PLANS = [TrialPlanSchema] as const;
