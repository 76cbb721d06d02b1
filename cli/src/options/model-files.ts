import { columnOf, type ItemTable, readItemTable } from "anchoreval-trainer/internal/matrix/item-table";
import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { DataIssues, firstFew, quoted } from "anchoreval/internal/tables/data-issues";
import { LONGEST_TEXT, readNamed } from "anchoreval/internal/node/whole-file";
import { whyNot } from "anchoreval/internal/node/write-file";
import { type OptionReader, type OptionSpecs, option } from "../program/command.ts";

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
    content = (await readNamed(file, LONGEST_TEXT)).toString();
  } catch (cause) {
    if (cause instanceof AnchorEvalError) throw cause; // too long
    throw new AnchorEvalError("not_found", `${file} could not be read: ${whyNot(cause)}`, { cause });
  }
  return content
    .split("\n")
    .map((line, index) => ({ row: index + 1, text: line.trim() }))
    .filter(({ text }) => text !== "");
}

/**
 * Parses lines of `model,value`, taken apart at the last comma: names may have commas.
 * @param problem - the rule that a readable line breaks, and how; null where it breaks none
 */
function parseModelLines<T>(
  file: string,
  lines: readonly FileLine[],
  form: string,
  read: (value: string) => T | undefined,
  problem: (model: string, value: T, earlier: T | undefined) => readonly [rule: string, message: string] | null,
): Map<string, T> {
  const issues = new DataIssues(file, "lines");
  const values = new Map<string, T>();
  for (const { row, text } of lines) {
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

export const FAMILIES_OPTION = {
  families: option(
    "FILE",
    "a table of models with a column family, or lines of model,family: families are held out as a whole (default: read off the names)",
  ),
} as const satisfies OptionSpecs;

/** The families of `--families FILE`, where it is given; models that the responses don't have may be in it. */
export async function readFamilies(options: OptionReader): Promise<{ readonly families?: Map<string, string> }> {
  const file = options.text("families");
  if (file === undefined) return {};
  const lines = await readLines(file);
  if (hasHeader(lines)) return { families: modelColumn(await readItemTable(file), "family", "--families") };
  const families = parseModelLines(
    file,
    lines,
    "model,family",
    (family) => family || undefined,
    (model, family, earlier = family) =>
      earlier === family ? null : ["duplicate", `model ${quoted(model)} is of two families, ${quoted(earlier)} above`],
  );
  return { families };
}

/** A day or a month, or a time of a day: text that sorts as time does. */
const DATE = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)?$/;

function isDate(text: string): boolean {
  return DATE.test(text) && !Number.isNaN(Date.parse(text));
}

/** How a column of `--split` holds models out: the newest by date, or whole groups, which are the families of the fits too. */
interface ColumnSplit {
  readonly split: "newest" | "family";
  readonly told: { readonly dates?: string[]; readonly families?: Map<string, string> };
}

/**
 * Reads the column that `--split` names, where that is no split by name; models that the responses don't have may be in the file.
 * @returns how to hold out, given the models of the responses, of which each has its cell
 * @throws AnchorEvalError `invalid_option` without `--families`; `not_found`; `invalid_data` naming file, row and column
 */
export async function readSplitColumn(
  options: OptionReader,
  names: readonly string[],
): Promise<((models: readonly string[]) => ColumnSplit) | undefined> {
  const column = options.text("split");
  if (column === undefined || column.split(",").some((part) => names.includes(part.trim()))) return undefined;
  options.refuse(["targets"], `says who is held out, as --split ${column} does: give one of them`);
  const file = options.text("families");
  if (file === undefined)
    throw invalidOption(`--split takes ${names.join(", ")}, or a column of --families FILE, which isn't given; got ${column}`); // prettier-ignore
  const table = await readItemTable(file);
  const values = modelColumn(table, column, "--split");
  const [dated] = [...values].filter(([, value]) => isDate(value));
  const [other] = [...values].filter(([, value]) => !isDate(value));
  if (dated && other)
    new DataIssues(file).fail({ column }, "wrong_type", `of model ${quoted(dated[0])} it has a date, of ${quoted(other[0])} none: ${quoted(other[1])}; write dates as 2026-01-31`); // prettier-ignore
  const families = table.columns.includes("family") ? { families: modelColumn(table, "family", "--families") } : {};
  return (models) => {
    const dates = valuesOf(models, values, file, column);
    if (dated) return { split: "newest", told: { dates: dates, ...families } };
    return { split: "family", told: { families: values } };
  };
}

/** Whether these are lines of a table with a column `model`, not of `model,value`. */
function hasHeader([first]: readonly FileLine[]): boolean {
  return /(^|[,;\t])"?model"?([,;\t]|$)|^\{/.test(first?.text ?? "");
}

/** A column of a table of models, by model; models whose cell is empty aren't there. @param option - what names the column */
function modelColumn(table: ItemTable, column: string, option: string): Map<string, string> {
  const issues = new DataIssues(table.name);
  const [model, value] = [columnOf(table, "model", "--families"), columnOf(table, column, option)];
  const values = new Map<string, string>();
  table.rows.forEach((cells, k) => {
    const [name, text] = [cells[model]!.trim(), cells[value]!.trim()];
    const row = table.lines[k]!;
    const earlier = values.get(name) ?? text;
    if (name === "") issues.add({ row, column: "model" }, "missing_name", "a model has no name");
    else if (text !== "" && text !== earlier)
      issues.add({ row, column }, "duplicate", `model ${quoted(name)} is ${quoted(text)} here and ${quoted(earlier)} above`); // prettier-ignore
    else if (text !== "") values.set(name, text);
  });
  issues.refuse();
  return values;
}

/**
 * Reads what a question costs with each model: lines of `model,cost`, in any one unit, at least 0.
 * @param models - who is routed to; every one has its line, and no other has
 */
export async function readCostFile(file: string, models: readonly string[]): Promise<Float64Array> {
  const costs = parseModelLines(
    file,
    await readLines(file),
    "model,cost",
    (cost) => (cost !== "" && Number.isFinite(Number(cost)) ? Number(cost) : undefined),
    (model, cost, earlier) => {
      if (cost < 0) return ["out_of_range", `a cost must be at least 0, got ${cost}`];
      if (!models.includes(model)) return ["unknown_model", `the responses have no model ${quoted(model)}`];
      return earlier === undefined ? null : ["duplicate", `model ${quoted(model)} is there twice`];
    },
  );
  return Float64Array.from(valuesOf(models, costs, file, "cost"));
}
