// What no choice of anchors and no estimate can beat, beside what is reached (bench/accuracy.js --separate): errors relative
// to random items, each scenario by itself.
// usage: node bench/bounds.js FOLDER [--sets a,b:x+y] [--splits extrapolation,interpolation] [--anchors 10,30,50,100]
//
// even draw, best draw: the error of an even draw, and of the draw with π ∝ √v of each model's own v (Neyman), whose answers
// are held against predictions fitted to all answers of the model itself: a logistic regression on the items' accuracies
// among all source models and among their best quarter. No unbiased reading of these predictions errs less.
// Gaussian: the error of the conditional mean given items that were chosen greedily by all models' answers, the targets' too,
// under the mean and the covariance (.3 of the variance an item's own) of all models but the one that is estimated.
import { cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { customised } from "anchoreval-trainer";
import { greedyItems } from "anchoreval-trainer/internal/anchors/telling-items";
import { planCells } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { randomBaseline } from "anchoreval-trainer/internal/fit/errors";
import { scoresOn } from "anchoreval-trainer/internal/matrix/benchmark";
import { mean, method, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,helm-legalbench,openllm2-official,glue-anchorpoints:sst2",
    splits: "extrapolation,interpolation",
    anchors: "10,30,50,100",
  },
  1,
);
const sizes = values.anchors.split(",").map(Number);
const separate = await customised(method, { linked: false });
/** Share of an item's variance that is its own, as estimates by sample covariances have it. */
const OWN = 0.3;

for (const split of values.splits.split(",")) {
  const rows = [];
  for (const set of values.sets.split(",")) {
    const cells = planCells(await readLeaderboard(folder, set), { split, sizes, seeds: 1, method: separate });
    rows.push(...cells.map((cell) => ({ set: set.split(":")[0], ...bounds(cell) })));
  }
  console.log(`${split}: errors relative to random items, n = ${sizes.join(" / ")}`);
  for (const row of rows) print(`${row.set} ${row.scenario}`, row);
  const ratios = (kind) => sizes.map((_, k) => Math.exp(mean(rows.map((row) => Math.log(row[kind][k])))));
  const all = Object.fromEntries(["even", "best", "gaussian"].map((kind) => [kind, ratios(kind)]));
  print(`geometric mean of ${rows.length} scenarios`, all);
}

function print(label, { even, best, gaussian }) {
  const figures = (list) => list.map((value) => value.toFixed(2)).join(" ");
  console.log(
    `  ${label.padEnd(36)} even draw ${figures(even)}   best draw ${figures(best)}   Gaussian ${figures(gaussian)}`,
  );
}

function bounds({ benchmark, split }) {
  const [scenario] = benchmark.scenarios;
  const { sources, targets } = split.scenarios[0];
  const every = [...scenario.matrix.items.keys()];
  const filled = (rows) => {
    const answers = rows.map((row) => scoresOn(scenario, row, every));
    const means = every.map((i) => mean(answers.map((own) => own[i]).filter((score) => !Number.isNaN(score))));
    return answers.map((own) => own.map((score, i) => (Number.isNaN(score) ? means[i] : score)));
  };
  const [learned, asked] = [filled(sources), filled(targets)];
  const telling = asked.filter((answers) => answers.some((score) => score !== answers[0]));
  const features = accuracyFeatures(learned);
  const draws = telling.map((answers) => drawErrors(answers, features));
  return {
    scenario: scenario.id,
    even: sizes.map((_, k) => mean(draws.map(({ even }) => even[k]))),
    best: sizes.map((_, k) => mean(draws.map(({ best }) => best[k]))),
    gaussian: gaussianErrors(scenario, [...learned, ...asked], { targets, asked }),
  };
}

/** A row an item: 1, and the logits of its accuracy among all source models and among the best quarter of them. */
function accuracyFeatures(sources) {
  const ranked = sources.toSorted((one, other) => mean(other) - mean(one));
  const best = ranked.slice(0, Math.max(8, Math.round(ranked.length / 4)));
  const logit = (p) => Math.log(p / (1 - p));
  const accuracy = (models, i) => (models.reduce((sum, own) => sum + own[i], 0) + 0.5) / (models.length + 1);
  return Array.from(sources[0], (_, i) => [1, logit(accuracy(ranked, i)), logit(accuracy(best, i))]);
}

/** Errors of both draws of one model's items over those of random items. */
function drawErrors(answers, features) {
  const chances = fittedChances(answers, features);
  const score = mean(answers);
  const scatter = mean(answers.map((own) => (own - score) ** 2));
  // Of graded scores the residuals' variance is a share of p(1−p).
  const spread = mean(chances.map((p) => p * (1 - p)));
  const share = mean(answers.map((own, i) => (own - chances[i]) ** 2)) / spread;
  const root = mean(chances.map((p) => Math.sqrt(p * (1 - p)))) ** 2;
  const ratio = (first, n) => Math.sqrt((share * (first / n - spread / answers.length)) / (scatter * (1 / n - 1 / answers.length))); // prettier-ignore
  return {
    even: sizes.map((n) => ratio(spread, n)),
    best: sizes.map((n) => ratio(Math.max(root, (spread * n) / answers.length), n)),
  };
}

/** Logistic regression by Newton's steps, a little ridge on every coefficient. */
function fittedChances(answers, features) {
  const width = 3;
  const coefficients = new Float64Array(width);
  const chance = (x) => 1 / (1 + Math.exp(-x.reduce((sum, value, k) => sum + value * coefficients[k], 0)));
  for (let step = 0; step < 25; step++) {
    const gram = new Float64Array(width * width);
    const slope = new Float64Array(width);
    features.forEach((x, i) => {
      const p = chance(x);
      for (let r = 0; r < width; r++) {
        slope[r] += x[r] * (answers[i] - p);
        for (let c = 0; c < width; c++) gram[r * width + c] += x[r] * x[c] * p * (1 - p);
      }
    });
    for (let r = 0; r < width; r++) {
      gram[r * width + r] += 1e-3;
      slope[r] -= 1e-3 * coefficients[r];
    }
    choleskySolve(cholesky(gram, width), width, slope).forEach((move, k) => (coefficients[k] += move));
  }
  return features.map(chance);
}

/** Mean absolute errors of the targets, each by the Gaussian of all other models, over those of random items. */
function gaussianErrors(scenario, all, { targets, asked }) {
  const { id, weights } = scenario;
  const count = weights.length;
  const means = Float64Array.from(weights, (_, i) => mean(all.map((own) => own[i])));
  const width = all.length;
  const loadings = new Float64Array(count * width);
  const noise = new Float64Array(count).fill(1e-4);
  for (let i = 0; i < count; i++)
    all.forEach((own, m) => {
      const z = (own[i] - means[i]) / Math.sqrt(width);
      loadings[i * width + m] = Math.sqrt(1 - OWN) * z;
      noise[i] += OWN * z ** 2;
    });
  const total = new Float64Array(width);
  for (let i = 0; i < count; i++) for (let m = 0; m < width; m++) total[m] += weights[i] * loadings[i * width + m];
  const features = { count, width, loadings, noise };
  const order = greedyItems(features, weights, [...weights.keys()], Math.max(...sizes));
  const row = (i) => loadings.subarray(i * width, (i + 1) * width);
  const product = (one, other) => one.reduce((sum, value, m) => sum + value * other[m], 0);
  const score = (own) => own.reduce((sum, value, i) => sum + weights[i] * value, 0);
  const truths = asked.map(score);
  return sizes.map((n) => {
    const items = order.slice(0, n);
    const gram = items.flatMap((i, r) => items.map((j, c) => product(row(i), row(j)) + (r === c ? noise[i] : 0)));
    const shared = items.map((i) => product(row(i), total) + weights[i] * noise[i]);
    const estimates = asked.map((own) => {
      const at = all.indexOf(own);
      const z = items.map((i) => row(i)[at]);
      const others = Float64Array.from(gram, (value, k) => value - z[Math.floor(k / n)] * z[k % n]);
      const gains = choleskySolve(
        cholesky(others, n),
        n,
        Float64Array.from(shared, (value, k) => value - z[k] * total[at]),
      );
      const without = means.map((value, i) => (value * width - own[i]) / (width - 1));
      return items.reduce((sum, i, k) => sum + gains[k] * (own[i] - without[i]), score(without));
    });
    const stream = createRandom(0).fork(`random ${id} ${n}`);
    const { errors } = randomBaseline(scenario, targets, truths, n, stream);
    return mean(estimates.map((estimate, t) => Math.abs(estimate - truths[t]))) / mean(errors);
  });
}
