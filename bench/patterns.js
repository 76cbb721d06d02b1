// What the flag for suspicious answer patterns finds on real models, and how often it is wrong.
// usage: node bench/patterns.js FOLDER [--sets helm-lite,openllm2-official,helm-legalbench] [--anchors 100] [--forms 4]
//          [--weighting items] [--seed 1] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
//
// A fifth of the models is held out of everything: the calibration, the choice of anchors and the thresholds, which are
// learned on the other models as `anchoreval fit` does. The held-out models' answers are judged as they are (false alarms),
// and after one of these changes (power):
//   hardest  the 30 % of the anchors that the sources get wrong most are right
//   random   a random 30 % of the anchors are right
//   guessing the model's answers are dealt anew among the anchors: as many right, whatever their difficulty
//   zero     every answer is wrong
// Two more rounds judge stronger models than any that was fitted, as they are: the strongest fifth by the rest, and the
// strongest 30 % by the weakest half, where that half has enough models for thresholds.
import { parseArgs } from "node:util";
import {
  answerPattern,
  anchorFactors,
  blendEstimates,
  createRandom,
  estimateScenario,
  gatherItems,
  mapAbility,
  scaledPrior,
  scoreRange,
  suspicions,
  SUSPICIONS,
} from "anchoreval/core";
import { DEFAULT_CONFIGURATION, resolveBackend, scoreAt } from "anchoreval-trainer";
import { formAnswers, sourceAnswers } from "../offline-trainer/dist/calibrate/factors.js";
import { bankTasks } from "../offline-trainer/dist/fit/bank-tasks.js";
import { crossValidate } from "../offline-trainer/dist/fit/cross-validate.js";
import { drawForms, prepareForms } from "../offline-trainer/dist/fit/draw-forms.js";
import { drawStream, trainFold } from "../offline-trainer/dist/fit/held-out.js";
import { learnBlends } from "../offline-trainer/dist/fit/learn-blends.js";
import { patternThresholds } from "../offline-trainer/dist/fit/pattern-thresholds.js";
import { sourceSplits } from "../offline-trainer/dist/matrix/splits.js";
import { answeringModels } from "../offline-trainer/dist/fit/answering-models.js";
import { fullScores } from "../offline-trainer/dist/matrix/scenarios.js";
import { replicateGroups } from "../offline-trainer/dist/matrix/replicates.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official,helm-legalbench" },
    anchors: { type: "string", default: "100" },
    forms: { type: "string", default: "4" },
    weighting: { type: "string", default: "items" },
    seed: { type: "string", default: "1" },
    selection: { type: "string", default: DEFAULT_CONFIGURATION.selection },
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
};
const sizes = values.anchors.split(",").map(Number);
const configuration = { ...DEFAULT_CONFIGURATION, selection: values.selection, weighting: values.weighting };
const { backend } = await resolveBackend({ provider: "cpu" });
const rows = [];
for (const set of values.sets.split(",")) {
  const grouped = await readLeaderboard(folder, set);
  const groups = replicateGroups(grouped);
  for (const task of bankTasks(grouped, configuration)) await judgeTask(set, task, groups);
}
if (values.json) console.log(JSON.stringify({ options: values, rows }, null, 1));
else for (const n of sizes) print(rows.filter((row) => row.n === n));

/** Judges the models of every fold, and the strongest by the weakest. */
async function judgeTask(set, task, groups) {
  const random = createRandom(values.seed).fork(`${set} ${task.id}`);
  const among = sourceSplits([task], answeringModels(task), groups, FOLDS, random.fork("folds"));
  for (const [fold, [split]] of among.folds.entries())
    await judgeSplit({ set, task, groups, split, protocol: "interpolation", random: random.fork(`fold ${fold}`) });
  const rounds = { fifth: strongestFifth(task, groups), half: among.strong[0] };
  for (const [protocol, split] of Object.entries(rounds))
    await judgeSplit({ set, task, groups, split, protocol, random: random.fork(protocol) });
}

/** The strongest fifth as targets, the rest but their replicates as sources. */
function strongestFifth(task, groups) {
  const full = fullScores(task.matrix, task.scenarios[0]).score;
  const ranked = answeringModels(task)
    .filter((m) => !Number.isNaN(full[m]))
    .sort((l, m) => full[m] - full[l]);
  const targets = ranked.slice(0, Math.round(ranked.length / 5));
  const held = new Set(targets.map((m) => groups[m]));
  return { targets, sources: ranked.filter((m) => !held.has(groups[m])).sort((l, m) => l - m) };
}

async function judgeSplit({ set, task, groups, split, protocol, random }) {
  const [slice] = task.scenarios;
  const options = { ...configuration, backend, groups, sizes };
  const [{ alone: validation }] = await crossValidate([task], split.sources, groups, {
    ...options,
    random: random.fork("inner"),
  });
  const { linked } = await trainFold([task], [split], 0, { ...options, random });
  const [trained] = linked.banks;
  const answers = sourceAnswers(task.matrix, trained.rows, trained.scenarios[0]);
  const [[allFactors]] = linked.factors;
  const { bank, accuracy, scoreMap } = trained.scenarios[0];
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, configuration.priorScale);
  const full = fullScores(task.matrix, slice).score;
  const seenScores = split.sources.map((m) => full[m]).filter((score) => !Number.isNaN(score));
  const seen = { worst: Math.min(...seenScores), best: Math.max(...seenScores), overall: null };
  const [blends] = learnBlends(task, split.sources, sizes, validation, configuration.lambda);
  const prepared = prepareForms(task, split.sources, trained, { ...options, random });
  const thresholds = new Map(
    sizes.map((n) => [n, patternThresholds(validation.interpolation[0].get(n), validation.extrapolation[0].get(n))]),
  );
  const changes = protocol === "interpolation" ? Object.keys(CHANGES) : ["none"];
  for (let draw = 0; draw < Number(values.forms); draw++) {
    const [forms] = await drawForms(prepared, drawStream(random, draw));
    const answered = formAnswers(answers, slice.weights, forms);
    for (const n of sizes) {
      const anchors = forms.get(n);
      const { items } = anchors;
      const factors = anchorFactors(allFactors, items);
      for (const model of split.targets) {
        if (Number.isNaN(full[model])) continue;
        const scores = Array.from(items, (item) => scoreAt(task.matrix, model, slice.begin + item));
        if (scores.some(Number.isNaN)) continue;
        for (const change of changes) {
          const stream = random.fork(`${change} ${n} ${draw} ${model}`);
          const given = CHANGES[change](
            scores,
            Array.from(items, (item) => accuracy[item]),
            stream,
          );
          const gathered = gatherItems([{ bank, items, scores: given }]);
          const ability = mapAbility(gathered.bank, gathered, prior);
          const scenario = { bank, weights: slice.weights, scoreMap, anchors, factors, ...answered.get(n) };
          const { base, bounds, sample } = estimateScenario(scenario, given, ability);
          const { outside } = blendEstimates(base, blends.get(n).served, seen, bounds);
          const own = thresholds.get(n);
          const range = scoreRange(outside);
          const stronger = range === "outside" && outside.above > outside.below;
          const pattern = answerPattern(bank, ability, sample, seen.worst);
          const found = own === null ? null : suspicions(pattern, own, stronger);
          rows.push({ set, scenario: task.id, protocol, n, change, model, truth: full[model], range, found });
        }
      }
    }
  }
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
    `${"".padEnd(30)} models  false alarms (± s.e.)  fifth     half      hardest < ${WEAK}  random < ${WEAK}  guessing  zero`,
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
  for (const change of ["hardest", "random", "guessing", "zero"])
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
