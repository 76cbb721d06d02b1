import { readFile } from "node:fs/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { type OptionReader, type OptionSpecs, option } from "../command.ts";

/** A line of a file, without white space around it. */
interface FileLine {
  /** Counted from 1. */
  readonly row: number;
  readonly text: string;
}

/**
 * The lines of a short file that aren't empty.
 * @throws AnchorEvalError `not_found`
 */
export async function readLines(file: string): Promise<FileLine[]> {
  let content: string;
  try {
    content = await readFile(file, "utf8");
  } catch (cause) {
    throw new AnchorEvalError("not_found", `${file} could not be read`, { cause });
  }
  return content
    .split("\n")
    .map((line, index) => ({ row: index + 1, text: line.trim() }))
    .filter(({ text }) => text !== "");
}

/**
 * Takes a line `model,value` apart at its last comma: names may have commas.
 * @returns no model where there is no comma, or nothing before it
 * @example modelAndValue("a, b ,3") // ["a, b", "3"]
 */
function modelAndValue(text: string): readonly [model: string, value: string] {
  const comma = text.lastIndexOf(",");
  return [text.slice(0, Math.max(0, comma)).trim(), text.slice(comma + 1).trim()];
}

/** Which models are related. */
export const FAMILIES_OPTION = {
  families: option("FILE", "lines of model,family: families are held out as a whole (default: read off the names)"),
} as const satisfies OptionSpecs;

/** The table of `--families FILE`, where it is given. */
export async function readFamilies(options: OptionReader): Promise<{ readonly families?: Map<string, string> }> {
  const file = options.text("families");
  return file === undefined ? {} : { families: await readFamiliesFile(file) };
}

/**
 * Reads families of models: lines of `model,family`; models that the responses don't have may be among them.
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
async function readFamiliesFile(file: string): Promise<Map<string, string>> {
  const issues = new DataIssues(file, "lines");
  const families = new Map<string, string>();
  for (const { row, text } of await readLines(file)) {
    const [model, family] = modelAndValue(text);
    const known = families.get(model);
    if (model === "" || family === "")
      issues.add({ row }, "wrong_type", `a line must be model,family, got ${quoted(text)}`);
    else if (known !== undefined && known !== family)
      issues.add({ row }, "duplicate", `model ${quoted(model)} is of two families, ${quoted(known)} above`);
    else families.set(model, family);
  }
  issues.refuse();
  return families;
}

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
      issues.add(
        { row },
        "wrong_type",
        `a line must be model,date with a date such as 2026-01-31, got ${quoted(text)}`,
      );
    else if (dates.has(model)) issues.add({ row }, "duplicate", `model ${quoted(model)} is there twice`);
    else dates.set(model, date);
  }
  issues.refuse();
  const missing = models.filter((model) => !dates.has(model));
  if (missing.length > 0) issues.fail({}, "missing_model", `there is no date of ${firstFew(missing)}`);
  return models.map((model) => dates.get(model)!);
}

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
      issues.add(at, "wrong_type", `a line must be model,cost, got ${quoted(text)}`);
    else if (cost < 0) issues.add(at, "out_of_range", `a cost must be at least 0, got ${cost}`);
    else if (!models.includes(model)) issues.add(at, "unknown_model", `the responses have no model ${quoted(model)}`);
    else if (costs.has(model)) issues.add(at, "duplicate", `model ${quoted(model)} is there twice`);
    else costs.set(model, cost);
  }
  issues.refuse();
  const missing = models.filter((model) => !costs.has(model));
  if (missing.length > 0) issues.fail({}, "missing_model", `there is no cost of ${firstFew(missing)}`);
  return Float64Array.from(models, (model) => costs.get(model)!);
}
