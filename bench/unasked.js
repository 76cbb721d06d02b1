// What predictions of scenarios that weren't asked err by, as `estimate` gives them: a fit on the source models of a split,
// then every target with every choice of scenarios left out.
// usage: node bench/unasked.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,100] [--split interpolation]
//          [--seeds 3] [--unasked 1]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. --unasked: how many are left out at once.
import { parseArgs } from "node:util";
import { estimateFromAnchors } from "anchoreval";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, holds, mean, method, modelAnswers, points } from "./fitted-bundle.js";
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

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  for (const { split, seed } of planCells(matrix, { ...values, sizes, seeds: Number(values.seeds), method })) {
    const { bundle } = await fittedBundle(submatrix(matrix, split.sources, items), { sizes, seed });
    const ids = bundle.manifest.scenarios.map(({ id }) => id);
    const rows = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((row) => !row.some(Number.isNaN));
    for (const { id: form } of bundle.manifest.forms) {
      const answersOf = modelAnswers(matrix, bundle, form);
      const truths = rows.map((row) => answersOf(row).truths);
      const overalls = truths.map((own) => mean([...own.values()]));
      const spreads = new Map(ids.map((id) => [id, deviation(truths.map((own) => own.get(id)))]));
      for (const [k, row] of rows.entries())
        for (const left of choices(ids, Number(values.unasked))) {
          const asked = ids.filter((id) => !left.includes(id));
          const found = estimateFromAnchors(bundle, answersOf(row, asked).responses, { form });
          for (const id of left) tally(`${form}, ${id}`, found.scenarios[id], truths[k].get(id), spreads.get(id));
          tally(`${form}, overall`, found, overalls[k], deviation(overalls));
        }
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
      own.held += holds(interval, truth) ? 1 : 0;
      own.halfWidth += (interval.high - interval.low) / 2;
    }
  }
}

/** All choices of k scenarios. */
function choices(ids, k) {
  if (k === 0) return [[]];
  return ids.flatMap((id, at) => choices(ids.slice(at + 1), k - 1).map((rest) => [id, ...rest]));
}

function deviation(scores) {
  const middle = mean(scores);
  return Math.sqrt(scores.reduce((sum, score) => sum + (score - middle) ** 2, 0) / (scores.length - 1));
}
