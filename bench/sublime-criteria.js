// Which candidate subset to take: ways of choosing that know the rank correlation, the error of a score, or both, judged
// on models that nothing had seen. A quarter of the models, whole families, are untouched; all else happens on the others.
// usage: node bench/sublime-criteria.js FOLDER [--sets helm-legalbench,openllm2-official,zeroeval] [--scenario ID]
//        [--size 100] [--seeds 5] [--candidates 200]
// The score is a ridge regression of full scores on the answers to the chosen items (a stand-in for `stack` that takes no
// fit), its penalty chosen by leaving families out. Printed: Spearman's correlation of mean and of score with the full
// score, and the score's mean absolute error in points, relative to the mean of random items' in brackets.
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { innerSplit } from "../offline-trainer/dist/methods/essence/subset-search.js";
import { meanScores } from "../offline-trainer/dist/methods/item-columns.js";
import { chooseSubset, prepareBoard } from "../offline-trainer/dist/methods/sublime/choose-subset.js";
import { readoutError, readouts } from "./sublime/readout.js";
import { boardOf } from "../offline-trainer/dist/methods/sublime/untouched-ranking.js";
import { itemFeatures } from "../offline-trainer/dist/methods/sublime/item-features.js";
import { spearman } from "../offline-trainer/dist/numeric/statistics.js";
import { folds } from "../offline-trainer/dist/matrix/splits.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { boardOfScenario, mean } from "./sublime/board-of-scenario.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-legalbench,openllm2-official,zeroeval" },
    scenario: { type: "string" },
    size: { type: "string", default: "100" },
    seeds: { type: "string", default: "5" },
    candidates: { type: "string", default: "200" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/sublime-criteria.js FOLDER [--sets a,b] [--size 100] [--seeds 5]");
  process.exit(2);
}
const k = Number(options.size);
/** Parts of the families that errors are measured on. */
const PARTS = 3;

/** Ways to choose, as functions of what is known of all candidates to a value of each: the first of the highest is taken. */
const joint = (weight) => (own) => own.standardZ.map((z, c) => z - weight * own.standardError[c]);
const leastErrorWhere = (bar) => (own) => own.z.map((z, c) => (z >= bar(own) ? -own.error[c] : -Infinity));
const withinBest = (share) => leastErrorWhere(({ z }) => z.toSorted((x, y) => y - x)[Math.ceil(share * z.length) - 1]);
const withinNoise = (times) => leastErrorWhere(({ z, judges }) => Math.max(...z) - times / Math.sqrt(judges - 3));
const bestWithinLeastError = (share) => (own) => {
  const bar = own.error.toSorted((x, y) => x - y)[Math.ceil(share * own.z.length) - 1];
  return own.z.map((z, c) => (own.error[c] <= bar ? z : -Infinity));
};
const gentle = (own) => own.z.map((z, c) => (/^(high|low) /.test(own.sampler[c]) ? -Infinity : z));
const CRITERIA = {
  "predicted rank correlation": (own) => own.z,
  "the same, no leaning samplers": gentle,
  "that less ½ log error": joint(0.5),
  "that less log error": joint(1),
  "error alone": (own) => own.error.map((e) => -e),
  "least error, best 5 % by rank": withinBest(0.05),
  "least error, best 10 % by rank": withinBest(0.1),
  "least error, best 25 % by rank": withinBest(0.25),
  "least error within ½ SE of z": withinNoise(0.5),
  "least error within 1 SE of z": withinNoise(1),
  "best rank, least-error 5 %": bestWithinLeastError(0.05),
  "best rank, least-error 10 %": bestWithinLeastError(0.1),
  "best rank, least-error 25 %": bestWithinLeastError(0.25),
  "best rank, least-error 50 %": bestWithinLeastError(0.5),
};

const all = {};
for (const set of options.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const features = itemFeatures(matrix.items, { random: createRandom("item features") });
  for (const scenario of new Set(matrix.items.map((item) => item.scenario))) {
    if (options.scenario !== undefined && scenario !== options.scenario) continue;
    const board = boardOfScenario(matrix, scenario, features, Number(options.candidates));
    if (k >= board.columns.items) continue;
    const found = [];
    for (let seed = 1; seed <= Number(options.seeds); seed++) found.push(await once(board, seed));
    print(`${set}/${scenario}`, found);
    (all[set] ??= []).push(found);
  }
}
for (const [set, scenarios] of Object.entries(all)) if (scenarios.length > 1) print(`${set}, all`, scenarios.flat());

function print(name, found) {
  console.log(`\n${name}, random items' mean ${mean(found.map((own) => own.randomError)).toFixed(2)} points`);
  for (const way of ["random candidate", ...Object.keys(CRITERIA)]) {
    const own = found.map(({ ways }) => ways[way]);
    const ratio = Math.exp(mean(own.map(({ error }, f) => Math.log(error / found[f].randomError))));
    console.log(
      `  ${way.padEnd(30)} ${mean(own.map((x) => x.mean)).toFixed(3)}  ${mean(own.map((x) => x.score)).toFixed(3)}  ${mean(own.map((x) => x.error)).toFixed(2)} (${ratio.toFixed(2)})`,
    );
  }
}

async function once(board, seed) {
  const random = createRandom(`sublime/${seed}`);
  const { fitted, judging: untouched } = innerSplit(board.families, 0.25, random.fork("untouched"));
  const known = boardOf(board, fitted);
  const prepared = prepareBoard(known, random.fork("items"));
  const choice = chooseSubset(prepared, k, random.fork(`size ${k}`));
  const all = { groups: known.families, eligible: fitted.map(() => true) };
  const parts = folds(all, PARTS, random.fork("parts"));
  const held = choice.candidates.map(({ items }) => readoutError(known.columns, known.full, items, parts));
  const z = Array.from(choice.predicted, Math.atanh);
  const error = held.map((own) => own.error);
  const own = {
    ...{ z, error },
    standardZ: standardised(z),
    standardError: standardised(error.map((value) => Math.log(value))),
    judges: prepared.roles.judges.length,
    sampler: choice.candidates.map(({ sampler }) => sampler),
  };
  const { columns, full } = boardOf(board, untouched);
  const truth = choice.candidates.map(({ items }, c) => {
    const means = meanScores(columns, items);
    const scores = readouts(board.columns, board.full, items, fitted, untouched)[held[c].penalty];
    return {
      mean: spearman(means, full) ?? 0,
      score: spearman(scores, full) ?? 0,
      error: 100 * mean(scores.map((s, m) => Math.abs(s - full[m]))),
      meanError: 100 * mean(means.map((s, m) => Math.abs(s - full[m]))),
    };
  });
  const atRandom = truth.filter((_, c) => choice.candidates[c].sampler === "random");
  const averaged = (list) =>
    Object.fromEntries(Object.keys(list[0]).map((key) => [key, mean(list.map((x) => x[key]))]));
  return {
    randomError: mean(atRandom.map((x) => x.meanError)),
    ways: {
      "random candidate": averaged(atRandom),
      ...Object.fromEntries(
        Object.entries(CRITERIA).map(([way, of]) => {
          const values = of(own);
          return [way, truth[values.indexOf(Math.max(...values))]];
        }),
      ),
    },
  };
}

function standardised(values) {
  const centre = mean(values);
  const deviation = Math.sqrt(mean(values.map((x) => (x - centre) ** 2))) || 1;
  return values.map((x) => (x - centre) / deviation);
}
