import { lookUp } from "anchoreval/internal/core/bundle/names";
import { groupBy, newerFirst, type RunLog } from "anchoreval/internal/logs/run-log";
import { csvCell, writeText } from "../../../offline-trainer/src/matrix/write-tables.ts";

/** A model by its name, `model`, and what its logs say beside: `date`, `family`, `agent`, … */
export type ModelFacts = Readonly<Record<string, string>>;

/**
 * Facts of models by their logs, of several runs of a model the newest's.
 * @param models - in the order of the rows
 * @returns null where no log says anything
 */
export function modelFacts(models: readonly string[], logs: readonly RunLog[]): ModelFacts[] | null {
  const ofModel = groupBy(logs, ({ model }) => model);
  const rows = models.map((model) => {
    const facts = new Map([["model", model]]);
    for (const { about = {} } of ofModel.get(model)!.toSorted(newerFirst).reverse())
      for (const [column, fact] of Object.entries(about)) facts.set(column, fact);
    return Object.fromEntries(facts);
  });
  return rows.every((facts) => Object.keys(facts).length === 1) ? null : rows;
}

/** Writes models.csv, which `backtest --split COLUMN` and `--families` read: a row a model, a column a fact. */
export async function writeModels(path: string, rows: readonly ModelFacts[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row) => columns.map((column) => csvCell(lookUp(row, column) ?? "")).join(","));
  await writeText(
    path,
    [columns.join(","), ...lines].map((line) => `${line}\n`),
  );
}
