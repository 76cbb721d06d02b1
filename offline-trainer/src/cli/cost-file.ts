import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/core";
import { DataIssues, firstFew, quoted } from "anchoreval/node";

/**
 * Reads what a question costs with each model: lines of `model,cost`, in any one unit, at least 0.
 * @param models - who is routed to; every one has its line, and no other has
 * @returns costs in the order of the models
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
export async function readCostFile(file: string, models: readonly string[]): Promise<Float64Array> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    throw new AnchorEvalError("not_found", `${file} could not be read`, { cause });
  }
  const issues = new DataIssues(file, "lines");
  const costs = new Map<string, number>();
  for (const [index, line] of content.split("\n").entries()) {
    const text = line.trim();
    if (text === "") continue;
    const at = { row: index + 1 };
    const comma = text.lastIndexOf(",");
    const model = text.slice(0, comma).trim();
    const number = text.slice(comma + 1).trim();
    const cost = number === "" ? NaN : Number(number);
    if (comma < 1 || !Number.isFinite(cost)) issues.add(at, "wrong_type", `a line is model,cost, got ${quoted(text)}`);
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
