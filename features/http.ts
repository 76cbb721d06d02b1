import { createNextItems } from "./adaptive/http/next-items.ts";
import { createJob, readJobResults, readJobStatus } from "./jobs/http/routes.ts";
import { createRoutes } from "./routing/http.ts";
import { readPublicationLog, readTrust } from "./trust/http/routes.ts";

/** The features' routes of the HTTP interface. */
export const ROUTES = [
  ...[createRoutes, createNextItems, readTrust, readPublicationLog],
  ...[createJob, readJobStatus, readJobResults],
] as const;
