import type { Weighting } from "../core/bundle/names.ts";
import type { RunResults } from "./run-results.ts";
import { leafTasks } from "./task-groups.ts";

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
  const told = results.groups.get(group)?.weighting;
  if (told !== undefined) return told;
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
