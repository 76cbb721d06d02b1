import type { RunLog } from "./types.ts";

/** Runs of the same model on the same task, newest first. */
export function groupRuns(logs: readonly RunLog[]): RunLog[][] {
  const runs = new Map<string, RunLog[]>();
  for (const log of logs) {
    const key = JSON.stringify([log.model, log.task]);
    runs.set(key, [...(runs.get(key) ?? []), log]);
  }
  const newer = (left: RunLog, right: RunLog): number =>
    left.date === right.date ? (left.file < right.file ? 1 : -1) : left.date < right.date ? 1 : -1;
  return [...runs.values()].map((group) => group.sort(newer));
}
