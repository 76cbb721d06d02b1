/** What lm-eval's name for a log file says. */
export interface LogFileName {
  readonly kind: "samples" | "results";
  /** The task of a samples file; null for results. */
  readonly task: string | null;
  /** When the run ended, for example `2024-11-26T10-47-32.305387`: sorts as text. Empty where the name has none. */
  readonly date: string;
}

const DATE = "\\d{4}-\\d{2}-\\d{2}T\\d{2}-\\d{2}-\\d{2}(?:\\.\\d+)?";
const SAMPLES = new RegExp(`^samples_(.+?)(?:_(${DATE}))?\\.jsonl(?:\\.gz)?$`);
/** With `--output_path NAME.json` the harness writes `NAME_<date>.json`, so any stem may stand before the date. */
const RESULTS = new RegExp(`^(?:results|.*_(${DATE}))\\.json$`);

/**
 * Reads a file name of lm-evaluation-harness (0.4.3 and later, `--log_samples`): `samples_<task>_<date>.jsonl`,
 * `results_<date>.json`, plain or, for samples, gzip. The files of one run have the same date and folder.
 * @returns null for a file that isn't one of those
 * @example logFileName("samples_mmlu_anatomy_2024-11-26T10-47-32.305387.jsonl")?.task // "mmlu_anatomy"
 */
export function logFileName(name: string): LogFileName | null {
  const samples = SAMPLES.exec(name);
  if (samples) return { kind: "samples", task: samples[1]!, date: samples[2] ?? "" };
  const results = RESULTS.exec(name);
  return results && { kind: "results", task: null, date: results[1] ?? "" };
}
