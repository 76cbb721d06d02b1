import { AnchorEvalError, type AnchorEvalErrorCode, type Issue } from "anchoreval";
import type { z } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";

type StatusAndTitle = readonly [status: number, title: string];

const HTTP_PROBLEMS = {
  malformed_json: [400, "The body is not JSON"],
  unauthorized: [401, "A valid bearer token is required"],
  forbidden: [403, "The token does not allow this"],
  method_not_allowed: [405, "Method not allowed"],
  body_timeout: [408, "The body did not come in time"],
  job_running: [409, "The job is still running"],
  job_expired: [410, "The job has expired"],
  state_expired: [410, "The session has expired"],
  length_required: [411, "Content-Length is required"],
  payload_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body's media type is not supported"],
  range_not_satisfiable: [416, "The range is outside the file"],
  invalid_state: [422, "The session state is invalid"],
  invalid_request: [422, "The request has invalid values"],
  content_mismatch: [422, "The content differs from what was announced"],
  rate_limited: [429, "Too many requests"],
  misconfigured: [500, "This Worker is misconfigured"],
  internal: [500, "Internal error"],
  not_implemented: [501, "This Worker is not set up for this"],
} as const satisfies Readonly<Record<string, StatusAndTitle>>;

type HttpProblemCode = keyof typeof HTTP_PROBLEMS;
type ProblemCode = AnchorEvalErrorCode | HttpProblemCode;

const PROBLEMS: Readonly<Record<ProblemCode, StatusAndTitle>> = {
  ...HTTP_PROBLEMS,
  request_refused: [400, "The request was refused"],
  not_found: [404, "Not found"],
  digest_mismatch: [409, "The answers belong to another bundle"],
  yanked_version: [409, "The version was yanked by its publisher"],
  version_conflict: [409, "The version exists with other content"],
  invalid_answers: [422, "The answers cannot be scored"],
  invalid_data: [422, "The data are malformed"],
  invalid_option: [422, "An option is invalid"],
  ambiguous_form: [422, "The answers fit more than one form"],
  unknown_form: [422, "Unknown form"],
  unknown_scenario: [422, "Unknown scenario"],
  item_changed: [422, "Items have changed since they were calibrated"],
  unsupported: [422, "Not supported"],
  bundle_invalid: [500, "The published bundle is invalid"],
  bundle_untrusted: [422, "No trusted key signed the bundle"],
  bundle_format_unsupported: [500, "The published bundle has a newer format"],
  bundle_newer: [500, "The published bundle has a part that is newer than this Worker"],
  bundle_corrupt: [500, "The published bundle is damaged"],
  bundle_mismatch: [500, "Another bundle lies under this address"],
  numeric_failure: [500, "A computation failed"],
  aborted: [500, "The work was aborted"],
  truncated: [500, "A response was cut off"],
  out_of_memory: [500, "Not enough memory"],
  unavailable: [503, "Storage is not responding"],
};

interface HttpProblemDetails {
  readonly issues?: readonly Issue[];
  readonly headers?: Readonly<Record<string, string>>;
}

export class HttpProblem extends Error {
  readonly code: HttpProblemCode;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpProblemCode, message: string, { issues = [], headers = {} }: HttpProblemDetails = {}) {
    super(message);
    this.name = "HttpProblem";
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }
}

/** Longest list of issues in an answer, and longest text in it: a large bad request must not get a larger answer. */
const [MOST_ISSUES, LONGEST_TEXT] = [100, 1000];

/**
 * The problem document (RFC 9457) of an error. Only errors that are meant for readers show their message.
 * @param at - the path of the request, and its id in the logs
 */
export function problemResponse(error: unknown, at: { instance: string; requestId: string }): Response {
  const problem = toProblem(error);
  const { code, detail, issues } = problemFields(problem);
  const [status, title] = PROBLEMS[code];
  const document = { type: `urn:anchoreval:problem:${code}`, title, status, detail, code, issues, ...at };
  return Response.json(document, {
    status,
    headers: {
      ...(status === 503 && { "retry-after": "1" }),
      ...(problem instanceof HttpProblem && problem.headers),
      "content-type": "application/problem+json",
      "cache-control": "no-store",
    },
  });
}

export function codeOf(error: unknown): ProblemCode {
  return toProblem(error).code;
}

export function problemFields({ code, message, issues }: AnchorEvalError | HttpProblem) {
  return {
    code,
    detail: shortened(message),
    issues: issues.slice(0, MOST_ISSUES).map((issue) => ({
      ...issue,
      path: issue.path.map((part) => (typeof part === "string" ? shortened(part) : part)),
      message: shortened(issue.message),
    })),
  };
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT / 2)} … ${text.slice(-LONGEST_TEXT / 2)}`;
}

/** zod's findings as issues, and the first as a sentence. @param root - what an empty path refers to */
export function describeZodError(
  error: z.ZodError,
  root: "body" | "query" | "line",
): { detail: string; issues: Issue[] } {
  const issues = error.issues.map(({ path, code, message }) => ({
    path: path.map((key) => (typeof key === "symbol" ? String(key) : key)),
    code,
    message,
  }));
  const [first] = issues;
  return { detail: first ? `${first.path.join(".") || root}: ${first.message}` : "", issues };
}

function toProblem(error: unknown): AnchorEvalError | HttpProblem {
  if (error instanceof AnchorEvalError || error instanceof HttpProblem) return error;
  if (error instanceof HTTPException && error.status === 400)
    return new HttpProblem("malformed_json", "the body is not JSON");
  if (error instanceof HTTPException && error.status === 415)
    return new HttpProblem("unsupported_media_type", "send the body as application/json");
  return new HttpProblem("internal", "an unexpected error; it was logged");
}
