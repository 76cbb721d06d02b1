// SubLIME's choice of a subset by predicted rank correlation, and what the predictor is worth on models that nothing had seen.
// A quarter of the models, whole families, are untouched; all else happens on the others.
// usage: node bench/sublime.js [FOLDER] [--sets helm-lite,helm-legalbench,openllm2-official] [--scenario ID]
//        [--sizes 100] [--seeds 3] [--candidates 200]
// Without a folder of leaderboards it simulates 120 models × 3 × 500 items with texts.
import { parseArgs } from "node:util";
import { simulateLeaderboard } from "anchoreval-trainer";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { innerSplit } from "../offline-trainer/dist/methods/essence/subset-search.js";
import { meanScores } from "../offline-trainer/dist/methods/item-columns.js";
import { chooseSubset, prepareBoard } from "../offline-trainer/dist/methods/sublime/choose-subset.js";
import { kendall, pearson, spearman } from "../offline-trainer/dist/numeric/statistics.js";
import { boardOf } from "../offline-trainer/dist/methods/sublime/untouched-ranking.js";
import { itemFeatures } from "../offline-trainer/dist/methods/sublime/item-features.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { boardOfScenario, mean } from "./sublime/board-of-scenario.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,helm-legalbench,openllm2-official" },
    scenario: { type: "string" },
    sizes: { type: "string", default: "100" },
    seeds: { type: "string", default: "3" },
    candidates: { type: "string", default: "200" },
  },
});
const sizes = options.sizes.split(",").map(Number);
const [folder] = positionals;
const sets = folder ? options.sets.split(",") : ["simulated"];

/** Rank correlations on untouched models, then what the predictor is worth there, then points. */
const COLUMNS = {
  s: (own) => own.seconds.toFixed(1),
  sampler: (own) => own.sampler,
  predicted: (own) => own.predicted.toFixed(3),
  chosen: (own) => own.chosen.toFixed(3),
  "by measured": (own) => own.byMeasured.toFixed(3),
  "best sampler": (own) => own.bestSampler.toFixed(3),
  "any candidate": (own) => own.any.toFixed(3),
  random: (own) => own.random.toFixed(3),
  "best of all": (own) => own.oracle.toFixed(3),
  "τ chosen": (own) => own.kendall.toFixed(3),
  "τ random": (own) => own.randomKendall.toFixed(3),
  agreement: (own) => own.agreement.toFixed(2),
  "among random": (own) => own.amongRandom.toFixed(2),
  "points chosen": (own) => own.error.toFixed(2),
  "points random": (own) => own.randomError.toFixed(2),
};

const means = {};
for (const set of sets) {
  const matrix = folder
    ? await readLeaderboard(folder, set)
    : simulateLeaderboard({ models: 120, items: 1500, scenarios: 3, text: true, seed: 1 }).matrix;
  const texts = matrix.items.every(({ text }) => text?.trim());
  console.log(`\n${set}: ${matrix.subjects.length} models, ${texts ? "with" : "without"} texts\n`);
  console.log(`| scenario | k | ${Object.keys(COLUMNS).join(" | ")} |`);
  console.log(`| --- | --- |${" --- |".repeat(Object.keys(COLUMNS).length)}`);
  const features = itemFeatures(matrix.items, { random: createRandom("item features") });
  for (const scenario of new Set(matrix.items.map((item) => item.scenario))) {
    if (options.scenario !== undefined && scenario !== options.scenario) continue;
    const board = boardOfScenario(matrix, scenario, features, Number(options.candidates));
    for (const k of sizes) {
      if (k >= board.columns.items) continue;
      const found = [];
      for (let seed = 1; seed <= Number(options.seeds); seed++) found.push(await once(board, k, seed));
      const cells = Object.values(COLUMNS).map((cell) => cell(summary(found)));
      console.log(`| ${[scenario, k, ...cells].join(" | ")} |`);
      for (const own of found) (means[`${set}, ${k}`] ??= []).push(own);
    }
  }
}
console.log("\nMeans over scenarios and seeds:\n");
console.log(`| set, k | ${Object.keys(COLUMNS).join(" | ")} |`);
console.log(`| --- |${" --- |".repeat(Object.keys(COLUMNS).length)}`);
for (const [name, found] of Object.entries(means))
  console.log(`| ${[name, ...Object.values(COLUMNS).map((cell) => cell(summary(found)))].join(" | ")} |`);

async function once(board, k, seed) {
  const random = createRandom(`sublime/${seed}`);
  const { fitted, judging: untouched } = innerSplit(board.families, 0.25, random.fork("untouched"));
  const begin = performance.now();
  const prepared = prepareBoard(boardOf(board, fitted), random.fork("items"));
  const choice = chooseSubset(prepared, k, random.fork(`size ${k}`));
  const seconds = (performance.now() - begin) / 1000;
  const { columns, full } = boardOf(board, untouched);
  const scores = choice.candidates.map(({ items }) => meanScores(columns, items));
  const truth = Float64Array.from(scores, (own) => spearman(own, full) ?? 0);
  const tau = scores.map((own) => kendall(own, full) ?? 0);
  const error = scores.map((own) => 100 * mean(own.map((score, m) => Math.abs(score - full[m]))));
  const of = (sampler, values) => values.filter((_, c) => choice.candidates[c].sampler === sampler);
  const names = [...new Set(choice.candidates.map(({ sampler }) => sampler))];
  const best = names.toSorted((x, y) => mean(of(y, choice.measured)) - mean(of(x, choice.measured)))[0];
  return {
    seconds,
    sampler: choice.candidates[choice.chosen].sampler,
    predicted: choice.predicted[choice.chosen],
    chosen: truth[choice.chosen],
    byMeasured: truth[choice.measured.indexOf(Math.max(...choice.measured))],
    bestSampler: mean(of(best, truth)),
    any: mean(truth),
    random: mean(of("random", truth)),
    oracle: Math.max(...truth),
    kendall: tau[choice.chosen],
    randomKendall: mean(of("random", tau)),
    agreement: pearson(choice.predicted, truth) ?? 0,
    amongRandom: pearson(of("random", choice.predicted), of("random", truth)) ?? 0,
    error: error[choice.chosen],
    randomError: mean(of("random", error)),
  };
}

/** Means of numbers; of names how often each came. */
function summary(found) {
  const out = {};
  for (const key of Object.keys(found[0])) {
    const values = found.map((own) => own[key]);
    if (typeof values[0] === "number") out[key] = mean(values);
    else out[key] = commonest(values);
  }
  return out;
}

/** The three commonest, with how often each came. */
function commonest(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const ranked = [...counts].sort(([, x], [, y]) => y - x).slice(0, 3);
  return ranked.map(([value, count]) => (values.length === 1 ? value : `${value} ${count}`)).join(", ");
}
