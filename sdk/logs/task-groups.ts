import type { RunResults } from "./run-results.ts";

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
  const found: string[] = [];
  let child: string | undefined = task;
  while (child !== undefined) {
    const name: string = child;
    child = [...results.groups].find(([group, { children }]) => children.includes(name) && !found.includes(group))?.[0];
    if (child !== undefined) found.push(child);
  }
  return found;
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
