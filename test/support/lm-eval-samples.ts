import { LmEvalSampleReader } from "anchoreval/internal/logs/lm-eval/read-samples";
import type { RunSamples } from "anchoreval/internal/logs/run-log";
import type { SampleOptions } from "anchoreval/internal/logs/score-rows";

/** Reads all lines of a samples file. */
export function readLmEvalSamples(lines: readonly string[], options: SampleOptions): RunSamples {
  const reader = new LmEvalSampleReader(options);
  for (const line of lines) reader.add(line);
  return reader.finish();
}
