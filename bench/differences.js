// What differences of held-out models err by, as `compare` gives them: a fit on the source models of a split, then every
// pair of its targets.
// usage: node bench/differences.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,50,100] [--split interpolation]
//          [--seeds 3] [--models 40]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { compareFromAnchors, estimateFromAnchors, loadBundle } from "anchoreval";
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
    const answered = split.targets.filter((m) => items.every((i) => !Number.isNaN(scoreAt(matrix, m, i))));
    for (const { id: form } of bundle.manifest.forms)
      comparePairs(answered.slice(0, Number(values.models)), { matrix, items, bundle, form }, tallies);
  }
  console.log(`${set}, ${values.split}: errors of differences, in points; "like" differ by less than ${100 * LIKE}`);
  for (const [row, { pairs, error, corrected, held, halfWidth }] of tallies)
    console.log(
      `  ${row.padEnd(24)} ${pairs} pairs, error ${points(error / pairs)} (corrected means ${points(corrected / pairs)}), ` +
        `coverage ${(held / pairs).toFixed(3)}, half-width ${points(halfWidth / pairs)}`,
    );
}

function comparePairs(models, { matrix, items, bundle, form }, tallies) {
  const responses = new Map(
    models.map((m) => [m, Object.fromEntries(items.map((i) => [matrix.items[i].item_id, scoreAt(matrix, m, i)]))]),
  );
  const asked = new Set([...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(form).itemIds));
  const answers = new Map(
    models.map((m) => [m, Object.fromEntries(Object.entries(responses.get(m)).filter(([id]) => asked.has(id)))]),
  );
  const corrected = new Map(models.map((m) => [m, estimateFromAnchors(bundle, answers.get(m), { form }).scenarios]));
  const truth = (m, id) => {
    const own = items.filter((i) => matrix.items[i].scenario === id);
    return own.reduce((sum, i) => sum + scoreAt(matrix, m, i), 0) / own.length;
  };
  const truths = new Map(models.map((m) => [m, new Map([...bundle.scenarios.keys()].map((id) => [id, truth(m, id)]))]));
  const mean = (values) => [...values].reduce((sum, value) => sum + value, 0) / bundle.scenarios.size;
  for (const [k, b] of models.entries())
    for (const a of models.slice(0, k)) {
      const found = compareFromAnchors(bundle, { responses: answers.get(a) }, { responses: answers.get(b) }, { form });
      const gap = (id) => truths.get(b).get(id) - truths.get(a).get(id);
      const base = (m, id) => corrected.get(m)[id].details.estimators["p-irt-dr"];
      const ids = [...bundle.scenarios.keys()];
      for (const id of ids) tally(`scenarios, ${form}`, found.scenarios[id], gap(id), base(b, id) - base(a, id));
      const all = mean(ids.map((id) => base(b, id) - base(a, id)));
      if (ids.length > 1) tally(`overall, ${form}`, found, mean(ids.map(gap)), all);
    }

  function tally(row, { difference, interval }, gap, whole) {
    for (const name of Math.abs(gap) < LIKE ? [row, `${row}, like`] : [row]) {
      const own = tallies.get(name) ?? { pairs: 0, error: 0, corrected: 0, held: 0, halfWidth: 0 };
      own.pairs++;
      own.error += Math.abs(difference - gap);
      own.corrected += Math.abs(whole - gap);
      own.held += interval.low <= gap + 1e-12 && gap <= interval.high + 1e-12 ? 1 : 0;
      own.halfWidth += (interval.high - interval.low) / 2;
      tallies.set(name, own);
    }
  }
}

function points(fraction) {
  return (100 * fraction).toFixed(2);
}
