import type { SplitErrors } from "anchoreval/bundle";
import { clusteredError } from "./clustered-error.ts";
import { holdsTruth, type ScoreInterval } from "./interval-figures.ts";
import { rounded } from "./rounded.ts";

/** Held-out models below which coverage isn't measured. */
export const LEAST_MODELS_FOR_COVERAGE = 20;

/**
 * How many of the 95 % intervals that held-out models were given hold their truth, with the standard error of that (forms
 * of one model are not many models), and how wide they are.
 * @param intervals - aligned with `estimates`
 * @returns nulls where the models are too few, or one has no interval
 */
export function measuredCoverage(
  estimates: readonly { readonly model: number; readonly truth: number }[],
  intervals: readonly (ScoreInterval | null)[],
): Required<Pick<SplitErrors, "coverage95" | "coverageSe" | "halfWidth95">> {
  const models = estimates.map(({ model }) => model);
  const known = intervals.flatMap((interval) => interval ?? []);
  if (new Set(models).size < LEAST_MODELS_FOR_COVERAGE || known.length < estimates.length)
    return { coverage95: null, coverageSe: null, halfWidth95: null };
  const hits = known.map((interval, k): number => (holdsTruth(interval, estimates[k]!.truth) ? 1 : 0));
  const coverage = hits.reduce((sum, hit) => sum + hit, 0) / hits.length;
  const residuals = hits.map((hit) => hit - coverage);
  return {
    coverage95: rounded(coverage),
    coverageSe: rounded(clusteredError(models, residuals, hits.length)!), // there are twenty models or more
    halfWidth95: rounded(known.reduce((sum, { low, high }) => sum + (high - low) / 2, 0) / known.length),
  };
}
