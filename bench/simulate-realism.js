/**
 * Is the simulator in the range of real leaderboards? Prints the same statistics of simulated data and of real sets.
 *
 *     node bench/simulate-realism.js [FOLDER_OF_SETS] [--seed 1] [--only NAME]
 *
 * Each folder of FOLDER_OF_SETS with a responses.csv.gz and an items.jsonl.gz is one set.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readResponses } from "../offline-trainer/dist/ingest/read-responses.js";
import { demoLeaderboard } from "../offline-trainer/dist/simulate/demo-leaderboard.js";
import { simulateLeaderboard } from "../offline-trainer/dist/simulate/simulate-leaderboard.js";
import { leaderboardStatistics } from "./leaderboard-statistics.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, only: { type: "string" } },
});
const seed = Number(values.seed);
const wanted = (name) => values.only === undefined || name.includes(values.only);

if (wanted("simulated, defaults")) show("simulated, defaults", simulateLeaderboard({ seed }).matrix);
if (wanted("simulated, 80 models"))
  show("simulated, 80 models", simulateLeaderboard({ seed, models: 80, items: 3500 }).matrix);
if (wanted("simulated, demo")) show("simulated, demo", demoLeaderboard(seed).matrix);
for (const folder of positionals)
  for (const name of readdirSync(folder)) {
    const responses = join(folder, name, "responses.csv.gz");
    const items = join(folder, name, "items.jsonl.gz");
    if (existsSync(responses) && existsSync(items) && wanted(name))
      show(name, (await readResponses(responses, { items })).matrix);
  }

function show(name, matrix) {
  const set = leaderboardStatistics(matrix);
  const { scores, pairs } = set;
  console.log(`\n${name}: ${set.models} models × ${set.items} items, ${points(set.missing)} % missing`);
  console.log(
    `  scores: mean ${points(scores.mean)}, sd ${points(scores.sd)}, ${points(scores.min)} to ${points(scores.max)};` +
      ` between scenarios r ${set.between.map(two).join(" / ")};` +
      ` pairs >97 % alike ${(100 * pairs.alike).toFixed(2)} %; nearest model agrees ${pairs.nearest.map(two).join(" / ")},` +
      ` residuals r ${pairs.relative.map(two).join(" / ")}`,
  );
  console.log(
    "  scenario                  items  mean    sd   min   max   item accuracy 5…95 %      item-rest r 5…95 %         r<0  const   residual eigenvalues, % of trace   ratios λ1/λ2 …",
  );
  for (const s of set.scenarios) {
    const { shares } = s.eigen;
    console.log(
      [
        `  ${s.id.slice(0, 24).padEnd(24)}`,
        String(s.items).padStart(6),
        ...[s.score.mean, s.score.sd, s.score.min, s.score.max].map((x) => points(x).padStart(5)),
        ` ${s.accuracy.map(two).join(" ")}`,
        ` ${s.itemTotal.map((x) => two(x).padStart(5)).join(" ")}`,
        points(s.negative).padStart(5),
        points(s.constant).padStart(5),
        `  ${shares.slice(0, 5).map(points).join(" ")}`.padEnd(28),
        ` ${shares
          .slice(0, 5)
          .map((share, k) => two(share / shares[k + 1]))
          .join(" ")}`,
      ].join(" "),
    );
  }
}

function points(x) {
  return (100 * x).toFixed(1);
}

function two(x) {
  return x.toFixed(2);
}
