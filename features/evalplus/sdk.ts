import { lookUp } from "../../sdk/core/bundle/names.ts";
import { invalidOption } from "../../sdk/core/errors.ts";
import { attemptFailure } from "../../sdk/logs/attempts.ts";
import { chooseMetric } from "../../sdk/logs/choices.ts";
import { type Fields, list, numberOf, record, textOf } from "../../sdk/logs/json.ts";
import type { RunSamples } from "../../sdk/logs/run-log.ts";
import { emptyRun, invalidLog, type LoggedRow, type SampleOptions, scoreRows } from "../../sdk/logs/score-rows.ts";
import { DataIssues, quoted } from "../../sdk/tables/data-issues.ts";
import { isObject } from "../../sdk/tables/json-records.ts";

/** The metrics: HumanEval's or MBPP's own tests, and these together with those that EvalPlus adds. */
const [BASE, PLUS] = ["base", "plus"] as const;

/** A solution that was judged. */
export interface Solution {
  /** The task's number: 0 of `HumanEval/0`. */
  readonly id: number;
  /** Which of the task's solutions it is, from 1. */
  readonly attempt: number;
  /** Whether it passes the benchmark's own tests, and all tests; null where nothing says. */
  readonly base: boolean | null;
  readonly plus: boolean | null;
  /** Why there is none to judge; null where there is one. */
  readonly failure: string | null;
}

/** Results of EvalPlus: one model on one of its benchmarks. */
interface Results {
  readonly task: "humaneval" | "mbpp";
  readonly solutions: readonly Solution[];
  /** Solutions of each task; null where tasks differ. */
  readonly epochs: number | null;
  /** Digest of the tasks and their tests; null where the file has none. */
  readonly hash: string | null;
  /** The file's own scores, on [0,1], by `metric,filter`. */
  readonly aggregates: ReadonlyMap<string, number>;
}

/** Whether JSON is results of EvalPlus, of whatever version. */
export function isResults(value: unknown): value is Fields {
  return isObject(value) && isObject(value.eval) && Object.values(value.eval).some((task) => isJudged(task) || isOld(task)); // prettier-ignore
}

/** Whether a task has its solutions in a list, as from version 0.2 on. */
function isJudged(task: unknown): boolean {
  return list(task).some((solution) => "base_status" in record(solution));
}

/** Whether a task is an object of lists, as before. */
function isOld(task: unknown): boolean {
  return ["base", "plus", "files", "nfiles"].some((name) => lookUp(record(task), name) !== undefined);
}

/** Tasks by the beginnings of their ids. */
const TASKS: ReadonlyMap<string, Results["task"]> = new Map([["HumanEval", "humaneval"], ["Mbpp", "mbpp"]]); // prettier-ignore

/**
 * Reads results of EvalPlus, `…_eval_results.json` or `….eval_results.json`.
 * @throws AnchorEvalError `invalid_data` for the format before version 0.2, for tasks of neither or both benchmarks, and for
 * what isn't a status
 */
export function readResults(value: Fields, file: string): Results {
  const tasks = Object.entries(record(value.eval));
  if (tasks.some(([, task]) => isOld(task)))
    throw invalidLog(
      file,
      "these are results of EvalPlus before 0.2, which has another form: judge the samples anew with evalplus.evaluate --i_just_wanna_run",
    );
  const issues = new DataIssues(file, { row: "task" });
  const names = new Set<Results["task"]>();
  const counts = new Set<number>();
  const solutions = tasks.flatMap(([row, task]) => {
    const [, beginning = "", number] = /^(HumanEval|Mbpp)\/(0|[1-9]\d*)$/.exec(row) ?? [];
    const name = TASKS.get(beginning);
    if (name === undefined) issues.add({ row }, "invalid_id", "a task is HumanEval/NUMBER or Mbpp/NUMBER");
    else names.add(name);
    const all = list(task).map(record);
    if (all.length === 0) issues.add({ row }, "missing", "it has no solutions");
    counts.add(all.length);
    return all.map((solution, k) => readSolution(solution, { row, id: Number(number), attempt: k + 1 }, issues));
  });
  issues.refuse();
  const [task, other] = names;
  if (other !== undefined)
    throw invalidLog(file, "it has tasks of HumanEval and of MBPP: evalplus.evaluate judges each by itself");
  const [epochs = 0] = counts;
  return {
    ...{ task: task!, solutions, epochs: counts.size === 1 ? epochs : null, hash: textOf(value.hash) },
    aggregates: readScores(record(value.pass_at_k)),
  };
}

function readSolution(
  solution: Fields,
  { row, id, attempt }: Pick<Solution, "id" | "attempt"> & { readonly row: string },
  issues: DataIssues,
): Solution {
  const named = textOf(solution.task_id);
  if (named !== null && named !== row)
    issues.add({ row, column: "task_id" }, "contradiction", `it has a solution of ${quoted(named)}`);
  const [base, added] = [BASE, PLUS].map((tests) => readStatus(solution[`${tests}_status`], row, issues)) as [
    Solution["base"],
    Solution["plus"],
  ];
  // Both must pass: a solution may pass the added tests, and fail one of the benchmark's own.
  const plus = base === null || added === null ? null : base && added;
  return { id, attempt, base, plus, failure: attemptFailure(solution.solution) };
}

/** Whether tests pass: those that ran out of time don't. */
function readStatus(status: unknown, row: string, issues: DataIssues): boolean | null {
  if (status === null || status === undefined) return null;
  if (status !== "pass" && status !== "fail" && status !== "timeout")
    issues.add({ row }, "wrong_type", `a status is pass, fail or timeout, got ${JSON.stringify(status)}`);
  return status === "pass";
}

/** `pass_at_k`, which versions up to 0.3.1 don't write. */
function readScores(scores: Fields): Map<string, number> {
  return new Map(
    [BASE, PLUS].flatMap((metric) => {
      const score = numberOf(record(scores[metric])["pass@1"]);
      return score === null ? [] : [[`${metric},none`, score] as const];
    }),
  );
}

/**
 * The samples of a run, by all tests unless `metric` is `base`.
 * @throws AnchorEvalError `invalid_option` where only the benchmark's own tests were run and `base` wasn't chosen, and for
 * another metric
 */
export function solutionSamples(solutions: readonly Solution[], options: SampleOptions): RunSamples {
  const { file, task } = options;
  if (solutions.length === 0) return emptyRun(task);
  const isWhole = solutions.some(({ plus }) => plus !== null);
  if (!isWhole && options.metric === undefined)
    throw invalidOption(
      `${file}: ${task} was judged by its own tests alone (\`base_only\`), so plus isn't there: choose \`metric\` base for all models, or judge the samples by all tests`,
    );
  const metrics = isWhole ? [PLUS, BASE] : [BASE];
  const metric = chooseMetric(new Map(metrics.map((name) => [name, null])), { ...options, metric: options.metric ?? PLUS }); // prettier-ignore
  const rows = solutions.map(({ id, attempt, base, plus, failure }): LoggedRow => ({
    ...{ row: id, id, attempt, hash: null, text: null },
    values: new Map([[BASE, base], [PLUS, plus]]), // prettier-ignore
    failure,
  }));
  const issues = new DataIssues(file, { row: "task" });
  return scoreRows(rows, { metric, filter: "none", issues, noun: "solution", item: "task" }, options);
}
