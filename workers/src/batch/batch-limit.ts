import { countSetting } from "../count-setting.ts";
import type { Env } from "../env.ts";
import { HttpProblem } from "../problem.ts";

/** Most models of one batch unless the setting says otherwise: what fits into the 10 ms of CPU of the free plan. */
export const DEFAULT_BATCH_MODELS = 5;

/** Most models of one batch. @throws HttpProblem `misconfigured` */
export function batchModels({ MAX_BATCH_MODELS }: Pick<Env, "MAX_BATCH_MODELS">): number {
  return countSetting("MAX_BATCH_MODELS", MAX_BATCH_MODELS, DEFAULT_BATCH_MODELS);
}

/** @throws HttpProblem `invalid_request` where there are no models, or more than one request may have; `misconfigured` */
export function checkBatchSize(models: number, env: Pick<Env, "MAX_BATCH_MODELS">): void {
  const most = batchModels(env);
  if (models > 0 && models <= most) return;
  const message =
    models === 0
      ? "at least one model is needed"
      : `a batch has at most ${most} models here, got ${models}: send parts, or a job`;
  throw new HttpProblem("invalid_request", message, {
    issues: [{ path: ["models"], code: models === 0 ? "too_small" : "too_big", message }],
  });
}
