import type { BatchLine } from "anchoreval";
import { duplicateKeys } from "../http/duplicate-keys.ts";
import { HttpProblem, problemWords, toIssues } from "../problem.ts";
import { BatchEntrySchema } from "../schemas/estimate-request.ts";
import { estimateModel, type BatchBundle } from "./estimate-model.ts";

/** Estimates the model of one line of a request; a line that is no request is its own problem. */
export function estimateLine(bundle: BatchBundle, line: string, index: number): BatchLine {
  let value: unknown;
  try {
    value = JSON.parse(line.replace(/^\ufeff/, "")); // a text may begin with a byte order mark
  } catch {
    return { index, model: null, problem: problemWords(new HttpProblem("malformed_json", "the line is not JSON")) };
  }
  const parsed = BatchEntrySchema.safeParse(value);
  if (parsed.success) return { index, ...estimateModel(bundle, parsed.data, duplicateKeys(line)) };
  const issues = toIssues(parsed.error);
  const [{ path, message }] = issues as [(typeof issues)[number]];
  const problem = new HttpProblem("invalid_request", `${path.join(".") || "line"}: ${message}`, { issues });
  return { index, model: modelOf(value), problem: problemWords(problem) };
}

/** The model's name in a request that is otherwise wrong. */
export function modelOf(value: unknown): string | null {
  return typeof value === "object" && value !== null && "model" in value && typeof value.model === "string"
    ? value.model
    : null;
}
