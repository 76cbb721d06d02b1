import type { MetricValues } from "../../../sdk/logs/choices.ts";
import { totalOf } from "../../../sdk/logs/cost.ts";
import {
  type Fields,
  filledText,
  list,
  numbersOf,
  record,
  settingsText,
  sortableDate,
  versionText,
} from "../../../sdk/logs/json.ts";
import { invalidLog, metricValue } from "../../../sdk/logs/score-rows.ts";
import { isObject } from "../../../sdk/tables/json-records.ts";
import { listed } from "../../../sdk/words/figures.ts";
import type { RunSetting } from "./run-logs.ts";
import { countedCost, secondsBetween, type Trial } from "./trials.ts";

/** Whether JSON is a trial's `result.json`. */
export function isHarborTrial(value: unknown): value is Fields {
  return isObject(value) && "trial_name" in value && ("verifier_result" in value || "task_name" in value);
}

/** Whether JSON is a job's `result.json`, which has the names of trials and not those of their tasks. */
export function isHarborJob(value: unknown): value is Fields {
  return isObject(value) && "n_total_trials" in value && isObject(value.stats);
}

/** A trial of Harbor, and what its file says of how it was made. */
interface HarborTrial extends Trial, Omit<RunSetting, "dataset" | "harnessVersion"> {
  /** The dataset's name; null of a task that was run by itself. */
  readonly source: string | null;
}

/** The exception of a trial that was stopped from outside, as by a person. */
const CANCELLED = "CancelledError";

/**
 * A trial of Harbor: its rewards count, whatever else went wrong. One without any failed by its exception; so did one whose reward
 * Harbor itself calls invalid (from 0.26). Where the job asked for no verifier, nothing was judged and nothing failed. Tokens
 * and dollars are the agent's, and so are the seconds; those of a task in steps are their sum.
 * @returns null for a trial that was stopped, or hasn't ended
 * @throws AnchorEvalError `invalid_data`
 */
export function readHarborTrial(value: Fields, file: string): HarborTrial | null {
  const [taskName, name] = [filledText(value.task_name), filledText(value.trial_name)];
  if (taskName === null || name === null)
    throw invalidLog(file, `the trial has no ${taskName === null ? "task_name" : "trial_name"}`);
  const steps = list(value.step_results).map(record);
  const [exception] = [value, ...steps].flatMap((part) => filledText(record(part.exception_info).exception_type) ?? []);
  const values = rewardsOf(value.verifier_result, file);
  const isStopped = exception === CANCELLED || (exception === undefined && sortableDate(value.finished_at) === "");
  if (values.size === 0 && isStopped) return null;
  const { agent, verifier, install_only: isInstallOnly } = record(value.config);
  const isUnjudged = exception === undefined && (record(verifier).disable === true || isInstallOnly === true);
  const [, organization = null, item = taskName] = /^(.*)\/([^/]+)$/.exec(taskName) ?? [];
  const [contexts, executions] = [
    agentParts(value, steps, "agent_result"),
    agentParts(value, steps, "agent_execution"),
  ];
  return {
    ...{ id: filledText(value.id), name, item, organization, values },
    failure: failureOf(value, { values, exception, isUnjudged }),
    cost: {
      tokens: totalOf(...contexts.flatMap((part) => [part.n_input_tokens, part.n_output_tokens].map(countedCost))),
      seconds: totalOf(...executions.map((part) => secondsBetween(part.started_at, part.finished_at))),
      price: totalOf(...contexts.map((part) => countedCost(part.cost_usd))),
    },
    ended: sortableDate(value.finished_at),
    ...settingOf(record(agent), record(value.agent_info)),
    source: filledText(value.source),
  };
}

function rewardsOf(result: unknown, file: string): MetricValues {
  if (result === null) return new Map();
  const { rewards } = record(result);
  if (rewards === null) return new Map();
  if (!isObject(rewards))
    throw invalidLog(file, "verifier_result has no rewards by name, as Harbor writes them from 0.1.20 on");
  return new Map(Object.entries(rewards).map(([name, reward]) => [name, metricValue(reward)]));
}

function failureOf(
  { reward_valid: isValid }: Fields,
  trial: { readonly values: MetricValues; readonly exception: string | undefined; readonly isUnjudged: boolean },
): string | null {
  if (trial.values.size === 0) return trial.isUnjudged ? null : (trial.exception ?? "no reward");
  return isValid === false ? (trial.exception ?? "no valid reward") : null;
}

/** A part of the trial, or where it has none those of its steps. */
function agentParts(value: Fields, steps: readonly Fields[], name: "agent_result" | "agent_execution"): Fields[] {
  const parts = (isObject(value[name]) ? [value] : steps).map((part) => part[name]);
  return parts.filter(isObject);
}

function settingOf(config: Fields, info: Fields): Pick<HarborTrial, "agent" | "llm" | "settings"> {
  const { name, provider } = record(info.model_info);
  const model = [provider, name].flatMap((part) => filledText(part) ?? []).join("/");
  return {
    agent: filledText(info.name) ?? filledText(config.name),
    llm: filledText(config.model_name) ?? filledText(model),
    settings: settingsText(config.kwargs),
  };
}

/**
 * The version of a job's dataset: of a registry's its number, of a package the digest that Harbor puts there.
 * @param config - the job's `config.json`
 * @returns null where the file names none
 * @throws AnchorEvalError `invalid_data` where the job ran several versions, as trials don't say theirs
 */
export function datasetVersion(config: Fields, source: string, file: string): string | null {
  const versions = list(config.datasets).map(record).flatMap(({ name, version, ref }) => {
    const said = versionText(version) ?? versionText(ref);
    return name === source && said !== null && said !== "latest" ? [said] : [];
  }); // prettier-ignore
  const [version = null, ...others] = new Set(versions);
  if (others.length === 0) return version;
  throw invalidLog(
    file,
    `the job ran ${source} in the versions ${listed([version!, ...others])}, and trials don't say theirs: run a job for each`,
  );
}

/**
 * Harbor's own means of some trials by reward; none where they leave out trials that count here, as they do from 0.26 on, whose
 * files have a `schema_version`: before it trials without a reward counted as 0.
 * @param trials - all that the job has of an agent and a model
 */
export function harborMeans(job: Fields, trials: readonly HarborTrial[]): Map<string, number> {
  if ("schema_version" in job && trials.some(({ failure }) => failure !== null)) return new Map();
  const names = new Set<unknown>(trials.map(({ name }) => name));
  const evaluations = Object.values(record(record(job.stats).evals)).map(record);
  for (const { reward_stats: stats, metrics } of evaluations) {
    const rewards = Object.entries(record(stats));
    if (
      !rewards.some(([, byValue]) =>
        Object.values(record(byValue))
          .flatMap(list)
          .some((name) => names.has(name)),
      )
    )
      continue;
    const means = numbersOf(list(metrics)[0]);
    return new Map(
      rewards.flatMap(([name]) => {
        const mean = means.get(rewards.length === 1 ? "mean" : name);
        return mean === undefined ? [] : [[name, mean] as const];
      }),
    );
  }
  return new Map();
}
