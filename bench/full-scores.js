// Full scores on items that a board doesn't have: half of each scenario's items hidden, their sums known, beside the same
// board with all items; errors of the served score against the same full scores, and coverage of its 95 % intervals.
// usage: node bench/full-scores.js FOLDER [--sets helm-lite,openllm2-official,glue-anchorpoints:sst2] [--anchors 30,100]
//          [--split interpolation] [--seeds 3] [--hide random|easy] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. --hide easy hides the easier half.
import { parseArgs } from "node:util";
import { createRandom, customised, recommended, runBacktest, submatrix } from "anchoreval-trainer";
import { headlineEstimator } from "../offline-trainer/dist/methods/method.js";
import { fullScores, scenarioSlices } from "../offline-trainer/dist/matrix/scenarios.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official,glue-anchorpoints:sst2" },
    anchors: { type: "string", default: "30,100" },
    split: { type: "string", default: "interpolation" },
    seeds: { type: "string", default: "3" },
    hide: { type: "string", default: "random" },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/full-scores.js FOLDER [--sets a,b:scenario] [--anchors 30,100] [--seeds 3]");
  process.exit(2);
}
const sizes = values.anchors.split(",").map(Number);
const method = await customised(recommended, { weighting: "items" });
const seeds = Number(values.seeds);
const options = { split: values.split, sizes, seeds, method, provider: "cpu" };

const results = [];
for (const set of values.sets.split(",")) {
  const [name, scenario] = set.split(":");
  const all = await chosen(name, scenario);
  const known = await runBacktest(all, options);
  const hidden = await runBacktest(halved(all), options);
  for (const own of served(hidden)) {
    const same = served(known).find((row) => row.scenario === own.scenario && row.n === own.n);
    const { scenario: of, n, targets, mae, bias, coverage95, halfWidth95 } = own;
    const figures = { bias, coverage95, halfWidth95, known: { mae: same.mae, coverage95: same.coverage95 } };
    results.push({ set, scenario: of, n, targets, mae, ratio: mae / same.mae, ...figures });
  }
}
if (values.json) console.log(JSON.stringify(results, null, 1));
else print();

/** A set's leaderboard, or one scenario of it. */
async function chosen(name, scenario) {
  const matrix = await readLeaderboard(folder, name);
  if (scenario === undefined) return matrix;
  const columns = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === scenario);
  return submatrix(matrix, [...matrix.subjects.keys()], columns);
}

/** Half of each scenario's items, and full scores on all of them. */
function halved(matrix) {
  const slices = scenarioSlices(matrix.items, "items");
  const columns = slices.flatMap(({ id, begin, count }) => {
    const own = Array.from({ length: count }, (_, i) => begin + i);
    const order =
      values.hide === "easy"
        ? own.sort((i, j) => accuracy(matrix, i) - accuracy(matrix, j))
        : createRandom(1).fork(id).shuffle(own);
    return order.slice(0, Math.ceil(count / 2)).sort((i, j) => i - j);
  });
  const scores = new Map(slices.map((slice) => [slice.id, fullScores(matrix, slice).score]));
  return { ...submatrix(matrix, [...matrix.subjects.keys()], columns), fullScores: scores };
}

function accuracy({ subjects, items, scores }, item) {
  return subjects.reduce((sum, _, m) => sum + scores[m * items.length + item], 0);
}

function served({ rows }) {
  return rows.filter(({ estimator }) => estimator === headlineEstimator(method));
}

function print() {
  console.log(`${values.split}, ${seeds} seeds; half of the items hidden (${values.hide}); errors in points`);
  const line = (...cells) => console.log(cells.map((cell, k) => cell[k < 2 ? "padEnd" : "padStart"](12)).join(" "));
  line("set", "scenario", "n", "hidden", "known", "ratio", "coverage", "known's", "half-width");
  const share = (value) => (value === null ? "–" : value.toFixed(3));
  for (const { set, scenario, n, mae, ratio, coverage95, halfWidth95, known } of results) {
    const errors = [mae.toFixed(2), known.mae.toFixed(2), ratio.toFixed(3)];
    line(set.split(":")[0].slice(0, 12), scenario, String(n), ...errors, share(coverage95), share(known.coverage95), halfWidth95?.toFixed(2) ?? "–"); // prettier-ignore
  }
  for (const n of sizes) {
    const own = results.filter((row) => row.n === n && row.scenario !== "overall");
    const ratio = Math.exp(mean(own.map((row) => Math.log(row.ratio))));
    const coverage = mean(own.map((row) => row.coverage95));
    console.log(`n = ${n}: error ${ratio.toFixed(3)} times that with the items known, coverage ${coverage.toFixed(3)}`);
  }
}

function mean(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}
