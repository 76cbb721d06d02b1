import { dimsFor } from "../calibrate/bank.ts";
import { type CalibrationWork, calibrationWork } from "../calibrate/calibration-work.ts";
import { DIMENSION_CANDIDATES } from "../calibrate/choose-dimension.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import type { Method } from "../methods/method.ts";
import { LEAST_HELD_OUT_FROM } from "./folds.ts";

/**
 * The calibrations of learning from a matrix so often: one each, and one for each number of dimensions that is tried.
 * Marginal estimation asks no backend for any.
 * @param cores - that they use at most
 */
export function learningWork(
  matrix: Pick<ResponseMatrix, "subjects" | "items">,
  { settings: { dims, estimation } }: Pick<Method, "settings">,
  { times, cores }: { readonly times: number; readonly cores?: number },
): CalibrationWork {
  const tried = typeof dims === "number" ? [] : dims === "auto" ? DIMENSION_CANDIDATES : dims;
  const most = typeof dims === "number" ? dims : Math.max(...tried);
  return calibrationWork(matrix, {
    dims: dimsFor(most, matrix.subjects.length),
    calibrations: estimation === "marginal" ? 0 : times * (1 + tried.length),
    ...(cores !== undefined && { cores }),
  });
}

/** How often a fit learns: from all models, without each fold of the held-out ones, and from the weaker models. */
export function learnings({ settings }: Pick<Method, "settings">, models: number): number {
  return models < LEAST_HELD_OUT_FROM ? 1 : settings.folds + 2;
}

/** The calibrations of a fit, folds and all models on a core each. */
export function fitWork(
  matrix: Pick<ResponseMatrix, "subjects" | "items">,
  method: Pick<Method, "settings">,
): CalibrationWork {
  const times = learnings(method, matrix.subjects.length);
  return learningWork(matrix, method, { times, cores: times });
}
