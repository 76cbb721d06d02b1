import { isSameScore } from "anchoreval/internal/logs/choose-runs";
import { groupBy } from "anchoreval/internal/logs/run-log";
import type { RunScores } from "./run-scores.ts";

/** Share of the items of the smaller task that both have, from which two tasks are one. */
const SAME_TASK = 0.5;
/** Share of equal scores from which answers to two tasks are one run's, or its rerun's: copies with 1 % flipped lie far above it. */
const SAME_SCORES = 0.95;

/**
 * The runs of a task that logs call both `quiz` and, by its package, `pkg/quiz`, under one name: where their items have the
 * same content, and no model has both. What looks so and isn't, is said.
 */
export function joinPackages(runs: readonly RunScores[]): { runs: readonly RunScores[]; warnings: readonly string[] } {
  const names = new Map<string, string>();
  const warnings: string[] = [];
  const tasks = groupBy(runs, ({ log }) => log.task);
  for (const alike of groupBy(tasks.keys(), shortName).values()) {
    if (alike.length < 2) continue;
    const [main, ...others] = alike.toSorted(
      (left, right) =>
        Number(right === shortName(right)) - Number(left === shortName(left)) ||
        tasks.get(right)!.length - tasks.get(left)!.length,
    ) as [string, ...string[]];
    for (const other of others) {
      const why = difference(tasks.get(main)!, tasks.get(other)!);
      if (why === null) names.set(other, main);
      warnings.push(
        why === null
          ? `${other} and ${main} have the same items: they are one task here, ${main}`
          : `${other} and ${main} look like one task, and are two here: ${why}`,
      );
    }
  }
  return {
    runs: names.size === 0 ? runs : runs.map((run) => renamed(run, names)),
    warnings: [...warnings, ...sameItemWarnings(tasks)],
  };
}

/**
 * Tasks that are called otherwise and have the same items: likely one task, where no model ran both; a group and its tasks,
 * or a task twice, where models ran both and have the same scores.
 */
function sameItemWarnings(tasks: ReadonlyMap<string, readonly RunScores[]>): string[] {
  const taskOf = new Map<string, string>();
  const keys = new Set<string>();
  for (const [task, runs] of tasks)
    for (const hash of hashesOf(runs)) {
      const other = taskOf.get(hash);
      if (other === undefined) taskOf.set(hash, task);
      else if (shortName(other) !== shortName(task)) keys.add(JSON.stringify([other, task]));
    }
  const pairs = Array.from(keys, (key) => JSON.parse(key) as [string, string]);
  const isTwice = ([left, right]: [string, string]): boolean => countsTwice(tasks.get(left)!, tasks.get(right)!);
  return [
    ...pairs.flatMap(([left, right]) =>
      difference(tasks.get(left)!, tasks.get(right)!) === null
        ? [`${right} and ${left} have the same items, and no model ran both: are they one task under two names?`]
        : [],
    ),
    ...twiceWarnings(pairs.filter(isTwice)),
  ];
}

/** Whether two tasks share items, and the models that ran both have the same scores on them. */
function countsTwice(left: readonly RunScores[], right: readonly RunScores[]): boolean {
  const [one, other] = [hashesOf(left), hashesOf(right)];
  if ([...one].filter((hash) => other.has(hash)).length < SAME_TASK * Math.min(one.size, other.size)) return false;
  let [both, equal] = [0, 0];
  for (const run of right)
    for (const twin of left) {
      if (twin.log.model !== run.log.model) continue;
      const scores = new Map(twin.hashes.map((hash, sample) => [hash, twin.scores[sample]!]));
      run.hashes.forEach((hash, sample) => {
        const [here, there] = [run.scores[sample]!, hash === null ? NaN : (scores.get(hash) ?? NaN)];
        if (Number.isNaN(here) || Number.isNaN(there)) return;
        both++;
        if (isSameScore(here, there)) equal++;
      });
    }
  return both > 0 && equal >= SAME_SCORES * both;
}

/** Of pairs of tasks, those of the task that is in most of them together: a group and its tasks. */
function twiceWarnings(pairs: readonly (readonly [string, string])[]): string[] {
  const counts = new Map([...groupBy(pairs.flat(), (task) => task)].map(([task, { length }]) => [task, length]));
  const wider = groupBy(pairs, ([left, right]) => (counts.get(right)! > counts.get(left)! ? right : left));
  return Array.from(wider, ([task, doubles]) => {
    const others = doubles.map(([left, right]) => (left === task ? right : left));
    const named = `${others.slice(0, 3).join(", ")}${others.length > 3 ? `, … (${others.length} tasks)` : ""}`;
    return `${task} has the same items as ${named}, and models have the same scores on both: they count twice here; leave out the one or the other`;
  });
}

/** A task's name without its package's. */
function shortName(task: string): string {
  return task.slice(task.lastIndexOf("/") + 1);
}

/** Why two tasks aren't one; null where they are. */
function difference(left: readonly RunScores[], right: readonly RunScores[]): string | null {
  const models = new Set(left.map(({ log }) => log.model));
  const both = right.find(({ log }) => models.has(log.model));
  if (both) return `${both.log.model} has runs of both`;
  const [one, other] = [hashesOf(left), hashesOf(right)];
  const smaller = Math.min(one.size, other.size);
  if (smaller === 0) return "the logs don't hold their items, so nothing tells whether these are the same";
  const shared = [...one].filter((hash) => other.has(hash)).length;
  return shared >= SAME_TASK * smaller ? null : `they share ${shared} of ${smaller} items`;
}

function hashesOf(runs: readonly RunScores[]): Set<string> {
  return new Set(runs.flatMap(({ hashes }) => hashes.filter((hash) => hash !== null)));
}

function renamed(run: RunScores, names: ReadonlyMap<string, string>): RunScores {
  const { log } = run;
  const task = names.get(log.task);
  if (task === undefined) return run;
  const results = log.results && {
    ...log.results,
    tasks: new Map([...log.results.tasks].map(([name, figures]) => [name === log.task ? task : name, figures])),
  };
  return { ...run, log: { ...log, task, results } };
}
