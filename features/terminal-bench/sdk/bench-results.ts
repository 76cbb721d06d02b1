import { totalOf } from "../../../sdk/logs/cost.ts";
import { type Fields, filledText, list, record, settingsText, sortableDate } from "../../../sdk/logs/json.ts";
import { invalidLog } from "../../../sdk/logs/score-rows.ts";
import { jsonKind } from "../../../sdk/tables/data-issues.ts";
import { isObject } from "../../../sdk/tables/json-records.ts";
import type { RunSetting } from "./run-logs.ts";
import { countedCost, secondsBetween, type Trial } from "./trials.ts";

/** The one metric of `tb run`: all of a task's tests pass. */
export const RESOLVED = "resolved";

/** Failure modes of trials in which nothing failed. */
const CLEAN: ReadonlySet<string> = new Set(["unset", "none"]);

/** Whether JSON is a run's `results.json`, which has all its trials. */
export function isBenchRun(value: unknown): value is Fields {
  if (!isObject(value) || !Array.isArray(value.results)) return false;
  return value.results.some(isBenchTrial) || (value.results.length === 0 && "n_resolved" in value);
}

/** Whether JSON is a trial of `tb run`, as its own `results.json` and its run's have it. */
export function isBenchTrial(value: unknown): value is Fields {
  return isObject(value) && "is_resolved" in value && ("task_id" in value || "trial_name" in value);
}

/**
 * A trial of `tb run`: resolved or not. One that isn't and whose failure mode says why failed: the benchmark counts it as not
 * resolved. One that timed out may be resolved all the same. Tokens are those in and out, seconds those of the whole trial.
 * @throws AnchorEvalError `invalid_data`
 */
export function readBenchTrial(value: unknown, file: string): Trial {
  const { id, trial_name: trialName, task_id: taskId, is_resolved: resolved, ...more } = record(value);
  const item = filledText(taskId);
  if (item === null) throw invalidLog(file, "a trial has no task_id");
  const name = filledText(trialName) ?? filledText(id);
  if (name === null) throw invalidLog(file, `a trial of ${item} has no trial_name`);
  if (resolved !== null && typeof resolved !== "boolean")
    throw invalidLog(file, `is_resolved of ${name} must be true, false or null, got ${jsonKind(resolved)}`);
  const mode = filledText(more.failure_mode) ?? "unset";
  const why = !CLEAN.has(mode) ? mode : resolved === null ? "no verdict" : null;
  return {
    ...{ id: filledText(id) ?? filledText(more.uuid), name, item, organization: null },
    values: new Map([[RESOLVED, resolved === true]]),
    failure: resolved === true ? null : why,
    cost: {
      tokens: totalOf(countedCost(more.total_input_tokens), countedCost(more.total_output_tokens)),
      seconds: secondsBetween(more.trial_started_at, more.trial_ended_at),
    },
    ended: sortableDate(more.trial_ended_at),
  };
}

/** How a run was made, and how many trials it was to have; null where neither file says it. */
interface BenchFacts extends RunSetting {
  readonly planned: number | null;
}

/**
 * How a run was made.
 * @param metadata - its `run_metadata.json`
 * @param lock - its `tb.lock`, for what the metadata lack
 */
export function readBenchFacts(metadata: Fields, lock: Fields): BenchFacts {
  const [agent, dataset] = [record(lock.agent), record(lock.dataset)];
  const name = filledText(metadata.dataset_name) ?? filledText(dataset.name);
  const local = filledText(metadata.dataset_path) ?? filledText(dataset.local_path);
  const { task_ids: tasks, n_attempts: attempts } = metadata;
  return {
    agent: filledText(metadata.agent_name) ?? filledText(agent.name),
    llm: filledText(metadata.model_name) ?? filledText(agent.model_name),
    // Tasks of a folder are of no version that others have.
    dataset:
      name === null && local !== null
        ? { name: null, version: `local ${local.split(/[/\\]/).findLast((part) => part !== "") ?? local}` }
        : { name, version: filledText(metadata.dataset_version) ?? filledText(dataset.version) },
    settings: settingsText(metadata.agent_kwargs) ?? settingsText(agent.extra_kwargs),
    harnessVersion: filledText(record(lock.harness).version),
    planned: typeof attempts === "number" && Array.isArray(tasks) ? list(tasks).length * attempts : null,
  };
}
