// What the flag for suspicious answer patterns finds on real models, and how often it is wrong.
// usage: node bench/patterns.js FOLDER [--sets helm-lite,openllm2-official,helm-legalbench] [--anchors 100] [--forms 4]
//          [--weighting items] [--models 24] [--seed 1] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
//
// A fifth of the models is held out of everything: the calibration, the choice of anchors and the thresholds, which are
// learned on the other models as `anchoreval fit` does. The held-out models' answers are judged as they are (false alarms),
// and after one of these changes (power):
//   hardest  the 30 % of the anchors that the sources get wrong most are right
//   random   a random 30 % of the anchors are right
//   guessing the model's answers are dealt anew among the anchors: as many right, whatever their difficulty
//   zero     every answer is wrong
//   shifted  every answer is that to the next item
//   coins    answers are right with a chance of .8, whatever the item
// Where there are no thresholds (with --models N, which fits on N models of each fold at most), answers are judged by their
// disorder.
// Two more rounds judge stronger models than any that was fitted, as they are: the strongest fifth by the rest, and the
// strongest 30 % by the weakest half, where that half has enough models for thresholds.
import { parseArgs } from "node:util";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { leapOf } from "anchoreval/internal/core/estimators/logit-shift";
import { scoreRange } from "anchoreval/internal/core/inference/ranks";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { suspicions, SUSPICIONS } from "anchoreval/internal/core/person-fit/answer-pattern";
import { disorder, MOST_DISORDER } from "anchoreval/internal/core/person-fit/disorder";
import { answerCurves } from "anchoreval/internal/core/person-fit/statistics";
import { customised, recommended, resolveBackend, scoreAt } from "anchoreval-trainer";
import { answeringModels, describeBenchmark, onlyModels } from "anchoreval-trainer/internal/matrix/benchmark";
import { sourceSplits } from "anchoreval-trainer/internal/matrix/source-splits";
import { learnBlends } from "anchoreval-trainer/internal/fit/blends";
import { crossValidate } from "anchoreval-trainer/internal/fit/folds";
import { evenForm } from "anchoreval-trainer/internal/fit/form-plans";
import { learn } from "anchoreval-trainer/internal/fit/learn";
import { patternThresholds } from "anchoreval-trainer/internal/fit/pattern-thresholds";
import { withKnowledge } from "anchoreval-trainer/internal/methods/method";
import { fullScores } from "anchoreval-trainer/internal/matrix/scenarios";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official,helm-legalbench" },
    anchors: { type: "string", default: "100" },
    forms: { type: "string", default: "4" },
    weighting: { type: "string", default: "items" },
    models: { type: "string" },
    seed: { type: "string", default: "1" },
    selection: { type: "string", default: recommended.settings.selection },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/patterns.js FOLDER [--sets a,b] [--anchors 100] [--forms 4] [--seed 1] [--json]");
  process.exit(2);
}
const FOLDS = 5;
const MEMORISED = 0.3;
/** Below this true score, memorised hard anchors are counted. */
const WEAK = 0.6;
const BANDS = [0, 0.2, 0.4, 0.6, 0.8, 1];
const CHANGES = {
  none: (scores) => scores,
  hardest: (scores, accuracy) => {
    const hard = order(accuracy).slice(0, Math.floor(MEMORISED * scores.length));
    return scores.map((score, j) => (hard.includes(j) ? 1 : score));
  },
  random: (scores, _, random) => {
    const known = random.shuffle([...scores.keys()]).slice(0, Math.floor(MEMORISED * scores.length));
    return scores.map((score, j) => (known.includes(j) ? 1 : score));
  },
  guessing: (scores, _, random) => random.shuffle([...scores]),
  zero: (scores) => scores.map(() => 0),
  shifted: (scores, _, __, next) => scores.map((___, j) => next(j)),
  coins: (scores, _, random) => scores.map(() => Number(random.next() < 0.8)),
};
const sizes = values.anchors.split(",").map(Number);
const chosen = await customised(recommended, { selection: values.selection, weighting: values.weighting });
const { backend } = await resolveBackend("cpu");
const rows = [];
for (const set of values.sets.split(",")) {
  const grouped = await readLeaderboard(folder, set);
  const board = describeBenchmark(grouped, chosen.settings);
  for (const scenario of board.scenarios) {
    const forms = sizes.toSorted((x, y) => x - y).map((n) => evenForm(n, [scenario]));
    const benchmark = { ...board, scenarios: [scenario] };
    await judgeScenario({ set, benchmark, method: withKnowledge(chosen, board), forms });
  }
}
if (values.json) console.log(JSON.stringify({ options: values, rows }, null, 1));
else for (const n of sizes) print(rows.filter((row) => row.n === n));

/** Judges the models of every fold, and the strongest by the weakest. */
async function judgeScenario(given) {
  const { scenarios, replicates } = given.benchmark;
  const [scenario] = scenarios;
  const random = createRandom(values.seed).fork(`${given.set} ${scenario.id}`);
  const among = sourceSplits(scenarios, answeringModels(scenario), replicates, FOLDS, random.fork("folds"));
  for (const [fold, { scenarios: splits }] of among.folds.entries())
    await judgeSplit({ ...given, split: splits[0], protocol: "interpolation", random: random.fork(`fold ${fold}`) });
  const rounds = { fifth: strongestFifth(scenario, replicates), half: among.strong.scenarios[0] };
  for (const [protocol, split] of Object.entries(rounds))
    await judgeSplit({ ...given, split, protocol, random: random.fork(protocol) });
}

/** The strongest fifth as targets, the rest but their replicates as sources. */
function strongestFifth(scenario, replicates) {
  const full = fullScores(scenario.matrix, scenario).score;
  const ranked = answeringModels(scenario)
    .filter((m) => !Number.isNaN(full[m]))
    .sort((l, m) => full[m] - full[l]);
  const targets = ranked.slice(0, Math.round(ranked.length / 5));
  const held = new Set(targets.map((m) => replicates[m]));
  return { targets, sources: ranked.filter((m) => !held.has(replicates[m])).sort((l, m) => l - m) };
}

async function judgeSplit({ set, benchmark, method, forms, split, protocol, random }) {
  const [task] = benchmark.scenarios;
  const { id } = task;
  const plan = { benchmark, method, forms };
  const few = random
    .fork("few")
    .shuffle([...split.sources])
    .slice(0, values.models && Number(values.models));
  const sources = few.sort((l, m) => l - m);
  const validation = await crossValidate(plan, sources, random.fork("inner"), { backend });
  const learned = await learn(onlyModels(benchmark, sources), method, forms, random, { backend });
  const { bank, accuracy } = learned.scenarios[0].trained;
  const full = fullScores(task.matrix, task).score;
  const { worst, best } = learned.seen.get(id);
  const seen = { worst, best, overall: null };
  const blends = learnBlends(benchmark, sources, method, forms, validation).get(id);
  const thresholds = new Map(
    sizes.map((n) => {
      const { interpolation, extrapolation } = validation.get(id).get(String(n)).separate;
      return [n, patternThresholds(interpolation, extrapolation)];
    }),
  );
  const changes = protocol === "interpolation" ? Object.keys(CHANGES) : ["none"];
  for (let draw = 0; draw < Number(values.forms); draw++) {
    const drawn = new Map((await learned.draw(draw)).map((form) => [form.id, form]));
    for (const n of sizes) {
      const { scenarios, scoring } = drawn.get(String(n));
      const { items } = scenarios.get(id).anchors;
      for (const model of split.targets) {
        if (Number.isNaN(full[model])) continue;
        const scores = Array.from(items, (item) => scoreAt(task.matrix, model, item));
        if (scores.some(Number.isNaN)) continue;
        for (const change of changes) {
          const stream = random.fork(`${change} ${n} ${draw} ${model}`);
          const given = CHANGES[change](
            scores,
            Array.from(items, (item) => accuracy[item]),
            stream,
            (j) => scoreAt(task.matrix, model, (items[j] + 1) % accuracy.length),
          );
          if (given.some(Number.isNaN)) continue;
          const estimate = scoring.estimate(new Map([[id, Float64Array.from(given)]]));
          const own = thresholds.get(n);
          const { estimators, outside } = blendEstimates(
            estimate.scenario(id, "separate"),
            blends.get(String(n)).separate.served,
            seen,
          );
          const range = scoreRange(outside);
          const stronger = range === "outside" && outside.above > outside.below;
          const leap = stronger ? leapOf(estimators.gate, seen) : null;
          const found = (own && suspicions(estimate.pattern(id), own, leap)) ?? disordered(bank, estimate, task.id, items, given); // prettier-ignore
          rows.push({ set, scenario: task.id, protocol, n, change, model, truth: full[model], range, found });
        }
      }
    }
  }
}

/** Suspicions where there are no thresholds; null where answers are graded. */
function disordered(bank, estimate, group, items, scores) {
  const own = disorder({ scores }, answerCurves(bank, estimate.ability(group, "separate").theta, { items }));
  return own > MOST_DISORDER ? ["guessing"] : [];
}

function order(accuracy) {
  return [...accuracy.keys()].sort((i, j) => accuracy[i] - accuracy[j]);
}

function print(own) {
  const scenarios = [...new Set(own.map(({ set, scenario }) => `${set} ${scenario}`))];
  const of = (name, protocol, change, keep = () => true) =>
    own.filter(
      (row) =>
        (name === null || `${row.set} ${row.scenario}` === name) &&
        row.protocol === protocol &&
        row.change === change &&
        row.found !== null &&
        keep(row),
    );
  const share = (chosen) =>
    chosen.length === 0 ? "    –" : (chosen.filter(({ found }) => found.length > 0).length / chosen.length).toFixed(3);
  const weak = ({ truth }) => truth < WEAK;
  console.log(`\n${own[0].n} anchors, ${values.forms} forms a fold, seed ${values.seed}`);
  console.log(
    `${"".padEnd(30)} models  false alarms (± s.e.)  fifth     half      hardest < ${WEAK}  random < ${WEAK}  guessing  zero      shifted   coins`,
  );
  for (const name of [...scenarios, null]) {
    const clean = of(name, "interpolation", "none");
    const cells = [
      share(of(name, "fifth", "none")),
      share(of(name, "half", "none")),
      share(of(name, "interpolation", "hardest", weak)),
      share(of(name, "interpolation", "random", weak)),
      share(of(name, "interpolation", "guessing")),
      share(of(name, "interpolation", "zero")),
      share(of(name, "interpolation", "shifted")),
      share(of(name, "interpolation", "coins")),
    ];
    const models = new Set(clean.map(({ set, scenario, model }) => `${set} ${scenario} ${model}`)).size;
    console.log(
      `${(name ?? "all").padEnd(30)} ${String(models).padStart(6)}  ${share(clean)} ± ${standardError(clean).toFixed(3)}          ${cells.join("     ")}`,
    );
  }
  console.log(
    `\npower by true score${BANDS.slice(1)
      .map((end, k) => `${BANDS[k]}–${end}`.padStart(10))
      .join("")}`,
  );
  for (const change of Object.keys(CHANGES).slice(1))
    console.log(
      `${change.padEnd(19)}${BANDS.slice(1)
        .map((end, k) =>
          share(
            of(null, "interpolation", change, ({ truth }) => truth >= BANDS[k] && (truth < end || end === 1)),
          ).padStart(10),
        )
        .join("")}`,
    );
  console.log("\nby range: share of models there, flagged among them");
  for (const [protocol, change] of [
    ["interpolation", "none"],
    ["fifth", "none"],
    ["half", "none"],
    ["interpolation", "hardest"],
    ["interpolation", "random"],
  ]) {
    const judged = of(null, protocol, change);
    const cells = ["inside", "edge", "outside"].map((name) => {
      const there = judged.filter(({ range }) => range === name);
      return `${name} ${(there.length / judged.length).toFixed(3)} ${share(there)}`;
    });
    console.log(`${protocol.padEnd(14)}${change.padEnd(10)}${cells.join("   ")}`);
  }
  console.log("\nwhat the flag says, share of all judged");
  for (const change of Object.keys(CHANGES)) {
    const judged = of(null, "interpolation", change);
    const named = SUSPICIONS.map(
      (name) => `${name} ${(judged.filter(({ found }) => found.includes(name)).length / judged.length).toFixed(3)}`,
    );
    console.log(`${change.padEnd(12)}${named.join("  ")}`);
  }
}

/** Of a share of flags, by models: the forms of one model go together. */
function standardError(chosen) {
  const models = new Map();
  for (const { set, scenario, model, found } of chosen) {
    const key = `${set} ${scenario} ${model}`;
    const own = models.get(key) ?? { flags: 0, count: 0 };
    own.flags += found.length > 0 ? 1 : 0;
    own.count++;
    models.set(key, own);
  }
  if (models.size < 2) return NaN;
  const all = [...models.values()];
  const mean = all.reduce((sum, { flags }) => sum + flags, 0) / chosen.length;
  const squares = all.reduce((sum, { flags, count }) => sum + (flags - mean * count) ** 2, 0);
  return Math.sqrt(squares * (models.size / (models.size - 1))) / chosen.length;
}
