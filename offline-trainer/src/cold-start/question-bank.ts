import type { RandomSource } from "anchoreval/core";
import { calibrate } from "../calibrate/calibrate.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { scoreAt, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { binarizingThreshold } from "../prepare/binarize.ts";
import { codeResponses } from "../prepare/code-responses.ts";
import type { QuestionBank } from "./types.ts";

/** How a score counts as right: above the threshold that keeps models' mean scores best, or whatever isn't 0. */
export const RIGHT_RULES = ["threshold", "nonzero"] as const;
export type RightRule = (typeof RIGHT_RULES)[number];

/** The score above which an answer counts as right, learned from the train questions. */
export function rightAbove(matrix: ResponseMatrix, rule: RightRule): number {
  if (rule === "nonzero") return 0;
  return binarizingThreshold(matrix, Array.from(matrix.subjects.keys()), 0, matrix.items.length) ?? 0.5;
}

/** Answers question by question, `[i·M + m]`: 1 for a score above `cut`, 0 for another, NaN where missing. */
export function rightAnswers(matrix: ResponseMatrix, cut: number): Float64Array {
  const models = matrix.subjects.length;
  return Float64Array.from({ length: models * matrix.items.length }, (_, at) => {
    const score = scoreAt(matrix, at % models, Math.floor(at / models));
    return Number.isNaN(score) ? NaN : Number(score > cut);
  });
}

/** Calibrates the train questions, logit P = a·θ − b, on all models' answers. */
export async function questionBank(
  matrix: ResponseMatrix,
  cut: number,
  {
    dims,
    backend,
    random,
  }: { readonly dims: number; readonly backend: CalibrationBackend; readonly random: RandomSource },
): Promise<QuestionBank> {
  const rows = Array.from(matrix.subjects.keys());
  const coded = codeResponses(matrix, rows, new Float64Array(matrix.items.length).fill(cut));
  const { theta, a, b } = await calibrate(coded, { dims, backend, random });
  return { models: rows.length, dims, theta, a, b, answers: rightAnswers(matrix, cut) };
}
