// What pass@k and pass^k of a whole benchmark err by, from a few trials of its anchors, and how often their intervals hold.
// usage: node bench/pass-at-k.js FOLDER [--seeds 1,2,3] [--draws 2] [--anchors 50] [--cases 4:pass@16,2:pass@16,…] [--own | --limit]
//
// FOLDER/passk-code has the shares of 128 samples that passed, of models at two or three temperatures. A family of models is held
// out, all its temperatures at once; a bundle of the others is fitted on those shares; of each model held out trials are drawn
// by its own shares, at the anchors and at as many random tasks. Truth: the estimate of pass@k by all 128 samples of every task.
// Beside it, on the random tasks: the plug-in 1 − (1 − c/n)^k (pass^k: (c/n)^k), a beta distribution of the chances (maximum
// likelihood), and a distribution of any form (nonparametric maximum likelihood on a grid). k = 128 is passed once of 128.
//
// --own: bundles of the metric itself (fit --metric), with trials enough for it: how often the interval over runs holds, and that
// of a run alone. --limit: what beta distributions miss that are known exactly, all items tried and the chances of all their
// outcomes known, as a share of what they add beyond the trials; of all, of each set and family, and of all others than it.
import { join } from "node:path";
import { estimateFromAnchors } from "anchoreval";
import { logit } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { powerMean, spreadScore } from "anchoreval/internal/features/trials/sdk/chance-spread";
import { estimatePassAtK } from "anchoreval/internal/features/trials/sdk/estimate-pass-at-k";
import { parseTrialMetric, passAtK, passHatK, trialScore } from "anchoreval/internal/features/trials/sdk/pass-at-k";
import { groupItems, readResponses } from "anchoreval-trainer";
import { responseMatrix, scoreAt, submatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedBundle, holds, mean, points } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { seeds: "1,2,3", draws: "2", anchors: "50", cases: null, own: false, limit: false },
  1,
);
const SETS = ["HumanEvalPack_PythonPlus", "LBPP_Python", "MBPPPlus_mbpp_plus", "MBPP_mbpp"];
const SAMPLES = 128;
const FAMILIES = ["glm", "kimi", "gemma", "olmo", "qwen3-5", "qwen3"];
const familyOf = (model) => FAMILIES.find((name) => model.includes(name));
const size = Number(values.anchors);
const DEFAULT_CASES = values.own
  ? "16:pass@16,32:pass@16,4:pass^4,8:pass@2"
  : values.limit
    ? "4:pass@16,2:pass@16,8:pass@16,4:pass@64,1:pass@4,4:pass^16,2:pass^8"
    : "4:pass@16,2:pass@16,8:pass@16,4:pass@128,4:pass^4";
const cases = (values.cases ?? DEFAULT_CASES).split(",").map((word) => {
  const [trials, name] = word.split(":");
  return { trials: Number(trials), name, metric: parseTrialMetric(name) };
});

const binomial = (n, p, random) => {
  let passed = 0;
  for (let j = 0; j < n; j++) if (random.next() < p) passed++;
  return passed;
};
const metricOf = ({ kind, k }, passed, of) => (kind === "pass^" ? passHatK(passed, of, k) : passAtK(passed, of, k));
const plugIn = ({ kind, k }, p) => (kind === "pass^" ? p ** k : 1 - (1 - p) ** k);

/** The score by the beta distribution that makes the counts of each number passed likeliest, on a grid. */
function byBeta({ kind, k }, counts, n) {
  let best = { fit: -Infinity, score: NaN };
  for (let a = -6; a <= 5; a += 0.4)
    for (let b = -6; b <= 5; b += 0.4) {
      const [alpha, beta] = [Math.exp(a), Math.exp(b)];
      let fit = 0;
      for (let c = 0; c <= n; c++)
        if (counts[c] > 0) fit += counts[c] * Math.log(powerMean(alpha, beta, c) * powerMean(beta, alpha + c, n - c));
      if (fit > best.fit)
        best = { fit, score: kind === "pass^" ? powerMean(alpha, beta, k) : 1 - powerMean(beta, alpha, k) };
    }
  return best.score;
}

const GRID = [0, 1e-4, 3e-4, ...Array.from({ length: 25 }, (_, j) => 10 ** (-3 + j / 12)), ...Array.from({ length: 40 }, (_, j) => 0.11 + j * 0.02), ...Array.from({ length: 15 }, (_, j) => 1 - 10 ** (-1 - j / 7)), 1]; // prettier-ignore
function byAny(metric, counts, n) {
  let weights = GRID.map(() => 1 / GRID.length);
  const chances = Array.from({ length: n + 1 }, (_, c) => GRID.map((p) => p ** c * (1 - p) ** (n - c)));
  const tasks = counts.reduce((sum, count) => sum + count, 0);
  for (let round = 0; round < 300; round++) {
    const next = GRID.map(() => 0);
    for (let c = 0; c <= n; c++) {
      if (counts[c] === 0) continue;
      const total = weights.reduce((sum, weight, g) => sum + weight * chances[c][g], 0);
      for (let g = 0; g < GRID.length; g++) next[g] += (counts[c] / tasks) * ((weights[g] * chances[c][g]) / total);
    }
    weights = next;
  }
  return weights.reduce((sum, weight, g) => sum + weight * plugIn(metric, GRID[g]), 0);
}

/** Figures of one held-out model, of one case. */
function heldOut(bundle, form, asked, shares, place, label, { trials, name, metric }) {
  const truth = mean(shares.map((p) => metricOf(metric, Math.round(SAMPLES * p), SAMPLES)));
  return Array.from({ length: Number(values.draws) }, (_, draw) => {
    const random = createRandom(`${label} ${draw} ${trials} ${name}`);
    const responses = new Map(asked.map((id) => [id, { passed: binomial(trials, shares[place.get(id)], random), of: trials }])); // prettier-ignore
    const { score, interval } = estimatePassAtK(bundle, responses, name, { form });
    const counts = Array(trials + 1).fill(0);
    for (const i of random.shuffle([...shares.keys()]).slice(0, asked.length))
      counts[binomial(trials, shares[i], random)]++;
    const plain = counts.reduce((sum, count, c) => sum + count * plugIn(metric, c / trials), 0) / asked.length;
    const others = values.own ? [] : [plain, byBeta(metric, counts, trials), byAny(metric, counts, trials)];
    return {
      case: `${trials} trials, ${name}`,
      held: Number(holds(interval, truth)),
      half: (interval.high - interval.low) / 2,
      errors: [score, ...others].map((own) => own - truth),
      ...(values.own && ofRunAlone(bundle, form, responses, metric, truth)),
    };
  });
}

/** The interval of a bundle of the metric by the draw of its anchors alone, their estimates taken for what they are of. */
function ofRunAlone(bundle, form, responses, metric, truth) {
  const scores = new Map([...responses].map(([id, own]) => [id, trialScore(own, metric)]));
  const { interval } = estimateFromAnchors(bundle, scores, { form });
  return { heldAlone: Number(holds(interval, truth)), halfAlone: (interval.high - interval.low) / 2 };
}

/** What a model's exact beta distributions miss, and what they add beyond the trials. */
function limitOf(bundle, form, asked, shares, place, { trials, metric }) {
  const [{ id, bank, scoreMap, weights }] = bundle.scenarios.values();
  const means = new Map(asked.map((own) => [own, shares[place.get(own)]]));
  const { theta } = estimateFromAnchors(bundle, means, { form }).scenarios[id].details;
  const logits = predictedScores(Float64Array.from(theta), bank, scoreMap).map((p) =>
    logit(Math.min(1 - 1e-4, Math.max(1e-4, p))),
  );
  const tried = { items: [], mass: [], passed: [], of: [] };
  shares.forEach((p, i) => {
    for (let [c, choices] = [0, 1]; c <= trials; choices *= (trials - c) / ++c) {
      const mass = weights[i] * choices * p ** c * (1 - p) ** (trials - c);
      if (mass < 1e-9) continue;
      tried.items.push(i);
      tried.mass.push(mass);
      tried.passed.push(c);
      tried.of.push(trials);
    }
  });
  const at = (k) =>
    spreadScore({ logits, weights, ...tried }, { need: metric.kind === "pass^" ? "all" : "any", k }).score;
  const score = at(metric.k);
  return { missed: score - mean(shares.map((p) => plugIn(metric, p))), added: score - at(trials) };
}

const rows = [];
for (const set of SETS) {
  const { matrix } = await readResponses(join(folder, "passk-code", `${set}.pass1.csv.gz`));
  const board = groupItems(matrix);
  const all = [...board.items.keys()];
  const place = new Map(board.items.map(({ item_id: id }, i) => [id, i]));
  for (const family of FAMILIES) {
    const own = [...board.subjects.keys()].filter((m) => familyOf(board.subjects[m]) === family);
    const others = [...board.subjects.keys()].filter((m) => familyOf(board.subjects[m]) !== family);
    if (own.length === 0) continue;
    const sources = submatrix(board, others, all);
    for (const seed of values.seeds.split(",").map(Number)) {
      const form = String(size);
      const plain = values.own ? null : await fittedBundle(sources, { sizes: [size], seed });
      for (const one of cases) {
        const { bundle } = plain ?? (await fittedBundle(ofMetric(sources, one.metric), { sizes: [size], seed }));
        if (values.own) bundle.manifest.fit.trialMetric = one.name;
        const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => [...forms.get(form).itemIds]);
        for (const model of own) {
          const shares = all.map((i) => scoreAt(board, model, i));
          const found = values.limit
            ? [limitOf(bundle, form, asked, shares, place, one)]
            : heldOut(bundle, form, asked, shares, place, `${set} ${board.subjects[model]} ${seed}`, one);
          rows.push(...found.map((row) => ({ set, family, case: `${one.trials} trials, ${one.name}`, ...row })));
        }
      }
    }
  }
}

/** A board of the unbiased estimates by all samples. */
function ofMetric(board, metric) {
  const scores = Float64Array.from(board.scores, (p) => metricOf(metric, Math.round(SAMPLES * p), SAMPLES));
  return responseMatrix(board.subjects, board.items, scores);
}

const fields = [
  ["set", SETS],
  ["family", FAMILIES],
];

function sayLimits() {
  const share = (own) => {
    const sum = (value) => own.reduce((total, row) => total + value(row) ** 2, 0);
    return Math.sqrt(sum(({ missed }) => missed) / sum(({ added }) => added)).toFixed(3);
  };
  for (const { trials, name } of cases) {
    const own = rows.filter((row) => row.case === `${trials} trials, ${name}`);
    console.log(`${trials} trials, ${name}: missed ${points(Math.sqrt(mean(own.map(({ missed }) => missed ** 2))))} points, ${share(own)} of what is added`); // prettier-ignore
  }
  console.log(`all: ${share(rows)}`);
  for (const [field, keys] of fields)
    for (const key of keys)
      console.log(`  ${key}: ${share(rows.filter((row) => row[field] === key))}, all others ${share(rows.filter((row) => row[field] !== key))}`); // prettier-ignore
}

function sayOwn(label, own) {
  const average = (field) => mean(own.map((row) => row[field]));
  console.log(
    `${label}: off by ${points(Math.sqrt(mean(own.map(({ errors }) => errors[0] ** 2))))}; over runs ± ${points(average("half"))} holds ${average("held").toFixed(3)}, of a run alone ± ${points(average("halfAlone"))} holds ${average("heldAlone").toFixed(3)}`,
  );
}

function say(label, own) {
  if (values.own) return sayOwn(label, own);
  const rms = [0, 1, 2, 3].map((e) => Math.sqrt(mean(own.map(({ errors }) => errors[e] ** 2))));
  const bias = mean(own.map(({ errors }) => errors[0]));
  console.log(
    `${label}: off by ${points(rms[0])} (mean ${points(bias)}); random tasks ${points(rms[1])} by plug-in, ${points(rms[2])} by a beta distribution, ${points(rms[3])} by any; ratio to the plug-in ${(rms[0] / rms[1]).toFixed(2)}; interval ± ${points(mean(own.map(({ half }) => half)))} holds ${mean(own.map(({ held }) => held)).toFixed(3)}`,
  );
}
if (values.limit) sayLimits();
else {
  console.log(`root mean squared errors in points, ${size} anchors, ${size} random tasks`);
  for (const { trials, name } of cases) {
    const own = rows.filter((row) => row.case === `${trials} trials, ${name}`);
    say(`${trials} trials, ${name}`, own);
    // prettier-ignore
    for (const [field, keys] of fields)
      for (const key of keys) say(`  ${key}`, own.filter((row) => row[field] === key));
  }
}
