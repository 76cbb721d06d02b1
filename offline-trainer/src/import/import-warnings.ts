import type { RunLog, SampleState } from "anchoreval/logs";
import type { ScoreComparison } from "./compare-scores.ts";
import type { ReportedRun } from "./import-report.ts";
import type { ErrorPolicy } from "./run-scores.ts";

/** Above this share, samples without an answer or a score are worth a word. */
const NOTABLE_SHARE = 0.02;

export function stateWarnings(
  { scored, errored, unscored }: Record<SampleState, number>,
  errors: ErrorPolicy,
): string[] {
  const total = scored + errored + unscored;
  if (errored + unscored <= NOTABLE_SHARE * total) return [];
  const counted = {
    harness: "counted as the harness counts them: the score that it gave, else missing",
    missing: "missing",
    wrong: "counted as wrong",
  }[errors];
  return [
    `of ${total} samples, ${errored} have no answer of the model and ${unscored} no score: ${counted} (--errors missing|wrong)`,
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
  const changed = runs.filter((run) => run.changed.length > 0);
  const renumbered = runs.filter((run) => run.renumbered > 0);
  const warnings: string[] = [];
  if (changed.length > 0)
    warnings.push(
      `${changed.reduce((sum, run) => sum + run.changed.length, 0)} samples were left out, as their documents differ from most models': ${list(changed.map((run) => `${run.model}, ${run.task}: ${run.changed.length}`))}`,
    );
  if (renumbered.length > 0)
    warnings.push(
      `${renumbered.reduce((sum, run) => sum + run.renumbered, 0)} samples have another document's number, and were matched by content: ${list(renumbered.map((run) => `${run.model}, ${run.task}: ${run.renumbered}`))}`,
    );
  return warnings;
}

export function scoreWarnings(different: readonly ScoreComparison[], errors: ErrorPolicy): string[] {
  const policy = errors === "harness" ? "" : ` (--errors ${errors} moves scores)`;
  const told = different.map(
    ({ model, name, imported, harness }) =>
      `${model}, ${name}: ${imported.toFixed(6)} here, ${harness.toFixed(6)} there`,
  );
  return different.length === 0
    ? []
    : [
        `${different.length} ${different.length === 1 ? "score differs" : "scores differ"} from the harness's own${policy}: ${list(told, 5)}`,
      ];
}

function list(told: readonly string[], most = 3): string {
  return `${told.slice(0, most).join("; ")}${told.length > most ? "; …" : ""}`;
}
