// How much held-out error moves where cells are deleted at random before the fit.
// usage: node bench/missing.js FOLDER [--sets helm-lite,zeroeval] [--share 0.3] [--seeds 5] [--anchors 50,100]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. A quarter of the models are held out and
// keep all their answers; the others lose the share.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses, recommended, responseMatrix, runBacktest, scoreAt } from "anchoreval-trainer";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,zeroeval" },
    share: { type: "string", default: "0.3" },
    seeds: { type: "string", default: "5" },
    anchors: { type: "string", default: "50,100" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/missing.js FOLDER [--sets a,b] [--share 0.3] [--seeds 5] [--anchors 50,100]");
  process.exit(2);
}
const share = Number(values.share);
const sizes = values.anchors.split(",").map(Number);
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

console.log(
  `mean absolute error of p-IRT in points, ${values.seeds} seeds: all cells, ${100 * share} % deleted, moved by`,
);
for (const set of values.sets.split(",")) {
  const { matrix } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  const errors = new Map();
  for (let seed = 0; seed < Number(values.seeds); seed++) {
    const random = createRandom(seed).fork("deleted cells");
    const shuffled = random.shuffle([...matrix.subjects]);
    const targets = shuffled.slice(0, Math.round(shuffled.length / 4));
    const thinned = withoutCells(matrix, new Set(targets), random);
    for (const [kind, own] of [
      ["all", matrix],
      ["thinned", thinned],
    ]) {
      const { rows } = await runBacktest(own, {
        split: "interpolation",
        targets,
        sizes,
        seeds: 1,
        firstSeed: seed,
        method: { ...recommended, settings: { ...recommended.settings, weighting: "items" } },
        provider: "cpu",
      });
      for (const { estimator, scenario, n, mae } of rows)
        if (estimator === "p-irt" && scenario !== "overall") {
          const key = `${set}/${scenario}, ${n} anchors`;
          if (!errors.has(key)) errors.set(key, { all: [], thinned: [] });
          errors.get(key)[kind].push(mae);
        }
    }
  }
  for (const [key, { all, thinned }] of errors) {
    const moved = mean(thinned) - mean(all);
    console.log(
      `${key.padEnd(40)} ${mean(all).toFixed(2)}  ${mean(thinned).toFixed(2)}  ${moved < 0 ? "" : "+"}${moved.toFixed(2)}`,
    );
  }
}

function withoutCells(matrix, kept, random) {
  const items = matrix.items.length;
  const scores = Float32Array.from({ length: matrix.scores.length }, (_, k) => {
    const subject = Math.floor(k / items);
    const deleted = random.next() < share && !kept.has(matrix.subjects[subject]);
    return deleted ? NaN : scoreAt(matrix, subject, k % items);
  });
  return responseMatrix(matrix.subjects, matrix.items, scores);
}
