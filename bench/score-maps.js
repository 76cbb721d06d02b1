// What score maps from all scenarios' answers may read, and maps of the score over all scenarios, on held-out models: a
// quarter of the models is held out, bank and anchors are of the others, by fixed designs without a search.
// usage: node bench/score-maps.js [FOLDER] [--sets helm-lite] [--anchors 100,150] [--seeds 1]
//        [--models N --draws K: K times N models drawn from all]
// Without a folder of leaderboards it simulates 200 models × 2 scenarios of 500 items.
import { parseArgs } from "node:util";
import { customised, loadMethod } from "anchoreval-trainer";
import { clamp } from "anchoreval/internal/core/estimators/answered-sample";
import { mappedScore } from "anchoreval/internal/core/estimators/score-maps";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { familyFolds } from "../offline-trainer/dist/methods/score-maps/form-score-maps.js";
import { informationPool, informedAnchors } from "../offline-trainer/dist/methods/metabench/anchors.js";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { anchorInputs } from "../offline-trainer/dist/anchors/anchor-method.js";
import { onlyModels } from "../offline-trainer/dist/matrix/benchmark.js";
import { bankPriors } from "../offline-trainer/dist/calibrate/linking.js";
import { learn } from "../offline-trainer/dist/fit/learn.js";
import { additiveMap, mappedScenarios, fitOwnMap } from "../offline-trainer/dist/methods/score-maps/mapped-answers.js";
import { submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { randomRmse } from "./random-rmse.js";
import { readLeaderboard } from "./read-leaderboard.js";
import { simulatedLeaderboard } from "./simulated-leaderboard.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite" },
    anchors: { type: "string", default: "100,150" },
    seeds: { type: "string", default: "1" },
    models: { type: "string" },
    draws: { type: "string", default: "1" },
  },
});
const [folder] = positionals;
const sizes = options.anchors.split(",").map(Number);
const method = await customised(await loadMethod("metabench"), { weighting: "items", search: 0 });
const { backend } = await resolveBackend("typescript", 1);

/** Items of the screened subset. */
const DESIGNS = { even: null, informative: 0 };

/** Folds of the source models' families that own maps are fitted without. */
const FOLDS = 5;

/** Columns that a scenario's map reads, by the place of the scenario: `mean 0` its own mean, `mean` the mean of all. */
const JOINT = {
  "own score, mean, theirs of all, every ability": (s, all) => [
    ...[`fitted ${s}`, `mean ${s}`, "fitted", "mean"],
    ...all.map((k) => `expected ${k}`),
  ],
  "own score, mean, theirs of all": (s) => [`fitted ${s}`, `mean ${s}`, "fitted", "mean"],
  "the same, scores without the family": (s) => [`score ${s}`, `mean ${s}`, "score", "mean"],
  "own curve of the mean by GCV, mean, theirs of all": (s) => [`curve ${s}`, `mean ${s}`, "curve", "mean"],
  "mean, mean of all": (s) => [`mean ${s}`, "mean"],
  "every mean": (_, all) => all.map((k) => `mean ${k}`),
  "its own alone": (s) => [`mean ${s}`, `expected ${s}`],
  "its own mean alone": (s) => [`mean ${s}`],
};

/** The same of the score over all scenarios. */
const GRAND = {
  "mean of all": () => ["mean"],
  "every mean": (all) => all.map((k) => `mean ${k}`),
  "every mean, every score": (all) => all.flatMap((k) => [`mean ${k}`, `score ${k}`]),
  "score and mean of all": () => ["score", "mean"],
  "every mean, score, ability": (all) => all.flatMap((k) => [`mean ${k}`, `score ${k}`, `expected ${k}`]),
};

for (const set of folder === undefined ? ["simulated"] : options.sets.split(",")) {
  const whole = folder === undefined ? simulatedLeaderboard() : await readLeaderboard(folder, set);
  const errors = new Map();
  const note = (n, design, what, error) => {
    const key = JSON.stringify([n, design, what]);
    errors.set(key, [...(errors.get(key) ?? []), error]);
  };
  for (let draw = 0; draw < Number(options.draws); draw++) {
    const matrix = options.models ? drawn(whole, Number(options.models), draw) : whole;
    for (const cell of planCells(matrix, {
      method,
      split: "interpolation",
      sizes,
      seeds: Number(options.seeds),
    }))
      await judge(matrix, cell, note);
  }
  console.log(`${set}: ${options.models ?? whole.subjects.length} models, ${options.draws} × ${options.seeds} seed(s)`);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const rms = (key) => Math.sqrt(mean(errors.get(key).map((error) => error * error)));
  const parts = new Map();
  for (const key of errors.keys()) {
    const [n, design, { map, scenario }] = JSON.parse(key);
    if (scenario === undefined) continue;
    const name = `n = ${n}, ${design}, ${map}`;
    const random = rms(JSON.stringify([n, "random items", { scenario }]));
    if (map !== undefined) parts.set(name, [...(parts.get(name) ?? []), rms(key) / random]);
  }
  for (const [name, ratios] of parts)
    console.log(
      `  ${name}: ${mean(ratios).toFixed(3)} of random items (${ratios.map((own) => own.toFixed(2)).join(" ")})`,
    );
  for (const key of errors.keys()) {
    const [n, design, { grand }] = JSON.parse(key);
    if (grand !== undefined)
      console.log(`  n = ${n}, ${design}, overall, ${grand}: ${(100 * rms(key)).toFixed(2)} points`);
  }
}

async function judge(matrix, { benchmark, split, seed, method: known }, note) {
  const random = createRandom(seed).fork("all");
  const { groups } = benchmark;
  const learned = await learn(onlyModels(benchmark, split.sources), known, [], random, { backend });
  const { separate: priors } = bankPriors(learned.linked, known.settings.priorScale);
  const [sources, targets] = ["sources", "targets"].map((part) => [
    ...new Set(split.groups.flatMap((own) => own[part])),
  ]);
  for (const n of sizes) {
    const inputs = learned.groups.map(({ group, bank }) => {
      const [input] = anchorInputs(group, bank, { sizes: [n], random, knowledge: known.knowledge });
      return { ...input, copies: input.knowledge };
    });
    const pools = inputs.map((input) => informationPool(input).pool);
    groups.forEach(({ scenarios: [{ id }] }, b) => {
      const names = split.groups[b].targets.map((row) => matrix.subjects[row]);
      for (const name of names) note(n, "random items", { scenario: id }, randomRmse(matrix, id, [name], n) / 100);
    });
    for (const [design, threshold] of Object.entries(DESIGNS)) {
      const anchors = inputs.map((input, b) =>
        informedAnchors(input, pools[b], { grid: "even", binsPerAnchor: 1, threshold, score: "map" }, n),
      );
      const of = (rows) =>
        groups.flatMap((group, b) =>
          mappedScenarios({ group, bank: learned.groups[b].bank, prior: priors[b], anchors: [anchors[b]] }, rows, {
            kind: "additive",
            score: "map",
          }),
        );
      compare(groups, of(sources), of(targets), random, (what, error) => note(n, design, what, error));
    }
  }
}

/** All maps, fitted on the sources that answered everything, on the targets that did. */
function compare(groups, sources, targets, random, note) {
  const rowsOf = (parts) => [...parts[0].answers.keys()].filter((row) => parts.every((part) => part.answers.has(row)));
  const [known, held] = [rowsOf(sources), rowsOf(targets)];
  const all = sources.map((_, k) => k);
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const folds = familyFolds(
    known.map((row) => groups[0].families[row]),
    FOLDS,
    random.fork("families"),
  );
  const foldOf = new Map(known.map((row, at) => [row, folds[at]]));
  const scoreBy = (map, { features, bounds }) =>
    clamp(
      mappedScore(map, ({ feature }) => features[feature]),
      bounds,
    );
  const choice = { kind: "additive", score: "map" };
  const columns = new Map();
  const add = (name, k, ofSource, ofTarget) =>
    columns.set(`${name} ${k}`, {
      source: known.map((row) => ofSource(row, sources[k].answers.get(row))),
      target: held.map((row) => ofTarget(targets[k].answers.get(row))),
    });
  for (const k of all) {
    const own = fitOwnMap(sources[k], choice);
    const curve = fitOwnMap(sources[k], { kind: "mean", score: "eap-sum" });
    const foldMaps = Array.from({ length: FOLDS }, (_, fold) =>
      fitOwnMap(
        { ...sources[k], answers: new Map([...sources[k].answers].filter(([row]) => foldOf.get(row) !== fold)) },
        choice,
      ),
    );
    for (const name of ["mean", "expected"])
      add(
        name,
        k,
        (_, { features }) => features[name],
        ({ features }) => features[name],
      );
    add(
      "fitted",
      k,
      (_, answers) => scoreBy(own, answers),
      (answers) => scoreBy(own, answers),
    );
    add(
      "curve",
      k,
      (_, answers) => scoreBy(curve, answers),
      (answers) => scoreBy(curve, answers),
    );
    add(
      "score",
      k,
      (row, answers) => scoreBy(foldMaps[foldOf.get(row)], answers),
      (answers) => scoreBy(own, answers),
    );
  }
  for (const name of ["mean", "fitted", "curve", "score"])
    columns.set(
      name,
      Object.fromEntries(
        ["source", "target"].map((side) => [
          side,
          (side === "source" ? known : held).map((_, at) =>
            mean(all.map((k) => columns.get(`${name} ${k}`)[side][at])),
          ),
        ]),
      ),
    );
  const scores = (names, truth) => {
    const read = names.map((name) => ({
      feature: "mean",
      scenario: name,
      values: Float64Array.from(columns.get(name).source),
    }));
    const map = additiveMap(read, Float64Array.from(truth));
    return held.map((_, at) => mappedScore(map, ({ scenario }) => columns.get(scenario).target[at]));
  };
  const truths = held.map((row) => mean(targets.map(({ full }) => full[row])));
  const grand = (name, found) => found.forEach((score, at) => note({ grand: name }, score - truths[at]));
  for (const [map, read] of Object.entries(JOINT)) {
    const found = all.map((k) => {
      const own = scores(
        read(k, all),
        known.map((row) => sources[k].full[row]),
      );
      return own.map((score, at) => clamp(score, targets[k].answers.get(held[at]).bounds));
    });
    found.forEach((own, k) =>
      own.forEach((score, at) => note({ map, scenario: sources[k].id }, score - targets[k].full[held[at]])),
    );
    grand(
      `mean of maps of ${map}`,
      held.map((_, at) => mean(found.map((own) => own[at]))),
    );
  }
  const overall = known.map((row) => mean(sources.map(({ full }) => full[row])));
  for (const [name, read] of Object.entries(GRAND)) grand(`a map of ${name}`, scores(read(all), overall));
}

function drawn(matrix, models, draw) {
  const rows = createRandom(`models ${draw}`).shuffle(matrix.subjects.map((_, row) => row));
  return submatrix(
    matrix,
    rows.slice(0, models).sort((x, y) => x - y),
    matrix.items.map((_, i) => i),
  );
}
