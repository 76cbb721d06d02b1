// A year and more of nightly checks on simulated models: how often one fails although nothing changed, and how soon one
// finds a drop.
// usage: node bench/check.js [--nights 500] [--models 40] [--anchors 50,100,250] [--noise 0.1] [--drop 3] [--max-drop 1]
//
// 200 simulated models × 2 scenarios of 1000 items; a quarter is held out of the fit and checked. A run of a model gives
// its own answers, but of a share `noise` of the items, drawn once a model, it samples the answer anew every night, each
// with a probability of its own, even over (0,1). A model that got worse loses the same share of every probability, so
// that its expected score falls by `drop` points. The rule allows one false alarm in 365 runs. Beside the drop that a check
// measures stand the difference of the two scores that estimates give and that of a comparison, on the first 20 nights.
import { checkFromAnchors, compareFromAnchors, loadBundle } from "anchoreval";
import { normalCdf, normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { bundleFiles, fit, resolveBackend, scoreAt, simulateLeaderboard } from "anchoreval-trainer";
import { submatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { readOptions } from "./options.js";

const { values } = readOptions(import.meta.url, {
  nights: "500",
  models: "40",
  anchors: "50,100,250",
  noise: "0.1",
  drop: "3",
  "max-drop": "1",
});
/** Chance of a false alarm a night: one in a year. */
const ALARMS = 1 / 365;
const number = (name) => Number(values[name]);
/** Nights of each model on which estimates of the drop are compared. */
const JUDGED = 20;
const nights = number("nights");
const sizes = values.anchors.split(",").map(Number);

const { matrix } = simulateLeaderboard({ models: 200, items: 2000, scenarios: 2, dims: 2, seed: 1 });
const order = createRandom("held out").shuffle(matrix.subjects.map((_, model) => model));
const models = order.slice(0, number("models"));
const { backend } = await resolveBackend("typescript", { threads: 2 });
const all = matrix.items.map((_, item) => item);
const fitted = await fit(submatrix(matrix, order.slice(50), all), {
  benchmark: "nightly",
  version: "1.0.0",
  created: "2026-01-01T00:00:00Z",
  sizes,
  seed: 1,
  backend,
});
const files = bundleFiles(fitted);
const bundle = await loadBundle({ name: "nightly", read: async (file) => files.get(file) ?? null });
const indexOf = new Map(matrix.items.map(({ item_id }, item) => [item_id, item]));

/** Of one held-out model: the chance of a right answer to every item, before and after. */
function chancesOf(model) {
  const random = createRandom(`model ${model}`);
  const before = all.map((item) => {
    const score = scoreAt(matrix, model, item);
    const known = Number.isNaN(score) ? random.next() : score;
    return random.next() < number("noise") ? random.next() : known;
  });
  const mean = before.reduce((sum, chance) => sum + chance, 0) / before.length;
  const kept = 1 - number("drop") / 100 / mean;
  return { before, after: before.map((chance) => chance * kept) };
}

function run(chances, form, random) {
  const responses = new Map();
  for (const scenario of bundle.scenarios.values())
    for (const id of scenario.forms.get(form).itemIds)
      responses.set(id, random.next() < chances[indexOf.get(id)] ? 1 : 0);
  return { responses };
}

/** Variances by a night's noise of a run's mean over a form's anchors, before and after, and what it drops by there. */
function variances({ before, after }, form) {
  const sum = { before: 0, after: 0, drop: 0 };
  for (const scenario of bundle.scenarios.values()) {
    const items = scenario.forms.get(form).itemIds.map((id) => indexOf.get(id));
    const share = 1 / items.length / bundle.scenarios.size;
    for (const item of items) {
      sum.before += share ** 2 * before[item] * (1 - before[item]);
      sum.after += share ** 2 * after[item] * (1 - after[item]);
      sum.drop += share * (before[item] - after[item]);
    }
  }
  return sum;
}

/** Lists what a check, both scores' difference and a comparison make of a drop of expected scores. */
function addEstimates(estimates, { baselines, runs, form, truth }) {
  const [before, after] = [baselines, runs].map((side) => ({ responses: meanAnswers(side) }));
  const { difference, subtraction } = compareFromAnchors(bundle, before, after, { form, over: "these-answers" });
  estimates.check.push({ drop: checkFromAnchors(bundle, runs, { baselines, form }).drop.drop, truth });
  estimates.subtraction.push({ drop: -subtraction, truth });
  estimates.compare.push({ drop: -difference, truth });
}

function meanAnswers(runs) {
  const mean = (id) => runs.reduce((sum, { responses }) => sum + responses.get(id), 0) / runs.length;
  return new Map([...runs[0].responses.keys()].map((id) => [id, mean(id)]));
}

const noEstimates = () => ({ check: [], subtraction: [], compare: [] });

/** Root mean squared errors, and the mean estimate, of `check / subtraction / compare`, in points. */
function judged(estimates) {
  const mean = (own, of) => own.reduce((sum, one) => sum + of(one), 0) / own.length;
  const each = (of) => Object.values(estimates).map((own) => (100 * of(own)).toFixed(2));
  const errors = each((own) => Math.sqrt(mean(own, ({ drop, truth }) => (drop - truth) ** 2)));
  return `${errors.join(" / ")} off, ${each((own) => mean(own, ({ drop }) => drop)).join(" / ")} on the mean`;
}

/**
 * Nights below which no rule by mean scores finds the drop in four of five cases: who stops within w nights has tested at a
 * level of w·α at most, and the best test of w nights after the drop against the baselines, its variances known, has the
 * power Φ(drop/√(V_after/w + V_before/baselines) − z_{1−wα}).
 */
function leastNights(found, baselines) {
  const power = (w) =>
    found.reduce((total, { before, after, drop }) => {
      const error = Math.sqrt(after / w + before / baselines);
      return total + normalCdf(drop / error - normalQuantile(1 - w * ALARMS)) / found.length;
    }, 0);
  for (let w = 1; w <= nights; w++) if (power(w) >= 0.8) return w;
  return `more than ${nights}`;
}

const DESIGNS = [
  { baselines: 1, window: 1 },
  { baselines: 7, window: 1 },
  { baselines: 7, window: 3 },
  { baselines: 7, window: 7 },
  { baselines: 30, window: 7 },
];
console.log(
  `${models.length} models, ${nights} nights each, noise in ${100 * number("noise")} % of the items; one alarm in 365 nights allowed`,
);
for (const size of sizes)
  for (const { baselines: count, window } of DESIGNS) {
    const form = String(size);
    const tally = { unchanged: 0, expected: 0, allowed: 0, passed: 0, nights: [], missed: 0, found: 0, variances: [] };
    const estimates = { unchanged: noEstimates(), dropped: noEstimates() };
    for (const model of models) {
      const { before, after } = chancesOf(model);
      const random = createRandom(`nights ${model} ${form} ${count} ${window}`);
      const runs = (chances, n) => Array.from({ length: n }, () => run(chances, form, random));
      const baselines = runs(before, count);
      const check = (history, maxDrop) =>
        checkFromAnchors(bundle, history.slice(-window), { baselines, maxDrop, form });
      const unchanged = runs(before, window - 1);
      for (let night = 0; night < nights; night++) {
        unchanged.push(run(before, form, random));
        const { verdict, drop } = check(unchanged, number("max-drop") / 100);
        tally.unchanged += Number(verdict === "regressed");
        tally.passed += Number(verdict === "passed");
        tally.expected += drop.alarmsWithoutChange / 365;
        tally.found += drop.found;
        tally.allowed += Number(drop.low > 0); // what the rule would be with nothing allowed
      }
      const truth = before.reduce((sum, chance, item) => sum + (chance - after[item]) / before.length, 0);
      for (let night = 0; night < JUDGED; night++) {
        addEstimates(estimates.unchanged, { baselines, runs: runs(before, window), form, truth: 0 });
        addEstimates(estimates.dropped, { baselines, runs: runs(after, window), form, truth });
      }
      const history = runs(before, window - 1); // the nights before the drop
      let night = 0;
      do history.push(run(after, form, random));
      while (++night < nights && check(history, 0).verdict !== "regressed");
      if (night < nights) tally.nights.push(night);
      else tally.missed++;
      tally.variances.push(variances({ before, after }, form));
    }
    const total = models.length * nights;
    const least = leastNights(tally.variances, count);
    const sorted = [...tally.nights, ...Array(tally.missed).fill(Infinity)].sort((a, b) => a - b);
    const rate = (alarms) => ((365 * alarms) / total).toFixed(2);
    console.log(
      `${size} anchors a scenario, ${count} ${count === 1 ? "baseline" : "baselines"}, last ${window}: alarms a year without a change ${rate(tally.allowed)} (allowed 1) with max-drop 0, ${rate(tally.unchanged)} (stated ${rate(tally.expected)}) with ${number("max-drop")}, passed ${((100 * tally.passed) / total).toFixed(0)} %, finds ${((100 * tally.found) / total).toFixed(1)} points; a drop of ${number("drop")} found in ${sorted[Math.floor(sorted.length / 2)]} nights in half, ${sorted[Math.ceil(0.8 * sorted.length) - 1]} in four fifths (${least} at least), ${sorted[Math.floor(0.9 * sorted.length)]} in nine tenths, max-drop 0`,
    );
    console.log(
      `  check / difference of scores / compare: unchanged ${judged(estimates.unchanged)}; after the drop ${judged(estimates.dropped)}`,
    );
  }
