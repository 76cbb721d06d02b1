import { availableParallelism } from "node:os";
import { invalidOption } from "anchoreval/internal/core/errors";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import {
  runBacktest,
  compareRecipes,
  recipeFigures,
  type RecipeFigures,
} from "anchoreval-trainer/internal/features/backtest/fit/backtest";
import { cellsWork, type SplitName, SPLITS } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import type { BacktestRow } from "anchoreval-trainer/internal/features/backtest/fit/rows";
import { withoutCopies } from "anchoreval-trainer/internal/matrix/alike/copies";
import { loadMethod, METHOD_NAMES, type MethodName } from "anchoreval-trainer/internal/methods/index";
import { headlineEstimator, type Method, methodDigest } from "anchoreval-trainer/internal/methods/method";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { DataIssues, quoted } from "anchoreval/internal/tables/data-issues";
import { recordTable } from "anchoreval/internal/words/figures";
import { option, rare, type Command, type OptionReader } from "../../cli/src/program/command.ts";
import { FAMILIES_OPTION, readFamilies, readLines, readSplitColumn } from "../../cli/src/options/model-files.ts";
import {
  boardRecord,
  fileDigest,
  BOARD_OPTIONS,
  readGivenResponses,
  readImportFacts,
  readResponseOptions,
  RESPONSE_OPTIONS,
} from "../../cli/src/options/data.ts";
import {
  checkAskedSizes,
  METHOD_OPTIONS,
  readMethod,
  remarkCopies,
  remarkShortOfModels,
  THREADS_OPTION,
  WORK_OPTIONS,
} from "../../cli/src/options/fit.ts";
import { SETTINGS, settingsHelp } from "../../cli/src/options/settings.ts";
import { checkOutFile, writeOutFile } from "../../cli/src/program/out.ts";

const COMPARED_SPLITS = ["interpolation", "extrapolation", "family"] as const;

export const backtestCommand: Command = {
  options: {
    Data: {
      ...RESPONSE_OPTIONS,
      scenario: option("ID", "this scenario only; may be repeated", { multiple: true }),
      ...FAMILIES_OPTION,
      ...BOARD_OPTIONS,
    },
    "What to fit": {
      anchors: option("N[,N…]", "anchors per scenario (default 10,30,50,100)"),
      ...METHOD_OPTIONS,
      recipe: option(
        "NAME[,…]|all",
        `methods: ${METHOD_NAMES.join(", ")}; several are compared in one table (default recommended)`,
        { choices: [...METHOD_NAMES, "all"] },
      ),
    },
    "Who is held out": {
      split: option(
        "NAME[,…]|COLUMN",
        `${SPLITS.join(", ")}; or a column of --families FILE, such as scaffold: whole groups, or the newest models where it has dates (default interpolation; of several recipes ${COMPARED_SPLITS.join(", ")})`,
        { choices: SPLITS },
      ),
      seeds: option("N", "repetitions (default 5)"),
      seed: option("N", "first seed (default 0)"),
      ...rare({
        sources: option("N", "learn from so many of the other models, drawn at random (default all)"),
        targets: option("FILE", "held-out models, one name a line"),
        "save-split": option("FILE", "write the held-out models of every seed as JSON"),
      }),
    },
    "How to fit": {
      provider: { ...WORK_OPTIONS.provider, description: `where to calibrate: ${PROVIDERS.join(", ")} (default cpu)` },
      ...rare(THREADS_OPTION),
    },
  },
  appendix: settingsHelp(SETTINGS),
  examples: [
    "backtest --responses responses.csv.gz --items items.jsonl.gz --anchors 30,100",
    "backtest --responses responses.csv.gz --items items.jsonl.gz --recipe all --split family --seeds 3",
  ],
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const recipes = readRecipes(options);
    const splitBy = await readSplitColumn(options, SPLITS);
    const plain: readonly SplitName[] = recipes.length > 1 ? COMPARED_SPLITS : ["interpolation"];
    const named = splitBy ? plain : options.someOf("split", SPLITS, plain);
    const several = recipes.length > 1 || (splitBy === undefined && named.length > 1);
    const facts = await readImportFacts(responses);
    const asked = new Map<MethodName, Method>();
    for (const name of recipes) asked.set(name, await readMethod(options, facts, await loadMethod(name)));
    const file = await readSplitFile(options, several);
    const families = splitBy === undefined ? await readFamilies(options) : {};
    const sizes = options.numbers("anchors", { min: 1, integer: true }, [10, 30, 50, 100]);
    const seeds = options.number("seeds", { min: 1, max: 1000, integer: true }, 5);
    const firstSeed = options.number("seed", { min: 0, integer: true }, 0);
    const sources = options.number("sources", { min: 5, integer: true }, undefined);
    const provider = options.oneOf("provider", PROVIDERS, "cpu");
    const threads = options.number("threads", { min: 1, max: 256, integer: true }, availableParallelism());
    const { matrix, remarks, board } = await readGivenResponses(options, { responses, ...reading });
    for (const remark of remarks) output.remark(remark);
    checkAskedSizes(options, matrix.items);
    const column = splitBy?.(matrix.subjects);
    const splits = column ? [column.split] : named;
    const [method] = asked.values() as Iterable<Method>;
    for (const recipe of asked.values()) remarkShortOfModels(output, recipe, matrix.subjects.length);
    const header = {
      data: await fileDigest(responses),
      board: boardRecord(board),
      weighting: method!.settings.weighting,
      split: splits.join(","),
      ...(column && { splitBy: options.text("split") }),
      version: trainerVersion(),
    };
    const plan = { seeds, scenarios: options.texts("scenario"), ...(sources !== undefined && { sources }) };
    const work = cellsWork(matrix, splits, [...asked.values()], { ...plan, wholeFits: true });
    const { provider: calibrating, reason } = await resolveBackend(provider, { threads, work });
    if (provider === "auto") output.remark(reason);
    const shared = {
      ...plan,
      sizes: [...new Set(sizes)].sort((x, y) => x - y),
      firstSeed,
      provider: calibrating,
      threads,
      ...(await readTargets(options, matrix.subjects)),
      ...families,
      ...column?.told,
      signal,
    };
    remarkCopies(output, [...withoutCopies(matrix).copies.keys()]);
    if (several) {
      const rows = await output.during("back-test", (onProgress) =>
        compareRecipes(matrix, { ...shared, splits, recipes: asked, onProgress }),
      );
      const digests = Object.fromEntries(Array.from(asked, ([name, recipe]) => [name, methodDigest(recipe)]));
      output.result({ header: { ...header, recipes: digests }, rows }, recipeTable(recipeFigures(rows)));
      return;
    }
    const { rows, targets } = await output.during("back-test", (update) =>
      runBacktest(matrix, {
        ...shared,
        split: splits[0]!,
        method: method!,
        onProgress: (done, of) => update(done, of, `${done} of ${of} fits`),
      }),
    );
    if (file !== null) await writeOutFile(file, [`${JSON.stringify(targets, null, 1)}\n`]);
    const headline = headlineEstimator(method!);
    output.result(
      {
        header: { ...header, configuration: methodDigest(method!) },
        rows: rows.map((row) => ({ ...row, recipe: recipes[0]!, headline: row.estimator === headline })),
      },
      estimatorTable(rows),
    );
  },
};

function readRecipes(options: OptionReader): MethodName[] {
  return options.text("recipe") === "all" ? [...METHOD_NAMES] : options.someOf("recipe", METHOD_NAMES, ["recommended"]);
}

/** The file of --save-split, found to be writable; of a single back-test. */
async function readSplitFile(options: OptionReader, several: boolean): Promise<string | null> {
  const file = options.text("save-split");
  if (file === undefined) return null;
  if (several) throw invalidOption("--save-split takes one recipe and one split");
  await checkOutFile("--save-split", file);
  return file;
}

async function readTargets(options: OptionReader, models: readonly string[]): Promise<{ targets?: string[] }> {
  const file = options.text("targets");
  if (file === undefined) return {};
  const issues = new DataIssues(file, "lines");
  const names = new Set(models);
  const lines = await readLines(file);
  for (const { row, text } of lines)
    if (!names.has(text)) issues.add({ row }, "unknown_model", `the responses have no model ${quoted(text)}`);
  issues.refuse();
  if (lines.length === 0) issues.fail({}, "empty", "the file names no models");
  return { targets: lines.map(({ text }) => text) };
}

/** Errors in points, one line an estimator; `×random` is the ratio to random items. */
function estimatorTable(rows: readonly BacktestRow[]): string[] {
  return [
    ...recordTable(rows, [
      ["scenario", "l", (row) => row.scenario],
      ["n", "r", (row) => String(row.n)],
      ["models", "r", (row) => String(row.targets)],
      ["estimator", "l", (row) => (row.recommended ? `${row.estimator} *` : row.estimator)],
      ["error", "r", (row) => row.mae.toFixed(2)],
      ["random", "r", (row) => row.randomMae.toFixed(2)],
      ["×random", "r", (row) => decimals(row.ratioToRandom, 2)],
      ["±", "r", (row) => decimals(row.ratioSe, 2)],
      ["bias", "r", (row) => row.bias.toFixed(2)],
      ["95 % within", "r", (row) => row.p95.toFixed(1)],
      ["rank corr.", "r", (row) => decimals(row.spearman, 3)],
      ["coverage", "r", (row) => decimals(row.coverage95, 3)],
      ["half-width", "r", (row) => decimals(row.halfWidth95, 1)],
    ]),
    "Errors in points. * is what a bundle serves as the score by default.",
  ];
}

/** One line a recipe, by split and size; means over scenarios. */
function recipeTable(figures: readonly RecipeFigures[]): string[] {
  return [
    ...recordTable(figures, [
      ["split", "l", (row) => row.split],
      ["n", "r", (row) => String(row.n)],
      ["recipe", "l", (row) => row.recipe],
      ["error", "r", (row) => row.mae.toFixed(2)],
      ["RMSE", "r", (row) => row.rmse.toFixed(2)],
      ["×random", "r", (row) => decimals(row.ratioToRandom, 3)],
      ["Spearman", "r", (row) => decimals(row.spearman, 3)],
      ["Kendall", "r", (row) => decimals(row.kendall, 3)],
      ["coverage", "r", (row) => decimals(row.coverage95, 3)],
      ["half-width", "r", (row) => decimals(row.halfWidth95, 1)],
      ["overall RMSE", "r", (row) => decimals(row.overallRmse, 2)],
      ["overall Spearman", "r", (row) => decimals(row.overallSpearman, 3)],
    ]),
    "Means over scenarios of each recipe's score, errors in points; ×random is the geometric mean of errors relative to random items.",
  ];
}

function decimals(value: number | null, digits: number): string {
  return value === null ? "" : value.toFixed(digits);
}
