import { costField } from "./prices/http.ts";
import { subscoresAsked, subscoresField } from "./subscores/http.ts";
import { bridgedField } from "./versions/http.ts";

/** What requests of estimates may ask of features. */
export const ESTIMATE_FIELDS = { ...subscoresAsked };

/** What features put beside an estimate of any kind. */
export const ESTIMATE_REMARKS = { ...costField, ...bridgedField, ...subscoresField };
