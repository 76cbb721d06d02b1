import type { Weighting } from "../core/bundle/names.ts";
import type { RunLog, RunResults } from "./run-log.ts";

/**
 * The group whose score a task counts towards: the topmost one that has an aggregate of its own. Groups that only
 * bundle tasks (a leaderboard's) are passed through, as the harness gives them no score either.
 * @returns null for a task of no such group
 */
export function groupOfTask(results: RunResults, task: string): string | null {
  let topmost: string | null = null;
  for (const ancestor of ancestors(results, task))
    if (results.groups.get(ancestor)!.aggregates.size > 0) topmost = ancestor;
  return topmost;
}

/** All groups that a task is in, the nearest first; of several parents, the first in the file counts. */
export function ancestors(results: RunResults, task: string): string[] {
  const groups: string[] = [];
  let child: string | undefined = task;
  while (child !== undefined) {
    const name: string = child;
    child = [...results.groups].find(
      ([group, { children }]) => children.includes(name) && !groups.includes(group),
    )?.[0];
    if (child !== undefined) groups.push(child);
  }
  return groups;
}

/** The names by which options may be given for a log's task: its own, then its groups' from the nearest outwards. */
export function choiceNames({ task, results, groups = [] }: RunLog): string[] {
  return [...new Set([task, ...(results ? ancestors(results, task) : []), ...groups])];
}

/** The same runs, each with the groups that any of them names for its task. */
export function withGroups(logs: readonly RunLog[]): RunLog[] {
  const groups = new Map<string, Set<string>>();
  for (const results of new Set(logs.flatMap((log) => log.results ?? [])))
    for (const task of results.tasks.keys())
      groups.set(task, new Set([...(groups.get(task) ?? []), ...ancestors(results, task)]));
  return logs.map((log) => ({ ...log, groups: [...(groups.get(log.task) ?? [])] }));
}

/** The tasks of a group and of the groups in it, in order, each once. */
export function leafTasks(results: RunResults, group: string): string[] {
  const leaves = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    const children = results.groups.get(name)?.children;
    if (!children) leaves.add(name);
    else for (const child of children) if (!path.includes(child)) visit(child, [...path, child]);
  };
  visit(group, [group]);
  return [...leaves];
}

/** Aggregates as far apart are different ones. */
const TOLERANCE = 1e-9;

/**
 * How the harness weighted a group's tasks: what the results say, where they do. lm-eval's don't keep `weight_by_size`, but
 * they have the tasks' scores, their sizes and the group's score, which tell.
 * @param key - `metric,filter`
 * @returns `items` where each document counts the same, `subscenarios` where each task does; `either` where both give
 * the group's score; null where neither does, or the file lacks the numbers
 */
export function groupWeighting(results: RunResults, group: string, key: string): Weighting | "either" | null {
  const weighting = results.groups.get(group)?.weighting;
  if (weighting !== undefined) return weighting;
  const aggregate = results.groups.get(group)?.aggregates.get(key);
  const parts = leafTasks(results, group).flatMap((name) => {
    const task = results.tasks.get(name);
    const score = task?.aggregates.get(key);
    return score === undefined || !task?.documents ? [] : [{ score, size: task.documents.run }];
  });
  if (aggregate === undefined || parts.length === 0) return null;
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const bySize = parts.reduce((sum, part) => sum + part.size * part.score, 0) / size;
  const byTask = parts.reduce((sum, part) => sum + part.score, 0) / parts.length;
  const near = (value: number): boolean => Math.abs(value - aggregate) <= TOLERANCE * Math.max(1, Math.abs(aggregate));
  if (near(bySize)) return near(byTask) ? "either" : "items";
  return near(byTask) ? "subscenarios" : null;
}
