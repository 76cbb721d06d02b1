// Whether comparisons hold what they say, on real models: type-I error of the paired interval, of McNemar's mid-p test and
// of the rank intervals, and power against unpaired tests.
// usage: node bench/comparison.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,50,100] [--replays 10000]
//          [--models 20] [--weighting items] [--seed 1] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
//
// The models are dealt into five folds; each is held out of the fit and of the choice of anchors, and its pairs are
// compared. A replay draws a fresh form in every scenario and takes 20 random models of a fold, all pairs of them. The
// truth is the difference of full scores; an interval that doesn't hold it is an error, whatever the truth is.
import { midPMcNemar, oneSidedConfidence, pairedInterval } from "anchoreval/internal/core/inference/paired-difference";
import { rankIntervals } from "anchoreval/internal/core/inference/ranks";
import { samplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { customised, recommended, resolveBackend, scoreAt } from "anchoreval-trainer";
import { anchorInput, prepareAnchors } from "anchoreval-trainer/internal/anchors/anchor-method";
import { describeBenchmark, onlyModels } from "anchoreval-trainer/internal/matrix/benchmark";
import { learn } from "anchoreval-trainer/internal/fit/learn";
import { withKnowledge } from "anchoreval-trainer/internal/methods/method";
import { fullScores } from "anchoreval-trainer/internal/matrix/scenarios";
import { folds } from "anchoreval-trainer/internal/matrix/splits";
import { modelEvidence } from "anchoreval/internal/features/compare/sdk/model-evidence";
import { overallDifference, scenarioDifference } from "anchoreval/internal/features/compare/sdk/scenario-difference";
import { readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,openllm2-official",
    anchors: "30,50,100",
    replays: "10000",
    models: "20",
    weighting: "items",
    seed: "1",
    selection: recommended.settings.selection,
    json: false,
  },
  1,
);
const FOLDS = 5;
const LEVEL = 0.95;
/** Pairs that answer more alike than this aren't tested: a form holds hardly an item that tells them apart. */
const LEAST_DISCORDANCE = 0.05;
const GAPS = [0.01, 0.02, 0.03, 0.04, 0.05];
const FORM = "form";
const method = await customised(recommended, { selection: values.selection, weighting: values.weighting });
const random = createRandom(values.seed);
const { backend } = await resolveBackend("cpu");
const quantiles = new Map();
const results = [];

for (const set of values.sets.split(",")) {
  const prepared = await prepare(set);
  for (const n of values.anchors.split(",").map(Number)) {
    const tallies = await replay(prepared, n);
    for (const [scenario, tally] of tallies) results.push({ set, scenario, n, ...summary(tally) });
    if (!values.json) print(results.filter((row) => row.set === set && row.n === n));
  }
}
if (values.json) console.log(JSON.stringify({ options: values, results }, null, 1));

/** Fits every fold on the other folds' models. */
async function prepare(set) {
  const grouped = await readLeaderboard(folder, set);
  const benchmark = describeBenchmark(grouped, method.settings);
  const { scenarios: tasks, replicates } = benchmark;
  const known = withKnowledge(method, benchmark);
  const full = tasks.map((task) => fullScores(task.matrix, task));
  const complete = grouped.subjects.map((_, m) => full.every(({ observed }) => observed[m] > 1 - 1e-9));
  const parts = [];
  for (const [fold, split] of folds(
    { groups: replicates, eligible: complete },
    FOLDS,
    random.fork(`${set} folds`),
  ).entries()) {
    const trained = [];
    for (const task of tasks) {
      const stream = random.fork(`${set} ${task.id} ${fold}`);
      const sources = onlyModels({ ...benchmark, scenarios: [task] }, split.sources);
      trained.push((await learn(sources, known, [], stream, { backend })).scenarios[0]);
    }
    parts.push({ split, trained });
  }
  const manifest = {
    scenarios: tasks.map(({ id, count }) => ({ id, weight: 1, items: count })),
    forms: [{ id: FORM, overall: null, scenarios: {} }],
  };
  const discordance = tasks.map(() => new Map());
  return { set, known, tasks, full, parts, manifest, discordance };
}

/** Items of the whole scenario on which either of two models is the higher. */
function discordant({ tasks, discordance }, s, a, b) {
  const key = a * 1e6 + b;
  const known = discordance[s].get(key);
  if (known) return known;
  const { matrix, count } = tasks[s];
  const found = { aHigher: 0, bHigher: 0, count };
  for (let i = 0; i < count; i++) {
    const gap = scoreAt(matrix, b, i) - scoreAt(matrix, a, i);
    if (gap > 0) found.bHigher++;
    else if (gap < 0) found.aHigher++;
  }
  discordance[s].set(key, found);
  return found;
}

async function replay(prepared, n) {
  const { set, known, tasks, full, parts, manifest } = prepared;
  const names = [...tasks.map((task) => task.id), "overall"];
  const tallies = new Map(names.map((id) => [id, emptyTally()]));
  const truth = (s, m) =>
    s < tasks.length ? full[s].score[m] : full.reduce((sum, { score }) => sum + score[m] / full.length, 0);
  const forms = parts.map(({ trained }) =>
    trained.map(({ scenario, trained: own }) => {
      const stream = random.fork(`${set} ${n} forms`);
      const input = anchorInput(scenario, own, { sizes: [n], random: stream, knowledge: known.knowledge });
      return prepareAnchors(known.anchors, input);
    }),
  );
  for (let r = 0; r < Number(values.replays); r++) {
    const { split, trained } = parts[r % parts.length];
    const stream = random.fork(`${set} ${n} replay ${r}`);
    const bundle = { manifest: { banks: [], ...manifest }, scenarios: new Map() };
    const answers = new Map();
    for (const [s, task] of tasks.entries()) {
      const { bank, weights, scoreMap } = trained[s].trained;
      const anchors = (await forms[r % parts.length][s].draw(stream.fork(task.id))).sets.get(n);
      const { mean, covariance } = trained[s].trained.abilities;
      const prior = { mean, covariance, scale: method.settings.priorScale };
      bundle.manifest.banks.push({ id: task.id, scenarios: [task.id], prior });
      bundle.scenarios.set(task.id, {
        id: task.id,
        bank,
        weights,
        scoreMap,
        forms: new Map([[FORM, { anchors }]]),
        sourceScores: [0],
      });
      answers.set(task.id, (m) => Float64Array.from(anchors.items, (item) => scoreAt(task.matrix, m, item)));
    }
    const models = stream.shuffle([...split.targets]).slice(0, Number(values.models));
    const evidence = models.map((m) =>
      modelEvidence(bundle, FORM, new Map(tasks.map(({ id }) => [id, answers.get(id)(m)]))),
    );
    const own = evidence.map((found) => new Map(tasks.map(({ id }) => [id, scoreVariance(found.get(id))])));
    const differences = names.map(() => new Map());
    for (let j = 0; j < models.length; j++)
      for (let i = 0; i < j; i++) {
        const pairs = new Map(
          tasks.map(({ id }) => [id, scenarioDifference(evidence[i].get(id), evidence[j].get(id), true)]),
        );
        const alike = tasks.map((_, s) => discordant(prepared, s, models[i], models[j]));
        for (const [s, id] of names.entries()) {
          const pair = s < tasks.length ? pairs.get(id) : overallDifference(bundle.manifest, pairs);
          differences[s].set(i * models.length + j, pair.sampled);
          const counts = s < tasks.length ? [alike[s]] : alike;
          const share = mean(counts.map(({ aHigher, bHigher, count }) => (aHigher + bHigher) / count));
          if (share < LEAST_DISCORDANCE) continue;
          const ids = s < tasks.length ? [id] : tasks.map((task) => task.id);
          const separate = {
            estimates: unpairedVariance(ids, own[i], own[j]),
            proportions: proportionsTest(ids, evidence[i], evidence[j]),
          };
          const gap = truth(s, models[j]) - truth(s, models[i]);
          const tally = tallies.get(id);
          count(tally, pair, gap, separate, counts, `${models[i]} ${models[j]}`, stream);
          for (const m of [i, j]) {
            const error = mean(ids.map((scenario) => evidence[m].get(scenario).score)) - truth(s, models[m]);
            tally.ownSquares += error ** 2;
          }
        }
      }
    for (const [s, id] of names.entries())
      for (const k of [5, 10]) {
        if (models.length < k) continue;
        const scores = models.slice(0, k).map((m) => truth(s, m));
        const between = (i, j) => {
          const pair = differences[s].get(Math.min(i, j) * models.length + Math.max(i, j));
          return i < j ? pair : turned(pair);
        };
        const intervals = rankIntervals((i, j) => oneSidedConfidence(between(i, j)), k, LEVEL);
        const held = intervals.every(({ low, high }, i) => {
          const better = scores.filter((score) => score > scores[i]).length;
          const worse = scores.filter((score) => score < scores[i]).length;
          return low <= k - worse && high >= 1 + better;
        });
        const ranks = (tallies.get(id).ranks[k] ??= { all: 0, held: 0, width: 0 });
        ranks.all++;
        if (held) ranks.held++;
        ranks.width += mean(intervals.map(({ low, high }) => high - low + 1));
      }
  }
  return tallies;
}

function turned({ difference, bounds, sampling }) {
  return { difference: -difference, bounds: { low: -bounds.high, high: -bounds.low }, sampling };
}

/** Variance of one score, as its own interval has it. */
function scoreVariance({ score, sample, residuals }) {
  return samplingVariance(score, sample, residuals);
}

/** Of the difference of two scores from separate estimates, Welch and Satterthwaite. */
function unpairedVariance(ids, a, b) {
  const parts = ids
    .flatMap((id) => [a.get(id), b.get(id)])
    .map(({ variance, degrees }) => [variance / ids.length ** 2, degrees]);
  const variance = parts.reduce((sum, [own]) => sum + own, 0);
  return { variance, degrees: variance ** 2 / parts.reduce((sum, [own, degrees]) => sum + own ** 2 / degrees, 0) };
}

/** z of two proportions that were never paired: what harnesses print. */
function proportionsTest(ids, a, b) {
  let difference = 0;
  let variance = 0;
  for (const id of ids) {
    const [p, q] = [a.get(id).stratifiedMean, b.get(id).stratifiedMean];
    difference += (q - p) / ids.length;
    variance += (p * (1 - p) + q * (1 - q)) / a.get(id).sample.items.length / ids.length ** 2;
  }
  return variance > 0 ? difference / Math.sqrt(variance) : 0;
}

function emptyTally() {
  return {
    tests: 0,
    errors: 0,
    above: 0,
    byPair: new Map(),
    byDiscordance: new Map(),
    squares: 0,
    ownSquares: 0,
    variance: 0,
    unpairedVariance: 0,
    mcnemar: [0, 0],
    power: GAPS.slice(1).map(() => ({ all: 0, paired: 0, estimates: 0, proportions: 0, mcnemar: 0, wrong: 0 })),
    ranks: {},
  };
}

function count(tally, { sampled, discordance }, gap, separate, counts, pair, stream) {
  const { low, high } = cachedInterval(sampled);
  const error = gap < low - 1e-12 || gap > high + 1e-12;
  tally.tests++;
  tally.squares += (sampled.difference - gap) ** 2;
  tally.variance += sampled.sampling.variance;
  tally.unpairedVariance += separate.estimates.variance;
  const alike = mean(counts.map(({ aHigher, bHigher, count: items }) => (aHigher + bHigher) / items));
  const bin = alike < 0.1 ? "5-10 %" : alike < 0.2 ? "10-20 %" : "over 20 %";
  for (const [map, key] of [
    [tally.byPair, pair],
    [tally.byDiscordance, bin],
  ]) {
    const own = map.get(key) ?? [0, 0];
    own[0] += error ? 1 : 0;
    own[1]++;
    map.set(key, own);
  }
  if (error) {
    tally.errors++;
    if (gap < low) tally.above++;
  }
  // McNemar's null hypothesis made true: as many answers of the better one given to the other as it is ahead by, half.
  if (counts.length === 1) {
    const [{ aHigher, bHigher }] = counts;
    const better = aHigher > bHigher ? "aHigher" : "bHigher";
    const other = better === "aHigher" ? "bHigher" : "aHigher";
    let left = Math.max(aHigher, bHigher);
    let swaps = Math.floor(Math.abs(aHigher - bHigher) / 2);
    const seen = { aHigher: discordance.aHigher, bHigher: discordance.bHigher };
    for (let k = discordance[better]; k > 0; k--, left--)
      if (stream.next() * left < swaps) {
        swaps--;
        seen[better]--;
        seen[other]++;
      }
    tally.mcnemar[1]++;
    if (midPMcNemar(seen.aHigher, seen.bHigher) <= 1 - LEVEL) tally.mcnemar[0]++;
  }
  const at = GAPS.findIndex((least, g) => Math.abs(gap) >= least && Math.abs(gap) < (GAPS[g + 1] ?? 0));
  if (at < 0) return;
  const power = tally.power[at];
  const right = (found) => (found && sampled.difference * gap > 0 ? 1 : 0);
  power.all++;
  power.paired += right(low > 0 || high < 0);
  if ((low > 0 && gap < 0) || (high < 0 && gap > 0)) power.wrong++;
  const { variance, degrees } = separate.estimates;
  power.estimates += right(Math.abs(sampled.difference) > studentQuantile(Math.round(degrees)) * Math.sqrt(variance));
  power.proportions += separate.proportions * gap > 0 && Math.abs(separate.proportions) > studentQuantile(1e6) ? 1 : 0;
  const { aHigher, bHigher } = discordance;
  power.mcnemar += (bHigher - aHigher) * gap > 0 && midPMcNemar(aHigher, bHigher) <= 1 - LEVEL ? 1 : 0;
}

/** `pairedInterval`, its quantile looked up. */
function cachedInterval(sampled) {
  const { difference, bounds, sampling } = sampled;
  const half = studentQuantile(sampling.degrees) * Math.sqrt(sampling.variance);
  const interval = {
    low: Math.min(difference, Math.max(difference - half, bounds.low)),
    high: Math.max(difference, Math.min(difference + half, bounds.high)),
  };
  if (quantiles.size < 3) {
    const own = pairedInterval(sampled, LEVEL);
    if (Math.abs(own.low - interval.low) > 1e-3 || Math.abs(own.high - interval.high) > 1e-3)
      throw new Error("not the interval that is served");
  }
  return interval;
}

/** Student's t at .975, degrees to a tenth. */
function studentQuantile(degrees) {
  const key = Math.min(1e6, Math.round(10 * degrees));
  if (!quantiles.has(key)) quantiles.set(key, studentTQuantile(0.5 + LEVEL / 2, key / 10));
  return quantiles.get(key);
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function summary(tally) {
  const rates = [...tally.byPair.values()].map(([errors, all]) => errors / all).sort((x, y) => x - y);
  const at = (share) => rates[Math.min(rates.length - 1, Math.floor(share * rates.length))];
  return {
    pairs: rates.length,
    tests: tally.tests,
    typeI: tally.errors / tally.tests,
    above: tally.above / tally.errors,
    pairRates: [0.05, 0.5, 0.95].map(at),
    byDiscordance: Object.fromEntries([...tally.byDiscordance].map(([bin, [errors, all]]) => [bin, errors / all])),
    varianceRatio: tally.variance / tally.squares,
    // Error of a difference over √2 times that of a score: what a plan takes for 1.
    errorRatio: Math.sqrt(tally.squares / tally.ownSquares),
    unpairedSe: Math.sqrt(tally.unpairedVariance / tally.squares),
    mcnemar: tally.mcnemar[1] > 0 ? tally.mcnemar[0] / tally.mcnemar[1] : null,
    power: tally.power.map(({ all, paired, estimates, proportions, mcnemar, wrong }, g) => ({
      gap: `${Math.round(100 * GAPS[g])}-${Math.round(100 * GAPS[g + 1])}`,
      tests: all,
      paired: paired / all,
      estimates: estimates / all,
      proportions: proportions / all,
      mcnemar: mcnemar / all,
      wrong: wrong / all,
    })),
    ranks: Object.fromEntries(
      Object.entries(tally.ranks).map(([k, { all, held, width }]) => [k, { held: held / all, width: width / all }]),
    ),
  };
}

function print(rows) {
  const three = (value) => (Number.isFinite(value) ? value.toFixed(3) : "–");
  console.log(
    `\n${rows[0].set}, ${rows[0].n} anchors a scenario, ${values.replays} forms, weighting ${values.weighting}`,
  );
  for (const row of rows) {
    const bins = ["5-10 %", "10-20 %", "over 20 %"].map((bin) => three(row.byDiscordance[bin])).join(" ");
    console.log(
      `${row.scenario.padEnd(12)} ${row.pairs} pairs, ${row.tests} tests: type I ${three(row.typeI)} (discordance 5-10, 10-20, more: ${bins}; ` +
        `pairs ${row.pairRates.map(three).join(" ")}), variance/error² ${row.varianceRatio.toFixed(2)}, error/√2 score's ${row.errorRatio.toFixed(2)}, McNemar ${row.mcnemar === null ? "–" : three(row.mcnemar)}`,
    );
    const power = row.power.map(
      ({ gap, paired, estimates, proportions, mcnemar, wrong }) =>
        `${gap}: ${[paired, estimates, proportions, mcnemar, wrong].map(three).join(" ")}`,
    );
    console.log(
      `             power at a gap of points: paired, two estimates, two proportions, McNemar, wrong way: ${power.join("; ")}`,
    );
    const ranks = Object.entries(row.ranks).map(
      ([k, { held, width }]) => `${k} models ${three(held)}, ${width.toFixed(1)} places`,
    );
    console.log(`             rank intervals hold together: ${ranks.join("; ")}`);
  }
}
