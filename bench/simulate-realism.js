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
import { readResponses } from "../offline-trainer/dist/matrix/read-responses.js";
import { demoLeaderboard, simulateLeaderboard } from "../offline-trainer/dist/simulate/simulate-leaderboard.js";
import { leaderboardStatistics } from "./leaderboard-statistics.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, only: { type: "string" } },
});
const seed = Number(values.seed);
/** Sets with fewer models say little about correlations between items. */
const LEAST_MODELS = 20;
const collected = { simulated: [], real: [] };
const wanted = (name) => values.only === undefined || name.includes(values.only);

for (const [name, draw] of [
  ["simulated, defaults", () => simulateLeaderboard({ seed })],
  ["simulated, 80 models", () => simulateLeaderboard({ seed, models: 80, items: 3500 })],
  ["simulated, demo", () => demoLeaderboard(seed)],
])
  if (wanted(name)) collected.simulated.push(show(name, draw().matrix));
for (const folder of positionals)
  for (const name of readdirSync(folder)) {
    const responses = join(folder, name, "responses.csv.gz");
    const items = join(folder, name, "items.jsonl.gz");
    if (existsSync(responses) && existsSync(items) && wanted(name))
      collected.real.push(show(name, (await readResponses(responses, { items })).matrix));
  }
summarize();

/** The range of each statistic over sets or scenarios, simulated beside real. */
function summarize() {
  const sets = (kind) => collected[kind].filter(({ models }) => models >= LEAST_MODELS);
  const ofSets = (kind, pick) => sets(kind).map(pick);
  const ofScenarios = (kind, pick) => sets(kind).flatMap(({ scenarios }) => scenarios.map(pick));
  const rows = [
    ["a set: sd of models' scores, points", ofSets, ({ scores }) => 100 * scores.sd],
    ["a set: median r between scenarios", ofSets, ({ between }) => between[1]],
    ["a set: nearest model's agreement, median", ofSets, ({ pairs }) => pairs.nearest[1]],
    ["a set: nearest model's residual r, median", ofSets, ({ pairs }) => pairs.relative[1]],
    ["a set: pairs that agree in >97 %, %", ofSets, ({ pairs }) => 100 * pairs.alike],
    ["a set: missing, %", ofSets, ({ missing }) => 100 * missing],
    ["a scenario: mean score, points", ofScenarios, ({ score }) => 100 * score.mean],
    ["a scenario: sd of models' scores, points", ofScenarios, ({ score }) => 100 * score.sd],
    ["a scenario: item accuracy, 5 % quantile", ofScenarios, ({ accuracy }) => accuracy[0]],
    ["a scenario: item accuracy, 95 % quantile", ofScenarios, ({ accuracy }) => accuracy[4]],
    ["a scenario: item-rest r, median", ofScenarios, ({ itemTotal }) => itemTotal[2]],
    ["a scenario: item-rest r, 95 % quantile", ofScenarios, ({ itemTotal }) => itemTotal[4]],
    ["a scenario: items with negative item-rest r, %", ofScenarios, ({ negative }) => 100 * negative],
    ["a scenario: λ1 of the residuals, % of trace", ofScenarios, ({ eigen }) => 100 * eigen.shares[0]],
    ["a scenario: λ1/λ2", ofScenarios, ({ eigen }) => eigen.shares[0] / eigen.shares[1]],
    ["a scenario: λ2/λ3", ofScenarios, ({ eigen }) => eigen.shares[1] / eigen.shares[2]],
  ];
  console.log(`\n${"range (median)".padEnd(50)}${"simulated".padEnd(24)}real, sets of ${LEAST_MODELS} models or more`);
  for (const [label, over, pick] of rows)
    console.log(`${label.padEnd(50)}${spread(over("simulated", pick)).padEnd(24)}${spread(over("real", pick))}`);
}

function spread(values) {
  const known = values.filter((value) => !Number.isNaN(value)).sort((x, y) => x - y);
  return known.length === 0 ? "–" : `${two(known[0])} to ${two(known.at(-1))} (${two(known[known.length >> 1])})`;
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
  return set;
}

function points(x) {
  return (100 * x).toFixed(1);
}

function two(x) {
  return x.toFixed(2);
}
