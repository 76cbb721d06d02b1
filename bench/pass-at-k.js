// What pass@k and pass^k of a whole benchmark err by, from a few trials of its anchors, and how often their intervals hold.
// usage: node bench/pass-at-k.js FOLDER [--seeds 1,2,3] [--draws 2] [--anchors 50] [--cases 4:pass@16,2:pass@16,…]
//
// FOLDER/passk-code has the shares of 128 samples that passed, of models at two or three temperatures. A family of models is held
// out, all its temperatures at once; a bundle of the others is fitted on those shares; of each model held out trials are drawn
// by its own shares, at the anchors and at as many random tasks. Truth: the estimate of pass@k by all 128 samples of every task.
// Beside it, on the random tasks: the plug-in 1 − (1 − c/n)^k (pass^k: (c/n)^k), a beta distribution of the chances (maximum
// likelihood), and a distribution of any form (nonparametric maximum likelihood on a grid). k = 128 is passed once of 128.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { powerMean } from "anchoreval/internal/trials/chance-spread";
import { estimatePassAtK } from "anchoreval/internal/trials/estimate-pass-at-k";
import { parseTrialMetric, passAtK, passHatK } from "anchoreval/internal/trials/pass-at-k";
import { groupItems, readResponses } from "anchoreval-trainer";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, holds, mean, points } from "./fitted-bundle.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "1,2,3" },
    draws: { type: "string", default: "2" },
    anchors: { type: "string", default: "50" },
    cases: {
      type: "string",
      default: "4:pass@16,2:pass@16,8:pass@16,4:pass@128,4:pass^4",
    },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    "usage: node bench/pass-at-k.js FOLDER [--seeds 1,2,3] [--draws 2] [--anchors 50] [--cases N:METRIC,…]",
  );
  process.exit(2);
}
const SETS = ["HumanEvalPack_PythonPlus", "LBPP_Python", "MBPPPlus_mbpp_plus", "MBPP_mbpp"];
const SAMPLES = 128;
const FAMILIES = ["glm", "kimi", "gemma", "olmo", "qwen3-5", "qwen3"];
const familyOf = (model) => FAMILIES.find((name) => model.includes(name));
const size = Number(values.anchors);
const cases = values.cases.split(",").map((word) => {
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
    for (const seed of values.seeds.split(",").map(Number)) {
      const { bundle } = await fittedBundle(submatrix(board, others, all), { sizes: [size], seed });
      const form = String(size);
      const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => [...forms.get(form).itemIds]);
      for (const model of own) {
        const shares = all.map((i) => scoreAt(board, model, i));
        for (const { trials, name, metric } of cases) {
          const truth = mean(shares.map((p) => metricOf(metric, Math.round(SAMPLES * p), SAMPLES)));
          for (let draw = 0; draw < Number(values.draws); draw++) {
            const random = createRandom(`${set} ${board.subjects[model]} ${seed} ${draw} ${trials} ${name}`);
            const responses = new Map(asked.map((id) => [id, { passed: binomial(trials, shares[place.get(id)], random), of: trials }])); // prettier-ignore
            const { score, interval } = estimatePassAtK(bundle, responses, name, { form });
            const counts = Array(trials + 1).fill(0);
            for (const i of random.shuffle([...all]).slice(0, asked.length))
              counts[binomial(trials, shares[i], random)]++;
            const random50 =
              counts.reduce((sum, count, c) => sum + count * plugIn(metric, c / trials), 0) / asked.length;
            rows.push({
              set,
              family,
              case: `${trials} trials, ${name}`,
              held: Number(holds(interval, truth)),
              half: (interval.high - interval.low) / 2,
              errors: [score, random50, byBeta(metric, counts, trials), byAny(metric, counts, trials)].map(
                (own) => own - truth,
              ),
            });
          }
        }
      }
    }
  }
}

function say(label, own) {
  const rms = [0, 1, 2, 3].map((e) => Math.sqrt(mean(own.map(({ errors }) => errors[e] ** 2))));
  const bias = mean(own.map(({ errors }) => errors[0]));
  console.log(
    `${label}: off by ${points(rms[0])} (mean ${points(bias)}); random tasks ${points(rms[1])} by plug-in, ${points(rms[2])} by a beta distribution, ${points(rms[3])} by any; ratio to the plug-in ${(rms[0] / rms[1]).toFixed(2)}; interval ± ${points(mean(own.map(({ half }) => half)))} holds ${mean(own.map(({ held }) => held)).toFixed(3)}`,
  );
}
console.log(`root mean squared errors in points, ${size} anchors, ${size} random tasks`);
for (const { trials, name } of cases) {
  const own = rows.filter((row) => row.case === `${trials} trials, ${name}`);
  say(`${trials} trials, ${name}`, own);
  for (const [field, keys] of [
    ["set", SETS],
    ["family", FAMILIES],
  ])
    // prettier-ignore
    for (const key of keys) say(`  ${key}`, own.filter((row) => row[field] === key));
}
