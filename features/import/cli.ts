import { invalidOption } from "anchoreval/internal/core/errors";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CellTrials } from "anchoreval-trainer/internal/matrix/readers/score-table";
import {
  type ImportedTable,
  readLongTable,
  COLUMN_ROLES,
  parseTableColumns,
} from "anchoreval-trainer/internal/features/import/fit/read-long-table";
import { readRouterDc } from "anchoreval-trainer/internal/features/import/fit/router-dc";
import { writeItems, writeTrials, writeWideCsv } from "anchoreval-trainer/internal/matrix/write-tables";
import { checkBoard } from "anchoreval-trainer/internal/features/borders/fit/border-check";
import { findingWords } from "anchoreval-trainer/internal/features/borders/fit/findings";
import {
  importLogs,
  type ImportReport,
  trialsAndPrices,
  type TrialsAndPrices,
} from "anchoreval-trainer/internal/features/import/fit/import-logs";
import { type ModelFacts, writeModels } from "anchoreval-trainer/internal/features/import/fit/model-facts";
import type { TypicalPrices } from "anchoreval-trainer/internal/features/prices/fit/typical-prices";
import { LEAST_MODELS, type ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { ERROR_POLICIES } from "anchoreval/internal/logs/attempts";
import { parseChoices } from "anchoreval/internal/logs/choices";
import { groupBy } from "anchoreval/internal/logs/run-log";
import { HARNESSES, type HarnessName } from "anchoreval/internal/node/logs/readers";
import { count, counted, priceWords } from "anchoreval/internal/words/figures";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";
import { option, flag, FORCE_OPTION, rare, type Command, type OptionReader } from "../../cli/src/program/command.ts";
import { openHarness } from "../../cli/src/program/trainer.ts";
import { checkOutFolder, writeOutFolder } from "../../cli/src/program/out.ts";
import type { Output } from "../../cli/src/program/output.ts";
import { boardRecord } from "../../cli/src/options/data.ts";
import { readScale, SCALE_OPTIONS } from "../../cli/src/options/scale.ts";

const TABLES = ["table", "routerdc"] as const;

const SOURCES = [...HARNESSES, ...TABLES] as const;

const FILES = ["responses.csv.gz", "items.jsonl.gz", "import.json", "trials.csv.gz", "models.csv"] as const;
const [RESPONSES, ITEMS, , TRIALS, MODELS] = FILES;

export const importCommand: Command = {
  operands: { usage: "PATH…" },
  options: {
    Data: {
      from: option(
        "SOURCE",
        `source of PATH…: logs of a harness, or folders of them (${HARNESSES.join(", ")}), or a table (${TABLES.join(", ")})`,
        { choices: SOURCES, required: true },
      ),
      "model-name": option("N", "the model's name, where all logs are of one model"),
      metric: option(
        "[TASK=]M",
        "metric to use as the score, where logs have several; TASK is a task, a group or BEGINNING*",
        { multiple: true },
      ),
      filter: option("[TASK=]F", "filter whose answers count, where logs have several", { multiple: true }),
      columns: option(
        "ROLE=C,…",
        `a table's columns: ROLE is ${COLUMN_ROLES.join(", ")}; an item's may be several, joined by +, so may a cost's; seconds may be END-START`,
        { multiple: true },
      ),
      ...rare({
        "on-duplicate": option(
          "newest|mean|error",
          "which run of a model on a task counts, where there are several (default newest)",
        ),
        errors: option(
          "missing|wrong",
          "how to count samples without an answer or a score (default: as the harness does)",
        ),
        "allow-mixed": flag("accept runs with different settings"),
        ...SCALE_OPTIONS,
      }),
    },
    Output: {
      out: option("DIR", `folder for ${FILES.join(", ")}`, { required: true }),
      ...FORCE_OPTION,
    },
  },
  examples: [
    "import --from lm-eval logs --out board",
    "import --from table scores.csv --columns model=name,item=id,score=acc,tokens=input+output --out board",
  ],
  run: async ({ operands, options, output }) => {
    options.required("from");
    const from = options.oneOf("from", SOURCES, "lm-eval");
    const out = options.required("out");
    if (operands.length === 0) throw invalidOption("name the logs: files, or folders of them");
    const force = options.flag("force");
    const place = { option: "--out", folder: out, files: FILES, force };
    await checkOutFolder({ ...place, other: otherImport() });
    const table = isTable(from);
    const { matrix, trials, prices, modelFacts, report, lines } = table
      ? await importTable(from, operands, options)
      : await importHarness(from, operands, options, output);
    await checkOutFolder({ ...place, other: otherImport(matrix) });
    const board = checkBoard(operands.join(", "), matrix);
    const warnings = [...report.warnings, ...board.findings.map(findingWords)];
    const facts = { ...report, warnings, board: boardRecord(board) };
    const absent = [...(trials === undefined ? [TRIALS] : []), ...(modelFacts === undefined ? [MODELS] : [])];
    const files = FILES.filter((file) => !(absent as readonly string[]).includes(file));
    const write = async (responses: string, items: string, description: string, ...others: string[]): Promise<void> => {
      await writeWideCsv(responses, matrix);
      await writeItems(items, matrix.items, prices);
      await writeFile(description, `${JSON.stringify(facts, null, 2)}\n`);
      if (trials !== undefined) await writeTrials(others[0]!, trials);
      if (modelFacts !== undefined) await writeModels(others.at(-1)!, modelFacts);
    };
    await writeOutFolder(out, files, write, absent);
    for (const warning of warnings) output.remark(table ? warning : `warning: ${warning}`);
    output.result(facts, [...lines, ...foundLines(report), "", ...nextSteps(report, out)]);
  },
};

/** The matrix that was imported, the content of import.json, and its summary for people. */
interface Imported<Report> {
  readonly matrix: ResponseMatrix;
  readonly trials?: readonly CellTrials[];
  readonly prices?: readonly TypicalPrices[];
  readonly modelFacts?: readonly ModelFacts[];
  readonly report: Report;
  readonly lines: readonly string[];
}

function isTable(from: (typeof SOURCES)[number]): from is (typeof TABLES)[number] {
  return (TABLES as readonly string[]).includes(from);
}

/**
 * Why a folder's responses aren't those of an earlier import of the same scenarios.
 * @param matrix - what is imported now, once that is known
 */
function otherImport(matrix?: ResponseMatrix): (folder: string) => Promise<string | null> {
  return async (folder) => {
    const report = await readFound(join(folder, "import.json"), LONGEST_TEXT)
      .then((bytes) => JSON.parse(bytes.toString()) as { scenarios?: readonly { id?: unknown }[] })
      .catch(() => null);
    const ids = report?.scenarios?.map(({ id }) => String(id));
    if (ids === undefined) return "responses that no import wrote";
    const scenarios = matrix && new Set(matrix.items.map(({ scenario }) => scenario));
    return scenarios && !ids.some((id) => scenarios.has(id)) ? `the responses of ${ids.slice(0, 3).join(", ")}` : null;
  };
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
      : `${scores.equal} of ${scores.compared} scores equal the harness's own to 1e-6`,
  ];
  return { ...board, report, lines };
}

/** Lines on trials and prices, where there are any. */
function foundLines({ trials, prices = [], models, items }: ImportReport | TableReport): string[] {
  return [
    ...(trials === undefined
      ? []
      : [
          `${count(trials.scores)} trials, ${trials.fewest === trials.most ? trials.most : `${trials.fewest} to ${trials.most}`} an item and model`,
        ]),
    ...prices.map(
      ({ column, models: priced, total, assumed }) =>
        `${column === "price" ? "prices" : `prices in ${column}`}: of ${items - assumed.length} of ${items} items, by ${priced} of ${counted(models, "model")}; all items together take a typical model ${priceWords(total, column === "price" ? null : column)}`,
    ),
  ];
}

function nextSteps({ models, weighting, trials, prices = [] }: ImportReport | TableReport, out: string): string[] {
  if (models < LEAST_MODELS) return [`written to ${out}; a fit needs at least ${LEAST_MODELS} models`];
  const weigh = weighting === undefined ? "" : ` --set weighting=${weighting}`;
  return [
    "written; next:",
    `  anchoreval fit --responses ${join(out, trials ? TRIALS : RESPONSES)} --items ${join(out, ITEMS)}${weigh} --anchors 50 --name NAME@1.0.0 --out DIR`,
    ...(trials && trials.fewest > 1
      ? [`for pass@K of the trials add --metric pass@${trials.fewest}; ${RESPONSES} has their means`]
      : []),
    ...(prices.length === 0
      ? []
      : [
          `for anchors by price add --prices ${join(out, ITEMS)} --price-column ${prices[0]!.column}${
            prices.length > 1
              ? ` (or ${prices
                  .slice(1)
                  .map(({ column }) => column)
                  .join(", ")})`
              : ""
          }`,
        ]),
  ];
}

interface TableReport extends TrialsAndPrices {
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

const OF_LOGS = ["model-name", "metric", "filter", "on-duplicate", "errors", "allow-mixed"];

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
