// A gate over nights on real models' chances: items for a 3-point drop, false alarms, power as printed, the interval's.
// usage: node bench/gate.js FOLDER [--parts items,alarms,power,interval] [--baselines 5] [--replays 60] [--nights 10000]
//
// FOLDER holds passk-code (pass rates of 128 samples are taken for chances) and noises-lowk07 (of few: drawn from their
// posteriors, eight samples each). A worse model has all logits lower, or some items never right, by --drop points on all
// its items. Items are drawn evenly, or in proportion to √v, v the mean of p(1−p) over the board's other models,
// between a quarter of and four times an even draw; replays of models at random, each with a draw, baselines, and nights.
import { parseArgs } from "node:util";
import { join } from "node:path";
import { mixtureHalfWidth, gatePower } from "anchoreval/internal/check/gate-from-anchors";
import { chancePosterior, drawChance, learnChances, shiftedChance, shiftForDrop } from "anchoreval/internal/check/item-chances"; // prettier-ignore
import { chanceModel, itemEvidence, nightlyGate } from "anchoreval/internal/check/nightly-gate";
import { normalQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    parts: { type: "string", default: "items,alarms,power,interval" },
    baselines: { type: "string", default: "5" },
    replays: { type: "string", default: "60" },
    nights: { type: "string", default: "10000" },
    drop: { type: "string", default: "3" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    "usage: node bench/gate.js FOLDER [--parts items,alarms,power,interval] [--baselines 5] [--replays 60]",
  );
  process.exit(2);
}
const ALARM = 1 / 365;
const WITHIN = 30;
const DROP = Number(values.drop) / 100;
const RUNS = Number(values.baselines);
const REPLAYS = Number(values.replays);
const SIZES = [25, 35, 50, 70, 100, 140, 200, 280, 400, 560, 800, 1100, 1500, 2100, 3000];

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

function itemsNeeded() {
  for (const [name, board] of Object.entries(BOARDS))
    for (const kind of ["shift", "broken"])
      for (const [rule, forms] of [
        ["one night", ["even", "flips"]],
        ["gate in 30 nights", ["even", "flips"]],
      ])
        // prettier-ignore
        for (const form of forms) {
          let needed = "more than it has";
          let tried = "";
          for (const size of SIZES) {
            const random = createRandom(`${name} ${kind} ${rule} ${form} ${size}`);
            let found = 0;
            let whole = true;
            for (let r = 0; r < REPLAYS && whole; r++) {
              const own = replay(board, size, form, kind, random);
              if (own === null) whole = false;
              else found += Number(RULES[rule](own, random));
            }
            if (!whole) break;
            tried += ` ${size}:${Math.round((100 * found) / REPLAYS)}`;
            if (found / REPLAYS < 0.8) continue;
            needed = size;
            break;
          }
          console.log(`items, ${name}, ${kind}, ${rule}, ${form} draw: ${needed} (found in % of ${REPLAYS} by size:${tried})`);
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

/** Ten times as many gates as elsewhere, of which each is met once and printed by two replays: a gate's own chance matters less. */
function printedPower() {
  const gates = 10 * REPLAYS;
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
        const power = gatePower({ items, model, evidence }, { drop: DROP, nights: WITHIN, threshold: 1 / ALARM, replays: 2, seed: r }); // prettier-ignore
        const met = Number(gateNights(own, own.after, WITHIN, random, 1 / ALARM, { model, evidence }) !== null);
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

const PARTS = { items: itemsNeeded, alarms: falseAlarms, power: printedPower, interval: intervals };
for (const part of values.parts.split(",")) PARTS[part]();
