import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AnchorEvalError } from "anchoreval/core";
import { readScale, type Command, type Output } from "anchoreval/cli";
import { parseChoices } from "anchoreval/logs";
import { HARNESSES, harnessNamed } from "anchoreval/node";
import { importLogs, type ImportReport, type LogImport } from "../import/import-logs.ts";
import { FEWEST_MODELS } from "../matrix/readers/score-table.ts";
import { COLUMN_ROLES } from "../matrix/read-long-table.ts";
import { writeItems, writeWideCsv } from "../matrix/write-tables.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { importTable, summarizeTable, TABLES, type TableReport } from "./import-table.ts";
import { checkOutFolder, writeOutFolder } from "./out-folder.ts";

/** What is imported: logs of a harness, or a table. */
const SOURCES = [...HARNESSES, ...TABLES] as const;

/** What the command writes into its folder. */
const FILES = ["responses.csv.gz", "items.jsonl.gz", "import.json"] as const;

/** `anchoreval import`: a harness's logs, or a table of other making, as the files that `fit` and `backtest` read. */
export const importCommand: Command = {
  name: "import",
  summary: "a harness's per-sample logs, or a long table, as a response matrix",
  positionals: "PATH…",
  options: {
    from: {
      type: "string",
      value: SOURCES.join("|"),
      description: "the harness; PATH… are its logs, or folders of them; or what kind of table PATH… is",
    },
    columns: {
      type: "string",
      multiple: true,
      value: "ROLE=C,…",
      description: `a table's columns: ROLE is ${COLUMN_ROLES.join(", ")}; an item's may be several, joined by +`,
    },
    out: { type: "string", value: "DIR", description: `folder for ${FILES.join(", ")}` },
    "model-name": { type: "string", value: "N", description: "the model's name, where all logs are of one model" },
    metric: {
      type: "string",
      multiple: true,
      value: "[TASK=]M",
      description: "the metric that is the score, where logs have several; TASK is a task, a group or BEGINNING*",
    },
    filter: {
      type: "string",
      multiple: true,
      value: "[TASK=]F",
      description: "the filter whose answers count, where logs have several",
    },
    "on-duplicate": { type: "string", value: "newest|mean|error", description: "several runs of a model on a task" },
    errors: {
      type: "string",
      value: "missing|wrong",
      description: "samples without an answer or a score; else as the harness's own aggregate counts them",
    },
    "allow-mixed": { type: "boolean", description: "take runs that were not made alike" },
    "score-range": { type: "string", value: "LO,HI", description: "bounds of the scores, where they are not 0 and 1" },
    flip: { type: "boolean", description: "lower scores are better" },
    force: { type: "boolean", description: "replace whatever --out holds" },
  },
  run: async ({ positionals, options, output, formats }) => {
    options.required("from");
    const from = options.oneOf("from", SOURCES, "lm-eval");
    const out = options.required("out");
    if (positionals.length === 0)
      throw new AnchorEvalError("invalid_option", "name the logs: files, or folders of them");
    const force = options.flag("force");
    const place = { option: "--out", folder: out, files: FILES, force };
    await checkOutFolder({ ...place, other: otherImport() });
    if (isTable(from)) {
      const { matrix, report } = await importTable(from, positionals, options);
      await checkOutFolder({ ...place, other: otherImport(matrix) });
      await writeImport(out, matrix, report);
      for (const remark of report.warnings) output.remark(remark);
      if (output.json) output.document(report);
      else {
        summarizeTable(report, output);
        output.line();
        nextSteps(report, out, output);
      }
      return 0;
    }
    if (options.isGiven("columns"))
      throw new AnchorEvalError("invalid_option", `--columns is for --from table, not for the logs of ${from}`);
    const harness = harnessNamed(from, formats);
    const bar = output.progress("reading logs", 1);
    let imported: LogImport;
    try {
      imported = await importLogs(harness, positionals, {
        ...readScale(options),
        modelName: options.text("model-name"),
        metric: parseChoices("metric", options.texts("metric")),
        filter: parseChoices("filter", options.texts("filter")),
        onDuplicate: options.oneOf("on-duplicate", ["newest", "mean", "error"], "newest"),
        errors: options.oneOf("errors", ["harness", "missing", "wrong"], "harness"),
        allowMixed: options.flag("allow-mixed"),
        progress: (done, total) => bar.update(done / total, `${done} of ${total}`),
      });
    } finally {
      bar.stop();
    }
    await checkOutFolder({ ...place, other: otherImport(imported.matrix) });
    await writeImport(out, imported.matrix, imported.report);
    for (const warning of imported.report.warnings) output.remark(`warning: ${warning}`);
    if (output.json) output.document(imported.report);
    else summarize(imported.report, out, output);
    return 0;
  },
};

function isTable(from: (typeof SOURCES)[number]): from is (typeof TABLES)[number] {
  return (TABLES as readonly string[]).includes(from);
}

/**
 * Why a folder's responses aren't those of an earlier import of the same scenarios.
 * @param matrix - what is imported now, once that is known
 */
function otherImport(matrix?: ResponseMatrix): (folder: string) => Promise<string | null> {
  return async (folder) => {
    const report = await readFile(join(folder, "import.json"), "utf8")
      .then((text) => JSON.parse(text) as { scenarios?: readonly { id?: unknown }[] })
      .catch(() => null);
    const ids = report?.scenarios?.map(({ id }) => String(id));
    if (ids === undefined) return "responses that no import wrote";
    const scenarios = matrix && new Set(matrix.items.map(({ scenario }) => scenario));
    return scenarios && !ids.some((id) => scenarios.has(id)) ? `the responses of ${ids.slice(0, 3).join(", ")}` : null;
  };
}

async function writeImport(out: string, matrix: ResponseMatrix, report: ImportReport | TableReport): Promise<void> {
  await writeOutFolder(out, FILES, async (responses, items, description) => {
    await writeWideCsv(responses, matrix);
    await writeItems(items, matrix.items);
    await writeFile(description, `${JSON.stringify(report, null, 2)}\n`);
  });
}

function summarize(report: ImportReport, out: string, output: Output): void {
  const { models, items, scenarios, scores, states, dropped } = report;
  output.line(
    `${models} ${models === 1 ? "model" : "models"}, ${items} items, ${scenarios.length} ${scenarios.length === 1 ? "scenario" : "scenarios"}:`,
  );
  for (const { id, tasks, items: count } of scenarios)
    output.line(`  ${id}: ${count} items${tasks.length > 1 ? ` in ${tasks.length} tasks` : ""}`);
  output.line(
    `${states.scored} samples scored, ${states.errored} without an answer, ${states.unscored} without a score${dropped.length > 0 ? `; ${dropped.length} older ${dropped.length === 1 ? "run" : "runs"} left out` : ""}`,
  );
  output.line(
    scores.compared === 0
      ? "no results files to compare the scores with"
      : `${scores.equal} of ${scores.compared} scores equal the harness's own to 1e-6`,
  );
  output.line();
  nextSteps(report, out, output);
}

function nextSteps({ models, weighting }: ImportReport | TableReport, out: string, output: Output): void {
  if (models < FEWEST_MODELS) {
    output.line(`written to ${out}; a fit needs at least ${FEWEST_MODELS} models`);
    return;
  }
  const weigh = weighting === undefined ? "" : ` --weighting ${weighting}`;
  output.line("written; next:");
  output.line(
    `  anchoreval fit --responses ${join(out, "responses.csv.gz")} --items ${join(out, "items.jsonl.gz")}${weigh} --anchors 50 --name NAME@1.0.0 --out DIR`,
  );
}
