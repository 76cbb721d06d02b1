import { AnchorEvalError } from "../core/errors.ts";

/**
 * What was chosen for a task.
 * @param names - the task, then its groups from the nearest outwards
 */
export type Choose = (names: readonly string[]) => string | undefined;

/**
 * Reads the values of an option that may be given for some tasks: `NAME` for all, `TASK=NAME` for one task or all tasks
 * of a group, `TASK*=NAME` for those whose names begin so. The nearest counts: the task, its groups, the longest
 * beginning, all.
 * @param option - for messages
 * @throws AnchorEvalError `invalid_option` for two choices for the same tasks
 * @example parseChoices("metric", ["acc", "gsm8k=exact_match"])(["gsm8k"]) // "exact_match"
 */
export function parseChoices(option: string, values: readonly string[]): Choose {
  const choices = new Map<string, string>();
  for (const value of values) {
    const equals = value.indexOf("=");
    const tasks = equals < 0 ? "*" : value.slice(0, equals);
    const name = value.slice(equals + 1);
    if (tasks === "" || name === "")
      throw new AnchorEvalError("invalid_option", `--${option} is NAME or TASK=NAME; got ${value}`);
    const before = choices.get(tasks);
    if (before !== undefined && before !== name)
      throw new AnchorEvalError(
        "invalid_option",
        `--${option} is given twice for ${tasks === "*" ? "all tasks" : tasks}: ${before} and ${name}`,
      );
    choices.set(tasks, name);
  }
  const beginnings = [...choices.keys()]
    .filter((tasks) => tasks.endsWith("*"))
    .sort((left, right) => right.length - left.length);
  return (names) => {
    const own = names.find((name) => choices.has(name));
    const tasks = own ?? beginnings.find((beginning) => names[0]?.startsWith(beginning.slice(0, -1)));
    return tasks === undefined ? undefined : choices.get(tasks);
  };
}
