// Two forms without a common item, chosen in the same way: what each errs by on held-out models, and how far apart their
// scores of one model are. A quarter of the models is held out; bank, design, anchors and maps are of the others.
// usage: node bench/second-form.js [FOLDER] [--sets helm-lite] [--anchors 100,150] [--seeds 1] [--search-budget 16]
//        [--recipe metabench]
// Without a folder of leaderboards it simulates 200 models × 2 scenarios of 500 items.
import { parseArgs } from "node:util";
import { RECIPES } from "anchoreval-trainer";
import { createRandom } from "anchoreval/core";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { headlineEstimator, scoreMapKind } from "../offline-trainer/dist/fit/configuration.js";
import { evenForm, withSecondForms } from "../offline-trainer/dist/fit/form-plans.js";
import { estimateFold, trainFold } from "../offline-trainer/dist/fit/held-out.js";
import { randomRmse } from "./random-rmse.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { simulatedLeaderboard } from "./simulated-leaderboard.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite" },
    anchors: { type: "string", default: "100,150" },
    seeds: { type: "string", default: "1" },
    "search-budget": { type: "string" },
    recipe: { type: "string", default: "metabench" },
  },
});
const [folder] = positionals;
const sizes = options.anchors.split(",").map(Number);
const base = { ...RECIPES[options.recipe].configuration, weighting: "items" };
const configuration = options["search-budget"] ? { ...base, search: Number(options["search-budget"]) } : base;
const headline = headlineEstimator(configuration);
if (headline !== "score-map")
  throw new Error(`the score of ${options.recipe} is ${headline}, which isn't compared here`);
const { backend } = await resolveBackend("typescript", 1);

for (const set of folder === undefined ? ["simulated"] : options.sets.split(",")) {
  const matrix = folder === undefined ? simulatedLeaderboard() : await readLeaderboard(folder, set);
  const seeds = Number(options.seeds);
  const begun = performance.now();
  const found = [];
  for (const cell of planCells(matrix, { configuration, split: "interpolation", sizes, seeds }))
    found.push(...(await estimates(cell)));
  const minutes = ((performance.now() - begun) / 6e4).toFixed(1);
  console.log(`${set}: ${matrix.subjects.length} models, ${seeds} seed(s), ${minutes} minutes; errors in points`);
  for (const n of sizes) {
    const scenarios = [...new Set(found.map(({ scenario }) => scenario))];
    for (const scenario of scenarios.length > 1 ? [...scenarios, "overall"] : scenarios) {
      const own = found.filter((one) => one.n === n && (scenario === "overall" || one.scenario === scenario));
      const rows = scenario === "overall" ? overall(own, scenarios.length) : own;
      const rms = (of) => (100 * Math.sqrt(rows.reduce((sum, row) => sum + of(row) ** 2, 0) / rows.length)).toFixed(2);
      const names = rows.map(({ model }) => model);
      const random =
        scenario === "overall" ? "" : `, random items ${randomRmse(matrix, scenario, names, n).toFixed(2)}`;
      console.log(
        `  n = ${n}, ${scenario}: form ${n} errs by ${rms((row) => row.first - row.truth)}, form ${n}-b by ${rms((row) => row.second - row.truth)}${random}; the two are ${rms((row) => row.first - row.second)} apart`,
      );
    }
  }
}

/** Both forms' scores of every target, from the answers to all scenarios where there are others. */
async function estimates({ tasks, groups, splits, seed }) {
  const random = createRandom(seed).fork(tasks.length > 1 ? "all" : tasks[0].id);
  const scenarios = tasks.flatMap((task) => task.scenarios);
  const forms = withSecondForms(sizes.toSorted((x, y) => x - y).map((n) => evenForm(n, scenarios)));
  const fitted = { ...configuration, scoreMap: scoreMapKind(configuration), backend, groups, forms, random };
  const fold = await trainFold(tasks, splits, 0, fitted);
  const { alone, together } = await estimateFold(tasks, fold, fitted, 1);
  return tasks.flatMap((task, b) =>
    task.scenarios.flatMap((slice, s) =>
      sizes.flatMap((n) => {
        const of = (form) => {
          const joint = new Map(together[b][s].get(form).map((one) => [one.model, one]));
          return alone[b][s].get(form).map((one) => joint.get(one.model) ?? one);
        };
        const [first, second] = [of(String(n)), of(`${n}-b`)];
        return first.map(({ model, truth, base }, at) => ({
          seed,
          model: task.matrix.subjects[model],
          n,
          scenario: slice.id,
          truth,
          first: base["score-map"],
          second: second[at].base["score-map"],
        }));
      }),
    ),
  );
}

/** Means over the scenarios of models that have all of them. */
function overall(rows, scenarios) {
  const byModel = new Map();
  for (const row of rows) {
    const key = `${row.seed}/${row.model}`;
    byModel.set(key, [...(byModel.get(key) ?? []), row]);
  }
  const mean = (own, field) => own.reduce((sum, one) => sum + one[field], 0) / own.length;
  return [...byModel.values()]
    .filter((own) => own.length === scenarios)
    .map((own) => Object.fromEntries(["truth", "first", "second"].map((field) => [field, mean(own, field)])));
}
