// What predictions of scenarios that weren't asked err by, as `estimate` gives them: a fit on the source models of a split,
// then every target with every choice of scenarios left out.
// usage: node bench/unasked.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,100] [--split interpolation]
//          [--seeds 3] [--unasked 1]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. --unasked: how many are left out at once.
import { parseArgs } from "node:util";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { bundleFiles, customised, fit, recommended, resolveBackend } from "anchoreval-trainer";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    anchors: { type: "string", default: "30,100" },
    split: { type: "string", default: "interpolation" },
    seeds: { type: "string", default: "3" },
    unasked: { type: "string", default: "1" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/unasked.js FOLDER [--sets a,b] [--anchors 30,100] [--seeds 3] [--unasked 1]");
  process.exit(2);
}
const sizes = values.anchors.split(",").map(Number);
const method = await customised(recommended, { weighting: "items" });
const { backend } = await resolveBackend({ provider: "cpu" });

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const place = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
  const tallies = new Map();
  for (const { split, seed } of planCells(matrix, { ...values, sizes, seeds: Number(values.seeds), method })) {
    const options = { benchmark: set, version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes, seed, backend, method };
    const files = bundleFiles(await fit(submatrix(matrix, split.sources, items), options));
    const bundle = await loadBundle({ name: set, read: (name) => Promise.resolve(files.get(name) ?? null) });
    const ids = bundle.manifest.scenarios.map(({ id }) => id);
    const models = split.targets.filter((m) => items.every((i) => !Number.isNaN(scoreAt(matrix, m, i))));
    const truths = new Map(models.map((m) => [m, fullScores(matrix, m)]));
    const spreads = new Map(ids.map((id) => [id, deviation(models.map((m) => truths.get(m).get(id)))]));
    const overallOf = (m) => ids.reduce((sum, id) => sum + truths.get(m).get(id) / ids.length, 0);
    const overallSpread = deviation(models.map(overallOf));
    for (const { id: form } of bundle.manifest.forms)
      for (const m of models)
        for (const left of choices(ids, Number(values.unasked))) {
          const asked = ids
            .filter((id) => !left.includes(id))
            .flatMap((id) => bundle.scenarios.get(id).forms.get(form).itemIds);
          const answers = Object.fromEntries(asked.map((id) => [id, scoreAt(matrix, m, place.get(id))]));
          const found = estimateFromAnchors(bundle, answers, { form });
          for (const id of left) tally(`${form}, ${id}`, found.scenarios[id], truths.get(m).get(id), spreads.get(id));
          tally(`${form}, overall`, found, overallOf(m), overallSpread);
        }
  }
  console.log(`${set}, ${values.split}, ${values.unasked} of the scenarios not asked; errors in points`);
  for (const [row, own] of tallies) {
    const { count, predicted, square, spread, held, halfWidth } = own;
    if (predicted === 0) {
      console.log(`  ${row.padEnd(28)} predicted 0 of ${count}`);
      continue;
    }
    const error = Math.sqrt(square / predicted);
    console.log(
      `  ${row.padEnd(28)} predicted ${predicted} of ${count}, rmse ${points(error)}, rmse/spread ${(error / Math.sqrt(spread / predicted)).toFixed(3)}, ` +
        `coverage ${(held / predicted).toFixed(3)}, half-width ${points(halfWidth / predicted)}`,
    );
  }

  function tally(row, { score, predicted, interval }, truth, spread) {
    for (const name of [row, row.endsWith("overall") ? null : `${row.split(",")[0]}, all scenarios`]) {
      if (name === null) continue;
      const own = tallies.get(name) ?? { count: 0, predicted: 0, square: 0, spread: 0, held: 0, halfWidth: 0 };
      tallies.set(name, own);
      own.count++;
      if (!predicted || interval === null) continue;
      own.predicted++;
      own.square += (score - truth) ** 2;
      own.spread += spread ** 2;
      own.held += interval.low <= truth && truth <= interval.high ? 1 : 0;
      own.halfWidth += (interval.high - interval.low) / 2;
    }
  }
}

/** A model's full scores by scenario, each item weighing the same. */
function fullScores(matrix, m) {
  const sums = new Map();
  matrix.items.forEach(({ scenario }, i) => {
    const own = sums.get(scenario) ?? { sum: 0, count: 0 };
    sums.set(scenario, { sum: own.sum + scoreAt(matrix, m, i), count: own.count + 1 });
  });
  return new Map([...sums].map(([id, { sum, count }]) => [id, sum / count]));
}

/** All choices of k scenarios. */
function choices(ids, k) {
  if (k === 0) return [[]];
  return ids.flatMap((id, at) => choices(ids.slice(at + 1), k - 1).map((rest) => [id, ...rest]));
}

function deviation(scores) {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (scores.length - 1));
}

function points(fraction) {
  return (100 * fraction).toFixed(2);
}
