import { HttpProblem } from "../problem.ts";

/** Most models of one batch unless the setting says otherwise: what fits into the 10 ms of CPU of the free plan. */
export const DEFAULT_BATCH_MODELS = 5;

/** @throws HttpProblem `invalid_request` where there are no models, or more than one request may have */
export function checkBatchSize(models: number, most = DEFAULT_BATCH_MODELS): void {
  if (models > 0 && models <= most) return;
  const message =
    models === 0
      ? "at least one model is needed"
      : `a batch has at most ${most} models here, got ${models}: send parts, or a job`;
  throw new HttpProblem("invalid_request", message, {
    issues: [{ path: ["models"], code: models === 0 ? "too_small" : "too_big", message }],
  });
}
