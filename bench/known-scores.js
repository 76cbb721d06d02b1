// What a model's score on another benchmark is worth beside its answers: each scenario of a set by itself, the models' full
// scores on another scenario of it as the known ones, of models that had no part in the fit.
// usage: node bench/known-scores.js FOLDER [--sets evalplus-code,helm-lite] [--split interpolation] [--seeds 3] [--anchors 20,50]
//          [--sources N]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. --sources N leaves N of the models of a fit.
import { estimate } from "anchoreval";
import { responseMatrix, scoreAt, submatrix, withKnownScores } from "anchoreval-trainer";
import { planCells } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { fittedBundle, holds, mean, method, modelAnswers, points, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { sets: "evalplus-code,helm-lite", split: "interpolation", seeds: "3", anchors: "20,50", sources: null },
  1,
);
const sizes = values.anchors.split(",").map(Number);
const rms = (errors) => Math.sqrt(mean(errors.map((error) => error ** 2)));

console.log(
  "set, scenario by known one".padEnd(44),
  "items  models  error  with it   half-width  with it   coverage  with it  contradicted",
);
for (const set of values.sets.split(",")) {
  const board = await readLeaderboard(folder, set);
  const names = [...new Set(board.items.map(({ scenario }) => scenario))];
  for (const target of names) for (const other of names) if (other !== target) await measure(set, board, target, other);
}

async function measure(set, board, target, other) {
  const matrix = scenarioOf(board, target);
  const elsewhere = scenarioOf(board, other);
  const full = new Map(elsewhere.subjects.map((name, m) => [name, fullScore(elsewhere, m)]));
  const rows = new Map(sizes.map((size) => [size, []]));
  const kept = values.sources && { sources: Number(values.sources) };
  const cells = planCells(matrix, { split: values.split, sizes, seeds: Number(values.seeds), method, ...kept });
  for (const [k, { split }] of cells.entries()) {
    const learned = submatrix(matrix, split.sources, [...matrix.items.keys()]);
    const known = responseMatrix(
      learned.subjects,
      [{ item_id: "elsewhere", scenario: "elsewhere" }],
      Float64Array.from(learned.subjects, (name) => full.get(name) ?? NaN),
    );
    const { bundle } = await fittedBundle(learned, { sizes, seed: k + 1, parts: [withKnownScores(known)] });
    for (const model of split.targets) {
      const score = full.get(matrix.subjects[model]) ?? NaN;
      if (Number.isNaN(score)) continue;
      const truth = fullScore(matrix, model);
      const scores = matrix.items.map((_, i) => scoreAt(matrix, model, i));
      for (const size of sizes) {
        const { responses } = modelAnswers(matrix, bundle, String(size))(scores);
        const alone = estimate(bundle, responses, { form: String(size), knownScores: { elsewhere: score } });
        rows.get(size).push({ truth, alone, both: alone.withKnownScores.overall });
      }
    }
  }
  for (const [size, all] of rows) {
    const figures = (of) => [
      points(rms(all.map((row) => of(row).score - row.truth))),
      points(mean(all.map((row) => (of(row).interval.high - of(row).interval.low) / 2))),
      mean(all.map((row) => Number(holds(of(row).interval, row.truth)))).toFixed(3),
    ];
    const [alone, both] = [figures((row) => row.alone), figures((row) => row.both)];
    const contradicted = all.filter(({ both: { status } }) => status === "contradicted").length;
    const cells = alone.flatMap((figure, k) => [figure.padStart(9), both[k].padStart(9)]);
    const models = String(all.length).padStart(6);
    console.log(`${set}, ${target} by ${other}`.padEnd(44), String(size).padStart(5), models, ...cells, contradicted);
  }
}

/** A scenario's columns, of the models that have answered all of it. */
function scenarioOf(matrix, id) {
  const items = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === id);
  const complete = (m) => items.every((i) => !Number.isNaN(scoreAt(matrix, m, i)));
  return submatrix(matrix, [...matrix.subjects.keys()].filter(complete), items);
}

function fullScore(matrix, model) {
  return mean(matrix.items.map((_, i) => scoreAt(matrix, model, i)));
}
