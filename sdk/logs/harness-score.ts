import type { ErrorPolicy } from "./attempts.ts";
import { itemScore, type ReadRun } from "./choose-runs.ts";
import { groupBy } from "./run-log.ts";

/** A score computed from a run's samples, beside the harness's own, both on [0,1]. */
export interface ComparedScore {
  readonly model: string;
  /** A task, or a scenario of several. */
  readonly name: string;
  readonly imported: number;
  readonly harness: number;
}

/** Scores as far apart are different ones: results files have them to six digits and more. */
const TOLERANCE = 1e-6;

export function isHarnessScore({ imported, harness }: Pick<ComparedScore, "imported" | "harness">): boolean {
  return Math.abs(imported - harness) <= TOLERANCE;
}

/**
 * Mean scores of runs that aren't those that their own results report. Left out are tasks of several runs, of which no
 * single results tell, and runs without results.
 * @param scale - brings the harness's scores to [0,1]
 */
export function otherScores(
  runs: readonly ReadRun[],
  { errors, scale }: { readonly errors: ErrorPolicy; readonly scale: (score: number) => number },
): ComparedScore[] {
  const tasks = groupBy(runs, ({ log }) => JSON.stringify([log.model, log.task]));
  return [...tasks.values()].flatMap(([run, ...more]) => {
    const { log, metric, filter, samples } = run!;
    const reported = log.results?.tasks.get(log.task)?.aggregates.get(`${metric},${filter}`);
    const scores = samples.flatMap((sample) => itemScore(sample, errors) ?? []);
    if (more.length > 0 || reported === undefined || scores.length === 0) return [];
    const imported = scores.reduce((sum, score) => sum + score, 0) / scores.length;
    const compared = { model: log.model, name: log.task, imported, harness: scale(reported) };
    return isHarnessScore(compared) ? [] : [compared];
  });
}

/** Says which scores aren't the harness's own; none where all are. */
export function otherScoreWords(different: readonly ComparedScore[], errors: ErrorPolicy): string[] {
  if (different.length === 0) return [];
  const policy = errors === "harness" ? "" : ` (\`errors\` ${errors} moves scores)`;
  const examples = different
    .slice(0, 5)
    .map(
      ({ model, name, imported, harness }) =>
        `${model}, ${name}: ${imported.toFixed(6)} here, ${harness.toFixed(6)} there`,
    );
  return [
    `${different.length} ${different.length === 1 ? "score differs" : "scores differ"} from the harness's own${policy}: ${examples.join("; ")}${different.length > 5 ? "; …" : ""}`,
  ];
}
