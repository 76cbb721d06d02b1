import { z } from "@hono/zod-openapi";
import { ESTIMATORS } from "anchoreval/core";

/** Mirrors `ByEstimator` of anchoreval/core: the score map's only where a form has one. */
export function byEstimator<Figure extends z.ZodType>(figure: Figure) {
  const every = Object.fromEntries(ESTIMATORS.map((id) => [id, figure])) as Record<(typeof ESTIMATORS)[number], Figure>;
  return z.object({ ...every, "score-map": figure.exactOptional() });
}
