// A benchmark that gets its scenarios one at a time: what a bundle grown by as many new versions, each on the one before,
// errs by on models that no fit saw, over what one fitted on all scenarios at once errs by.
// usage: node bench/grow.js FOLDER [--set helm-lite] [--anchors 30,100] [--seeds 3] [--scenarios 10]
import { parseArgs } from "node:util";
import { estimateFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { scoreAt, submatrix } from "anchoreval-trainer";
import { readBase, withBase } from "../offline-trainer/dist/extensions/versions/base.js";
import { keepAnchors } from "../offline-trainer/dist/extensions/versions/keep-anchors.js";
import { linkVersion } from "../offline-trainer/dist/extensions/versions/link-version.js";
import { fittedBundle, holds, mean, method, modelAnswers } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "helm-lite" },
    anchors: { type: "string", default: "30,100" },
    seeds: { type: "string", default: "3" },
    scenarios: { type: "string", default: "10" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/grow.js FOLDER [--set helm-lite] [--anchors 30,100] [--seeds 3] [--scenarios 10]");
  process.exit(2);
}
const all = await readLeaderboard(folder, options.set);
const scenarios = [...new Set(all.items.map(({ scenario }) => scenario))].slice(0, Number(options.scenarios));
const sizes = options.anchors.split(",").map(Number);
/** Values by number of scenarios, size, way and name. */
const figures = new Map();

for (let seed = 1; seed <= Number(options.seeds); seed++) {
  const models = createRandom(`grow/${seed}`).shuffle([...all.subjects.keys()]);
  const held = Math.round(models.length / 4);
  const columns = (count) =>
    [...all.items.keys()].filter((i) => scenarios.slice(0, count).includes(all.items[i].scenario));
  const targets = models
    .slice(0, held)
    .map((m) => [...all.items.keys()].map((i) => scoreAt(all, m, i)))
    .filter((row) => columns(scenarios.length).every((i) => !Number.isNaN(row[i])));
  const sources = models.slice(held).sort((x, y) => x - y);
  const bundleOf = (matrix, count, more = {}, finish) =>
    fittedBundle(matrix, { version: `${count}.0.0`, sizes, seed, ...more }, finish);
  let grown = null;
  for (let count = 1; count <= scenarios.length; count++) {
    const older = submatrix(all, sources, columns(count));
    const anew = await bundleOf(older, count);
    if (grown === null) grown = anew;
    else {
      const base = await readBase(grown.source);
      const items = older.items.map((item) => ({ ...item, text: undefined }));
      const linked = linkVersion({ base, older, rerun: null, items }, method.settings, createRandom(seed));
      const keeping = { ...method, anchors: keepAnchors(method.anchors, linked.earlier) };
      grown = await bundleOf(linked.matrix, count, { fixed: linked.fixed, method: keeping }, (content) =>
        withBase(content, linked.record, linked.earlier),
      );
      report(count, "grown", grown, targets);
      report(count, "at once", anew, targets);
    }
    const ratios = sizes.map((size) => {
      const [own, other] = ["grown", "at once"].map((way) => figures.get(`${count}/${size}`)?.get(`${way} overall`));
      return own ? (mean(own) / mean(other)).toFixed(3) : "–";
    });
    console.error(`seed ${seed}, ${count} scenarios: overall ratio so far ${ratios.join(", ")}`);
  }
}

console.log(
  `${options.set}: scenarios added one at a time, ${options.seeds} seeds; mean absolute errors in points, on held-out models\n`,
);
console.log(
  "| scenarios | anchors a scenario | overall, grown | at once | ratio | scenarios, grown | at once | ratio | inside 95 %, grown | at once |",
);
console.log(`| ${new Array(10).fill("---").join(" | ")} |`);
const totals = new Map();
for (const [key, own] of figures) {
  const [count, size] = key.split("/");
  row(count, size, own);
  if (!totals.has(size)) totals.set(size, new Map());
  for (const [name, values] of own) totals.get(size).set(name, [...(totals.get(size).get(name) ?? []), ...values]);
}
for (const [size, own] of totals) row("all counts", size, own);

function row(count, size, own) {
  const value = (way, name) => mean(own.get(`${way} ${name}`));
  const pair = (name) => {
    const [grown, anew] = [value("grown", name), value("at once", name)];
    return `${grown.toFixed(2)} | ${anew.toFixed(2)} | ${(grown / anew).toFixed(3)}`;
  };
  const inside = ["grown", "at once"].map((way) => value(way, "inside").toFixed(3)).join(" | ");
  console.log(`| ${count} | ${size} | ${pair("overall")} | ${pair("scenario")} | ${inside} |`);
}

function report(count, way, { bundle }, targets) {
  for (const size of sizes) {
    const key = `${count}/${size}`;
    const own = figures.get(key) ?? new Map();
    figures.set(key, own);
    const note = (name, value) => own.set(`${way} ${name}`, [...(own.get(`${way} ${name}`) ?? []), value]);
    const answersOf = modelAnswers(all, bundle, String(size));
    for (const row of targets) {
      const { responses, truths } = answersOf(row);
      const estimate = estimateFromAnchors(bundle, responses, { form: String(size) });
      let overall = 0;
      for (const [id, truth] of truths) {
        const { score, interval } = estimate.scenarios[id];
        note("scenario", 100 * Math.abs(score - truth));
        if (interval) note("inside", Number(holds(interval, truth)));
        overall += (score - truth) / truths.size;
      }
      note("overall", 100 * Math.abs(overall));
    }
  }
}
