import { DataIssues, firstFew, quoted } from "anchoreval/node";
import { modelAndValue, readLines } from "./line-file.ts";

/**
 * Reads what a question costs with each model: lines of `model,cost`, in any one unit, at least 0.
 * @param models - who is routed to; every one has its line, and no other has
 * @returns costs in the order of the models
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
export async function readCostFile(file: string, models: readonly string[]): Promise<Float64Array> {
  const issues = new DataIssues(file, "lines");
  const costs = new Map<string, number>();
  for (const { row, text } of await readLines(file)) {
    const at = { row };
    const [model, number] = modelAndValue(text);
    const cost = number === "" ? NaN : Number(number);
    if (model === "" || !Number.isFinite(cost))
      issues.add(at, "wrong_type", `a line is model,cost, got ${quoted(text)}`);
    else if (cost < 0) issues.add(at, "out_of_range", `a cost is at least 0, got ${cost}`);
    else if (!models.includes(model)) issues.add(at, "unknown_model", `the responses have no model ${quoted(model)}`);
    else if (costs.has(model)) issues.add(at, "duplicate", `model ${quoted(model)} is there twice`);
    else costs.set(model, cost);
  }
  issues.refuse();
  const without = models.filter((model) => !costs.has(model));
  if (without.length > 0) issues.fail({}, "missing_model", `there is no cost of ${firstFew(without)}`);
  return Float64Array.from(models, (model) => costs.get(model)!);
}
