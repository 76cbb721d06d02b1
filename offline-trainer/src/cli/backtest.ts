import { textTable, type Command, type OptionReader, type Output } from "anchoreval/cli";
import { DataIssues, quoted } from "anchoreval/node";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import { SPLITS } from "../backtest/plan-cells.ts";
import { runBacktest } from "../backtest/run-backtest.ts";
import type { BacktestRow } from "../backtest/summarize.ts";
import { configurationDigest } from "../fit/configuration.ts";
import { readResponses } from "../ingest/read-responses.ts";
import { trainerVersion } from "../trainer-version.ts";
import { readFamilies } from "./families-file.ts";
import { fileDigest } from "./file-digest.ts";
import {
  FIT_OPTIONS,
  RESPONSE_OPTIONS,
  readConfiguration,
  readImportFacts,
  readResponseOptions,
} from "./fit-options.ts";
import { readLines } from "./line-file.ts";
import { checkOutFile, writeOutFile } from "./out-file.ts";
import { readSubsetInputs, SUBSET_OPTIONS } from "./subset-options.ts";

export const backtestCommand: Command = {
  name: "backtest",
  summary: "hold models out, repeat the whole fit without them, and measure the error of their estimates",
  options: {
    ...RESPONSE_OPTIONS,
    split: {
      type: "string",
      value: SPLITS.join("|"),
      description: "which models are held out (default interpolation)",
    },
    anchors: { type: "string", value: "N[,N…]", description: "anchors per scenario (default 10,30,50,100)" },
    seeds: { type: "string", value: "N", description: "repetitions (default 5)" },
    seed: { type: "string", value: "N", description: "first seed (default 0)" },
    scenario: { type: "string", value: "ID", description: "this scenario only; may be repeated", multiple: true },
    families: { type: "string", value: "FILE", description: "lines of model,family, instead of the names" },
    targets: { type: "string", value: "FILE", description: "names of the held-out models, one a line" },
    "save-split": { type: "string", value: "FILE", description: "write the held-out models of every seed as JSON" },
    threads: { type: "string", value: "N", description: "threads (default: one a core)" },
    ...FIT_OPTIONS,
    ...SUBSET_OPTIONS,
  },
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const split = options.oneOf("split", SPLITS, "interpolation");
    const sizes = options.numbers("anchors", { min: 1, integer: true }, [10, 30, 50, 100]);
    const configuration = readConfiguration(options, await readImportFacts(responses));
    const file = options.text("save-split");
    if (file !== undefined) await checkOutFile("--save-split", file);
    const families = await readFamilies(options);
    const subsetInputs = await readSubsetInputs(options, configuration.selection);
    const { matrix, remarks } = await readResponses(responses, reading);
    for (const remark of remarks) output.remark(remark);
    const described = subsetInputs(matrix);
    const bar = output.progress("back-test", 1);
    let backtest;
    try {
      backtest = await runBacktest(matrix, {
        split,
        sizes: [...new Set(sizes)].sort((x, y) => x - y),
        seeds: options.number("seeds", { min: 1, max: 1000, integer: true }, 5),
        firstSeed: options.number("seed", { min: 0, integer: true }, 0),
        configuration,
        scenarios: options.texts("scenario"),
        provider: options.oneOf("provider", PROVIDERS, "cpu"),
        ...optionalThreads(options),
        ...(await readTargets(options, matrix.subjects)),
        ...families,
        ...described,
        signal,
        onProgress: (done, of) => bar.update(done / of, `${done} of ${of} fits`),
      });
    } finally {
      bar.stop();
    }
    if (file !== undefined) await writeOutFile(file, [`${JSON.stringify(backtest.targets, null, 1)}\n`]);
    if (output.json)
      output.document({
        header: {
          data: await fileDigest(responses),
          weighting: configuration.weighting,
          split,
          version: trainerVersion(),
          configuration: configurationDigest(configuration),
        },
        rows: backtest.rows,
      });
    else printTable(backtest.rows, output);
    return 0;
  },
};

function optionalThreads(options: OptionReader): { threads?: number } {
  const threads = options.number("threads", { min: 1, max: 256, integer: true }, undefined);
  return threads === undefined ? {} : { threads };
}

async function readTargets(options: OptionReader, models: readonly string[]): Promise<{ targets?: string[] }> {
  const file = options.text("targets");
  if (file === undefined) return {};
  const issues = new DataIssues(file, "lines");
  const known = new Set(models);
  const lines = await readLines(file);
  for (const { row, text } of lines)
    if (!known.has(text)) issues.add({ row }, "unknown_model", `the responses have no model ${quoted(text)}`);
  issues.refuse();
  if (lines.length === 0) issues.fail({}, "empty", "the file names no models");
  return { targets: lines.map(({ text }) => text) };
}

/** Errors in points, one line an estimator; `×random` is the ratio to random items. */
function printTable(rows: readonly BacktestRow[], output: Output): void {
  const columns = [
    "scenario",
    "n",
    "estimator",
    "error",
    "random",
    "×random",
    "±",
    "bias",
    "95 % within",
    "rank corr.",
    "coverage",
    "half-width",
  ];
  const cells = rows.map((row) => [
    row.scenario,
    String(row.n),
    row.recommended ? `${row.estimator} *` : row.estimator,
    row.mae.toFixed(2),
    row.randomMae.toFixed(2),
    row.ratioToRandom?.toFixed(2) ?? "",
    row.ratioSe === null ? "" : row.ratioSe.toFixed(2),
    row.bias.toFixed(2),
    row.p95.toFixed(1),
    row.spearman === null ? "" : row.spearman.toFixed(3),
    row.coverage95 === null ? "" : row.coverage95.toFixed(3),
    row.halfWidth95 === null ? "" : row.halfWidth95.toFixed(1),
  ]);
  for (const line of textTable([columns, ...cells], "lrlrrrrrrrrr")) output.line(line);
  output.line("Errors in points. * is what a bundle serves as the score by default.");
}
