import { AnchorEvalError } from "anchoreval/core";
import { fullScores } from "../prepare/full-scores.ts";
import type { BankTask } from "./train-bank.ts";

/** Models below which nothing is calibrated. */
export const LEAST_MODELS = 5;

/** Models below which none can be held out. */
export const LEAST_HELD_OUT_FROM = 8;

/**
 * Rows of the models that answered something in a bank.
 * @throws AnchorEvalError `invalid_data` for fewer than five
 */
export function answeringModels({ id, matrix, scenarios }: Omit<BankTask, "families">): number[] {
  const full = scenarios.map((slice) => fullScores(matrix, slice).score);
  const rows = matrix.subjects.flatMap((_, m) => (full.some((scores) => !Number.isNaN(scores[m]!)) ? [m] : []));
  if (rows.length < LEAST_MODELS)
    throw new AnchorEvalError(
      "invalid_data",
      `only ${rows.length} models have answers in ${id}, at least ${LEAST_MODELS} are needed: add models, or leave its items out`,
    );
  return rows;
}
