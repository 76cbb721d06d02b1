/**
 * Does a calibration by marginal maximum likelihood find the truth again? Simulates responses of a known model,
 * calibrates them and prints bias, root mean squared error and coverage of the items' parameters, the error of their
 * curves, and how well random starts agree.
 *
 *     npx tsc -b && node bench/recovery.js [--models 500] [--items 200] [--replications 20] [--starts 10] [--seed 1]
 *                                          [--model 1pl] …
 */
import { parseArgs } from "node:util";
import { createRandom, itemBank, itemResponse } from "anchoreval/core";
import { calibrateMarginal } from "../offline-trainer/dist/calibrate/marginal/calibrate-marginal.js";

const MODELS = ["1pl", "2pl", "3pl", "4pl"];
const { values } = parseArgs({
  options: {
    models: { type: "string", default: "500" },
    items: { type: "string", default: "200" },
    replications: { type: "string", default: "20" },
    starts: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    model: { type: "string", multiple: true, default: MODELS },
  },
});
const [subjects, items] = [Number(values.models), Number(values.items)];
const [replications, starts] = [Number(values.replications), Number(values.starts)];
/** Standard normal quantile of a 95 % interval. */
const Z95 = 1.959964;
const PARAMETERS = {
  "1pl": ["a", "b"],
  "2pl": ["a", "b"],
  "3pl": ["a", "b", "lower"],
  "4pl": ["a", "b", "lower", "upper"],
};

console.log(`${subjects} models × ${items} items, ${replications} replications, seed ${values.seed}; θ ~ N(0, 1),`);
console.log("a = exp(.3·N) (1pl: 1.1), b = 1.3·N, lower uniform in [.1, .3], upper in [.9, 1]; averages over items\n");
console.log(row("", "bias", "rmse", "in the 95 % interval"));
for (const model of values.model) {
  const { sums, curve, converged, seconds } = await recover(model);
  for (const [name, { error, square, within, count }] of Object.entries(sums))
    console.log(
      row(`${model} ${name}`, (error / count).toFixed(4), Math.sqrt(square / count).toFixed(4), share(within, count)),
    );
  console.log(row(`${model} P(θ) on [−2, 2]`, "", Math.sqrt(curve / replications).toFixed(4), ""));
  console.log(`${"".padEnd(24)}${converged} of ${replications} converged; ${seconds.toFixed(2)} s each`);
}
if (starts > 0) {
  console.log(
    `\nleast correlation of difficulties b/a between ${starts} random starts, and spread of their log posteriors`,
  );
  for (const model of values.model) console.log(`${model.padEnd(24)}${await agreement(model)}`);
}

async function recover(model) {
  const sums = Object.fromEntries(
    PARAMETERS[model].map((name) => [name, { error: 0, square: 0, within: 0, count: 0 }]),
  );
  let [curve, converged, seconds] = [0, 0, 0];
  for (let replication = 0; replication < replications; replication++) {
    const { responses, truth } = simulate(model, `${values.seed}/${model}/${replication}`);
    const begun = performance.now();
    const fit = await calibrateMarginal(responses, { model });
    seconds += (performance.now() - begun) / 1000 / replications;
    converged += fit.converged ? 1 : 0;
    curve += curveError(truth, fit);
    for (const [name, sum] of Object.entries(sums)) {
      const errors = fit.standardErrors?.[name];
      for (let i = 0; i < items; i++) {
        const gap = fit[name][i] - truth[name][i];
        sum.error += gap;
        sum.square += gap * gap;
        sum.within += errors && Math.abs(gap) <= Z95 * errors[i] ? 1 : 0;
        sum.count++;
      }
    }
  }
  return { sums, curve, converged, seconds };
}

/** Each start by itself from another random point. */
async function agreement(model) {
  const { responses } = simulate(model, `${values.seed}/${model}/0`);
  const fits = [];
  for (let start = 0; start < starts; start++) {
    const random = createRandom(`${values.seed}/start ${start}`);
    fits.push(await calibrateMarginal(responses, { model, starts: { count: 1, random }, standardErrors: false }));
  }
  const difficulties = fits.map(({ a, b }) => b.map((value, i) => value / a[i]));
  let least = 1;
  for (const left of difficulties) for (const right of difficulties) least = Math.min(least, correlation(left, right));
  const reached = fits.map(({ logPosterior }) => logPosterior);
  return `${least.toFixed(6)}   ${(Math.max(...reached) - Math.min(...reached)).toFixed(6)} nats`;
}

function simulate(model, seed) {
  const random = createRandom(seed);
  const draw = (each) => Float64Array.from({ length: items }, each);
  const between = (low, high) => draw(() => low + (high - low) * random.next());
  const truth = {
    a: draw(() => (model === "1pl" ? 1.1 : Math.exp(0.3 * random.normal()))),
    b: draw(() => 1.3 * random.normal()),
    lower: model === "3pl" || model === "4pl" ? between(0.1, 0.3) : new Float64Array(items),
    upper: model === "4pl" ? between(0.9, 1) : new Float64Array(items).fill(1),
  };
  const bank = itemBank(truth.a, truth.b, truth);
  const signs = new Int8Array(subjects * items);
  for (let m = 0; m < subjects; m++) {
    const theta = Float64Array.of(random.normal());
    for (let i = 0; i < items; i++) signs[m * items + i] = random.next() < itemResponse(theta, bank, i) ? 1 : -1;
  }
  return { responses: { subjects, items, signs }, truth };
}

/** Mean squared difference of the curves over items and an even grid. */
function curveError(truth, fit) {
  const [left, right] = [truth, fit].map(({ a, b, lower, upper }) => itemBank(a, b, { lower, upper }));
  let sum = 0;
  let count = 0;
  for (let theta = -2; theta <= 2; theta += 0.1)
    for (let i = 0; i < items; i++, count++)
      sum += (itemResponse(Float64Array.of(theta), left, i) - itemResponse(Float64Array.of(theta), right, i)) ** 2;
  return sum / count;
}

function correlation(left, right) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(left), mean(right)];
  let [xx, yy, xy] = [0, 0, 0];
  for (let k = 0; k < left.length; k++) {
    xx += (left[k] - x) ** 2;
    yy += (right[k] - y) ** 2;
    xy += (left[k] - x) * (right[k] - y);
  }
  return xy / Math.sqrt(xx * yy);
}

function row(label, bias, rmse, coverage) {
  return label.padEnd(24) + bias.padStart(10) + rmse.padStart(10) + coverage.padStart(24);
}

function share(within, count) {
  return (within / count).toFixed(4);
}
