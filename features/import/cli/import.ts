import { invalidOption } from "anchoreval/internal/core/errors";
import { join } from "node:path";
import { COLUMN_ROLES } from "anchoreval-trainer/internal/features/import/fit/read-long-table";
import { checkBoard } from "anchoreval-trainer/internal/features/borders/fit/border-check";
import { findingWords } from "anchoreval-trainer/internal/features/borders/fit/findings";
import type { ImportReport } from "anchoreval-trainer/internal/features/import/fit/import-logs";
import { LEAST_MODELS, type ResponseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { HARNESSES } from "anchoreval/internal/node/logs/readers";
import { count, counted, priceWords } from "anchoreval/internal/words/figures";
import { LONGEST_TEXT, readFound } from "anchoreval/internal/node/whole-file";
import { option, flag, FORCE_OPTION, rare, type Command } from "../../../cli/src/program/command.ts";
import { checkOutFolder } from "../../../cli/src/program/out.ts";
import { boardRecord } from "../../../cli/src/options/data.ts";
import { SCALE_OPTIONS } from "../../../cli/src/options/scale.ts";
import {
  type BoardFiles,
  FILES,
  importBoard,
  isTable,
  priceColumns,
  SOURCES,
  TABLES,
  type TableReport,
  writeBoard,
} from "./board.ts";

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
        "task-version": option("V", "runs on this version of their task alone, such as a split of SWE-bench"),
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
    const imported = await importBoard(from, operands, options, output);
    const { matrix, report, lines } = imported;
    await checkOutFolder({ ...place, other: otherImport(matrix) });
    const board = checkBoard(operands.join(", "), matrix);
    const warnings = [...report.warnings, ...board.findings.map(findingWords)];
    const facts = { ...report, warnings, board: boardRecord(board) };
    const { responses, items } = await writeBoard(out, imported, facts);
    for (const warning of warnings) output.remark(isTable(from) ? warning : `warning: ${warning}`);
    output.result(facts, [...lines, ...foundLines(report), "", ...nextSteps(report, { out, responses, items })]);
  },
};

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

function nextSteps(
  { models, weighting, trials, prices = [] }: ImportReport | TableReport,
  { out, responses, items }: BoardFiles & { readonly out: string },
): string[] {
  if (models < LEAST_MODELS) return [`written to ${out}; a fit needs at least ${LEAST_MODELS} models`];
  const weigh = weighting === undefined ? "" : ` --set weighting=${weighting}`;
  return [
    "written; next:",
    `  anchoreval fit --responses ${responses} --items ${items}${weigh} --anchors 50 --name NAME@1.0.0 --out DIR`,
    ...(trials && trials.fewest > 1
      ? [`for pass@K of the trials add --metric pass@${trials.fewest}; ${FILES[0]} has their means`]
      : []),
    ...(prices.length === 0
      ? []
      : [
          `for anchors by price add --prices ${items} --price-column ${priceColumns(prices.map(({ column }) => column))}`,
        ]),
  ];
}
