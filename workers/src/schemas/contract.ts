import { z } from "@hono/zod-openapi";
import { BENCHMARK_NAME, BUNDLE_FILES, CARD_FILE, LATEST, VERSION } from "anchoreval/internal/core/bundle/names";
import { SIGNATURE_FILE } from "anchoreval/internal/core/bundle/signature";
import { answerSchema } from "./fields.ts";

export const BenchmarkParams = z.object({
  benchmark: z
    .string()
    .regex(BENCHMARK_NAME, "a benchmark's name has at most 64 lowercase letters, digits, '.', '_' and '-'")
    .openapi({ example: "helm-lite" }),
});

const NOT_A_VERSION = "a version is a number like 1.0.0 or 1.0.0-rc.1";

/** For GET and PUT; GET of `latest` is redirected. */
export const VersionParams = BenchmarkParams.extend({
  version: z
    .string()
    .regex(VERSION, NOT_A_VERSION)
    .openapi({ example: "1.0.0", description: "A version number; `latest` is redirected to its number." }),
});

/** For POST, whose answer states the version that `latest` was. */
export const VersionOrLatestParams = BenchmarkParams.extend({
  version: z
    .string()
    .refine((version) => version === LATEST || VERSION.test(version), NOT_A_VERSION)
    .openapi({ example: "1.0.0", description: "A version number, or `latest`." }),
});

export const FileParams = VersionParams.extend({ name: z.enum([...BUNDLE_FILES, SIGNATURE_FILE, CARD_FILE]) });

export const NDJSON = "application/x-ndjson";

const Lines = z.string().openapi({ description: "One `BatchLine` per model, then `ResultsEnd`." });

/** An answer of JSON lines: results, then their counts. */
export function lines(description: string) {
  return { description, content: { [NDJSON]: { schema: Lines } } };
}

export function headers(described: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  );
}

export const IssueSchema = answerSchema("Issue", {
  path: z
    .array(z.union([z.string(), z.number()]))
    .readonly()
    .openapi({ example: ["responses", "gsm/17"] }),
  code: z.string().openapi({ example: "out_of_range" }),
  message: z.string(),
});

/** The body of every refusal (RFC 9457). */
export const ProblemSchema = answerSchema("Problem", {
  type: z.string().openapi({ example: "urn:anchoreval:problem:invalid_answers" }),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string().openapi({ example: "invalid_answers", description: "Stable: programs branch on it." }),
  issues: z.array(IssueSchema).readonly(),
  instance: z.string().openapi({ description: "The path of the request." }),
  requestId: z.string().openapi({ description: "The request's id, as in `x-request-id` and the Worker's logs." }),
});

export function problem(description: string) {
  return { description, content: { "application/problem+json": { schema: ProblemSchema } } };
}

/** A problem that may be gone on the next try. */
export function transient(description: string) {
  return { ...problem(description), headers: headers({ "Retry-After": "Seconds to wait" }) };
}

/** A body whose type, or whose encoding, isn't taken. */
export function encoded(description: string) {
  const refused = problem(`${description}, or is compressed`);
  return { ...refused, headers: headers({ "Accept-Encoding": "`identity`, where the body is compressed" }) };
}

const UNAVAILABLE = transient("Storage is not responding");
const INVALID = problem("Invalid values; `issues` has an entry for each");

/** Of every route: tokens are checked and requests counted everywhere. */
const common = {
  401: problem("No valid bearer token"),
  429: transient("Too many requests"),
  500: problem("The Worker's secrets are malformed"),
};

/** Of routes that read a bundle. */
const read = {
  ...common,
  403: problem("The benchmark is protected, and the token lacks the scope"),
  404: problem("No such benchmark, version or file"),
  422: problem("A parameter of the query that the route doesn't have, or an invalid one"),
  500: problem("The published bundle is damaged, or the Worker's secrets are malformed"),
  503: UNAVAILABLE,
};

/** Of GET for a version: `latest` is redirected to its number. */
const version = {
  ...read,
  307: { description: "`latest`, redirected to its number", headers: headers({ Location: "Path" }) },
};

/** Of files, whose content the caller may have already. */
const file = {
  ...version,
  304: { description: "The caller has the content already", headers: headers({ ETag: "Digest of the content" }) },
};

const ofBody = {
  400: problem("The body is not JSON"),
  413: problem("The body is too large"),
  415: encoded("The body is not application/json"),
  422: INVALID,
};

/** Of routes that have a body and read no bundle. */
const body = { ...common, ...ofBody };

/** Of routes that read a bundle and have a body. */
const post = { ...read, ...ofBody };

/** Of routes that take answers of models. */
const answers = { ...post, 409: problem("The answers belong to another bundle") };

export const OTHERWISE = {
  common,
  read,
  file,
  range: { ...file, 416: problem("The range is outside the file") },
  form: { ...version, 422: problem("There is no such form") },
  query: { ...version, 422: INVALID },
  body,
  post,
  answers,
  version,
  publishing: {
    ...common,
    400: problem("The body is not JSON"),
    403: problem("The token lacks the scope"),
    404: problem("No such name"),
    409: problem("The version is published with other content"),
    411: problem("No Content-Length"),
    413: problem("The body is too large"),
    415: encoded("The body is of another media type"),
    422: problem("The content or the manifest is refused; `issues` has an entry for each finding"),
    503: UNAVAILABLE,
  },
};
