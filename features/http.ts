import { createNextItems } from "./adaptive/http/next-items.ts";
import { createJob, readJobResults, readJobStatus } from "./jobs/http/routes.ts";
import { createCheck, createComparison } from "./compare/http.ts";
import { createJudgedEstimate } from "./judge/http.ts";
import { createRoutes } from "./routing/http.ts";
import { createPublication, putBlob, putCard, putYank } from "./publishing/http/routes.ts";
import { readPublicationLog, readTrust } from "./trust/http/routes.ts";

/** The features' routes of the HTTP interface. Those of all versions come before the trunk's of one. */
export const ROUTES = [
  ...[createRoutes, createNextItems, readTrust, readPublicationLog],
  ...[createJob, readJobStatus, readJobResults],
] as const;

/** Routes for answers, beside the trunk's estimates; one needs no bundle. */
export const ANSWER_ROUTES = [createComparison, createCheck, createJudgedEstimate] as const;

/** Routes that follow the trunk's. */
export const LATER_ROUTES = [putBlob, createPublication, putCard, putYank] as const;

/** The Worker's queue, by the feature whose messages it has. */
export { consumeQueue } from "./jobs/http/consume-jobs.ts";
