import { costField } from "./prices/http.ts";
import { passEstimate, TRIAL_FIELDS, trialsField } from "./trials/http.ts";
import { bridgedField } from "./versions/http.ts";

const REMARKS = { ...costField, ...bridgedField };

/** What a request for an estimate has. */
export const REQUEST_FIELDS = TRIAL_FIELDS;

/** What stands in an estimate beside the trunk's own fields. */
export const ESTIMATE_FIELDS = { ...trialsField, ...REMARKS };

/** Estimates of another kind. */
export const OTHER_ESTIMATES = [passEstimate(REMARKS)] as const;
