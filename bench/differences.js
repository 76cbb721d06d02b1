// What differences of held-out models err by, as `compare` gives them: a fit on the source models of a split, then every
// pair of its targets, and every target beside itself with some of its answers to all items flipped.
// usage: node bench/differences.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,50,100] [--split interpolation]
//          [--seeds 3] [--models 40]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { compareFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, holds, mean, method, modelAnswers, points } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    anchors: { type: "string", default: "30,50,100" },
    split: { type: "string", default: "interpolation" },
    seeds: { type: "string", default: "3" },
    models: { type: "string", default: "40" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/differences.js FOLDER [--sets a,b] [--anchors 30,50,100] [--seeds 3]");
  process.exit(2);
}
/** Scores that differ by less are of like models, as a fraction. */
const LIKE = 0.03;
/** Shares of a scenario's answers that differ, fewer and more than which are few and many. */
const DIFFERING = { few: 0.2, many: 0.35 };
/** Share of a rerun's answers that are flipped, of all items. */
const FLIPPED = 0.03;
const sizes = values.anchors.split(",").map(Number);

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  for (const { split, seed } of planCells(matrix, { ...values, sizes, seeds: Number(values.seeds), method })) {
    const { bundle } = await fittedBundle(submatrix(matrix, split.sources, items), { sizes, seed });
    const rows = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((row) => !row.some(Number.isNaN))
      .slice(0, Number(values.models));
    const reruns = rows.map((row, k) => rerun(row, createRandom(`rerun ${seed} ${k}`)));
    for (const { id: form } of bundle.manifest.forms) {
      const answersOf = modelAnswers(matrix, bundle, form);
      const models = rows.map((row) => answersOf(row));
      for (const [k, b] of models.entries()) {
        for (const a of models.slice(0, k)) tallyPair({ bundle, form, a, b }, tallies);
        tallyPair({ bundle, form, a: b, b: answersOf(reruns[k]), kind: "rerun" }, tallies);
      }
    }
  }
  console.log(
    `${set}, ${values.split}: errors of differences in points, and relative to the difference of the two scores; "like" differ by less than ${100 * LIKE}, "few" in less than ${100 * DIFFERING.few} % of the answers and "many" in more than ${100 * DIFFERING.many} %, "rerun" is a model beside itself with ${100 * FLIPPED} % of the answers flipped`,
  );
  for (const [row, { pairs, error, subtraction, missed, halfWidth }] of [...tallies].sort())
    console.log(
      `  ${row.padEnd(24)} ${pairs} pairs, error ${points(error / pairs)} (${(error / subtraction).toFixed(3)} of subtraction), ` +
        `type I error ${(missed / pairs).toFixed(3)}, half-width ${points(halfWidth / pairs)}`,
    );
}

/** The same answers, but for some that are drawn at random. */
function rerun(row, random) {
  return row.map((score) => (random.next() < FLIPPED ? 1 - score : score));
}

function tallyPair({ bundle, form, a, b, kind = "" }, tallies) {
  const found = compareFromAnchors(
    bundle,
    { responses: a.responses },
    { responses: b.responses },
    { form, over: "these-answers" },
  );
  const gaps = new Map([...b.truths].map(([id, truth]) => [id, truth - a.truths.get(id)]));
  for (const [id, gap] of gaps) tally(`scenarios, ${form}`, found.scenarios[id], gap);
  if (gaps.size > 1) tally(`overall, ${form}`, found, mean([...gaps.values()]));

  function tally(row, { difference, subtraction, interval, mcnemar, answered }, gap) {
    const differing = (mcnemar.aHigher + mcnemar.bHigher) / answered;
    const kinds = [
      ...(Math.abs(gap) < LIKE ? ["like"] : []),
      ...(differing < DIFFERING.few ? ["few"] : []),
      ...(differing > DIFFERING.many ? ["many"] : []),
    ];
    for (const name of kind === "" ? [row, ...kinds.map((of) => `${row}, ${of}`)] : [`${row}, ${kind}`]) {
      const own = tallies.get(name) ?? { pairs: 0, error: 0, subtraction: 0, missed: 0, halfWidth: 0 };
      own.pairs++;
      own.error += Math.abs(difference - gap);
      own.subtraction += Math.abs(subtraction - gap);
      own.missed += holds(interval, gap) ? 0 : 1;
      own.halfWidth += (interval.high - interval.low) / 2;
      tallies.set(name, own);
    }
  }
}
