import type { Command, OptionReader } from "anchoreval/cli";
import { AnchorEvalError } from "anchoreval/core";
import { DataIssues, quoted } from "anchoreval/node";
import { PROVIDERS } from "../backends/resolve-backend.ts";
import { compareRecipes, recipeFigures } from "../backtest/compare-methods.ts";
import { SPLITS, type SplitName } from "../backtest/plan-cells.ts";
import { runBacktest } from "../backtest/backtest.ts";
import { loadMethod, METHOD_NAMES, type MethodName } from "../methods/index.ts";
import { headlineEstimator, methodDigest, type Method } from "../methods/method.ts";
import { readResponses } from "../matrix/read-responses.ts";
import { trainerVersion } from "../trainer-version.ts";
import { estimatorTable, recipeTable } from "./backtest-tables.ts";
import { readDatesFile } from "./dates-file.ts";
import { readFamilies } from "./families-file.ts";
import { fileDigest } from "./file-digest.ts";
import { checkAskedSizes, FIT_OPTIONS, readMethod } from "./fit-options.ts";
import { readImportFacts } from "./import-facts.ts";
import { readLines } from "./line-file.ts";
import { checkOutFile, writeOutFile } from "./out-file.ts";
import { RESPONSE_OPTIONS, readResponseOptions } from "./response-options.ts";
import { readSubsetInputs, SUBSET_OPTIONS } from "./subset-options.ts";

/** Splits that recipes are compared on unless told. */
const COMPARED_SPLITS = ["interpolation", "extrapolation", "family"] as const;

export const backtestCommand: Command = {
  name: "backtest",
  summary: "hold models out, repeat the whole fit without them, and measure the error of their estimates",
  options: {
    ...RESPONSE_OPTIONS,
    split: {
      type: "string",
      value: `${SPLITS.join("|")}[,…]`,
      description: `which models are held out (default interpolation; of several recipes ${COMPARED_SPLITS.join(", ")})`,
    },
    anchors: { type: "string", value: "N[,N…]", description: "anchors per scenario (default 10,30,50,100)" },
    seeds: { type: "string", value: "N", description: "repetitions (default 5)" },
    seed: { type: "string", value: "N", description: "first seed (default 0)" },
    scenario: { type: "string", value: "ID", description: "this scenario only; may be repeated", multiple: true },
    families: { type: "string", value: "FILE", description: "lines of model,family, instead of the names" },
    dates: {
      type: "string",
      value: "FILE",
      description: "lines of model,date for --split newest, instead of the order of the rows",
    },
    targets: { type: "string", value: "FILE", description: "names of the held-out models, one a line" },
    "save-split": { type: "string", value: "FILE", description: "write the held-out models of every seed as JSON" },
    threads: { type: "string", value: "N", description: "threads (default: one a core)" },
    ...FIT_OPTIONS,
    ...SUBSET_OPTIONS,
    recipe: {
      type: "string",
      value: `${METHOD_NAMES.join("|")}[,…]|all`,
      description: "ways to fit by their names; several are compared in one table (default recommended)",
    },
  },
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const recipes = readRecipes(options);
    const splits = options.someOf("split", SPLITS, recipes.length > 1 ? COMPARED_SPLITS : ["interpolation"]);
    const several = recipes.length > 1 || splits.length > 1;
    const facts = await readImportFacts(responses);
    const asked = new Map<MethodName, Method>();
    for (const name of recipes) asked.set(name, await readMethod(options, facts, await loadMethod(name)));
    const file = await readSplitFile(options, several);
    const families = await readFamilies(options);
    const selections = Array.from(asked.values(), ({ settings }) => settings.selection);
    const subsetInputs = await readSubsetInputs(options, selections);
    const sizes = options.numbers("anchors", { min: 1, integer: true }, [10, 30, 50, 100]);
    const seeds = options.number("seeds", { min: 1, max: 1000, integer: true }, 5);
    const firstSeed = options.number("seed", { min: 0, integer: true }, 0);
    const provider = options.oneOf("provider", PROVIDERS, "cpu");
    const { matrix, remarks } = await readResponses(responses, reading);
    for (const remark of remarks) output.remark(remark);
    checkAskedSizes(options, matrix.items);
    const described = subsetInputs(matrix);
    const methods = new Map(Array.from(asked, ([name, method]) => [name, described(method)]));
    const [method] = methods.values() as Iterable<Method>;
    const header = {
      data: await fileDigest(responses),
      weighting: method!.settings.weighting,
      split: splits.join(","),
      version: trainerVersion(),
    };
    const bar = output.progress("back-test", 1);
    const shared = {
      sizes: [...new Set(sizes)].sort((x, y) => x - y),
      seeds,
      firstSeed,
      scenarios: options.texts("scenario"),
      provider,
      ...optionalThreads(options),
      ...(await readTargets(options, matrix.subjects)),
      ...(await readDates(options, splits, matrix.subjects)),
      ...families,
      signal,
    };
    let found: { readonly document: object; readonly lines: readonly string[] };
    try {
      if (several) {
        const rows = await compareRecipes(matrix, {
          ...shared,
          splits,
          recipes: methods,
          onProgress: (done, of, note) => bar.update(done / of, note),
        });
        found = {
          document: { header: { ...header, recipes: digests(methods) }, rows },
          lines: recipeTable(recipeFigures(rows)),
        };
      } else {
        const { rows, targets } = await runBacktest(matrix, {
          ...shared,
          split: splits[0]!,
          method: method!,
          onProgress: (done, of) => bar.update(done / of, `${done} of ${of} fits`),
        });
        const headline = headlineEstimator(method!);
        if (file !== null) await writeOutFile(file, [`${JSON.stringify(targets, null, 1)}\n`]);
        found = {
          document: {
            header: { ...header, configuration: methodDigest(method!) },
            rows: rows.map((row) => ({ ...row, recipe: recipes[0]!, headline: row.estimator === headline })),
          },
          lines: estimatorTable(rows),
        };
      }
    } finally {
      bar.stop();
    }
    if (output.json) output.document(found.document);
    else for (const line of found.lines) output.line(line);
    return 0;
  },
};

/** The recipes to compare; all of them by one word. */
function readRecipes(options: OptionReader): MethodName[] {
  return options.text("recipe") === "all" ? [...METHOD_NAMES] : options.someOf("recipe", METHOD_NAMES, ["recommended"]);
}

function digests(methods: ReadonlyMap<string, Method>): Record<string, string> {
  return Object.fromEntries(Array.from(methods, ([name, own]) => [name, methodDigest(own)]));
}

/** The file of --save-split, found to be writable; of a single back-test. */
async function readSplitFile(options: OptionReader, several: boolean): Promise<string | null> {
  const file = options.text("save-split");
  if (file === undefined) return null;
  if (several) throw new AnchorEvalError("invalid_option", "--save-split is of one recipe and one split");
  await checkOutFile("--save-split", file);
  return file;
}

async function readDates(
  options: OptionReader,
  splits: readonly SplitName[],
  models: readonly string[],
): Promise<{ dates?: string[] }> {
  const file = options.text("dates");
  if (file === undefined) return {};
  if (!splits.includes("newest")) throw new AnchorEvalError("invalid_option", "--dates is for --split newest");
  return { dates: await readDatesFile(file, models) };
}

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
