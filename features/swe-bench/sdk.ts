import { lookUp } from "../../sdk/core/bundle/names.ts";
import { chooseMetric } from "../../sdk/logs/choices.ts";
import { type Fields, filledText, list, numberOf, record, textsOf } from "../../sdk/logs/json.ts";
import type { RunSamples } from "../../sdk/logs/run-log.ts";
import { emptyRun, type LoggedRow, type SampleOptions, scoreRows } from "../../sdk/logs/score-rows.ts";
import { DataIssues } from "../../sdk/tables/data-issues.ts";
import { isObject } from "../../sdk/tables/json-records.ts";

/** An instance of SWE-bench as a run has it: resolved or not. */
export interface Instance {
  readonly id: string;
  /** Null where nothing says. */
  readonly resolved: boolean | null;
  /** Why there was no patch to judge, or no judgement; the benchmark counts it as not resolved. */
  readonly failure?: string | undefined;
  /** Dollars that the model took; absent where it isn't known. */
  readonly price?: number | undefined;
}

/** The one metric: every test that should pass does. */
export const RESOLVED = "resolved";

/** The repository of an instance. @example repositoryOf("django__django-11099") // "django/django" */
export function repositoryOf(id: number | string): string {
  return String(id)
    .replace(/(?::pr)?-\d+$/, "")
    .replace("__", "/");
}

/** Whether JSON is a run's report, as swebench 2 to 5 and sb-cli write it; the first had no `unresolved_ids`. */
export function isReport(value: unknown): value is Fields {
  const has = (name: string): boolean => isObject(value) && Array.isArray(lookUp(value, name));
  return has("resolved_ids") && has("error_ids") && (has("unresolved_ids") || has("completed_ids"));
}

/**
 * The instances that a run's report judges. Those without a prediction, `incomplete_ids`, weren't asked; an error, of sb-cli an
 * evaluation that failed, and an empty patch count as not resolved, as in the benchmark's own score.
 */
export function readReport(report: Fields): Instance[] {
  const reasons = textsOf(report.failure_reasons);
  const resolved = new Set(idsOf(report.resolved_ids));
  const failures = new Map([
    ...idsOf(report.empty_patch_ids).map((id) => [id, "an empty patch"] as const),
    ...[...idsOf(report.failed_ids), ...idsOf(report.error_ids)].map(
      (id) => [id, reasons.get(id) ?? "the evaluation failed"] as const,
    ),
    ...idsOf(report.infra_failure_ids).map((id) => [id, reasons.get(id) ?? "the environment failed"] as const),
  ]);
  const unresolved = [report.unresolved_ids, report.completed_ids].flatMap(idsOf);
  const ids = new Set([...resolved, ...unresolved, ...failures.keys()]);
  return [...ids].map((id) =>
    resolved.has(id) ? { id, resolved: true } : { id, resolved: false, failure: failures.get(id) },
  );
}

/** Whether JSON is a submission's `results/results.json`. */
export function isSubmission(value: unknown): value is Fields {
  return isObject(value) && Array.isArray(value.resolved) && ("no_generation" in value || "no_logs" in value);
}

/**
 * The instances of a submission, whose `results.json` names those that were resolved and those without a patch or a log: no
 * other of the benchmark was resolved.
 * @param universe - all instances of the benchmark
 */
export function readSubmission(submission: Fields, universe: Iterable<string>): Instance[] {
  const [resolved, unmade, unlogged] = ["resolved", "no_generation", "no_logs"].map(
    (name) => new Set(idsOf(lookUp(submission, name))),
  );
  return Array.from(universe, (id) => {
    if (resolved!.has(id)) return { id, resolved: true };
    return {
      id,
      resolved: false,
      failure: unmade!.has(id) ? "no patch" : unlogged!.has(id) ? "the evaluation failed" : undefined,
    };
  });
}

/** Whether JSON is `per_instance_details`, of a submission or of an entry of the site. */
export function isDetails(value: unknown): value is Fields {
  const [first] = isObject(value) ? Object.values(value) : [];
  return typeof record(first).resolved === "boolean";
}

/** The instances of `per_instance_details`, with what each took: a cost of 0 isn't known. */
export function readDetails(details: Fields): Instance[] {
  return Object.entries(details).map(([id, instance]) => {
    const { resolved, cost } = record(instance);
    return { id, resolved: typeof resolved === "boolean" ? resolved : null, price: numberOf(cost) || undefined };
  });
}

/** Whether JSON is a submission's `results.json` that counts what was resolved, or says nothing of it. */
export function isCount(value: unknown): boolean {
  return isObject(value) && !isSubmission(value) && ("no_generation" in value || "no_logs" in value);
}

/**
 * The instances that some JSON of the benchmark names: of a submission, whose first ones also list what was `generated`, of
 * predictions, of the dataset, or a list of ids.
 */
export function namedInstances(value: unknown): string[] {
  if (isSubmission(value)) return Object.values(value).flatMap(idsOf);
  if (isDetails(value)) return Object.keys(value);
  const rows = isObject(value) ? Object.values(value) : list(value);
  return rows.flatMap((row) => filledText(row) ?? filledText(record(row).instance_id) ?? []);
}

/** An entry of the site's leaderboards that says which instances were resolved. */
interface SiteEntry {
  readonly board: string;
  readonly name: string;
  readonly instances: readonly Instance[];
  /** The board's own score on [0,1]; null where it has none. */
  readonly score: number | null;
  /** When it was run, the model, who made it, the agent. */
  readonly about: Readonly<Record<string, string>>;
}

/**
 * The entries of the site's `data/leaderboards.json`, and how many have a score alone.
 * @returns null for other JSON
 */
export function readSite(value: unknown): { readonly entries: readonly SiteEntry[]; readonly bare: number } | null {
  if (!isObject(value) || !Array.isArray(value.leaderboards)) return null;
  const boards = value.leaderboards.map(record);
  const all = boards.flatMap(({ name, results }) =>
    list(results).map((entry) => ({ board: String(name), ...record(entry) })),
  );
  const entries = all.flatMap((entry: Fields & { readonly board: string }): SiteEntry[] => {
    const name = filledText(entry.name) ?? filledText(entry.folder);
    if (name === null || !isDetails(entry.per_instance_details)) return [];
    const percent = numberOf(entry.resolved);
    const instances = readDetails(entry.per_instance_details);
    return [
      { board: entry.board, name, instances, score: percent === null ? null : percent / 100, about: siteFacts(entry) },
    ];
  });
  return { entries, bare: all.length - entries.length };
}

function siteFacts({ date, tags, agent }: Fields): Record<string, string> {
  const tagged = (name: string): string | undefined =>
    list(tags).map(String).find((tag) => tag.startsWith(`${name}: `))?.slice(name.length + 2); // prettier-ignore
  return Object.fromEntries(textsOf({ date, llm: tagged("Model"), organization: tagged("Org"), agent }));
}

/**
 * The samples of a run.
 * @throws AnchorEvalError `invalid_option` for another metric than `resolved`
 */
export function instanceSamples(instances: readonly Instance[], options: SampleOptions): RunSamples {
  if (instances.length === 0) return emptyRun(options.task);
  const metric = chooseMetric(new Map([[RESOLVED, null]]), options);
  const rows = instances.map(({ id, resolved, failure = null, price = null }): LoggedRow => ({
    ...{ row: id, id, hash: null, text: null },
    values: new Map([[RESOLVED, resolved]]),
    ...{ failure, cost: { price } },
  }));
  const issues = new DataIssues(options.file, { row: "instance" });
  return scoreRows(rows, { metric, filter: "none", issues, item: "instance" }, options);
}

function idsOf(value: unknown): string[] {
  return list(value).filter((id) => typeof id === "string");
}
