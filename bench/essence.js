// EssenceBench's genetic search, and how much of what it finds is the luck of the models that judged.
// A quarter of the models, whole families, are untouched; of the others half judge subsets, maps are fitted on the rest.
// usage: node bench/essence.js [FOLDER] [--set openllm2-official] [--scenario musr] [--sizes 50,100,200]
//        [--generations 1000] [--seeds 1]
// Without a folder of leaderboards it simulates 448 models × 756 items.
import { parseArgs } from "node:util";
import { simulateLeaderboard } from "anchoreval-trainer";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { coarseFilter } from "../offline-trainer/dist/methods/coarse-filter.js";
import { essenceSearch, innerSplit } from "../offline-trainer/dist/methods/essence/subset-search.js";
import { emptySubset, geneticSearch, sumScores } from "../offline-trainer/dist/methods/essence/genetic-search.js";
import { columnsOf, itemColumns, meanScores, weightedScores } from "../offline-trainer/dist/methods/item-columns.js";
import { ESSENCE_LIMITS, ESSENCE_SEARCH } from "../offline-trainer/dist/methods/essence/anchors.js";
import { encodeOnnxModel } from "../offline-trainer/dist/backends/onnx/graph-writer.js";
import { curveAt } from "../offline-trainer/dist/methods/score-maps/b-splines.js";
import { smoothMap } from "../offline-trainer/dist/methods/score-maps/penalised-spline.js";
import { familyNumbers } from "../offline-trainer/dist/matrix/families.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    set: { type: "string", default: "openllm2-official" },
    scenario: { type: "string", default: "musr" },
    sizes: { type: "string", default: "50,100,200" },
    generations: { type: "string", default: "1000" },
    seeds: { type: "string", default: "1" },
  },
});

/** Random subsets whose errors a search's are put beside. */
const RANDOM_SUBSETS = 200;

const { columns, families, name } = await answers(positionals[0]);
const sizes = options.sizes.split(",").map(Number);
const every = { generations: Number(options.generations), patience: Number(options.generations) };
console.log(`${name}: ${columns.models} models × ${columns.items} items\n`);

console.log(
  `One search of all items, ${ESSENCE_SEARCH.population} subsets × ${every.generations} generations; no early stop.`,
);
const search = (own, pool, k, random) =>
  geneticSearch(pool, k, { ...own.judging, map: own.mapOf(own.fitted, pool) }, { ...ESSENCE_SEARCH, ...every }, random)
    .elite[0].items;
await table(search);

console.log(
  `\nThe whole of \`--selection essence\`: filter, ${ESSENCE_SEARCH.rounds} rounds of four searches, ${ESSENCE_SEARCH.generations} generations at most.`,
);
await table((own, pool, k, random) => {
  const { pool: filtered } = coarseFilter(
    own.sources.columns,
    own.sources.full,
    [],
    ESSENCE_LIMITS,
    Math.min(pool.length, 2 * k),
  );
  return essenceSearch({ ...own.sources, split: own.split }, filtered, k, ESSENCE_SEARCH, random).items;
});

console.log("\nScoring one population of 200 with 50 judging models and 100 items, ms:");
for (const [label, ms] of await scoring()) console.log(`- ${label}: ${ms.toFixed(2)}`);

/** Errors in points: of the map refitted on the subset, means over seeds. */
async function table(choose) {
  console.log("| k | s | fitness set | untouched | random items, untouched | untouched / random |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const k of sizes) {
    const sums = { seconds: 0, fitness: 0, untouched: 0, random: 0 };
    for (let seed = 1; seed <= Number(options.seeds); seed++) {
      const random = createRandom(`essence/${seed}`);
      const own = parts(random);
      const pool = Uint32Array.from({ length: columns.items }, (_, i) => i);
      const begin = performance.now();
      const items = choose(own, pool, k, random.fork(`search ${k}`));
      sums.seconds += (performance.now() - begin) / 1000;
      sums.fitness += own.errorOf(own.mapOf(own.fitted, items), own.judging, items);
      const untouched = (chosen) => own.errorOf(own.mapOf(own.sources, chosen), own.untouched, chosen);
      sums.untouched += untouched(items);
      const draws = random.fork(`random subsets ${k}`);
      for (let draw = 0; draw < RANDOM_SUBSETS; draw++)
        sums.random += untouched(Uint32Array.from(draws.shuffle(Array.from(pool)).slice(0, k))) / RANDOM_SUBSETS;
    }
    const mean = (sum) => (sum / Number(options.seeds)).toFixed(2);
    const cells = [sums.fitness, sums.untouched, sums.random].map(mean);
    console.log(
      `| ${[k, (sums.seconds / Number(options.seeds)).toFixed(1), ...cells, (sums.untouched / sums.random).toFixed(2)].join(" | ")} |`,
    );
  }
}

/** Models apart: untouched, judging, and those that maps are fitted on; the last two are the sources. */
function parts(random) {
  const all = weightedScores(columns, new Float64Array(columns.items).fill(1 / columns.items));
  const outer = innerSplit(families, 0.25, random.fork("untouched"));
  const part = (models) => ({ columns: columnsOf(columns, models), full: Float64Array.from(models, (m) => all[m]) });
  const inner = innerSplit(
    outer.fitted.map((m) => families[m]),
    0.5,
    random.fork("judging"),
  );
  const lift = (positions) => part(positions.map((at) => outer.fitted[at]));
  return {
    split: inner,
    sources: part(outer.fitted),
    fitted: lift(inner.fitted),
    judging: lift(inner.judging),
    untouched: part(outer.judging),
    mapOf: (own, items) => smoothMap(meanScores(own.columns, items), own.full),
    errorOf: (map, own, items) => {
      const squares = meanScores(own.columns, items).map((mean, m) => (curveAt(map, mean) - own.full[m]) ** 2);
      return 100 * Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
    },
  };
}

/** The same population scored in four ways: as a dense matrix product, by sums over the chosen, by sums brought up to date. */
async function scoring() {
  const random = createRandom("scoring");
  const own = columnsOf(columns, random.shuffle(Array.from({ length: columns.models }, (_, m) => m)).slice(0, 50));
  const pool = Uint32Array.from({ length: columns.items }, (_, i) => i);
  const population = () => Array.from({ length: 200 }, () => emptySubset(pool.length, 50));
  const [before, after] = [population(), population()];
  const empty = emptySubset(pool.length, 50);
  before.forEach((subset, at) => {
    for (const item of random.shuffle(Array.from(pool)).slice(0, 100)) subset.mask[item] = 1;
    after[at].mask.set(subset.mask);
    for (let change = 0; change < 30; change++) after[at].mask[random.below(pool.length)] ^= 1;
    sumScores(subset, empty, pool, own);
  });
  const product = () => {
    for (const { mask, sums } of after) {
      sums.fill(0);
      for (let item = 0; item < pool.length; item++)
        for (let m = 0; m < 50; m++) sums[m] += mask[item] * own.scores[item * 50 + m];
    }
  };
  const runtime = await runtimeProduct(pool.length, own.models);
  const scores = new runtime.Tensor("float32", Float32Array.from(own.scores.subarray(0, pool.length * 50)), [
    pool.length,
    50,
  ]);
  const byRuntime = async () => {
    const dense = new Float32Array(200 * pool.length);
    after.forEach(({ mask }, at) => dense.set(mask, at * pool.length));
    const masks = new runtime.Tensor("float32", dense, [200, pool.length]);
    const { sums } = await runtime.session.run({ masks, scores });
    after.forEach((subset, at) => subset.sums.set(sums.data.subarray(at * 50, (at + 1) * 50)));
  };
  const anew = () => {
    for (const subset of after) sumScores(subset, empty, pool, own);
  };
  const updated = () => after.forEach((subset, at) => sumScores(subset, before[at], pool, own));
  const results = [];
  for (const [label, act] of [
    ["matrix product, plain TypeScript", product],
    ["matrix product, ONNX Runtime on the CPU", byRuntime],
    ["sums over the chosen items", anew],
    ["sums brought up to date, 30 bits changed", updated],
  ]) {
    for (let warm = 0; warm < 5; warm++) await act();
    const times = [];
    for (let run = 0; run < 15; run++) {
      const begin = performance.now();
      await act();
      times.push(performance.now() - begin);
    }
    results.push([label, times.sort((x, y) => x - y)[7]]);
  }
  return results;
}

/** masks (200×items) times scores (items×models) by ONNX Runtime on the CPU, one thread, float32. */
async function runtimeProduct(items, models) {
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const model = encodeOnnxModel({
    name: "population",
    inputs: [
      { name: "masks", type: "float32", shape: [200, items] },
      { name: "scores", type: "float32", shape: [items, models] },
    ],
    outputs: [{ name: "sums", type: "float32", shape: [200, models] }],
    constants: [],
    nodes: [{ op: "MatMul", inputs: ["masks", "scores"], outputs: ["sums"] }],
  });
  return { session: await InferenceSession.create(model, { intraOpNumThreads: 1 }), Tensor };
}

/** Answers of one scenario, missing ones filled with the item's mean. */
async function answers(folder) {
  const matrix = folder
    ? await readLeaderboard(folder, options.set)
    : simulateLeaderboard({ models: 448, items: 756, scenarios: 1, seed: 1 }).matrix;
  const own = [...matrix.items.keys()].filter((i) => !folder || matrix.items[i].scenario === options.scenario);
  const score = (m, i) => {
    const at = m * matrix.items.length + i;
    return matrix.observed !== null && matrix.observed[at] === 0 ? NaN : matrix.scores[at];
  };
  const column = (item) => {
    const scores = Float64Array.from(matrix.subjects, (_, m) => score(m, own[item]));
    const known = scores.filter((value) => !Number.isNaN(value));
    const mean = known.length > 0 ? known.reduce((sum, value) => sum + value, 0) / known.length : 0.5;
    return scores.map((value) => (Number.isNaN(value) ? mean : value));
  };
  return {
    columns: itemColumns(column, own.length),
    families: familyNumbers(matrix.subjects),
    name: folder ? `${options.set}, ${options.scenario}` : "simulated",
  };
}
