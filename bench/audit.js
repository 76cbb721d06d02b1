// What `anchoreval audit` finds of planted faults, and how long it takes at leaderboard size.
// usage: node bench/audit.js [--seed 1] [--size 400x28659] [--only faults|time]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { auditLeaderboard } from "../offline-trainer/dist/extensions/audit/audit-leaderboard.js";
import { auditedItems } from "../offline-trainer/dist/extensions/audit/findings.js";
import { resolveBackend } from "../offline-trainer/dist/backends/resolve-backend.js";
import { DEFAULT_SETTINGS } from "../offline-trainer/dist/methods/settings.js";
import { groupItems } from "../offline-trainer/dist/matrix/response-matrix.js";
import { simulateLeaderboard } from "../offline-trainer/dist/simulate/simulate-leaderboard.js";
import { ITEM_KINDS } from "../offline-trainer/dist/simulate/items.js";
import { createRandom } from "anchoreval/internal/core/numeric/random";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    size: { type: "string", default: "400x28659" },
    only: { type: "string" },
  },
});
const seed = Number(values.seed);
const { backend } = await resolveBackend("cpu");

if (values.only !== "time") {
  for (const [models, items] of [
    [80, 3500],
    [200, 3500],
    [400, 6000],
  ])
    await faults(models, items);
}
if (values.only !== "faults") time(...values.size.split("x"));

/** Precision and recall of what was planted: wrong keys, clusters of related items, and copies. */
async function faults(models, items) {
  const { matrix, truth } = simulateLeaderboard({ seed, models, items });
  const copied = withCopies(matrix, Math.round(items / 200));
  const families = new Map(truth.models.map(({ name, family }) => [name, String(family)]));
  console.log(`\n${models} models × ${items} items in 6 scenarios, seed ${seed}`);
  for (const known of [true, false]) {
    const audit = await auditLeaderboard(groupItems(copied.matrix), {
      configuration: { ...DEFAULT_SETTINGS, weighting: "items" },
      dims: 8,
      seed,
      backend,
      heldOut: 0,
      ...(known && { families }),
    });
    const column = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
    const kindOf = ({ info }) =>
      ITEM_KINDS[truth.items.kind[column.get(copied.originals.get(info.item_id) ?? info.item_id)]];
    const listed = auditedItems(audit);
    const planted = listed.filter((item) => kindOf(item) === "mislabelled").length;
    const odds = ({ audit: { key } }) => Math.log(key.falling) - Math.log(1 - key.falling + 1e-300);
    const ranked = [...listed].sort((x, y) => odds(y) - odds(x));
    const wrong = (item) => kindOf(item) === "mislabelled";
    const faulty = (item) => ["mislabelled", "non-monotone", "memorised"].includes(kindOf(item));
    const sure = ranked.filter(({ audit: { key } }) => key.falling >= 0.9);
    const likely = ranked.filter(({ audit: { key } }) => key.falling >= 0.5);
    console.log(`families ${known ? "known" : "by names that don't tell"}`);
    console.log(
      `  wrong keys, ${planted} planted: precision in the first ${precisions(ranked, wrong)}; any fault ${precisions(ranked, faulty)}`,
    );
    for (const [name, found] of [
      ["≥ .9", sure],
      ["≥ .5", likely],
    ])
      console.log(
        `    probability ${name}: ${found.length} items, precision ${share(found, wrong)}, recall ${(found.filter(wrong).length / planted).toFixed(2)}`,
      );
    const id = (i) => audit.matrix.items[i].item_id;
    const cluster = (i) => truth.items.cluster[column.get(copied.originals.get(id(i)) ?? id(i))];
    const isCopy = ({ items: [one, other] }) =>
      copied.originals.get(id(one)) === id(other) || copied.originals.get(id(other)) === id(one);
    const related = (pair) =>
      isCopy(pair) || (cluster(pair.items[0]) > 0 && cluster(pair.items[0]) === cluster(pair.items[1]));
    const copies = audit.copies;
    console.log(
      `  pairs: ${copies.length} listed, precision ${share(copies, related)}, in the first ${precisions(copies, related)}`,
    );
    console.log(
      `    copies with one answer in ten drawn anew: ${copies.filter(isCopy).length} of ${copied.comparable} found; pairs of planted clusters: ${copies.filter((pair) => related(pair) && !isCopy(pair)).length} of ${clusterPairs(truth.items.cluster)}`,
    );
  }
}

/** The matrix with copies of some items at the end of their scenario: a tenth of the answers are those of other models. */
function withCopies(matrix, count) {
  const random = createRandom(`${seed}/copies`);
  const models = matrix.subjects.length;
  const columns = matrix.items.length;
  const chosen = random.shuffle([...matrix.items.keys()]).slice(0, count);
  const width = columns + count;
  const scores = new matrix.scores.constructor(models * width);
  const observed = new Uint8Array(models * width).fill(1);
  for (let m = 0; m < models; m++) {
    scores.set(matrix.scores.subarray(m * columns, (m + 1) * columns), m * width);
    if (matrix.observed) observed.set(matrix.observed.subarray(m * columns, (m + 1) * columns), m * width);
    chosen.forEach((i, k) => {
      const from = random.next() < 0.1 ? random.below(models) : m;
      scores[m * width + columns + k] = matrix.scores[from * columns + i];
      observed[m * width + columns + k] = matrix.observed
        ? matrix.observed[m * columns + i] & matrix.observed[from * columns + i]
        : 1;
    });
  }
  const originals = new Map(chosen.map((i, k) => [`copy ${k}`, matrix.items[i].item_id]));
  const rare = (i) => {
    let right = 0;
    for (let m = 0; m < models; m++) right += matrix.scores[m * columns + i];
    return Math.min(right, models - right) >= 3;
  };
  return {
    matrix: {
      subjects: matrix.subjects,
      items: [...matrix.items, ...chosen.map((i, k) => ({ ...matrix.items[i], item_id: `copy ${k}` }))],
      scores,
      observed: observed.includes(0) ? observed : null,
    },
    originals,
    comparable: chosen.filter(rare).length,
  };
}

function clusterPairs(cluster) {
  const sizes = new Map();
  for (const own of cluster) if (own > 0) sizes.set(own, (sizes.get(own) ?? 0) + 1);
  return [...sizes.values()].reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
}

function precisions(ranked, good) {
  return [20, 50, 100, 200]
    .filter((k) => k <= ranked.length)
    .map((k) => `${k}: ${share(ranked.slice(0, k), good)}`)
    .join(", ");
}

function share(list, good) {
  return list.length === 0 ? "–" : (list.filter(good).length / list.length).toFixed(2);
}

/** The whole command at leaderboard size, and its stages by itself. */
function time(models, items) {
  const bin = new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname;
  const folder = mkdtempSync(join(tmpdir(), "anchoreval-audit-"));
  const run = (...args) => {
    const begun = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", maxBuffer: 1 << 28 });
    if (status !== 0) throw new Error(stderr);
    return (performance.now() - begun) / 1000;
  };
  try {
    run("simulate", "--models", models, "--items", items, "--out", folder, "--quiet");
    const audit = [
      "audit",
      "--responses",
      join(folder, "responses.csv.gz"),
      "--items",
      join(folder, "items.jsonl.gz"),
      "--quiet",
    ];
    console.log(`\n${models} models × ${items} items, 8 dimensions, reading and writing included`);
    const all = run(...audit, "--out", join(folder, "audit.jsonl.gz"));
    console.log(
      `  ${all.toFixed(1)} s in all; ${run(...audit, "--held-out", "0").toFixed(1)} s without the held-out answers' calibration`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
