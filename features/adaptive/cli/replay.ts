import { invalidOption } from "anchoreval/internal/core/errors";
import type { StopRules } from "anchoreval";
import { itemPrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import { priceWords, recordTable } from "anchoreval/internal/words/figures";
import { PROVIDERS, resolveBackend } from "anchoreval-trainer/internal/backends/resolve-backend";
import { cellsWork, SPLITS } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { type ReplayRow, runReplays } from "anchoreval-trainer/internal/features/adaptive/fit/replay";
import { readResponses } from "anchoreval-trainer/internal/matrix/read-responses";
import { groupItems } from "anchoreval-trainer/internal/matrix/response-matrix";
import { methodDigest, recommended } from "anchoreval-trainer/internal/methods/method";
import { trainerVersion } from "anchoreval-trainer/internal/matrix/data-digests";
import { given, option, flag, rare, type Command, type OptionReader } from "../../../cli/src/program/command.ts";
import { FAMILIES_OPTION, readFamilies } from "../../../cli/src/options/model-files.ts";
import { fileDigest, readImportFacts, readResponseOptions, RESPONSE_OPTIONS } from "../../../cli/src/options/data.ts";
import { readMethod, WORK_OPTIONS } from "../../../cli/src/options/fit.ts";
import { setOption, SETTINGS, settingsHelp } from "../../../cli/src/options/settings.ts";
import { readPoints } from "../../../cli/src/options/scale.ts";
import { commonUnit, PRICE_OPTIONS, readBudget, readPrices } from "../../prices/cli.ts";

const SPLITS_WITHOUT_DATES = SPLITS.filter((split) => split !== "newest");

/** The others say how a form's anchors are chosen and what is estimated from these: an adaptive evaluation has none. */
const REPLAYED = {
  weighting: SETTINGS.weighting,
  dims: SETTINGS.dims,
  "irt-model": SETTINGS["irt-model"],
  estimation: SETTINGS.estimation,
  shrinkage: SETTINGS.shrinkage,
  "prior-scale": SETTINGS["prior-scale"],
  separate: SETTINGS.separate,
};

export const replayCommand: Command = {
  options: {
    Data: {
      ...RESPONSE_OPTIONS,
      scenario: option("ID", "this scenario only; may be repeated", { multiple: true }),
      ...FAMILIES_OPTION,
    },
    Evaluation: {
      share: option("P", "share of the items that may be asked (default 0.05, 25 at least)"),
      over: option(
        "runs",
        "the expected score over runs, by a column trial: another item or another trial, answers of --share",
        { choices: ["runs"] },
      ),
      batch: option("N", "items asked at once (default 10)"),
      "half-width": option("POINTS", "stop when the 95 % interval has at most this half-width"),
      threshold: option("POINTS", "stop when the score is surely above or below this"),
      ...rare({
        ...PRICE_OPTIONS,
        budget: option("PRICE", "stop before the items asked would cost more, such as 5usd: with --prices"),
        "repeat-price": option(
          "SHARE",
          "price of a further trial over that of an item's first: with --over runs and --prices",
        ),
      }),
      pairs: flag("ask pairs of models the same items, to estimate the difference of their scores"),
      better: flag("the same, and stop when one of them is surely better"),
      repeats: option("N", "evaluations of every held-out model (default 20)"),
    },
    "Who is held out": {
      split: option("NAME[,…]", `${SPLITS_WITHOUT_DATES.join(", ")} (default interpolation)`, {
        choices: SPLITS_WITHOUT_DATES,
      }),
      "max-targets": option("N", "held-out models of a split at most (default 24)"),
      seeds: option("N", "splits (default 1)"),
      seed: option("N", "first seed (default 0)"),
    },
    "How to fit": {
      provider: { ...WORK_OPTIONS.provider, description: `where to calibrate: ${PROVIDERS.join(", ")} (default cpu)` },
      ...rare(setOption(REPLAYED)),
    },
  },
  appendix: settingsHelp(REPLAYED),
  examples: [
    "replay --responses responses.csv.gz --items items.jsonl.gz --share 0.02",
    "replay --responses responses.csv.gz --items items.jsonl.gz --half-width 3 --repeats 5",
  ],
  async run({ options, output, signal }) {
    const { responses, ...reading } = readResponseOptions(options);
    const splits = options.someOf("split", SPLITS_WITHOUT_DATES, ["interpolation"]);
    const method = await readMethod(options, await readImportFacts(responses), recommended, REPLAYED);
    const stop = readStopRules(options);
    const overRuns = options.isGiven("over");
    options.oneOf("over", ["runs"], "runs");
    if (overRuns) options.refuse(["threshold", "better", "pairs"], "doesn't go with --over runs");
    else options.refuse(["repeat-price"], "is for further trials, with --over runs");
    const share = options.number("share", { min: 0, max: overRuns ? 100 : 1 }, 0.05);
    if (share === 0) throw invalidOption("--share is a share of the items above 0");
    const batch = options.number("batch", { min: 2, integer: true }, undefined);
    const priced = await readPrices(options, output);
    const amount = readBudget(options);
    const repeat = options.number("repeat-price", { min: 0, max: 1 }, 1);
    if (priced !== null && priced.length > 1)
      throw invalidOption("--price-column names one column here: an evaluation spends one price");
    if (priced === null)
      options.refuse(["budget", "repeat-price"], "is for the prices of --prices FILE, which isn't given");
    const pairs = options.flag("pairs") || stop?.better === true;
    const provider = options.oneOf("provider", PROVIDERS, "cpu");
    const shared = {
      method,
      share,
      repeats: options.number("repeats", { min: 1, integer: true }, 20),
      mostTargets: options.number("max-targets", { min: 1, integer: true }, 24),
      seeds: options.number("seeds", { min: 1, max: 1000, integer: true }, 1),
      firstSeed: options.number("seed", { min: 0, integer: true }, 0),
      scenarios: options.texts("scenario"),
      ...given({ batch, stop }),
      pairs,
      ...(await readFamilies(options)),
      signal,
    };
    const { matrix, trials, remarks } = await readResponses(responses, reading);
    if (overRuns && !trials) throw invalidOption(`--over runs needs trials: ${responses} has no column trial`);
    for (const remark of remarks) output.remark(remark);
    const work = cellsWork(matrix, splits, [method], { ...shared, wholeFits: false });
    const { backend, reason } = await resolveBackend(provider, { threads: 1, work });
    if (provider === "auto") output.remark(reason);
    const unit = commonUnit(priced?.[0]?.unit ?? null, amount?.unit ?? null, "--budget");
    const budget = amount?.amount ?? Infinity;
    const purse = priced && { ...itemPrices(priced, matrix.items), unit, budget, repeat };
    const rows: ReplayRow[] = [];
    await output.during("replay", async (update) => {
      for (const [k, split] of splits.entries()) {
        const onProgress = (done: number, of: number): void => update(k + done / of, splits.length, split);
        const extras = given({ purse, trials: overRuns ? trials : undefined });
        rows.push(...(await runReplays(groupItems(matrix), { ...shared, ...extras, backend, split, onProgress })));
      }
    });
    if (output.json)
      output.document({
        header: {
          data: await fileDigest(responses),
          weighting: method.settings.weighting,
          version: trainerVersion(),
          configuration: methodDigest(method),
        },
        rows,
      });
    else for (const line of replayTable(rows, stop !== null)) output.line(line);
  },
};

function readStopRules(options: OptionReader): StopRules | null {
  const [halfWidth, threshold] = [
    readPoints(options, "half-width"),
    readPoints(options, "threshold", { isScore: true }),
  ];
  const better = options.flag("better");
  if (better && threshold !== undefined) throw invalidOption("--threshold is for one model, --better for two");
  if (halfWidth === undefined && threshold === undefined && !better) return null;
  return given({ halfWidth, threshold, better: better || undefined });
}

const EARLY_STOPS: Parameters<typeof recordTable<ReplayRow>>[1] = [
  ["early", "r", (row) => row.earlyStops.toFixed(2)],
  ["false", "r", (row) => row.falseStops.toFixed(3)],
];

const PRICES: Parameters<typeof recordTable<ReplayRow>>[1] = [
  ["price", "r", ({ price }) => priceWords(price!.asked, null)],
  ["of", "r", ({ price }) => priceWords(price!.whole, null)],
];

const TRIALS: Parameters<typeof recordTable<ReplayRow>>[1] = [
  ["again", "r", ({ trials }) => trials!.again.toFixed(1)],
  ["once each", "r", ({ trials }) => `± ${trials!.once.toFixed(1)}`],
  ["five times", "r", ({ trials }) => `± ${trials!.fiveTimes.toFixed(1)}`],
];

/** @param stops - a rule may have ended evaluations early */
function replayTable(rows: readonly ReplayRow[], stops: boolean): string[] {
  const trialed = rows.some(({ trials }) => trials !== null);
  const sizes = rows.flatMap(({ effectiveSize }) => effectiveSize ?? []);
  const geometric = Math.exp(sizes.reduce((sum, size) => sum + Math.log(size), 0) / sizes.length);
  return [
    ...recordTable(rows, [
      ["scenario", "l", (row) => row.scenario],
      ["split", "l", (row) => row.split],
      ["items", "r", (row) => String(row.items)],
      ["asked", "r", (row) => row.asked.toFixed(stops ? 1 : 0)],
      ...(trialed ? TRIALS : []),
      ...(rows.some(({ price }) => price !== null) ? PRICES : []),
      ["RMSE", "r", (row) => row.rmse.toFixed(2)],
      ["uniform", "r", (row) => row.uniformRmse.toFixed(2)],
      ["eff. size", "r", (row) => (row.effectiveSize === null ? "–" : `×${row.effectiveSize.toFixed(2)}`)],
      ["bias", "r", (row) => row.bias.toFixed(2)],
      ["coverage", "r", (row) => row.coverage.toFixed(3)],
      ["half-width", "r", (row) => row.halfWidth.toFixed(1)],
      ["most given", "r", (row) => row.exposure?.most.toFixed(3) ?? "–"],
      ["95 % below", "r", (row) => row.exposure?.percentile95.toFixed(3) ?? "–"],
      ...(stops ? EARLY_STOPS : []),
    ]),
    ...(stops
      ? []
      : [
          `Effective sample size, geometric mean: ${sizes.length === 0 ? "–" : `×${geometric.toFixed(2)}`} of uniform sampling without replacement.`,
        ]),
    stops
      ? "Errors in points. `early`: a rule was met before the budget was spent; `false`: and what it said is wrong."
      : `Errors in points; \`uniform\`: of ${rows.some(({ price }) => price !== null) ? "items for the same price" : trialed ? "as many answers of items" : "as many items"} drawn uniformly without replacement.`,
    ...(trialed
      ? [
          "Over runs: `asked` counts answers, `again` those beyond an item's first; `once each`, `five times`: 1.96 standard deviations of the mean of so many trials of every item.",
        ]
      : []),
    ...(rows.some(({ exposure }) => exposure !== null)
      ? [
          "`most given`: the largest share of evaluations in which an item is given; 95 % of the items stay below the other.",
        ]
      : []),
  ];
}
