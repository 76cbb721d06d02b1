// metabench's recipe on held-out models like the others, beside as many random items: root mean square errors, and what the
// score over all scenarios errs by beside its parts.
// usage: node bench/metabench.js [FOLDER] [--sets helm-lite,openllm2-official] [--anchors 100,150] [--seeds 1]
//        [--search-budget 16] [--recipe metabench] [--scenarios a,b]
// Without a folder of leaderboards it simulates 200 models × 2 scenarios of 500 items.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { customised, loadMethod, runBacktest } from "anchoreval-trainer";
import { randomRmse } from "./random-rmse.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { simulatedLeaderboard } from "./simulated-leaderboard.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    scenarios: { type: "string" },
    anchors: { type: "string", default: "100,150" },
    seeds: { type: "string", default: "1" },
    "search-budget": { type: "string" },
    recipe: { type: "string", default: "metabench" },
    threads: { type: "string", default: String(availableParallelism()) },
  },
});
const [folder] = positionals;
const sizes = options.anchors.split(",").map(Number);
const method = await customised(await loadMethod(options.recipe), {
  weighting: "items",
  ...(options["search-budget"] && { search: Number(options["search-budget"]) }),
});

for (const set of folder === undefined ? ["simulated"] : options.sets.split(",")) {
  const matrix = folder === undefined ? simulatedLeaderboard() : await readLeaderboard(folder, set);
  const begun = performance.now();
  const { rows, targets } = await runBacktest(matrix, {
    method,
    split: "interpolation",
    sizes,
    seeds: Number(options.seeds),
    provider: "typescript",
    threads: Number(options.threads),
    ...(options.scenarios && { scenarios: options.scenarios.split(",") }),
  });
  const minutes = ((performance.now() - begun) / 6e4).toFixed(1);
  console.log(`${set}: ${matrix.subjects.length} models, ${options.seeds} seed(s), ${minutes} minutes`);
  for (const n of sizes) {
    const ratios = [];
    const parts = [];
    for (const scenario of Object.keys(targets)) {
      const own = rows.filter((row) => row.scenario === scenario && row.n === n);
      const served = own.find((row) => row.intervalMethod !== null) ?? own.at(-1);
      const random = randomRmse(matrix, scenario, targets[scenario].flat(), n);
      const ratio = served.rmse / random;
      ratios.push({ rmse: ratio, mae: served.ratioToRandom });
      parts.push(served.rmse);
      const others = ["score-map", "stack", "gaussian"]
        .filter((id) => id !== served.estimator)
        .flatMap((id) => own.filter(({ estimator }) => estimator === id))
        .map(({ estimator, rmse }) => `${estimator} ${rmse.toFixed(2)}`);
      console.log(
        `  n = ${n}, ${scenario}: ${served.estimator} ${served.rmse.toFixed(2)} points, random items ${random.toFixed(2)}, ratio ${ratio.toFixed(2)} (of mean absolute errors ${served.ratioToRandom.toFixed(2)}); ${others.join(", ")}; coverage ${served.coverage95?.toFixed(2) ?? "–"}`,
      );
    }
    const mean = (of) => ratios.reduce((sum, own) => sum + of(own), 0) / ratios.length;
    console.log(
      `  n = ${n}, mean ratio: ${mean(({ rmse }) => rmse).toFixed(2)} (${mean(({ mae }) => mae).toFixed(2)})`,
    );
    const overall = rows.filter((row) => row.scenario === "overall" && row.n === n);
    const { estimator } = rows.find((row) => row.n === n && row.intervalMethod !== null) ?? { estimator: "score-map" };
    const grand = overall.find((row) => row.estimator === estimator);
    if (grand)
      console.log(
        `  n = ${n}, over all scenarios: ${grand.rmse.toFixed(2)} points; its parts err by ${(parts.reduce((sum, own) => sum + own, 0) / parts.length).toFixed(2)} on average`,
      );
  }
}
