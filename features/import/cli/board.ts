import { invalidOption } from "anchoreval/internal/core/errors";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ImportedTable,
  readLongTable,
  parseTableColumns,
} from "anchoreval-trainer/internal/features/import/fit/read-long-table";
import { readRouterDc } from "anchoreval-trainer/internal/features/import/fit/router-dc";
import { writeItems, writeTrials, writeWideCsv } from "anchoreval-trainer/internal/matrix/write-tables";
import {
  importLogs,
  type ImportReport,
  type LogImport,
  trialsAndPrices,
  type TrialsAndPrices,
} from "anchoreval-trainer/internal/features/import/fit/import-logs";
import { writeModels } from "anchoreval-trainer/internal/features/import/fit/model-facts";
import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { ERROR_POLICIES } from "anchoreval/internal/logs/attempts";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { HARNESSES, type HarnessName } from "anchoreval/internal/node/logs/readers";
import { counted } from "anchoreval/internal/words/figures";
import type { OptionReader } from "../../../cli/src/program/command.ts";
import { openHarness } from "../../../cli/src/program/trainer.ts";
import { writeOutFolder } from "../../../cli/src/program/out.ts";
import type { Output } from "../../../cli/src/program/output.ts";
import { readScale } from "../../../cli/src/options/scale.ts";

export const TABLES = ["table", "routerdc"] as const;

export const SOURCES = [...HARNESSES, ...TABLES] as const;
/** A harness, or a kind of table. */
export type ImportSource = (typeof SOURCES)[number];

/** Files of a board. */
export const FILES = ["responses.csv.gz", "items.jsonl.gz", "import.json", "trials.csv.gz", "models.csv"] as const;
const [RESPONSES, ITEMS, , TRIALS, MODELS] = FILES;

/** The matrix that was imported, the content of import.json, and its summary for people. */
interface Imported<Report> extends Omit<LogImport, "report"> {
  readonly report: Report;
  readonly lines: readonly string[];
}

/** Reads a board as options say. @param from - one of {@link SOURCES} */
export function importBoard(
  from: ImportSource,
  paths: readonly string[],
  options: OptionReader,
  output: Output,
): Promise<Imported<ImportReport | TableReport>> {
  return isTable(from) ? importTable(from, paths, options) : importHarness(from, paths, options, output);
}

/** The files that a fit reads. */
export interface BoardFiles {
  readonly responses: string;
  readonly items: string;
}

/** The columns of prices that an agent's user asks for: dollars, else tokens, and seconds beside. @param kinds - that the board has */
export function priceColumns(kinds: readonly string[]): string {
  const price = kinds.includes("price") ? ["price:usd"] : kinds.includes("tokens") ? ["tokens"] : [];
  return [...price, ...(kinds.includes("seconds") ? ["seconds"] : [])].join(",");
}

/** Writes a board into a folder. @param facts - import.json */
export async function writeBoard(
  folder: string,
  { matrix, trials, prices, modelFacts }: Omit<LogImport, "report">,
  facts: object,
): Promise<BoardFiles> {
  const absent = [...(trials === undefined ? [TRIALS] : []), ...(modelFacts === undefined ? [MODELS] : [])];
  const files = FILES.filter((file) => !(absent as readonly string[]).includes(file));
  const write = async (responses: string, items: string, description: string, ...others: string[]): Promise<void> => {
    await writeWideCsv(responses, matrix);
    await writeItems(items, matrix.items, prices);
    await writeFile(description, `${JSON.stringify(facts, null, 2)}\n`);
    if (trials !== undefined) await writeTrials(others[0]!, trials);
    if (modelFacts !== undefined) await writeModels(others.at(-1)!, modelFacts);
  };
  await writeOutFolder(folder, files, write, absent);
  return { responses: join(folder, trials ? TRIALS : RESPONSES), items: join(folder, ITEMS) };
}

export function isTable(from: ImportSource): from is (typeof TABLES)[number] {
  return (TABLES as readonly string[]).includes(from);
}

async function importHarness(
  from: HarnessName,
  paths: readonly string[],
  options: OptionReader,
  output: Output,
): Promise<Imported<ImportReport>> {
  options.refuse(["columns"], `is for --from table, not for the logs of ${from}`);
  const harness = await openHarness(from, `import --from ${from}`);
  const { report, ...board } = await output.during("reading logs", (update) =>
    importLogs(harness, paths, {
      ...readScale(options),
      modelName: options.text("model-name"),
      taskVersion: options.text("task-version"),
      metric: parseChoices("metric", options.texts("metric")),
      filter: parseChoices("filter", options.texts("filter")),
      onDuplicate: options.oneOf("on-duplicate", ["newest", "mean", "error"], "newest"),
      errors: options.oneOf("errors", ERROR_POLICIES, "harness"),
      allowMixed: options.flag("allow-mixed"),
      folder: process.cwd(),
      progress: (done, total) => update(done, total, `${done} of ${total}`),
    }),
  );
  const { models, items, scenarios, scores, attempts, dropped } = report;
  const lines = [
    `${models} ${models === 1 ? "model" : "models"}, ${items} items, ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}:`,
    ...scenarios.map(
      ({ id, tasks, items: count }) => `  ${id}: ${count} items${tasks.length > 1 ? ` in ${tasks.length} tasks` : ""}`,
    ),
    `${attempts.scored} answers scored, ${attempts.failed} failed, ${attempts.missing} without a score${dropped.length > 0 ? `; ${counted(dropped.length, "run")} left out` : ""}`,
    scores.compared === 0
      ? "no results files to compare the scores with"
      : `${scores.equal} of ${scores.compared} scores equal the harness's own to 1e-6 or its decimals`,
  ];
  return { ...board, report, lines };
}

export interface TableReport extends TrialsAndPrices {
  readonly source: (typeof TABLES)[number];
  readonly models: number;
  readonly items: number;
  /** The weighting that the table's weights amount to; absent without weights. */
  readonly weighting?: Weighting;
  readonly scenarios: readonly {
    readonly id: string;
    readonly subscenarios: readonly string[];
    readonly items: number;
  }[];
  readonly warnings: readonly string[];
}

const OF_LOGS = ["model-name", "metric", "filter", "on-duplicate", "errors", "allow-mixed", "task-version"];

async function importTable(
  source: (typeof TABLES)[number],
  paths: readonly string[],
  options: OptionReader,
): Promise<Imported<TableReport>> {
  options.refuse(OF_LOGS, `is for logs of harnesses, not for --from ${source}`);
  const { weighting, remarks, ...board } = await read(source, paths, options);
  const { matrix, trials, prices = [] } = board;
  const scenarios = Array.from(
    groupBy(matrix.items, (item) => item.scenario),
    ([id, items]) => ({
      id,
      subscenarios: [...new Set(items.flatMap(({ subscenario }) => subscenario ?? []))],
      items: items.length,
    }),
  );
  const [models, items] = [matrix.subjects.length, matrix.items.length];
  const lines = [
    `${models} models, ${items} items, ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}:`,
    ...scenarios.map(
      ({ id, subscenarios, items: count }) =>
        `  ${id}: ${count} items${subscenarios.length > 1 ? ` in ${subscenarios.length} subscenarios` : ""}`,
    ),
  ];
  const weighed = weighting !== null && { weighting };
  const extras = trialsAndPrices(trials, prices);
  return { ...board, report: { source, models, items, ...weighed, scenarios, ...extras, warnings: remarks }, lines };
}

async function read(
  source: (typeof TABLES)[number],
  paths: readonly string[],
  options: OptionReader,
): Promise<ImportedTable> {
  const scale = readScale(options);
  if (source === "table") {
    const [path, ...more] = paths as [string, ...string[]];
    if (more.length > 0) throw invalidOption(`--from table reads one file; got ${paths.length}: put them together`);
    return readLongTable(path, parseTableColumns(options.texts("columns")), scale);
  }
  options.refuse(["columns"], "is for --from table: RouterDC's fields are known");
  return readRouterDc(paths, scale);
}
