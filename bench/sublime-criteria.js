// Which candidate subset to take: ways of choosing that know the rank correlation, the error of a score, or both, judged
// on models that nothing had seen. A quarter of the models, whole families, are untouched; all else happens on the others.
// usage: node bench/sublime-criteria.js FOLDER [--sets helm-legalbench,openllm2-official,zeroeval] [--scenario ID]
//        [--size 100] [--seeds 5] [--candidates 200]
// The score is a ridge regression of full scores on the answers to the chosen items (a stand-in for `stack` that takes no
// fit), its penalty chosen by leaving one model out. Printed: Spearman's correlation of mean and of score with the full
// score, and the score's mean absolute error in points, relative to the mean of random items' in brackets.
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/core";
import { innerSplit } from "../offline-trainer/dist/anchors/essence/inner-split.js";
import { meanScores } from "../offline-trainer/dist/anchors/essence/item-columns.js";
import { chooseSubset, prepareBoard } from "../offline-trainer/dist/anchors/sublime/choose-subset.js";
import { boardOf } from "../offline-trainer/dist/anchors/sublime/untouched-ranking.js";
import { itemFeatures } from "../offline-trainer/dist/item-features/item-features.js";
import { spearman } from "../offline-trainer/dist/ranking/rank-correlation.js";
import { folds } from "../offline-trainer/dist/splits/interpolation.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { boardOfScenario, mean } from "./sublime/board-of-scenario.js";
import { ridgeReadout } from "./sublime/ridge-readout.js";

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

/** Of candidates: predicted z, measured z, logarithm of the held-out error of the score; standardised. Most is taken. */
const joint = (weight) => (own) => own.z.map((z, c) => z - weight * own.logError[c]);
const within = (share) => (own) => {
  const bar = own.z.toSorted((x, y) => y - x)[Math.ceil(share * own.z.length) - 1];
  return own.z.map((z, c) => (z >= bar ? -own.logError[c] : -Infinity));
};
const CRITERIA = {
  "rank (as it is)": (own) => own.z,
  "rank + ¼ error": joint(0.25),
  "rank + ½ error": joint(0.5),
  "rank + error": joint(1),
  "rank + 2 error": joint(2),
  "error alone": (own) => own.logError.map((e) => -e),
  "error within best 5 %": within(0.05),
  "error within best 10 %": within(0.1),
  "error within best 25 %": within(0.25),
  "rank within least-error half": (own) => {
    const bar = own.logError.toSorted((x, y) => x - y)[Math.floor(0.5 * own.z.length)];
    return own.z.map((z, c) => (own.logError[c] <= bar ? z : -Infinity));
  },
  "rank within least-error tenth": (own) => {
    const bar = own.logError.toSorted((x, y) => x - y)[Math.floor(0.1 * own.z.length)];
    return own.z.map((z, c) => (own.logError[c] <= bar ? z : -Infinity));
  },
  "rank of the score": (own) => own.scoreZ,
};

const all = {};
for (const set of options.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const features = itemFeatures(matrix.items, { texts: "auto", random: createRandom("item features") });
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
  const prepared = await prepareBoard(known, random.fork("items"));
  const choice = chooseSubset(prepared, k, random.fork(`size ${k}`));
  const models = fitted.map((_, m) => m);
  const parts = folds({ groups: known.families, eligible: models.map(() => true) }, 5, random.fork("parts"));
  const held = choice.candidates.map(({ items }) => {
    const scores = new Float64Array(models.length);
    for (const { sources, targets } of parts)
      ridgeReadout(known.columns, known.full, items, sources, targets).forEach(
        (score, t) => (scores[targets[t]] = score),
      );
    return scores;
  });
  const own = {
    z: standardised(Array.from(choice.predicted, (r) => Math.atanh(Math.min(r, 0.9999)))),
    scoreZ: held.map((scores) => spearman(scores, known.full) ?? 0),
    logError: standardised(
      held.map((scores) => Math.log(1e-4 + mean(scores.map((s, m) => Math.abs(s - known.full[m]))))),
    ),
  };
  const { columns, full } = boardOf(board, untouched);
  const truth = choice.candidates.map(({ items }) => {
    const means = meanScores(columns, items);
    const scores = ridgeReadout(board.columns, board.full, items, fitted, untouched);
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
