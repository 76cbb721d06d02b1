// k-means of anchors. First what a backend brings: all points' nearest centroids by plain TypeScript and by ONNX Runtime.
// Then the whole beside ml-kmeans, from the same centroids, in plain TypeScript.
// usage: node bench/kmeans.js [--provider cpu] [--k 100] [--repeats 5]
import { parseArgs } from "node:util";
import { typescriptBackend } from "anchoreval-trainer/calibrate";
import { weightedKmeans } from "anchoreval-trainer";
import { createRandom } from "anchoreval/core";
import { kmeans } from "ml-kmeans";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import { median } from "./calibrate/median.js";

const { values: options } = parseArgs({
  options: {
    provider: { type: "string", default: "cpu" },
    k: { type: "string", default: "100" },
    repeats: { type: "string", default: "5" },
  },
});
const k = Number(options.k);
const { backend, reason } = await resolveBackend(options.provider);
console.log(`${reason}; ${backend.name}, ${backend.precision}; k = ${k}, medians of ${options.repeats}\n`);

console.log("| points           | plain ms | opening ms | backend ms | ratio | labels that differ |");
console.log("| ---------------- | -------- | ---------- | ---------- | ----- | ------------------ |");
for (const [count, dims] of [
  [1000, 6],
  [28_659, 11],
  [28_659, 300],
]) {
  const points = cloud(count, dims);
  const centroids = centroidsOf(points);
  const plain = await timed(typescriptBackend, points, centroids);
  const own = await timed(backend, points, centroids);
  const differ = plain.labels.reduce((sum, label, p) => sum + (label === own.labels[p] ? 0 : 1), 0);
  const cells = [plain.assigning, own.opening, own.assigning].map((ms) => ms.toFixed(1));
  console.log(
    `| ${[`${count} × ${dims}`, ...cells, (plain.assigning / own.assigning).toFixed(1), differ].join(" | ")} |`,
  );
}

console.log("\n| points           | iterations | ours s | ml-kmeans s | ratio | inertia, ours / ml-kmeans |");
console.log("| ---------------- | ---------- | ------ | ----------- | ----- | ------------------------- |");
for (const [count, dims] of [
  [5000, 3],
  [5000, 11],
]) {
  const points = cloud(count, dims);
  const rows = rowsOf(points.values, dims);
  const even = new Float64Array(count).fill(1);
  let start = null;
  const watched = {
    openNearest: async (...given) => {
      const search = await typescriptBackend.openNearest(...given);
      return {
        assign: (centroids) => {
          start ??= centroids.slice();
          return search.assign(centroids);
        },
        dispose: () => search.dispose(),
      };
    },
  };
  const [ours, theirs] = [[], []];
  let clusters, other;
  for (let repeat = 0; repeat < Number(options.repeats); repeat++) {
    let begin = performance.now();
    clusters = await weightedKmeans(points, even, k, createRandom(1), watched, 1000);
    ours.push((performance.now() - begin) / 1000);
    begin = performance.now();
    other = kmeans(rows, k, { initialization: rowsOf(start, dims), maxIterations: 1000, tolerance: 0 });
    theirs.push((performance.now() - begin) / 1000);
  }
  const cells = [median(ours).toFixed(2), median(theirs).toFixed(2), (median(theirs) / median(ours)).toFixed(2)];
  const inertia = inertiaOf(points, other);
  console.log(
    `| ${[`${count} × ${dims}`, clusters.iterations, ...cells, (clusters.inertia / inertia).toFixed(12)].join(" | ")} |`,
  );
}

/** Gaussian in few dimensions, as item parameters are; 0 and 1 in many, as answers are. */
function cloud(count, dims) {
  const random = createRandom(`cloud ${count} ${dims}`);
  const draw = dims > 20 ? () => random.below(2) : () => random.normal();
  return { count, dims, values: Float64Array.from({ length: count * dims }, draw) };
}

/** Means of 20 points each. */
function centroidsOf({ count, dims, values }) {
  const random = createRandom("centroids");
  const centroids = new Float64Array(k * dims);
  for (let c = 0; c < k; c++)
    for (let n = 0; n < 20; n++) {
      const row = random.below(count) * dims;
      for (let d = 0; d < dims; d++) centroids[c * dims + d] += values[row + d] / 20;
    }
  return centroids;
}

async function timed(own, points, centroids) {
  const [openings, assignments] = [[], []];
  let labels;
  for (let repeat = 0; repeat < Number(options.repeats); repeat++) {
    const begin = performance.now();
    const search = await own.openNearest(points, k);
    const opened = performance.now();
    ({ labels } = await search.assign(centroids)); // the first run of a session is no measure of the others
    const first = performance.now();
    await search.assign(centroids);
    assignments.push(performance.now() - first);
    openings.push(opened - begin);
    await search.dispose();
  }
  return { labels, opening: median(openings), assigning: median(assignments) };
}

function rowsOf(values, dims) {
  return Array.from({ length: values.length / dims }, (_, p) => Array.from(values.subarray(p * dims, (p + 1) * dims)));
}

function inertiaOf({ dims, values }, { clusters, centroids }) {
  return clusters.reduce((sum, label, p) => {
    for (let d = 0; d < dims; d++) sum += (values[p * dims + d] - centroids[label][d]) ** 2;
    return sum;
  }, 0);
}
