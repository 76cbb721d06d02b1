import { groupBy, type RunLog } from "anchoreval/internal/logs/run-log";
import { counted } from "anchoreval/internal/words/figures";
import type { AlignedTask, RunMatching } from "./align-items.ts";
import type { countStates, RunScores } from "./run-scores.ts";

/** A run as it was imported, and how it compares with what the harness reported. */
export interface ReportedRun extends RunMatching, Pick<RunLog, "model" | "task" | "file"> {
  readonly results: string | null;
  readonly attempts: ReturnType<typeof countStates>;
  /** Documents that it asked. */
  readonly documents: number;
}

/** Models without a run of a task that others ran: a log is missing, or its task or model is called otherwise there. */
export function coverageWarnings(runs: readonly RunScores[], logs: readonly RunLog[]): string[] {
  const tasks = groupBy(runs, ({ log }) => log.task);
  const models = new Set(runs.map(({ log }) => log.model));
  const unlogged = new Set(
    logs.flatMap(({ model, results }) => Array.from(results?.tasks ?? [], ([task]) => `${model}, ${task}`)),
  );
  const lacking = [...tasks].flatMap(([task, ofTask]) => {
    const present = new Set(ofTask.map(({ log }) => log.model));
    return [...models].flatMap((model) => {
      const name = `${model}, ${task}`;
      return present.has(model) || unlogged.has(name) ? [] : [name];
    });
  });
  if (lacking.length === 0) return [];
  return [
    `of ${models.size} models times ${counted(tasks.size, "task")}, ${counted(lacking.length, "run")} ${lacking.length === 1 ? "isn't" : "aren't"} there: ${list(lacking)}: those answers are missing here`,
  ];
}

/** Tasks that the harness has scored in a run whose samples weren't found. Files that were given by name stand for themselves. */
export function unloggedWarnings(logs: readonly RunLog[], paths: readonly string[]): string[] {
  const key = (model: string, task: string): string => `${model}, ${task}`;
  const logged = new Set(logs.map(({ model, task }) => key(model, task)));
  const lacking = new Set<string>();
  for (const { file, model, results } of logs)
    for (const [task, { aggregates }] of (!paths.includes(file) && results?.tasks) || [])
      if (aggregates.size > 0 && !logged.has(key(model, task))) lacking.add(key(model, task));
  if (lacking.size === 0) return [];
  return [
    `${lacking.size} ${lacking.size === 1 ? "task has" : "tasks have"} a score in the results, and no samples: ${list([...lacking])}: those answers are missing here`,
  ];
}

export function matchingWarnings(runs: readonly ReportedRun[]): string[] {
  const withContents = new Set(runs.flatMap(({ task, byHash }) => (byHash > 0 ? [task] : [])));
  const warning = ([one, many]: readonly [string, string], countOf: (run: ReportedRun) => number): string[] => {
    const concerned = runs.filter((run) => countOf(run) > 0);
    const total = concerned.reduce((sum, run) => sum + countOf(run), 0);
    const examples = concerned.map((run) => `${run.model}, ${run.task}: ${countOf(run)}`);
    return total === 0 ? [] : [`${counted(total, "sample")} ${total === 1 ? one : many}: ${list(examples)}`];
  };
  return [
    ...warning(
      [
        "was left out, as its document differs from most models'",
        "were left out, as their documents differ from most models'",
      ],
      (run) => run.changed.length,
    ),
    ...warning(
      [
        "has another document's number, and was matched by content",
        "have another document's number, and were matched by content",
      ],
      (run) => run.renumbered,
    ),
    ...warning(
      [
        "was matched by number alone, as its log doesn't hold the documents that others do",
        "were matched by number alone, as their logs don't hold the documents that others do",
      ],
      (run) => (withContents.has(run.task) ? run.byId : 0),
    ),
  ];
}

/** Tasks that lack the metric or filter that was chosen for all, with what counts instead. */
export function absentWarnings(runs: readonly RunScores[]): string[] {
  const chosen = new Set(
    runs.flatMap(({ absent, log, metric, filter }) => (absent ? [`${log.task}: ${metric}, ${filter}`] : [])),
  );
  if (chosen.size === 0) return [];
  return [
    `${chosen.size} ${chosen.size === 1 ? "task has" : "tasks have"} no such metric or filter, and ${chosen.size === 1 ? "counts by its" : "count by their"} only one: ${list([...chosen], 5)}`,
  ];
}

/** Items whose ids are other documents' in most runs, and that are called by id and content. */
export function renamedWarnings(tasks: ReadonlyMap<string, AlignedTask>): string[] {
  const names = [...tasks].flatMap(([task, { renamed }]) => renamed.map(({ doc_id }) => `${task}/${doc_id}`));
  if (names.length === 0) return [];
  return [
    `runs number documents in different ways: ${counted(names.length, "item")} whose ${names.length === 1 ? "id is another document's is" : "ids are other documents' are"} called by id and content: ${list(names)}`,
  ];
}

/** Models that were asked a part of a task's documents, all their runs together: with a limit, on anchors alone, or broken off. */
export function partWarnings(tasks: ReadonlyMap<string, AlignedTask>): string[] {
  const [alike, odd]: [string[], string[]] = [[], []];
  for (const [task, { items, runs, columns, matching }] of tasks) {
    const all = Math.max(items.length, ...runs.map(({ log }) => log.results?.tasks.get(task)?.documents?.all ?? 0));
    const asked = Array.from(
      groupBy(runs.keys(), (run) => runs[run]!.log.model),
      ([model, parts]) => {
        const matched = new Set(parts.flatMap((run) => [...columns[run]!].filter((item) => item >= 0)));
        return { model, count: parts.reduce((sum, run) => sum + matching[run]!.changed.length, matched.size) };
      },
    );
    if (items.length < all && asked.every(({ count }) => count === items.length))
      alike.push(`${task}: ${items.length} of ${all}`);
    else for (const { model, count } of asked) if (count < all) odd.push(`${model}, ${task}: ${count} of ${all}`);
  }
  const warnings: string[] = [];
  if (alike.length > 0)
    warnings.push(`every run asked the same part of the documents: ${list(alike)}: scores are on these alone`);
  if (odd.length > 0)
    warnings.push(
      `${counted(odd.length, "run")} asked a part of the documents (--limit, anchors alone): ${list(odd)}: the rest is missing here; a leaderboard is worth more without such runs`,
    );
  return warnings;
}

function list(examples: readonly string[], most = 3): string {
  return `${examples.slice(0, most).join("; ")}${examples.length > most ? "; …" : ""}`;
}
