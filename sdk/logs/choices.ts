import { AnchorEvalError, invalidOption } from "../core/errors.ts";

/**
 * The choice for a task.
 * @param names - the task, then its groups from the nearest outwards
 * @param special - not the one that is for all tasks
 */
export type Choose = (names: readonly string[], special?: boolean) => string | undefined;

/**
 * Reads the values of an option that may be given for some tasks: `NAME` for all, `TASK=NAME` for one task or all tasks
 * of a group, `TASK*=NAME` for those whose names begin so. The nearest counts: the task, its groups, the longest
 * beginning, all.
 * @throws AnchorEvalError `invalid_option` for two choices for the same tasks
 * @example parseChoices("metric", ["acc", "gsm8k=exact_match"])(["gsm8k"]) // "exact_match"
 */
export function parseChoices(option: string, values: readonly string[]): Choose {
  const choices = new Map<string, string>();
  for (const value of values) {
    const equals = value.indexOf("=");
    const tasks = equals < 0 ? "*" : value.slice(0, equals);
    const name = value.slice(equals + 1);
    if (tasks === "" || name === "") throw invalidOption(`\`${option}\` must be NAME or TASK=NAME; got ${value}`);
    const before = choices.get(tasks);
    if (before !== undefined && before !== name)
      throw invalidOption(
        `\`${option}\` is given twice for ${tasks === "*" ? "all tasks" : tasks}: ${before} and ${name}`,
      );
    choices.set(tasks, name);
  }
  const beginnings = [...choices.keys()]
    .filter((tasks) => tasks.endsWith("*"))
    .sort((left, right) => right.length - left.length);
  return (names, special = false) => {
    const named = names.find((name) => choices.has(name));
    const tasks = named ?? beginnings.find((beginning) => names[0]?.startsWith(beginning.slice(0, -1)));
    return tasks === undefined || (special && tasks === "*") ? undefined : choices.get(tasks);
  };
}

interface Asked {
  readonly file: string;
  readonly task: string;
}

/** A value in a log: null where there is none, text that is no number, undefined for what isn't one value. */
export type MetricValue = number | boolean | string | null | undefined;

/** The values of one attempt by metric. */
export type MetricValues = ReadonlyMap<string, MetricValue>;

/**
 * The metrics of a log, each with why it is no mean of scores of documents, or null as far as is known. One that has a
 * single value for some documents and several for others is one: a broken value is missing, and chooses no other metric.
 */
export function metricReasons(
  documents: readonly { readonly values: MetricValues }[],
  corpusReason: (metric: string) => string | null,
): Map<string, string | null> {
  const reasons = new Map<string, string | null>();
  const [single, several] = [new Set<string>(), new Set<string>()];
  for (const { values } of documents)
    for (const [name, value] of values) {
      if (!reasons.has(name)) reasons.set(name, corpusReason(name));
      if (value === undefined) several.add(name);
      else if (value !== null) single.add(name);
    }
  for (const name of several)
    if (!single.has(name))
      reasons.set(name, reasons.get(name) ?? "is logged as several values for a document, not as one score");
  return reasons;
}

/**
 * The metric that is the score: the one asked for, or the only one of the log that is a mean of scores of documents.
 * @param reasons - of every metric, why it is no such mean
 * @throws AnchorEvalError `invalid_option` listing the metrics where there are several, or not the one asked for;
 * `unsupported` with the reason for a metric of the whole corpus
 */
export function chooseMetric(
  reasons: ReadonlyMap<string, string | null>,
  { file, task, metric, noun = "metric" }: Asked & { readonly metric?: string | undefined; readonly noun?: string },
): string {
  const usable = [...reasons].filter(([, reason]) => reason === null).map(([name]) => name);
  const list =
    usable.length > 0
      ? `this log has ${usable.join(", ")}`
      : `this log has ${reasons.size === 0 ? "none" : "no other"}`;
  if (metric !== undefined) {
    const reason = reasons.get(metric);
    if (reason === null) return metric;
    if (reason === undefined) throw absentChoice(file, `${task} has no ${noun} ${metric}: ${list}`);
    throw new AnchorEvalError("unsupported", `${file}: ${refusal(metric, reason)}: ${list}`);
  }
  if (usable.length === 1) return usable[0]!;
  if (usable.length > 1)
    throw invalidOption(`${file}: ${task} has several ${noun}s: choose one with \`metric\`: ${usable.join(", ")}`);
  const refused = [...reasons].map(([name, reason]) => refusal(name, reason!));
  throw new AnchorEvalError(
    refused.length > 0 ? "unsupported" : "invalid_data",
    refused.length > 0 ? `${file}: ${refused.join("; ")}` : `${file}: the log has no metric`,
  );
}

/**
 * The filter whose answers are scored: the one asked for, or the only one of the log.
 * @throws AnchorEvalError `invalid_option` listing the filters where there are several, or not the one asked for
 */
export function chooseFilter(
  filters: readonly string[],
  { file, task, filter }: Asked & { filter: string | undefined },
): string {
  const names = [...new Set(filters)];
  if (filter === undefined) {
    if (names.length === 1) return names[0]!;
    throw invalidOption(`${file}: ${task} has several filters: choose one with \`filter\`: ${names.join(", ")}`);
  }
  if (names.includes(filter)) return filter;
  throw absentChoice(file, `${task} has no filter ${filter}: this log has ${names.join(", ")}`);
}

const ABSENT = "absent_choice";

function absentChoice(file: string, message: string): AnchorEvalError {
  const issues = [{ path: [file], code: ABSENT, message }];
  return new AnchorEvalError("invalid_option", `${file}: ${message}`, { issues });
}

/** Whether an error says that a log hasn't the metric or the filter that was chosen. */
export function isAbsentChoice(error: unknown): error is AnchorEvalError {
  return error instanceof AnchorEvalError && error.issues[0]?.code === ABSENT;
}

function refusal(metric: string, reason: string): string {
  return `${metric} ${reason}; only scores that are means of scores of documents can be estimated from some of them`;
}
