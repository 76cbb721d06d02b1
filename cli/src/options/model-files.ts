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

/** The lines of a short file that aren't empty. @throws AnchorEvalError `not_found` */
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
 * Reads lines of `model,value`, taken apart at the last comma: names may have commas.
 * @param form - of a line, for messages
 * @param read - the value of a line, or undefined where it is none
 * @param problem - the rule that a readable line breaks, and how; null where it breaks none
 * @throws AnchorEvalError `not_found`, `invalid_data` naming file, line and rule
 */
async function readModelFile<T>(
  file: string,
  form: string,
  read: (value: string) => T | undefined,
  problem: (model: string, value: T, known: T | undefined) => readonly [rule: string, message: string] | null,
): Promise<Map<string, T>> {
  const issues = new DataIssues(file, "lines");
  const values = new Map<string, T>();
  for (const { row, text } of await readLines(file)) {
    const comma = text.lastIndexOf(",");
    const model = text.slice(0, Math.max(0, comma)).trim();
    const value = read(text.slice(comma + 1).trim());
    const broken =
      model === "" || value === undefined
        ? (["wrong_type", `a line must be ${form}, got ${quoted(text)}`] as const)
        : problem(model, value, values.get(model));
    if (broken) issues.add({ row }, ...broken);
    else values.set(model, value!);
  }
  issues.refuse();
  return values;
}

/** The values of all models, in their order. @throws AnchorEvalError `invalid_data` where one has none */
function valuesOf<T>(models: readonly string[], values: ReadonlyMap<string, T>, file: string, noun: string): T[] {
  const missing = models.filter((model) => !values.has(model));
  if (missing.length > 0)
    new DataIssues(file, "lines").fail({}, "missing_model", `there is no ${noun} of ${firstFew(missing)}`);
  return models.map((model) => values.get(model)!);
}

function twice(model: string): readonly [rule: string, message: string] {
  return ["duplicate", `model ${quoted(model)} is there twice`];
}

export const FAMILIES_OPTION = {
  families: option("FILE", "lines of model,family: families are held out as a whole (default: read off the names)"),
} as const satisfies OptionSpecs;

/** The table of `--families FILE`, where it is given; models that the responses don't have may be in it. */
export async function readFamilies(options: OptionReader): Promise<{ readonly families?: Map<string, string> }> {
  const file = options.text("families");
  if (file === undefined) return {};
  const families = await readModelFile(
    file,
    "model,family",
    (family) => family || undefined,
    (model, family, known = family) =>
      known === family ? null : ["duplicate", `model ${quoted(model)} is of two families, ${quoted(known)} above`],
  );
  return { families };
}

/** A day, or a time of it: text that sorts as time does. */
const DATE = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Reads when models came out: lines of `model,date`, dates as 2026-01-31; models that the responses don't have may be
 * among them.
 * @param models - each has its line
 * @returns dates in the order of the models
 */
export async function readDatesFile(file: string, models: readonly string[]): Promise<string[]> {
  const dates = await readModelFile(
    file,
    "model,date with a date such as 2026-01-31",
    (date) => (DATE.test(date) && !Number.isNaN(Date.parse(date)) ? date : undefined),
    (model, _, known) => (known === undefined ? null : twice(model)),
  );
  return valuesOf(models, dates, file, "date");
}

/**
 * Reads what a question costs with each model: lines of `model,cost`, in any one unit, at least 0.
 * @param models - who is routed to; every one has its line, and no other has
 * @returns costs in the order of the models
 */
export async function readCostFile(file: string, models: readonly string[]): Promise<Float64Array> {
  const costs = await readModelFile(
    file,
    "model,cost",
    (cost) => (cost !== "" && Number.isFinite(Number(cost)) ? Number(cost) : undefined),
    (model, cost, known) => {
      if (cost < 0) return ["out_of_range", `a cost must be at least 0, got ${cost}`];
      if (!models.includes(model)) return ["unknown_model", `the responses have no model ${quoted(model)}`];
      return known === undefined ? null : twice(model);
    },
  );
  return Float64Array.from(valuesOf(models, costs, file, "cost"));
}
