// A gate over nights on real models' chances: items for a 3-point drop, false alarms, power as printed, the interval's; and
// what replays promise of the check of one night and of thresholds, beside what is found.
// usage: node bench/gate.js FOLDER [--parts items,alarms,power,interval,checks] [--baselines 5] [--replays 60] [--nights 10000]
//
// FOLDER holds passk-code (pass rates of 128 samples are taken for chances) and noises-lowk07 (of few: drawn from their
// posteriors, eight samples each). A worse model has all logits lower, or some items never right, by --drop points on all
// its items. Items are drawn evenly, or in proportion to √v, v the mean of p(1−p) over the board's other models,
// between a quarter of and four times an even draw; replays of models at random, each with a draw, baselines, and nights.
import { join } from "node:path";
import { loadBundle } from "anchoreval/node";
import { checkedDrop, dropRule } from "anchoreval/internal/features/compare/sdk/check-from-anchors";
import { modelEvidence } from "anchoreval/internal/features/compare/sdk/model-evidence";
import { replayCheck } from "anchoreval/internal/features/gates/sdk/replay-check";
import { replayThreshold } from "anchoreval/internal/features/gates/sdk/replay-threshold";
import { replayedModel } from "anchoreval/internal/features/gates/sdk/replayed-model";
import { itemLogit } from "anchoreval/internal/core/irt/response";
import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { mixtureHalfWidth, gatePower } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { chancePosterior, drawChance, learnChances, shiftedChance, shiftForDrop } from "anchoreval/internal/features/gates/sdk/item-chances"; // prettier-ignore
import { chanceModel, itemEvidence, nightlyGate } from "anchoreval/internal/features/gates/sdk/nightly-gate";
import { normalCdf, normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { parts: "items,alarms,power,interval,checks", baselines: "5", replays: "60", nights: "10000", drop: "3" },
  1,
);
const ALARM = 1 / 365;
const WITHIN = 30;
const DROP = Number(values.drop) / 100;
const RUNS = Number(values.baselines);
const REPLAYS = Number(values.replays);

function rates(file) {
  const [, ...rows] = gunzipSync(readFileSync(join(folder, file)))
    .toString()
    .trim()
    .split("\n");
  return new Map(rows.map((row) => [row.split(",")[0], row.split(",").slice(1).map((cell) => (cell === "" ? NaN : Number(cell)))])); // prettier-ignore
}
const passk = ["HumanEvalPack_PythonPlus", "LBPP_Python", "MBPPPlus_mbpp_plus", "MBPP_mbpp"].map((set) => rates(`passk-code/${set}.pass1.csv.gz`)); // prettier-ignore
const common = [...passk[0].keys()].filter((model) => passk.every((set) => set.has(model)));
const few = [...rates("noises-lowk07/responses.csv.gz").values()].map((row, k) => {
  const random = createRandom(`chances ${k}`);
  const counts = row.map((rate) => ({ right: 8 * rate, wrong: 8 * (1 - rate) }));
  const spread = learnChances(counts.filter(({ right }) => !Number.isNaN(right)));
  return Float64Array.from(counts, (own) => (Number.isNaN(own.right) ? NaN : drawChance(chancePosterior(spread, own), random))); // prettier-ignore
});
const BOARDS = {
  "passk-code": common.map((model) => Float64Array.from(passk.flatMap((set) => set.get(model)))),
  "noises-lowk07": few,
};

const sums = new Map();
/** Mean of p(1−p) of an item over the board's other models. */
function othersFlips(board, model, i) {
  if (!sums.has(board))
    sums.set(board, Array.from(board[0], (_, item) => board.flatMap((row) => (Number.isNaN(row[item]) ? [] : [row[item] * (1 - row[item])])).reduce(([n, sum], v) => [n + 1, sum + v], [0, 0]))); // prettier-ignore
  const [models, all] = sums.get(board)[i];
  const own = board[model][i] * (1 - board[model][i]);
  return Math.max(0, all - own) / (models - 1);
}

/** Items of a form with what each stands for, summing to 1: a systematic draw. */
function drawForm(board, model, size, kind, random) {
  const known = [...board[model].keys()].filter((i) => !Number.isNaN(board[model][i]));
  if (size > known.length) return null;
  random.shuffle(known);
  const flips = known.map((i) => (kind === "even" ? 1 : Math.sqrt(othersFlips(board, model, i))));
  const even = size / known.length;
  let scale = 1;
  const chance = (v) => Math.min(1, Math.max(even / 4, Math.min(4 * even, scale * v)));
  let [low, high] = [0, 1e6];
  for (let step = 0; step < 60; step++) {
    scale = (low + high) / 2;
    if (flips.reduce((sum, v) => sum + chance(v), 0) < size) low = scale;
    else high = scale;
  }
  const drawn = [];
  let at = random.next();
  known.forEach((i, k) => {
    at -= chance(flips[k]);
    if (at < 0) {
      drawn.push({ i, mass: 1 / chance(flips[k]) });
      at += 1;
    }
  });
  const total = drawn.reduce((sum, { mass }) => sum + mass, 0);
  return drawn.map(({ i, mass }) => ({ i, weight: mass / total }));
}

/** Chances of a worse model, by all of its items. */
function worse(chances, kind, random) {
  const known = chances.filter((p) => !Number.isNaN(p));
  const even = new Float64Array(known.length).fill(1 / known.length);
  if (kind === "shift") {
    const shift = shiftForDrop(DROP, known, even);
    return chances.map((p) => shiftedChance(p, shift));
  }
  const after = chances.slice();
  let left = DROP * known.length;
  for (const i of random.shuffle([...chances.keys()])) {
    if (left <= 0) break;
    if (Number.isNaN(after[i])) continue;
    left -= after[i];
    after[i] = 0;
  }
  return after;
}

const answer = (chances, random) => chances.map((p) => Number(random.next() < p));

/** One replay: a model, its form, baseline, and what it is on the items before and after. Models that can fall by so much. */
function replay(board, size, form, kind, random) {
  let model;
  do model = random.below(board.length);
  while (board[model].reduce((sum, p) => sum + (p || 0), 0) / board[model].length < 2 * DROP);
  const items = drawForm(board, model, size, form, random);
  if (items === null) return null;
  const after = worse(board[model], kind, random);
  const own = Float64Array.from(items, ({ i }) => board[model][i]);
  const runs = Array.from({ length: RUNS }, () => answer(own, random));
  const counts = items.map((_, j) => {
    const right = runs.reduce((sum, run) => sum + run[j], 0);
    return { right, wrong: RUNS - right };
  });
  return { items, counts, before: own, after: Float64Array.from(items, ({ i }) => after[i]), weights: Float64Array.from(items, ({ weight }) => weight) }; // prettier-ignore
}

/** The drop of a mean of nights, and its variance by the draw: Hájek's means of differences. */
function measured({ counts, weights }, means) {
  const gaps = counts.map(({ right }, j) => right / RUNS - means[j]);
  const drop = gaps.reduce((sum, gap, j) => sum + weights[j] * gap, 0);
  const { length } = gaps;
  const variance = gaps.reduce((sum, gap, j) => sum + (weights[j] * (gap - drop)) ** 2, 0) * (length / (length - 1));
  return { drop, variance };
}

function gateNights({ counts }, chances, nights, random, threshold = 1 / ALARM, evidence = null) {
  const model = evidence?.model ?? chanceModel(counts);
  const gate = nightlyGate(model, evidence?.evidence ?? itemEvidence(model), counts);
  for (let night = 1; night <= nights; night++)
    if (gate.add(answer(chances, random)).statistic >= Math.log(threshold)) return night;
  return null;
}
const RULES = {
  "gate in 30 nights": (own, random) => gateNights(own, own.after, WITHIN, random) !== null,
  "one night": (own, random) => {
    const { drop, variance } = measured(own, answer(own.after, random));
    return drop > normalQuantile(1 - ALARM) * Math.sqrt(variance);
  },
};

/**
 * Size at which four in five are found: by a staircase (a size smaller by 6 % after a find, larger by 26 % after a miss),
 * and a logistic curve over log size by maximum likelihood, its slope held near 3 by a weak prior.
 * @returns the size and its standard error's factor
 */
function neededSize(name, board, kind, rule, form) {
  const random = createRandom(`${name} ${kind} ${rule} ${form}`);
  const most = Math.min(...board.map((row) => row.filter((p) => !Number.isNaN(p)).length));
  const tries = [];
  // one night costs next to nothing beside thirty
  const times = rule === "one night" ? 20 * REPLAYS : 4 * REPLAYS;
  for (let r = 0, size = 400; r < times; r++) {
    const own = replay(board, Math.round(size), form, kind, random);
    const found = Number(RULES[rule](own, random));
    tries.push({ x: Math.log(size / 400), found });
    size = Math.min(most, Math.max(20, size * (found ? 0.94 : 1.06 ** 4)));
  }
  let [level, slope] = [1.4, 3];
  let covariance = [1, 0, 1];
  for (let step = 0; step < 100; step++) {
    let [g0, g1, h00, h01, h11] = [0, (3 - slope) / 4, 1e-9, 0, 1 / 4];
    for (const { x, found } of tries) {
      const p = 1 / (1 + Math.exp(-level - slope * x));
      const v = p * (1 - p);
      g0 += found - p;
      g1 += (found - p) * x;
      h00 += v;
      h01 += v * x;
      h11 += v * x * x;
    }
    const det = h00 * h11 - h01 * h01;
    covariance = [h11 / det, -h01 / det, h00 / det];
    level += Math.max(-1, Math.min(1, (h11 * g0 - h01 * g1) / det));
    slope += Math.max(-1, Math.min(1, (h00 * g1 - h01 * g0) / det));
  }
  const at = (Math.log(4) - level) / slope;
  const [v0, v01, v1] = covariance;
  const error = Math.sqrt(v0 + 2 * at * v01 + at * at * v1) / Math.abs(slope);
  return { size: 400 * Math.exp(at), factor: Math.exp(error), times, most };
}

/**
 * Items below which no rule finds four in five of a shift of all logits: with v = p(1−p) of all of a model's items known, a
 * form whose items have the mean v_f, and R baseline runs, the best test of w nights that were fixed beforehand, at w times
 * one night's level, has the power Φ(d·√(n·v_f)/(v̄·√(1/R + 1/w)) − z_{1−wα}); on the mean over the board's models. v_f = Σv²/Σv at
 * most, drawn in proportion to v itself; within the bounds of a tilt it is less.
 */
function leastSize(board, nights, form, runs) {
  const models = board.flatMap((row) => {
    const known = row.filter((p) => !Number.isNaN(p));
    if (known.reduce((sum, p) => sum + p, 0) / row.length < 2 * DROP) return [];
    const v = known.map((p) => p * (1 - p));
    const mean = v.reduce((sum, own) => sum + own, 0) / v.length;
    const measure = form === "even" ? v.map(() => 1) : v.map(Math.sqrt);
    const even = measure.reduce((sum, own) => sum + own, 0) / v.length;
    const bounded = measure.map((own) => Math.max(even / 4, Math.min(4 * even, own)));
    const total = bounded.reduce((sum, own) => sum + own, 0);
    return [{ mean, drawn: bounded.reduce((sum, own, i) => sum + (own * v[i]) / total, 0) }];
  });
  const z = normalQuantile(1 - nights * ALARM);
  const power = (n) =>
    models.reduce((sum, { mean, drawn }) => sum + normalCdf((DROP * Math.sqrt(n * drawn)) / (mean * Math.sqrt(1 / runs + 1 / nights)) - z), 0) / models.length; // prettier-ignore
  let [low, high] = [1, 1e5];
  for (let step = 0; step < 60; step++) {
    const middle = Math.sqrt(low * high);
    if (power(middle) < 0.8) low = middle;
    else high = middle;
  }
  return high;
}

const RULE_NIGHTS = { "one night": 1, "gate in 30 nights": WITHIN };

function itemsNeeded() {
  for (const [name, board] of Object.entries(BOARDS))
    for (const kind of ["shift", "broken"]) {
      let random = null;
      for (const rule of Object.keys(RULE_NIGHTS))
        for (const form of ["even", "flips"]) {
          const { size, factor, times, most } = neededSize(name, board, kind, rule, form);
          random ??= { size, factor };
          const least = kind === "shift" ? `; at least ${Math.round(leastSize(board, RULE_NIGHTS[rule], form, RUNS))}, ${Math.round(leastSize(board, RULE_NIGHTS[rule], form, Infinity))} with all baseline runs` : ""; // prettier-ignore
          const spread = Math.exp(Math.hypot(Math.log(factor), form === "even" && rule === "one night" ? 0 : Math.log(random.factor))); // prettier-ignore
          console.log(`items, ${name}, ${kind}, ${rule}, ${form} draw: ${Math.round(size)}${size > most ? ` (more than the ${most} it has)` : ""}, give or take ${Math.round(100 * (factor - 1))} %, ${(size / random.size).toFixed(2)} ± ${((spread - 1) * (size / random.size)).toFixed(2)} of an even draw in one night (${times} replays)${least}`); // prettier-ignore
        }
    }
}

function falseAlarms() {
  for (const [name, board] of Object.entries(BOARDS))
    for (const form of ["even", "flips"]) {
      const random = createRandom(`alarms ${name} ${form}`);
      let [nights, alarms, early, gates] = [0, 0, 0, 0];
      while (nights < Number(values.nights)) {
        const own = replay(board, 100, form, "shift", random);
        const at = gateNights(own, own.before, 365, random);
        nights += at ?? 365;
        alarms += Number(at !== null);
        early += Number(at !== null && at <= WITHIN);
        gates++;
      }
      console.log(`alarms, ${name}, ${form} draw of 100, ${RUNS} baselines: ${alarms} in ${nights} nights, ${((365 * alarms) / nights).toFixed(2)} a year; ${early} of ${gates} gates in their first ${WITHIN} nights`); // prettier-ignore
    }
}

/** Four times as many gates as elsewhere, each met six times and printed by six replays: most of the time goes into a new gate. */
function printedPower() {
  const [gates, each] = [4 * REPLAYS, 6];
  for (const [name, board] of Object.entries(BOARDS))
    for (const size of [50, 100, 200]) {
      const random = createRandom(`power ${name} ${size}`);
      const gaps = [];
      let [found, printed] = [0, 0];
      for (let r = 0; r < gates; r++) {
        const own = replay(board, size, "flips", "shift", random);
        const items = own.counts.map((counts, j) => ({ counts, weight: own.weights[j] }));
        const model = chanceModel(own.counts);
        const evidence = itemEvidence(model);
        const power = gatePower({ items, model, evidence }, { drop: DROP, nights: WITHIN, threshold: 1 / ALARM, replays: each, seed: r }); // prettier-ignore
        let met = 0;
        for (let k = 0; k < each; k++)
          met += Number(gateNights(own, own.after, WITHIN, random, 1 / ALARM, { model, evidence }) !== null) / each;
        printed += power / gates;
        found += met / gates;
        gaps.push(power - met);
      }
      const error = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - printed + found) ** 2, 0)) / gates;
      console.log(`power, ${name}, ${size} items, ${RUNS} baselines: printed ${printed.toFixed(3)}, measured ${found.toFixed(3)}, gap ${(printed - found).toFixed(3)} ± ${error.toFixed(3)} (${gates} gates)`); // prettier-ignore
    }
}

function intervals() {
  const level = 0.95;
  for (const [name, board] of Object.entries(BOARDS)) {
    const random = createRandom(`interval ${name}`);
    let wrong = 0;
    const gates = 5 * REPLAYS;
    for (let r = 0; r < gates; r++) {
      const own = replay(board, 200, "even", "shift", random);
      const sums = new Float64Array(200);
      for (let night = 1; night <= 365; night++) {
        answer(own.before, random).forEach((score, j) => (sums[j] += score));
        const { drop, variance } = measured(own, sums.map((sum) => sum / night)); // prettier-ignore
        if (drop <= mixtureHalfWidth(variance, DROP, 2 * (1 - level))) continue;
        wrong++;
        break;
      }
    }
    const nights = (size, rule) => {
      const all = Array.from({ length: REPLAYS }, (_, r) => {
        const random = createRandom(`interval ${name} ${size} ${r}`);
        const own = replay(board, size, "even", "shift", random);
        const sums = new Float64Array(size);
        for (let night = 1; night <= 365; night++) {
          answer(own.after, random).forEach((score, j) => (sums[j] += score));
          const { drop, variance } = measured(own, sums.map((sum) => sum / night)); // prettier-ignore
          if (rule(drop, variance, night)) return night;
        }
        return Infinity;
      });
      return all.sort((a, b) => a - b)[Math.ceil(0.8 * REPLAYS) - 1];
    };
    console.log(`interval, ${name}, 200 items: above 0 on any night of a year in ${wrong} of ${gates} unchanged models (${(100 * (1 - level)).toFixed(0)} % promised)`); // prettier-ignore
    for (const size of [200, 400]) {
      const looked = nights(size, (drop, variance) => drop > mixtureHalfWidth(variance, DROP, 2 * (1 - level)));
      // a fixed test of w nights: the least w at which it finds four in five
      let fixed = Infinity;
      for (let w = 1; w <= 365 && fixed === Infinity; w++) {
        let found = 0;
        for (let r = 0; r < REPLAYS; r++) {
          const random = createRandom(`fixed ${name} ${size} ${r}`);
          const own = replay(board, size, "even", "shift", random);
          const sums = new Float64Array(size);
          for (let night = 0; night < w; night++) answer(own.after, random).forEach((score, j) => (sums[j] += score));
          const { drop, variance } = measured(own, sums.map((sum) => sum / w)); // prettier-ignore
          found += Number(drop > normalQuantile(level) * Math.sqrt(variance));
        }
        if (found / REPLAYS >= 0.8) fixed = w;
        else if (w >= 40) break;
      }
      console.log(`interval, ${name}, ${size} items: ${looked} nights looked at every night, ${fixed} of the best fixed test, four in five`); // prettier-ignore
    }
  }
}

/**
 * Chances of a right answer to a bundle's items: as its response model has them, surer and with a taste of the model's own;
 * 65 % always right, 20 % never, the others anything, as by greedy decoding; and those of a board's model, in any order.
 */
const TRUTHS = {
  "response model": (bank, random) => Float64Array.from({ length: bank.count }, (_, i) => sigmoid(3 * (itemLogit(new Float64Array(bank.dims).fill(0.5), bank, i) + random.normal()))), // prettier-ignore
  lumps: ({ count }, random) =>
    Float64Array.from({ length: count }, () => {
      const kind = random.next();
      return kind < 0.65 ? 1 : kind < 0.85 ? 0 : random.next();
    }),
  "noises-lowk07": ({ count }, random) => Float64Array.from(random.shuffle(few[random.below(few.length)].filter((p) => p >= 0)).slice(0, count)), // prettier-ignore
};
const DROPS = [0.01, 0.02, 0.03, 0.05];
const THRESHOLDS = [0.01, 0.02, 0.03];

/** The rule is one that unchanged models can be counted of: 36.5 alarms a year, no drop allowed. */
async function checksBeside() {
  const bundle = await loadBundle("gsm8k@1.0.0", { items: true });
  const { bank, forms, weights } = bundle.scenarios.get("gsm8k");
  const all = Array.from({ length: bank.count }, (_, i) => i);
  const [rule, even] = [dropRule({ maxDrop: 0, alarmsPerYear: 36.5 }), new Float64Array(bank.count).fill(1 / bank.count)]; // prettier-ignore
  const asked = { maxDrop: 0, alarmsPerYear: 36.5, drops: DROPS, runs: [1, 7], thresholds: THRESHOLDS, nights: 40 };
  for (const [truth, chancesOf] of Object.entries(TRUTHS))
    for (const size of ["50", "100", "whole"]) {
      const [form, random] = [size === "whole" ? "100" : size, createRandom(`checks ${truth} ${size} ${RUNS}`)];
      const { anchors } = forms.get(form);
      const places = size === "whole" ? all : [...anchors.items];
      const masses = Float64Array.from(places, (_, j) => (size === "whole" ? weights : anchors.mass)[j]);
      const evidenceOf = (scores) =>
        size === "whole"
          ? modelEvidence(bundle, form, new Map([["gsm8k", Float64Array.from(anchors.items, (i) => scores[i])]]), undefined, new Map([["gsm8k", { itemIds: all.map(String), scores }]])) // prettier-ignore
          : modelEvidence(bundle, form, new Map([["gsm8k", scores]]));
      const rows = new Map();
      const add = (row, place, column, share) => {
        if (!rows.has(row))
          rows.set(
            row,
            [0, ...DROPS].map(() => ({ promised: 0, met: 0, squares: 0, gap: 0 })),
          );
        const cell = rows.get(row)[place];
        cell[column] += share / REPLAYS;
        cell.gap += column === "promised" ? share : -share;
      };
      for (let model = 0; model < REPLAYS; model++) {
        const before = chancesOf(bank, random);
        const runs = Array.from({ length: RUNS }, () => answer(places.map((i) => before[i]), random)); // prettier-ignore
        const baselines = runs.map((run) => ({ responses: new Map(run.map((score, j) => [`gsm8k/${places[j]}`, score])) })); // prettier-ignore
        const replays = { ...asked, form, seed: model };
        const replayed = replayedModel(bundle, baselines, replays);
        for (const { runs, alarmsAYear, power } of replayCheck(bundle, baselines, replays, replayed).checks)
          [alarmsAYear / 365, ...power].forEach((share, place) => add(`mean of ${runs}`, place, "promised", share));
        for (const { items, below, alarmsAYear, power } of replayThreshold(bundle, baselines, replays, replayed))
          if (items === places.length)
            [alarmsAYear / 365, ...power].forEach((share, place) => add(`score -${100 * below}`, place, "promised", share)); // prettier-ignore
        const evidence = evidenceOf(Float64Array.from(places, (_, j) => runs.reduce((sum, run) => sum + run[j], 0) / RUNS)); // prettier-ignore
        [0, ...DROPS].forEach((drop, place) => {
          const [nights, shift] = [drop === 0 ? 40 : 4, drop === 0 ? 0 : shiftForDrop(drop, before, even)];
          const after = Float64Array.from(places, (i) => shiftedChance(before[i], shift));
          for (const count of asked.runs)
            for (let night = 0; night < nights; night++) {
              const mean = after.map((p) => Array.from({ length: count }, () => Number(random.next() < p)).reduce((sum, v) => sum + v, 0) / count); // prettier-ignore
              add(`mean of ${count}`, place, "met", (checkedDrop(bundle, evidence, evidenceOf(mean), rule).verdict === "regressed") / nights); // prettier-ignore
            }
          // the normal law of a score's fall: exact but for its steps
          const [fall, noise] = places.reduce(([sum, square], i, j) => [sum + masses[j] * (before[i] - after[j]), square + masses[j] ** 2 * (before[i] * (1 - before[i]) + after[j] * (1 - after[j]))], [0, 0]); // prettier-ignore
          for (const below of THRESHOLDS) add(`score -${100 * below}`, place, "met", normalCdf((fall - below) / Math.sqrt(noise))); // prettier-ignore
        });
        for (const cells of rows.values())
          for (const cell of cells) [cell.squares, cell.gap] = [cell.squares + cell.gap ** 2, 0];
      }
      for (const [row, [unchanged, ...cells]] of rows) {
        const alarms = [unchanged.promised, unchanged.met].map((share) => (365 * share).toFixed(1));
        const power = cells.map(({ promised, met, squares }) => `${promised.toFixed(2)}/${met.toFixed(2)} ± ${(Math.sqrt(squares) / REPLAYS).toFixed(2)}`); // prettier-ignore
        console.log(`checks, ${truth}, ${size}, ${RUNS} baselines, ${row}: alarms a year promised ${alarms[0]}, found ${alarms[1]} ± ${((365 * Math.sqrt(unchanged.squares)) / REPLAYS).toFixed(1)}; drops of ${DROPS.map((drop) => 100 * drop)} points ${power.join(", ")}`); // prettier-ignore
      }
    }
}

const PARTS = {
  items: itemsNeeded,
  alarms: falseAlarms,
  power: printedPower,
  interval: intervals,
  checks: checksBeside,
};
for (const part of values.parts.split(",")) await PARTS[part]();
