// A benchmark of which a share of the items is replaced: what the old bundle, one put on the old one's scale with few
// models run again, and one fitted anew on everybody's answers err by on models that none of them saw.
// Items to be replaced and their replacements are drawn from a leaderboard whose answers to both are known.
// usage: node bench/base.js FOLDER [--set helm-lite] [--share 0.03] [--rerun 0,10,30] [--anchors 50] [--seeds 3]
//          [--harder] [--texts]
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { bundleFiles, fit, recommended, resolveBackend, submatrix } from "anchoreval-trainer";
import { readBase } from "anchoreval-trainer/internal/features/versions/fit/base";
import { linkVersion, onBase } from "anchoreval-trainer/internal/features/versions/fit/link-version";
import { readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values: options,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { set: "helm-lite", share: "0.03", rerun: "0,10,30", anchors: "50", seeds: "3", harder: false, texts: false },
  1,
);
const all = await readLeaderboard(folder, options.set);
const share = Number(options.share);
const reruns = options.rerun.split(",").map(Number);
const method = { ...recommended, settings: { ...recommended.settings, weighting: "items" } };
const { backend } = await resolveBackend("cpu", { threads: 2 });
const figures = new Map();
const note = (row, name, values) => {
  const own = figures.get(row) ?? new Map();
  figures.set(row, own);
  own.set(name, [...(own.get(name) ?? []), ...values]);
};

for (let seed = 1; seed <= Number(options.seeds); seed++) {
  const random = createRandom(`base/${seed}`);
  const { stay, leave, come } = drawItems(random);
  const models = random.shuffle(all.subjects.map((_, m) => m));
  const targets = models.slice(0, Math.round(models.length / 4)).filter((m) => complete(m));
  const sources = models.slice(Math.round(models.length / 4));
  const sorted = (items) => [...items].sort((x, y) => x - y);
  const [before, after] = [sorted([...stay, ...leave]), sorted([...stay, ...come])];
  const older = submatrix(all, sources, before);
  const bundleOf = async (matrix, version, parts = []) => {
    const { content } = await fit(matrix, {
      benchmark: "board",
      version,
      created: "2026-01-01T00:00:00Z",
      method,
      sizes: [Number(options.anchors)],
      seed,
      backend,
      parts,
    });
    return loadFiles(bundleFiles({ content }));
  };
  const old = await bundleOf(older, "1.0.0");
  const anew = await bundleOf(submatrix(all, sources, after), "2.0.0");
  const base = await readBase(old.source);
  const items = after.map((i) => (options.texts ? all.items[i] : { ...all.items[i], text: undefined }));
  report("fitted anew, all models' answers", anew, targets, { before, after });
  report("old bundle, changed anchors missing", old, targets, { before, after });
  for (const count of reruns) {
    const again = count === 0 ? null : submatrix(all, sources.slice(0, count), sorted(come));
    const linked = linkVersion({ base, older, rerun: again, items }, method.settings, createRandom(seed));
    const based = await bundleOf(linked.matrix, "2.0.0", [onBase(linked)]);
    report(`--base, ${count} models run again`, based, targets, { before, after });
    const { anchors, bridge, drawn } = linked.record.bridge ? { ...based.bundle.manifest.base } : {};
    console.error(
      `seed ${seed}, ${count}: anchors ${JSON.stringify(anchors)}, drawn ${drawn.toFixed(2)}, bridge ${JSON.stringify(bridge.overall)}`,
    );
  }
  console.error(`seed ${seed} done`);
}

console.log(
  `${options.set}: ${(100 * share).toFixed(0)} % of the items replaced${options.harder ? " by harder ones" : ""}, ${options.anchors} anchors a scenario, ${options.seeds} seeds; errors in points, mean over scenarios\n`,
);
const columns = [
  "new score, MAE",
  "bias",
  "inside 95 %",
  "overall, MAE",
  "measured MAE",
  "old score from it, MAE",
  "naive",
];
console.log(`| | ${columns.join(" | ")} |`);
console.log(`| --- | ${columns.map(() => "---").join(" | ")} |`);
for (const [row, own] of figures)
  console.log(
    `| ${row} | ${columns.map((name) => (own.has(name) ? mean(own.get(name)).toFixed(name.startsWith("inside") ? 3 : 2) : "–")).join(" | ")} |`,
  );

function report(row, { bundle }, targets, { before, after }) {
  const { manifest } = bundle;
  const asked = [...bundle.scenarios.values()].flatMap((scenario) => [...scenario.anchors.keys()]);
  const place = new Map(all.items.map(({ item_id: id }, i) => [id, i]));
  const now = new Set(after);
  for (const m of targets) {
    const responses = Object.fromEntries(
      asked.filter((id) => now.has(place.get(id))).map((id) => [id, score(m, place.get(id))]),
    );
    const estimate = estimateFromAnchors(bundle, responses);
    const totals = { truth: 0, was: 0, estimate: 0 };
    for (const { id } of manifest.scenarios) {
      const truth = fullScore(m, after, id);
      const was = fullScore(m, before, id);
      const { score: own, interval } = estimate.scenarios[id];
      totals.truth += truth / manifest.scenarios.length;
      totals.was += was / manifest.scenarios.length;
      totals.estimate += own / manifest.scenarios.length;
      note(row, "new score, MAE", [100 * Math.abs(own - truth)]);
      note(row, "bias", [100 * (own - truth)]);
      if (interval) note(row, "inside 95 %", [Number(truth >= interval.low && truth <= interval.high)]);
      const line = manifest.base?.bridge.scenarios[id];
      if (line) {
        note(row, "old score from it, MAE", [100 * Math.abs(line.intercept + line.slope * own - was)]);
        note(row, "naive", [100 * Math.abs(own - was)]);
      } else note(row, "old score from it, MAE", [100 * Math.abs(own - was)]);
    }
    note(row, "overall, MAE", [100 * Math.abs(totals.estimate - totals.truth)]);
  }
  const form = manifest.forms[0];
  note(
    row,
    "measured MAE",
    manifest.scenarios.map(({ id }) => 100 * form.scenarios[id].measured.interpolation.estimators[form.estimator].mae),
  );
}

/** Replaces a share of every scenario's items by as many others of it. */
function drawItems(random) {
  const [stay, leave, come] = [[], [], []];
  for (const id of new Set(all.items.map(({ scenario }) => scenario))) {
    const own = random.shuffle(all.items.flatMap(({ scenario }, i) => (scenario === id ? [i] : [])));
    const count = Math.round((share * own.length) / (1 + share));
    if (options.harder) own.sort((x, y) => accuracy(x) - accuracy(y));
    const third = own.slice(0, Math.floor(own.length / 3));
    const fresh = new Set(random.shuffle(options.harder ? third : [...own]).slice(0, count));
    const rest = random.shuffle(own.filter((i) => !fresh.has(i)));
    come.push(...fresh);
    leave.push(...rest.slice(0, count));
    stay.push(...rest.slice(count));
  }
  return { stay, leave, come };
}

function accuracy(i) {
  return mean(all.subjects.map((_, m) => score(m, i)).filter((own) => !Number.isNaN(own)));
}

function score(m, i) {
  const at = m * all.items.length + i;
  return all.observed !== null && all.observed[at] === 0 ? NaN : all.scores[at];
}

function complete(m) {
  return all.items.every((_, i) => !Number.isNaN(score(m, i)));
}

function fullScore(m, items, scenario) {
  return mean(items.filter((i) => all.items[i].scenario === scenario).map((i) => score(m, i)));
}

function mean(values) {
  return values.reduce((sum, own) => sum + own, 0) / values.length;
}

async function loadFiles(files) {
  const source = {
    name: "fitted",
    read: async (name, range) => (range ? files.get(name).subarray(range.begin, range.end) : files.get(name)),
  };
  return { source, bundle: await loadBundle(source) };
}
