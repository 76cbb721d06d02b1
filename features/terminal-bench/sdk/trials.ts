import { chooseMetric, metricReasons, type MetricValues } from "../../../sdk/logs/choices.ts";
import type { LoggedCost } from "../../../sdk/logs/cost.ts";
import { numberOf, sortableDate } from "../../../sdk/logs/json.ts";
import type { RunSamples } from "../../../sdk/logs/run-log.ts";
import { emptyRun, invalidLog, type LoggedRow, type SampleOptions, scoreRows } from "../../../sdk/logs/score-rows.ts";
import { DataIssues } from "../../../sdk/tables/data-issues.ts";

/** A trial of a task that came to its end, by `tb run` or by Harbor. */
export interface Trial {
  /** The harness's id of it, which copies of it have too; null where there is none. */
  readonly id: string | null;
  /** Its name in its run. */
  readonly name: string;
  /** The task's id, as its dataset has it. */
  readonly item: string;
  /** The organisation that the file puts before the task's id; null where it has none. */
  readonly organization: string | null;
  /** Its scores; none of a trial that wasn't judged. */
  readonly values: MetricValues;
  /** Why there is no valid score; null where there is one. */
  readonly failure: string | null;
  readonly cost: LoggedCost;
  /** When it ended, as `sortableDate` has it; empty where the file doesn't say. */
  readonly ended: string;
}

/** The reward that counts, of several. */
const REWARD = "reward";

/**
 * The samples of a run, whose trials of a task are its attempts. A trial that failed and has no score counts as the worst one,
 * as in both programs' leaderboards.
 * @throws AnchorEvalError `invalid_option` where there are several rewards, none called `reward`, and none is chosen;
 * `invalid_data` for a trial that is there twice, and for two tasks that have the same id in two organisations
 */
export function trialSamples(trials: readonly Trial[], options: SampleOptions): RunSamples {
  if (trials.length === 0) return emptyRun(options.task);
  refuseSameIds(trials, options.file);
  const reasons = metricReasons(trials, () => null);
  if (reasons.size === 0) reasons.set(REWARD, null);
  const usual = reasons.has(REWARD) ? REWARD : undefined;
  const metric = chooseMetric(reasons, { ...options, metric: options.metric ?? usual });
  const worst = new Map([[metric, options.scoreRange?.[0] ?? 0]]);
  const rows = trials.map(({ name, item, values, failure, cost }): LoggedRow => ({
    ...{ row: name, id: item, attempt: name, hash: null, text: null },
    values: values.size === 0 && failure !== null ? worst : values,
    ...{ failure, cost },
  }));
  const issues = new DataIssues(options.file, { row: "trial" });
  return scoreRows(rows, { metric, filter: "none", issues, noun: "trial", item: "task" }, options);
}

/** Tasks are called without their organisation, and would be one. */
function refuseSameIds(trials: readonly Trial[], file: string): void {
  const organizations = new Map<string, string>();
  for (const { item, organization } of trials) {
    if (organization === null) continue;
    const other = organizations.get(item) ?? organization;
    if (other !== organization)
      throw invalidLog(file, `${other}/${item} and ${organization}/${item} are two tasks of one id: import them apart`);
    organizations.set(item, organization);
  }
}

/** Seconds from one instant to another; null where a file lacks either, or its clock was put back between them. */
export function secondsBetween(begin: unknown, end: unknown): number | null {
  const [from, to] = [begin, end].map((time) => Date.parse(`${sortableDate(time)}Z`)) as [number, number];
  return to > from ? (to - from) / 1000 : null;
}

/** A count of tokens or dollars; null for 0, which both programs write for what an agent doesn't count. */
export function countedCost(value: unknown): number | null {
  return numberOf(value) || null;
}
