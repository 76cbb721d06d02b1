// Two forms without a common item, chosen in the same way: what each errs by on held-out models, and how far apart their
// scores of one model are. A quarter of the models is held out; bank, design, anchors and maps are of the others.
// usage: node bench/second-form.js [FOLDER] [--sets helm-lite] [--anchors 100,150] [--seeds 1] [--search-budget 16]
//        [--recipe metabench]
// Without a folder of leaderboards it simulates 200 models × 2 scenarios of 500 items.
import { parseArgs } from "node:util";
import { customised, loadMethod } from "anchoreval-trainer";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { onlyModels, scenariosOf } from "../offline-trainer/dist/matrix/benchmark.js";
import { evenForm, withSecondForms } from "../offline-trainer/dist/fit/form-plans.js";
import { estimateTargets } from "../offline-trainer/dist/fit/held-out.js";
import { learn } from "../offline-trainer/dist/fit/learn.js";
import { headlineEstimator } from "../offline-trainer/dist/methods/method.js";
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
const method = await customised(await loadMethod(options.recipe), {
  weighting: "items",
  ...(options["search-budget"] && { search: Number(options["search-budget"]) }),
});
const headline = headlineEstimator(method);
if (headline !== "score-map")
  throw new Error(`the score of ${options.recipe} is ${headline}, which isn't compared here`);
const { backend } = await resolveBackend("typescript", 1);

for (const set of folder === undefined ? ["simulated"] : options.sets.split(",")) {
  const matrix = folder === undefined ? simulatedLeaderboard() : await readLeaderboard(folder, set);
  const seeds = Number(options.seeds);
  const begun = performance.now();
  const found = [];
  for (const cell of planCells(matrix, { method, split: "interpolation", sizes, seeds }))
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
async function estimates({ benchmark, split, seed, method: known }) {
  const { groups, models } = benchmark;
  const random = createRandom(seed).fork(groups.length > 1 ? "all" : groups[0].id);
  const scenarios = scenariosOf(benchmark);
  const forms = withSecondForms(sizes.toSorted((x, y) => x - y).map((n) => evenForm(n, scenarios)));
  const learned = await learn(onlyModels(benchmark, split.sources), known, forms, random, { backend });
  const table = await estimateTargets(benchmark, split.groups, 0, learned, 1);
  return scenarios.flatMap(({ id }) =>
    sizes.flatMap((n) => {
      const of = (form) => {
        const { separate, joint } = table.get(id).get(form);
        const joined = new Map(joint.map((one) => [one.model, one]));
        return separate.map((one) => joined.get(one.model) ?? one);
      };
      const [first, second] = [of(String(n)), of(`${n}-b`)];
      return first.map(({ model, truth, base }, at) => ({
        seed,
        model: models[model],
        n,
        scenario: id,
        truth,
        first: base["score-map"],
        second: second[at].base["score-map"],
      }));
    }),
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
