/** `details_<task>|<shots>_<date>.parquet`. */
const DETAILS = /^details_(.+)[|](\d+)_(\d{4}-\d\d-\d\dT.+)\.parquet$/;
const RESULTS = /^results_(\d{4}-\d\d-\d\dT.+)\.json$/;

/** What the name of a file of lighteval tells. */
export type LightevalFileName =
  | { readonly kind: "details"; readonly task: string; readonly shots: number; readonly date: string }
  | { readonly kind: "results"; readonly date: string };

/**
 * @returns null for other files
 * @example lightevalFileName("details_mmlu:anatomy|5_2026-01-31T10-20-30.123456.parquet")
 * // { kind: "details", task: "mmlu:anatomy", shots: 5, date: "2026-01-31T10-20-30.123456" }
 */
export function lightevalFileName(name: string): LightevalFileName | null {
  const details = DETAILS.exec(name);
  if (details) return { kind: "details", task: details[1]!, shots: Number(details[2]), date: details[3]! };
  const results = RESULTS.exec(name);
  return results ? { kind: "results", date: results[1]! } : null;
}
