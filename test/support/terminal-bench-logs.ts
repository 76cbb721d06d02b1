import { join } from "node:path";
import { groupBy } from "anchoreval/internal/logs/run-log";
import type { TempFolder } from "./temp-folder.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Writes runs in the layout of `tb run` 0.2.18 and jobs in that of Harbor 0.26, with nothing left out that readers see. */
export interface TerminalBenchWriter {
  /** A run's folder: its results, its trials' own, its metadata. @returns the folder */
  run(place: string, trials: readonly Fields[], metadata?: Fields | null): string;
  /** A trial's own results, in the folder of its run. @returns the file */
  trial(place: string, trial: Fields): string;
  /** A job's folder. @param job - null leaves out its own results @returns the folder */
  job(place: string, trials: readonly Fields[], config?: Fields, job?: Fields | null): string;
}

export function terminalBenchWriter(folder: TempFolder): TerminalBenchWriter {
  const write = (place: string, name: string, value: unknown): string =>
    folder.write(join(place, name), JSON.stringify(value, null, 4));
  const trial = (place: string, value: Fields): string =>
    write(place, `${String(value["task_id"])}/${String(value["trial_name"])}/results.json`, value);
  return {
    trial,
    run(place, trials, metadata = {}) {
      write(place, "results.json", benchResults(trials));
      for (const value of trials) trial(place, value);
      if (metadata !== null) write(place, "run_metadata.json", { ...METADATA, ...metadata });
      return folder.path(place);
    },
    job(place, trials, config = {}, job = jobResults(trials)) {
      write(place, "config.json", { job_name: place, n_attempts: 1, datasets: [{ name: "terminal-bench", version: "2.0", ref: null }], ...config }); // prettier-ignore
      if (job !== null) write(place, "result.json", job);
      for (const value of trials) {
        write(place, `${String(value["trial_name"])}/result.json`, value);
        write(place, `${String(value["trial_name"])}/config.json`, value["config"]);
        folder.write(join(place, String(value["trial_name"]), "trial.log"), "");
      }
      return folder.path(place);
    },
  };
}

const METADATA = {
  ...{ run_id: "run", dataset_path: null, dataset_name: "terminal-bench-core", dataset_version: "0.1.1" },
  ...{ agent_name: "terminus", model_name: "anthropic/claude-sonnet-4", n_attempts: 1, agent_kwargs: null },
};

let ids = 0;

/** A trial of `tb run`: resolved, of five minutes and 1100 tokens. */
export function benchTrial(task: string, more: Fields = {}): Fields {
  const id = `${++ids}`.padStart(8, "0");
  return {
    ...{ id: `${id}-0000-4000-8000-000000000000`, trial_name: `${task}.1-of-1.run-${id}`, task_id: task },
    ...{ instruction: "do it", is_resolved: true, failure_mode: "unset", parser_results: { test_a: "passed" } },
    ...{ recording_path: "sessions/agent.cast", total_input_tokens: 1000, total_output_tokens: 100 },
    ...{ trial_started_at: "2025-09-01T12:00:00+00:00", trial_ended_at: "2025-09-01T12:05:00+00:00" },
    ...{ agent_started_at: "2025-09-01T12:00:10+00:00", agent_ended_at: "2025-09-01T12:04:00+00:00" },
    ...more,
  };
}

/** A run's results, by its own rules: null is not resolved. */
export function benchResults(trials: readonly Fields[]): Fields {
  const resolved = trials.filter((trial) => trial["is_resolved"] === true);
  return {
    ...{ id: "9df977f5-93c0-4b1c-93d3-a23c1a2b3899", results: trials, pass_at_k: {} },
    ...{ n_resolved: resolved.length, n_unresolved: trials.length - resolved.length },
    ...{ resolved_ids: resolved.map((trial) => trial["task_id"]) },
    accuracy: trials.length === 0 ? 0 : resolved.length / trials.length,
  };
}

/** A trial of Harbor: reward 1, four minutes of the agent, 1300 tokens for 12 cents. */
export function harborTrial(task: string, more: Fields = {}): Fields {
  const id = `${++ids}`.padStart(8, "0");
  const agent = { name: "terminus-2", model_name: "anthropic/claude-opus-4-5", kwargs: {} };
  return {
    ...{ schema_version: 1, id: `${id}-0000-4000-8000-000000000000`, task_name: task },
    ...{ trial_name: `${task.split("/").at(-1)!.slice(0, 32)}__${id.slice(-7)}`, source: "terminal-bench" },
    task_id: { git_url: "https://example.org/tb2.git", git_commit_id: "69671fb", path: task },
    task_checksum: "a".repeat(64),
    config: { agent, verifier: { disable: false }, install_only: false },
    agent_info: {
      name: "terminus-2",
      version: "2.0.0",
      model_info: { name: "claude-opus-4-5", provider: "anthropic" },
    },
    agent_result: { n_input_tokens: 1200, n_cache_tokens: 1000, n_output_tokens: 100, cost_usd: 0.12 },
    ...{ verifier_result: { rewards: { reward: 1.0 } }, exception_info: null, reward_valid: true },
    ...{ started_at: "2026-11-01T12:00:00Z", finished_at: "2026-11-01T12:05:00Z", step_results: null },
    agent_execution: { started_at: "2026-11-01T12:00:30Z", finished_at: "2026-11-01T12:04:30Z" },
    ...more,
  };
}

/** What Harbor 0.26 has of a trial that an exception ended before it was judged. */
export function failedBy(exception: string): Fields {
  return {
    ...{ verifier_result: null, agent_result: null, agent_execution: null, reward_valid: false },
    exception_info: { exception_type: exception, exception_message: "m", exception_traceback: "Traceback …" },
  };
}

/** A job's results by the rule of Harbor 0.26: the mean is over trials whose reward is valid. */
export function jobResults(trials: readonly Fields[], planned = trials.length): Fields {
  const rewards = trials.flatMap((trial) => {
    const { rewards: given } = (trial["verifier_result"] ?? {}) as { rewards?: Record<string, number> };
    return given?.["reward"] === undefined ? [] : [{ name: trial["trial_name"], reward: given["reward"] }];
  });
  const byValue = groupBy(rewards, ({ reward }) => reward.toFixed(1));
  const stats = Object.fromEntries(Array.from(byValue, ([key, same]) => [key, same.map(({ name }) => name)]));
  const mean = rewards.reduce((sum, { reward }) => sum + reward, 0) / rewards.length;
  const evaluation = { n_trials: rewards.length, metrics: [{ mean }], reward_stats: { reward: stats } };
  return {
    ...{ schema_version: 1, id: "46aba1c4-b188-46f9-9bd1-238eddd2164c", n_total_trials: planned },
    ...{ started_at: "2026-11-01T12:00:00Z", finished_at: "2026-11-01T12:10:00Z" },
    stats: { n_completed_trials: trials.length, evals: { "terminus-2__claude-opus-4-5__terminal-bench": evaluation } },
  };
}
