import { AnchorEvalError } from "anchoreval/core";
import { taskProtocol, type Choose, type RunLog, type ScaleOptions } from "anchoreval/logs";
import type { Harness } from "anchoreval/node";
import { runScores, type ContentTable, type RunScores } from "./run-scores.ts";

export interface ReadOptions extends ScaleOptions {
  readonly metric: Choose;
  readonly filter: Choose;
  /** Called for each log that was read. */
  readonly progress?: (done: number, total: number) => void;
}

/** Reads the logs; where metrics or filters are to be chosen, says so for all tasks at once. */
export async function readRuns(
  harness: Harness,
  logs: readonly RunLog[],
  contents: ContentTable,
  options: ReadOptions,
): Promise<RunScores[]> {
  const runs: RunScores[] = [];
  const seen = new Set<string>();
  const choices: AnchorEvalError[] = [];
  for (const log of logs) {
    if (choices.length > 0 && seen.has(log.task)) continue;
    seen.add(log.task);
    try {
      const samples = await harness.read(log, options);
      runs.push(runScores(log, samples, taskProtocol(log.results, samples), contents));
    } catch (error) {
      if (!(error instanceof AnchorEvalError) || !CHOICE_CODES.has(error.code)) throw error;
      choices.push(error);
    }
    options.progress?.(runs.length, logs.length);
  }
  const [first, ...more] = choices;
  if (!first) return runs;
  if (more.length === 0) throw first;
  throw new AnchorEvalError(
    first.code,
    `${choices.length} tasks need another choice of what is their score (--metric TASK=M, --filter TASK=F):\n${choices.map((choice) => `  ${choice.message}`).join("\n")}`,
    { cause: first },
  );
}

const CHOICE_CODES: ReadonlySet<string> = new Set(["invalid_option", "unsupported"]);
