// Gate forms, whose items are drawn by how often they flip between two runs of one model, beside even draws of the same size:
// a drop's variance, whose ratio is the share of the items needed; and `check` on them: bias, alarms, power.
// usage: node bench/gate-forms.js FOLDER [--sets passk-code/LBPP_Python,noises-lowk07] [--runs 2,5,10] [--check MBPPPlus_mbpp_plus]
//        [--draws 20] [--nights 25]
//
// Models whose answers are pass rates; each in turn is the one to be gated, its whole family held out. What is learned from:
// the others' pass rates; R runs of the model, drawn from its pass rates, and the others' mean scores; the same with one run
// of each other model; and the model's own pass rates, which nobody knows: the least possible within the bounds of a tilt.
// Variances are exact, Σ w²·2p(1−p)/π of two runs, and with a drop of 3 points, all logits lowered alike.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkFromAnchors, loadBundle } from "anchoreval";
import { bundleFiles, fit, readResponses, resolveBackend, scoreAt } from "anchoreval-trainer";
import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { stratified } from "../offline-trainer/dist/anchors/stratified.js";
import { tiltedWeights } from "../offline-trainer/dist/anchors/tilted.js";
import { flipsFromRates, flipsFromRuns } from "../offline-trainer/dist/extensions/gate-forms/flip-probabilities.js";
import { flips } from "../offline-trainer/dist/extensions/gate-forms/gate-forms.js";
import { evenForm } from "../offline-trainer/dist/fit/form-plans.js";
import { familyNumbers } from "../offline-trainer/dist/matrix/families.js";
import { scenarioSlices } from "../offline-trainer/dist/matrix/scenarios.js";
import { submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { recommended } from "../offline-trainer/dist/methods/method.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "passk-code,noises-lowk07" },
    runs: { type: "string", default: "2,5,10" },
    check: { type: "string", default: "LBPP_Python,MBPPPlus_mbpp_plus" },
    size: { type: "string", default: "60" },
    draws: { type: "string", default: "20" },
    nights: { type: "string", default: "25" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/gate-forms.js FOLDER [--sets a,b] [--runs 2,5,10] [--check SET] [--size 60]");
  process.exit(2);
}
const DROP = 0.03;
/** Alarms of a night that a check is asked for here, so that few nights can tell. */
const ALARM = 0.05;
const counts = values.runs.split(",").map(Number);

const boards = [];
for (const set of values.sets.split(",")) {
  const names = (await readdir(join(folder, set))).filter((name) => /^responses\.csv|pass1\.csv/.test(name));
  for (const name of names) {
    const items = name.startsWith("responses") ? { items: join(folder, set, "items.jsonl.gz") } : {};
    const { matrix } = await readResponses(join(folder, set, name), items);
    boards.push({ name: name.startsWith("responses") ? set : name.replace(".pass1.csv.gz", ""), matrix });
  }
}

const rows = [];
for (const { name, matrix } of boards)
  for (const { id, begin, count } of scenarioSlices(matrix.items, "items")) {
    const columns = Array.from({ length: count }, (_, i) => begin + i);
    rows.push({
      name: name === "noises-lowk07" ? id : name,
      count,
      ...judged(submatrix(matrix, allOf(matrix), columns)),
    });
  }
const shown = Object.keys(rows[0].ratios);
console.log(
  "share of the items that as wide an interval takes, mean over held-out models; of a drop of 3 points in brackets",
);
for (const key of [...shown])
  console.log(
    `${key}: ${rows.map(({ name, ratios }) => `${name} ${ratios[key].map((own) => own.toFixed(2)).join(" (")})`).join(", ")}; all ${[0, 1].map((k) => mean(rows.map(({ ratios }) => ratios[key][k])).toFixed(2)).join(" (")})`,
  );

for (const name of values.check === "" ? [] : values.check.split(","))
  await checked(boards.find((board) => board.name === name));

function allOf(matrix) {
  return matrix.subjects.map((_, row) => row);
}

function mean(own) {
  return own.reduce((sum, value) => sum + value, 0) / own.length;
}

/** Chances after a drop: all logits lowered alike. */
function lowered(chances, drop) {
  const after = (shift) =>
    chances.map((p) =>
      p <= 0 || p >= 1 ? sigmoid(logit(Math.min(0.999, Math.max(0.001, p))) - shift) : sigmoid(logit(p) - shift),
    );
  let [low, high] = [0, 10];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (mean(chances) - mean(after(middle)) < drop) low = middle;
    else high = middle;
  }
  return after(high);
}

function runsOf(chances, runs, random) {
  return {
    runs: new Float64Array(chances.length).fill(runs),
    right: Float64Array.from(chances, (p) => {
      let right = 0;
      for (let run = 0; run < runs; run++) if (random.next() < p) right++;
      return right;
    }),
  };
}

/** Ratios of variances by what flips are learned from: without a change, and with a drop. */
function judged(matrix) {
  const families = familyNumbers(matrix.subjects);
  const rates = matrix.subjects.map((_, row) => Array.from(matrix.items, (_, i) => scoreAt(matrix, row, i)));
  const whole = allOf(matrix).filter((row) => !rates[row].some(Number.isNaN));
  const sums = new Map();
  for (const target of whole) {
    const chances = rates[target];
    if (chances.every((p) => p === 0 || p === 1)) continue;
    const sources = allOf(matrix).filter((row) => families[row] !== families[target]);
    const random = createRandom(matrix.subjects[target]);
    const before = chances.map((p) => 2 * p * (1 - p));
    const dropped = mean(chances) > 2 * DROP ? lowered(chances, DROP) : chances;
    const by = Math.min(DROP, mean(chances) - mean(dropped));
    const after = chances.map((p, i) => p * (1 - p) + dropped[i] * (1 - dropped[i]) + (p - dropped[i] - by) ** 2);
    const add = (key, own) => {
      const weights = new Float64Array(chances.length).fill(1 / chances.length);
      const drawn = tiltedWeights(weights, Float64Array.from(own, Math.sqrt));
      const ratio = (variances) =>
        variances.reduce((sum, variance, i) => sum + variance / (drawn[i] * chances.length), 0) /
        variances.reduce((sum, variance) => sum + variance, 0);
      const before_ = ratio(before);
      sums.set(key, [...(sums.get(key) ?? []), [before_, ratio(after)]]);
    };
    const answers = (i) => sources.map((row) => rates[row][i]).filter((score) => !Number.isNaN(score));
    const accuracy = Float64Array.from(chances, (_, i) => mean(answers(i)));
    const single = Float64Array.from(chances, (_, i) => mean(answers(i).map((p) => Number(random.next() < p))));
    add("its own pass rates", before);
    add("others' pass rates", flipsFromRates(answers, chances.length));
    for (const runs of counts) {
      const repeats = runsOf(chances, runs, random);
      add(`${runs} runs, others' pass rates`, flipsFromRuns(repeats, accuracy, sources.length));
      add(`${runs} runs, one run of others`, flipsFromRuns(repeats, single, sources.length));
    }
  }
  return {
    ratios: Object.fromEntries([...sums].map(([key, own]) => [key, [0, 1].map((k) => mean(own.map((one) => one[k])))])),
  };
}

/** `check` on drawn forms: a model of each family is gated, the family held out of the fit, 5 runs of it are known. */
async function checked({ name, matrix }) {
  const { backend } = await resolveBackend("typescript", 2);
  const families = familyNumbers(matrix.subjects);
  const size = Number(values.size);
  const targets = [...new Set(families)].map((family) => {
    const own = allOf(matrix).filter((row) => families[row] === family);
    return own[own.length >> 1];
  });
  const tallies = { even: tally(), gate: tally() };
  for (const target of targets) {
    const chances = Array.from(matrix.items, (_, i) => scoreAt(matrix, target, i));
    if (mean(chances) < 2 * DROP) continue;
    const random = createRandom(`checked ${matrix.subjects[target]}`);
    const dropped = lowered(chances, DROP);
    const place = new Map(matrix.items.map(({ item_id }, i) => [item_id, i]));
    const scenarios = scenarioSlices(matrix.items, "items");
    const knowledge = new Map(scenarios.map(({ id }) => [id, runsOf(chances, 5, random)]));
    const otherForms = Array.from({ length: Number(values.draws) }, (_, k) => [
      { ...evenForm(size, scenarios), id: `even-${k}`, way: { name: `even ${k}`, source: stratified.source } },
      { ...evenForm(size, scenarios), id: `gate-${k}`, way: { name: `gate ${k}`, source: flips.source, knowledge } },
    ]).flat();
    const sources = allOf(matrix).filter((row) => families[row] !== families[target]);
    const fitted = await fit(submatrix(matrix, sources, [...matrix.items.keys()]), {
      ...{ benchmark: "gated", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [size], otherForms, seed: 1 },
      ...{ method: { ...recommended, settings: { ...recommended.settings, folds: 2, draws: 1 } }, backend },
    });
    const files = bundleFiles(fitted);
    const bundle = await loadBundle({ name: "gated", read: async (file) => files.get(file) ?? null });
    for (const { id: form } of otherForms) {
      const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get(form).itemIds);
      const run = (own) => ({ responses: new Map(ids.map((id) => [id, random.next() < own[place.get(id)] ? 1 : 0])) });
      const options = { form, maxDrop: 0, alarmsPerYear: 100 * ALARM, runsPerYear: 100 };
      const own = tallies[form.slice(0, 4)];
      for (let night = 0; night < Number(values.nights); night++) {
        const baselines = [run(chances)];
        const same = checkFromAnchors(bundle, run(chances), { ...options, baselines }).drop;
        const worse = checkFromAnchors(bundle, run(dropped), { ...options, baselines }).drop;
        own.alarms.push(Number(same.low > 0));
        own.covered.push(Number(same.high >= 0));
        own.unchanged.push(same.drop);
        own.found.push(Number(worse.low > 0));
        own.excess.push(worse.drop - DROP);
        own.covers.push(Number(worse.high >= DROP));
        own.finds.push(same.found);
      }
    }
  }
  for (const [kind, own] of Object.entries(tallies)) {
    const points = (list) => (100 * mean(list)).toFixed(2);
    const error = (list) => (100 * Math.sqrt(mean(list.map((value) => value ** 2)))).toFixed(2);
    console.log(
      `${name}, ${size} items, ${kind}: ${own.alarms.length} nights; unchanged: alarms ${points(own.alarms)} % (allowed ${100 * ALARM}), bias ${points(own.unchanged)}, error ${error(own.unchanged)} points, upper bound holds ${points(own.covered)} % (95); a drop of 3: bias ${points(own.excess)}, error ${error(own.excess)}, upper bound holds ${points(own.covers)} %, found ${points(own.found)} %; finds ${points(own.finds)} points in four of five`,
    );
  }
}

function tally() {
  return { alarms: [], covered: [], unchanged: [], found: [], excess: [], covers: [], finds: [] };
}
