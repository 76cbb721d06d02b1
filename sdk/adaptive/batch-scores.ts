import { AnchorEvalError, type Issue } from "../core/errors.ts";
import { scoreProblem } from "../estimate/resolve-answers.ts";
import type { Responses } from "../estimate/types.ts";
import type { AdaptiveAnswers } from "./types.ts";

/**
 * The answers to the items that were asked, by model and aligned with them; NaN = no answer.
 * @param names - ids of the items
 * @throws AnchorEvalError `invalid_answers`: every item needs a score, or null where there is no answer
 */
export function batchScores(names: readonly string[], answers: AdaptiveAnswers, models: 1 | 2): Float64Array[] {
  const sides =
    "responses" in answers
      ? [{ path: [], responses: answers.responses }]
      : [
          { path: ["a"], responses: answers.a.responses },
          { path: ["b"], responses: answers.b.responses },
        ];
  if (sides.length !== models)
    throw new AnchorEvalError(
      "invalid_answers",
      models === 1
        ? "this evaluation is of one model: its answers are `responses`"
        : "this evaluation is of two models: their answers are `a.responses` and `b.responses`",
    );
  const issues: Issue[] = [];
  const scores = sides.map(({ path, responses }) => alignedScores(names, responses, [...path, "responses"], issues));
  if (issues.length > 0)
    throw new AnchorEvalError(
      "invalid_answers",
      `${issues.length} answers can't be used: ${issues[0]!.path.join(".")}: ${issues[0]!.message}`,
      { issues },
    );
  return scores;
}

function alignedScores(names: readonly string[], responses: Responses, path: string[], issues: Issue[]): Float64Array {
  if (Array.isArray(responses)) {
    if (responses.length !== names.length)
      issues.push({
        path,
        code: "wrong_length",
        message: `${names.length} items were asked, got ${responses.length} answers`,
      });
    return Float64Array.from(names, (_, j) => checked(responses[j], [...path, j], issues));
  }
  if (typeof responses !== "object" || (responses as unknown) === null) {
    issues.push({ path, code: "invalid_type", message: "answers are an object of item id → score" });
    return new Float64Array(names.length);
  }
  const given = responses instanceof Map ? responses : new Map(Object.entries(responses));
  const asked = new Set(names);
  for (const id of given.keys())
    if (!asked.has(String(id)))
      issues.push({ path: [...path, String(id)], code: "unknown_item", message: "this item wasn't asked now" });
  return Float64Array.from(names, (id) => checked(given.get(id), [...path, id], issues));
}

function checked(score: unknown, path: (string | number)[], issues: Issue[]): number {
  if (score === undefined) {
    issues.push({ path, code: "missing", message: "this item was asked: send its score, or null for no answer" });
    return NaN;
  }
  const problem = scoreProblem(score);
  if (problem) issues.push({ path, ...problem });
  return score === null || problem ? NaN : (score as number);
}
