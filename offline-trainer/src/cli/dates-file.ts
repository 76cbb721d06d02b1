import { DataIssues, firstFew, quoted } from "anchoreval/node";
import { modelAndValue, readLines } from "./line-file.ts";

/** A day, or a time of it: text that sorts as time does. */
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads when models came out: lines of `model,date`, dates as 2026-01-31; models that the responses don't have may be
 * among them.
 * @param models - each has its line
 * @returns dates in the order of the models
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
export async function readDatesFile(file: string, models: readonly string[]): Promise<string[]> {
  const issues = new DataIssues(file, "lines");
  const dates = new Map<string, string>();
  for (const { row, text } of await readLines(file)) {
    const [model, date] = modelAndValue(text);
    if (model === "" || !DATE.test(date) || Number.isNaN(Date.parse(date)))
      issues.add({ row }, "wrong_type", `a line is model,date with a date such as 2026-01-31, got ${quoted(text)}`);
    else if (dates.has(model)) issues.add({ row }, "duplicate", `model ${quoted(model)} is there twice`);
    else dates.set(model, date);
  }
  issues.refuse();
  const without = models.filter((model) => !dates.has(model));
  if (without.length > 0) issues.fail({}, "missing_model", `there is no date of ${firstFew(without)}`);
  return models.map((model) => dates.get(model)!);
}
