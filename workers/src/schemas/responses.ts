import { z } from "@hono/zod-openapi";
import { NDJSON } from "../http/ndjson.ts";
import { BatchLineSchema, ResultsEndSchema } from "./batch.ts";
import { ProblemSchema } from "./problem.ts";

/** A JSON answer of the contract. */
export function json<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { "application/json": { schema } } };
}

/** What stands in an answer of lines; its schema is of the text. */
export const LINE_SCHEMAS = [BatchLineSchema, ResultsEndSchema];

const Lines = z.string().openapi({ description: "A line each: `BatchLine` for every model, and last `ResultsEnd`." });

/** An answer of JSON lines: results, then their counts. */
export function lines(description: string) {
  return { description, content: { [NDJSON]: { schema: Lines } } };
}

/** A refusal of the contract. */
function problem(description: string) {
  return { description, content: { "application/problem+json": { schema: ProblemSchema } } };
}

/** A refusal that is none later. */
function busy(description: string) {
  return { ...problem(description), headers: headers({ "Retry-After": "Seconds to wait" }) };
}

/** Headers of an answer, with what they say. */
export function headers(described: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  );
}

/** Refusals of every route: a token that is sent must be known, and requests are counted. */
export const ANY_PROBLEMS = {
  401: problem("No valid bearer token"),
  429: busy("Too many requests"),
  500: problem("The Worker's secrets can't be read"),
};

/** Refusals of every route that reads a bundle. */
export const READ_PROBLEMS = {
  ...ANY_PROBLEMS,
  403: problem("The benchmark is protected, and the token lacks the scope"),
  404: problem("No such benchmark, version or file"),
  500: problem("The published bundle is damaged, or the Worker's secrets can't be read"),
  503: busy("Storage does not answer"),
};

/** Refusals of a route that names a form. */
export const ANCHORS_PROBLEMS = { ...READ_PROBLEMS, 422: problem("There is no such form") };

/** Refusals of a route that is asked for figures. */
export const PLAN_PROBLEMS = { ...READ_PROBLEMS, 422: problem("Invalid values: `issues` has one entry for each") };

/** Refusals of every route that reads a bundle and takes a body. */
export const POST_PROBLEMS = {
  ...READ_PROBLEMS,
  400: problem("The body is not JSON"),
  413: problem("The body is too large"),
  415: problem("The body is not application/json"),
  422: problem("Invalid values: `issues` has one entry for each"),
};

/** Refusals of every route that takes answers. */
export const ESTIMATE_PROBLEMS = { ...POST_PROBLEMS, 409: problem("The answers belong to another bundle") };

/** Refusals of the route that chooses items. */
export const NEXT_ITEMS_PROBLEMS = {
  ...ESTIMATE_PROBLEMS,
  410: problem("The session began too long ago"),
  501: problem("This Worker signs no sessions: it has no SESSION_KEYS"),
};

/** Refusals of a job's submission. */
export const JOB_SUBMISSION_PROBLEMS = {
  ...READ_PROBLEMS,
  411: problem("No Content-Length"),
  413: problem("Too many bytes or models"),
  415: problem("The body is not lines of JSON"),
  422: problem("No models, or another length than announced"),
  501: problem("This Worker has no queue"),
};

/** Refusals of a job's reading. */
export const JOB_PROBLEMS = {
  ...READ_PROBLEMS,
  404: problem("No such job"),
  410: problem("The job has expired"),
};

/** Refusals of the reading of a job's results. */
export const JOB_RESULTS_PROBLEMS = { ...JOB_PROBLEMS, 409: busy("The job is still running") };

/** Refusals of every route that publishes. */
export const PUBLISH_PROBLEMS = {
  ...ANY_PROBLEMS,
  400: problem("The body is not JSON"),
  403: problem("The token lacks the scope"),
  404: problem("No such name"),
  409: problem("The version is published with other content"),
  411: problem("No Content-Length"),
  413: problem("The body is too large"),
  415: problem("Another media type"),
  422: problem("The content or the manifest is refused: `issues` has one entry for each finding"),
  503: busy("Storage does not answer"),
};

/** GET of `latest`: its number is found first. */
export const MOVED = { 307: { description: "`latest`: at its number", headers: headers({ Location: "Path" }) } };

/** Content that the caller has already. */
export const NOT_MODIFIED = {
  304: { description: "The content that If-None-Match names", headers: headers({ ETag: "Digest of the content" }) },
};

/** Bytes that are outside of a file. */
export const OUTSIDE = { 416: problem("The range lies outside the file") };
