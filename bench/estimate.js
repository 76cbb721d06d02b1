// What one estimate costs, every estimator in it: a scenario of 14 042 items in eight dimensions, 100 anchors; then the
// SDK's call as users make it, on six scenarios together, and with several trials of every item.
// usage: node bench/estimate.js [--items 14042] [--dims 8] [--anchors 100] [--repeats 300]
import { parseArgs } from "node:util";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { blendEstimates } from "anchoreval/internal/core/estimators/blend-estimates";
import { gatedSampling, gatedVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { designInterval } from "anchoreval/internal/core/inference/score-interval";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { gatherItems } from "anchoreval/internal/core/scoring/bank-ability";
import { estimateScenario } from "anchoreval/internal/core/scoring/scenario-estimate";
import { estimate as estimateAnswers } from "anchoreval/internal/features/sdk-estimate";
import {
  ANCHORS,
  BLEND,
  DIMS,
  drawFactors,
  FACTORS,
  GENERAL,
  SCENARIOS,
  syntheticBundle,
  withMissing,
} from "./worker/synthetic-bundle.js";

const { values } = parseArgs({
  options: {
    items: { type: "string", default: "14042" },
    dims: { type: "string", default: "8" },
    anchors: { type: "string", default: "100" },
    repeats: { type: "string", default: "300" },
  },
});
const [count, dims, n, repeats] = ["items", "dims", "anchors", "repeats"].map((name) => Number(values[name]));
const random = createRandom("bench/estimate");
const draw = (length, of) => Float32Array.from({ length }, of);
const bank = itemBank(
  draw(count * dims, () => 0.5 + 0.4 * random.normal()),
  draw(count, () => random.normal()),
);
const weights = new Float64Array(count).fill(1 / count);
const items = Uint32Array.from(random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, n));
const [factors, answerFactors] = [drawFactors(random, n), drawFactors(random, n)];
// Cholesky's: an anchor has as many as there are anchors before it, and one more.
for (let j = 0; j < FACTORS; j++) answerFactors.loadings.fill(0, j * FACTORS + j + 1, (j + 1) * FACTORS);
const anchors = { items, mass: new Float64Array(n).fill(1), inclusion: new Float64Array(n).fill(n / count) };
const prior = scaledPrior(
  new Float64Array(dims),
  Float64Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0)),
  2,
);

const MISSING = [0, 0.3];

console.log(
  `${count} items, ${dims} dimensions, ${n} anchors, twice ${FACTORS} factors; medians of ${repeats} in Node`,
);
for (const missing of MISSING)
  report(missing, "aim: under 2 ms", () => {
    const scores = Float64Array.from(items, () => (random.next() < missing ? NaN : random.next() < 0.6 ? 1 : 0));
    return () => estimate(scores);
  });

const { files, answers } = syntheticBundle("linked", SCENARIOS, true);
const bundle = await loadBundle({ name: "synthetic", read: (file) => Promise.resolve(files.get(file) ?? null) });
console.log(
  `estimateFromAnchors: ${bundle.scenarios.size} scenarios together, ${DIMS} dimensions each, ${GENERAL} general ones, ${ANCHORS} anchors each, ${FACTORS} factors`,
);
for (const missing of MISSING) {
  const responses = withMissing(answers, missing);
  report(missing, "", () => () => estimateFromAnchors(bundle, responses));
}

const tried = Object.fromEntries(
  Object.entries(answers).map(([id, score], k) => [id, [score, k % 2, score, k % 3 ? 1 : 0]]),
);
const metric = "pass@16";
for (const [name, own] of [
  ["4 trials an item", {}],
  [`${metric} from these`, { metric }],
]) {
  console.log(`${name}, of the same`);
  report(0, "", () => () => estimateAnswers(bundle, tried, own), own.metric ? 5 : repeats);
}

/** Times what `prepare` returns, `runs` times. CPU is of this process with all of its threads, what prepares included. */
function report(missing, aim, prepare, runs = repeats) {
  const before = process.cpuUsage();
  const times = Array.from({ length: runs }, () => {
    const run = prepare();
    const begun = performance.now();
    run();
    return performance.now() - begun;
  }).sort((x, y) => x - y);
  const { user, system } = process.cpuUsage(before);
  const at = (share) => times[Math.floor(share * (runs - 1))].toFixed(2);
  console.log(
    `${100 * missing} % of the answers missing: ${at(0.5)} ms, 95 % within ${at(0.95)}${aim && ` (${aim})`}; CPU ${((user + system) / 1e3 / runs).toFixed(2)} ms on average`,
  );
}

function estimate(scores) {
  const gathered = gatherItems({ bank, items, scores });
  const ability = mapAbility(gathered.bank, gathered, prior);
  const found = estimateScenario({ bank, weights, scoreMap: null, anchors, factors, answerFactors }, scores, ability);
  const { bounds, sampling } = found;
  const blended = blendEstimates(found, BLEND, { worst: 0.2, best: 0.8, overall: null });
  const gated = gatedSampling(sampling, gatedVariance(blended, BLEND.tightening, sampling), blended);
  return designInterval({ score: blended.estimators.gate, bounds, sampling: gated }, 0.95);
}
