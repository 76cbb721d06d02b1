import { z } from "@hono/zod-openapi";
import { AnchorEvalError, type AnyEstimate, type BatchLine, type BatchResult, type TrialsRequest } from "anchoreval";
import { estimate } from "anchoreval/internal/features/sdk-estimate";
import type { OpenedBundle } from "../bundles/bundle-reader.ts";
import { duplicateKeys, refuseDuplicates } from "../http/request-body.ts";
import { describeZodError, HttpProblem, problemFields } from "../platform/problem.ts";
import { ESTIMATE_FIELDS, OTHER_ESTIMATES, REQUEST_FIELDS } from "../../../features/http-answers.ts";
import { EstimateSchema } from "../schemas/estimate.ts";
import { described, requestSchema } from "../schemas/fields.ts";

/** An estimate as it is served, with what features add to it. */
const ServedEstimateSchema = EstimateSchema.extend(ESTIMATE_FIELDS).openapi("ServedEstimate");

/** Any estimate: one with `metric` is of that. */
export const AnyEstimateSchema = z.union([...OTHER_ESTIMATES, ServedEstimateSchema]);

export const BatchEntrySchema = requestSchema(
  "BatchEntry",
  {
    model: described(z.string().min(1), "Any name; the results repeat it."),
    ...REQUEST_FIELDS,
  },
  { example: { model: "my-model", responses: { "gsm/17": 1, "gsm/42": 0 } } },
);

/** @throws HttpProblem `invalid_request` for no models, or more than one request may have */
export function checkBatchSize(models: number, most: number): void {
  if (models > 0 && models <= most) return;
  const message =
    models === 0
      ? "at least one model is needed"
      : `a batch has at most ${most} models here, got ${models}: split it, or submit a job`;
  throw new HttpProblem("invalid_request", message, {
    issues: [{ path: ["models"], code: models === 0 ? "too_small" : "too_big", message }],
  });
}

/**
 * Estimates one model of a batch. Answers that can't be scored give that model a problem and are not an error.
 * @param duplicates - paths, from the model's own root, of keys that appeared twice in the text
 */
export async function estimateModel(
  { bundle, readyFor }: OpenedBundle,
  { model, responses, ...options }: TrialsRequest & { readonly model: string },
  duplicates: readonly (readonly (string | number)[])[],
): Promise<BatchResult<AnyEstimate>> {
  try {
    refuseDuplicates(duplicates);
    await readyFor(responses);
    return { model, estimate: estimate(bundle, responses, options) };
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    return { model, problem: problemFields(error) };
  }
}

/** Estimates the model of one line of a request; a malformed line gets a problem of its own. */
export async function estimateLine(bundle: OpenedBundle, line: string, index: number): Promise<BatchLine<AnyEstimate>> {
  let value: unknown;
  try {
    value = JSON.parse(line.replace(/^\ufeff/, "")); // the text may begin with a byte order mark
  } catch {
    return { index, model: null, problem: problemFields(new HttpProblem("malformed_json", "the line is not JSON")) };
  }
  const parsed = BatchEntrySchema.safeParse(value);
  if (parsed.success) return { index, ...(await estimateModel(bundle, parsed.data, duplicateKeys(line, value))) };
  const { detail, issues } = describeZodError(parsed.error, "line");
  return {
    index,
    model: modelName(value),
    problem: problemFields(new HttpProblem("invalid_request", detail, { issues })),
  };
}

export function modelName(value: unknown): string | null {
  return typeof value === "object" && value !== null && "model" in value && typeof value.model === "string"
    ? value.model
    : null;
}

/** The last line of results; if it is missing, the results were cut off. */
export interface ResultsEnd {
  readonly done: true;
  readonly results: number;
  readonly problems: number;
}

/** Streams results as lines, each computed just before it is sent, and ends with their counts. Stops when the reader leaves. */
export function resultLines(
  count: number,
  resultOf: (index: number) => Promise<BatchLine<AnyEstimate>>,
): ReadableStream<Uint8Array> {
  let index = 0;
  let results = 0;
  return new ReadableStream({
    pull: async (controller) => {
      if (index === count) {
        controller.enqueue(jsonLine({ done: true, results, problems: count - results } satisfies ResultsEnd));
        controller.close();
        return;
      }
      const line = await resultOf(index++);
      if ("estimate" in line) results++;
      controller.enqueue(jsonLine(line));
    },
  });
}

const NDJSON_NAMES = /^application\/(x-ndjson|ndjson|jsonl)$/i;

/** Whether a Content-Type or an Accept header names JSON lines. */
export function isNdjson(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => NDJSON_NAMES.test(part.split(";")[0]!.trim()));
}

/** The lines that aren't blank: as many as `splitShards` counts. */
export function textLines(text: string): string[] {
  return text.split("\n").filter((line) => /[^\t\r ]/.test(line));
}

const encoder = new TextEncoder();

export function jsonLine(value: unknown): Uint8Array {
  return encoder.encode(`${JSON.stringify(value)}\n`);
}
