import type { SplitErrors } from "../core/bundle/manifest.ts";
import { wilsonInterval } from "../core/inference/score-interval.ts";
import { normalQuantile } from "../core/numeric/distributions.ts";

const Z = normalQuantile(0.975);

/**
 * Where a coverage may lie that was measured on few models: Wilson's 95 % interval at the number of independent
 * intervals that its standard error tells of, c(1−c)/SE². Where all of them held, or none, that is the number of models.
 * @returns shares; null where coverage isn't measured
 */
export function coverageInterval({
  models,
  coverage95,
  coverageSe,
}: Pick<SplitErrors, "models" | "coverage95" | "coverageSe">): { low: number; high: number } | null {
  if (coverage95 === null) return null;
  const independent = coverageSe ? (coverage95 * (1 - coverage95)) / coverageSe ** 2 : models;
  return wilsonInterval(coverage95, independent, Z);
}
