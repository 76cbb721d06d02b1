// What differences of held-out models err by, as `compare` gives them: a fit on the source models of a split, then every
// pair of its targets, and every target beside itself with some of its answers to all items flipped.
// usage: node bench/differences.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,50,100] [--split interpolation]
//          [--seeds 3] [--models 40]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { compareFromAnchors, loadBundle } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { bundleFiles, customised, fit, recommended, resolveBackend } from "anchoreval-trainer";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
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
/** Share of a rerun's answers that are flipped, of all items. */
const FLIPPED = 0.03;
const sizes = values.anchors.split(",").map(Number);
const method = await customised(recommended, { weighting: "items" });
const { backend } = await resolveBackend({ provider: "cpu" });

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  for (const { split, seed } of planCells(matrix, { ...values, sizes, seeds: Number(values.seeds), method })) {
    const sources = submatrix(matrix, split.sources, items);
    const options = { benchmark: set, version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes, seed, backend, method };
    const files = bundleFiles(await fit(sources, options));
    const bundle = await loadBundle({ name: set, read: (name) => Promise.resolve(files.get(name) ?? null) });
    const rows = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((row) => !row.some(Number.isNaN))
      .slice(0, Number(values.models));
    const reruns = rows.map((row, k) => rerun(row, createRandom(`rerun ${seed} ${k}`)));
    for (const { id: form } of bundle.manifest.forms) {
      const answersOf = modelAnswers(matrix, bundle, form);
      const models = rows.map(answersOf);
      for (const [k, b] of models.entries()) {
        for (const a of models.slice(0, k)) tallyPair({ bundle, form, a, b }, tallies);
        tallyPair({ bundle, form, a: b, b: answersOf(reruns[k]), kind: "rerun" }, tallies);
      }
    }
  }
  console.log(
    `${set}, ${values.split}: errors of differences in points, and relative to the difference of the two scores; "like" differ by less than ${100 * LIKE}, "rerun" is a model beside itself with ${100 * FLIPPED} % of the answers flipped`,
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

/** Of a model's scores on all items: its answers to a form, and its full scores. */
function modelAnswers(matrix, bundle, form) {
  const scenarios = [...bundle.scenarios].map(([id, { forms }]) => {
    const asked = new Set(forms.get(form).itemIds);
    const own = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === id);
    return { id, own, anchors: own.filter((i) => asked.has(matrix.items[i].item_id)) };
  });
  return (row) => ({
    responses: Object.fromEntries(
      scenarios.flatMap(({ anchors }) => anchors.map((i) => [matrix.items[i].item_id, row[i]])),
    ),
    truths: new Map(scenarios.map(({ id, own }) => [id, own.reduce((sum, i) => sum + row[i], 0) / own.length])),
  });
}

function tallyPair({ bundle, form, a, b, kind = "" }, tallies) {
  const found = compareFromAnchors(bundle, { responses: a.responses }, { responses: b.responses }, { form });
  const gaps = new Map([...b.truths].map(([id, truth]) => [id, truth - a.truths.get(id)]));
  for (const [id, gap] of gaps) tally(`scenarios, ${form}`, found.scenarios[id], gap);
  if (gaps.size > 1)
    tally(`overall, ${form}`, found, [...gaps.values()].reduce((sum, gap) => sum + gap, 0) / gaps.size);

  function tally(row, { difference, subtraction, interval }, gap) {
    const like = Math.abs(gap) < LIKE ? [`${row}, like`] : [];
    for (const name of kind === "" ? [row, ...like] : [`${row}, ${kind}`]) {
      const own = tallies.get(name) ?? { pairs: 0, error: 0, subtraction: 0, missed: 0, halfWidth: 0 };
      own.pairs++;
      own.error += Math.abs(difference - gap);
      own.subtraction += Math.abs(subtraction - gap);
      own.missed += interval.low <= gap + 1e-12 && gap <= interval.high + 1e-12 ? 0 : 1;
      own.halfWidth += (interval.high - interval.low) / 2;
      tallies.set(name, own);
    }
  }
}

function points(fraction) {
  return (100 * fraction).toFixed(2);
}
