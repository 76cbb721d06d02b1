/** The Worker's queue, by the feature whose messages it has. */
export { consumeQueue } from "./jobs/http/consume-jobs.ts";
