import { AnchorEvalError } from "anchoreval/core";
import {
  flatProtocol,
  groupRuns,
  PROTOCOL_WORDS,
  protocolDifferences,
  taskProtocol,
  type RunLog,
  type TaskProtocol,
} from "anchoreval/logs";

/** What happens with several runs of a model on a task. */
export type DuplicatePolicy = "newest" | "mean" | "error";

export interface SelectedRuns {
  /** Runs to read: one for each model and task, or all of them where they are averaged. */
  readonly chosen: readonly RunLog[];
  /** Older runs that are left out. */
  readonly dropped: readonly RunLog[];
  readonly warnings: readonly string[];
}

/**
 * Chooses among several runs of the same model on the same task.
 * @throws AnchorEvalError `invalid_data` naming the runs, under the policy `error`
 */
export function selectRuns(logs: readonly RunLog[], policy: DuplicatePolicy): SelectedRuns {
  const chosen: RunLog[] = [];
  const dropped: RunLog[] = [];
  const warnings: string[] = [];
  for (const runs of groupRuns(logs)) {
    const [newest, ...older] = runs;
    chosen.push(newest!);
    if (older.length === 0) continue;
    if (policy === "error") throw severalRuns(runs);
    const otherwise = older.find((run) => run.results?.modelArguments !== newest!.results?.modelArguments);
    if (otherwise)
      warnings.push(
        `${newest!.model}, ${newest!.task}: its runs were made with different arguments (${newest!.results?.modelArguments ?? "unknown"}; ${otherwise.results?.modelArguments ?? "unknown"}): if these are different models, import them apart, with --model-name`,
      );
    if (policy === "mean") chosen.push(...older);
    else {
      dropped.push(...older);
      const unlike = older.map((run) => differences(newest!, run)).find((found) => found.length > 0);
      if (unlike)
        warnings.push(
          `${newest!.model}, ${newest!.task}: an older run was not made like the newest: ${unlike.join("; ")}; the newest counts, ${newest!.file} (--on-duplicate error refuses several runs)`,
        );
      const larger = older.find((run) => documents(run) > documents(newest!));
      if (larger)
        warnings.push(
          `${newest!.model}, ${newest!.task}: the newest run has ${documents(newest!)} documents, an older one ${documents(larger)}; the newest counts`,
        );
    }
  }
  return { chosen, dropped, warnings };
}

/** In what two runs of a task were asked otherwise, as far as both say. */
function differences(newest: RunLog, older: RunLog): string[] {
  const protocolOf = ({ task, results }: RunLog): TaskProtocol =>
    taskProtocol(results, { task, metric: "", filter: "" });
  const before = flatProtocol("", new Map([[older.task, [protocolOf(older)]]]));
  return protocolDifferences(before, newest.task, protocolOf(newest)).map(
    ({ field, bundle, run }) => `${PROTOCOL_WORDS[field]} ${bundle}, now ${run}`,
  );
}

function documents(log: RunLog): number {
  return log.results?.tasks.get(log.task)?.documents?.run ?? NaN;
}

function severalRuns(runs: readonly RunLog[]): AnchorEvalError {
  const { model, task } = runs[0]!;
  return new AnchorEvalError(
    "invalid_data",
    `${model} has ${runs.length} runs on ${task}: ${runs.map((run) => run.file).join(", ")}; --on-duplicate newest or mean says what counts`,
    { issues: runs.map(({ file }) => ({ path: [file], code: "duplicate", message: `a run of ${model} on ${task}` })) },
  );
}
