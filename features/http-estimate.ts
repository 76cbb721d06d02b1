import { costField } from "./prices/http.ts";
import { subscoresAsked, subscoresField } from "./subscores/http.ts";
import { bridgedField } from "./versions/http.ts";

/** Fields of features in requests of estimates. */
export const ESTIMATE_FIELDS = { ...subscoresAsked };

/** Fields of features beside an estimate of any kind. */
export const ESTIMATE_REMARKS = { ...costField, ...bridgedField, ...subscoresField };
