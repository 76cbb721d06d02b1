// What cells that are missing at random in the sources cost: error and coverage on held-out models that keep all their
// answers, and what a fit of the sources promises.
// usage: node bench/missing.js FOLDER [--sets helm-lite,zeroeval] [--shares 0,0.5] [--seeds 2] [--anchors 30,50]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. A quarter of the models are held out; the
// others lose the share of their cells.
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { recommended, responseMatrix, runBacktest, scoreAt } from "anchoreval-trainer";
import { submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, mean, method, points } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,zeroeval" },
    shares: { type: "string", default: "0,0.5" },
    seeds: { type: "string", default: "2" },
    anchors: { type: "string", default: "30,50" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/missing.js FOLDER [--sets a,b] [--shares 0,0.5] [--seeds 2] [--anchors 30,50]");
  process.exit(2);
}
const sizes = values.anchors.split(",").map(Number);
const headline = recommended.anchors.estimator;

console.log("errors in points, of random items in brackets; coverage and half-widths of 95 % intervals");
for (const set of values.sets.split(","))
  for (const share of values.shares.split(",").map(Number)) {
    const matrix = await readLeaderboard(folder, set);
    const tallies = new Map();
    const add = (key, own) => tallies.set(key, [...(tallies.get(key) ?? []), own]);
    for (let seed = 0; seed < Number(values.seeds); seed++) {
      const random = createRandom(seed).fork("deleted cells");
      const shuffled = random.shuffle([...matrix.subjects]);
      const targets = shuffled.slice(0, Math.round(shuffled.length / 4));
      const thinned = withoutCells(matrix, share, new Set(targets), random);
      const { rows } = await runBacktest(thinned, {
        split: "interpolation",
        targets,
        sizes,
        seeds: 1,
        firstSeed: seed,
        method,
        provider: "cpu",
      });
      for (const { estimator, scenario, n, ...row } of rows)
        if (estimator === headline)
          add(`${scenario === "overall" ? scenario : "scenarios"}, ${n} anchors`, { scenario, ...row });
      const sources = [...matrix.subjects.keys()].filter((m) => !targets.includes(matrix.subjects[m]));
      const { bundle } = await fittedBundle(submatrix(thinned, sources, [...matrix.items.keys()]), { sizes, seed });
      for (const [k, form] of bundle.manifest.forms.entries()) {
        for (const { measured } of Object.values(form.scenarios))
          add(`scenarios, ${sizes[k]} anchors`, { promise: measured.interpolation });
        if (form.overall) add(`overall, ${sizes[k]} anchors`, { promise: form.overall.measured.interpolation });
      }
    }
    console.log(`${set}, ${100 * share} % of the sources' cells deleted`);
    for (const [key, all] of tallies) {
      const rows = all.filter(({ promise }) => promise === undefined);
      const known = (pick, of = rows) => {
        const numbers = of.map(pick).filter((number) => number != null);
        return numbers.length > 0 ? mean(numbers) : NaN;
      };
      const worst = new Map(
        rows.map(({ scenario }) => [
          scenario,
          known(
            (row) => row.coverage95,
            rows.filter((row) => row.scenario === scenario),
          ),
        ]),
      );
      const promised = all.flatMap(({ promise }) => promise ?? []);
      console.log(
        `  ${key.padEnd(24)} error ${known(({ mae }) => mae).toFixed(2)} (${known(({ randomMae }) => randomMae).toFixed(2)}), ` +
          `covered ${known(({ coverage95 }) => coverage95).toFixed(3)}, worst ${Math.min(...worst.values()).toFixed(2)}, ± ${known(({ halfWidth95 }) => halfWidth95).toFixed(2)}; promised ` +
          (promised.length === 0
            ? "nothing"
            : `by ${known(({ models }) => models, promised).toFixed(0)} models: error ${points(known(({ estimators }) => estimators[headline].mae, promised))}, ` +
              `covered ${known(({ coverage95 }) => coverage95, promised).toFixed(3)}, ± ${points(known(({ halfWidth95 }) => halfWidth95, promised))}`),
      );
    }
  }

/** A matrix whose models, but for some, have lost a share of their cells at random. */
function withoutCells(matrix, share, kept, random) {
  const items = matrix.items.length;
  const scores = Float32Array.from({ length: matrix.scores.length }, (_, k) => {
    const subject = Math.floor(k / items);
    const deleted = random.next() < share && !kept.has(matrix.subjects[subject]);
    return deleted ? NaN : scoreAt(matrix, subject, k % items);
  });
  return responseMatrix(matrix.subjects, matrix.items, scores);
}
