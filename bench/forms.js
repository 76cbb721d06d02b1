// How alike parallel forms are: what held-out models' scores on two forms differ by, and how far forms are from the pool.
// usage: node bench/forms.js FOLDER [--sets mmlu+gsm,legalbench,simulated] [--sizes 100,300] [--seeds 5] [--pairs 40]
// FOLDER holds helm-lite and helm-legalbench, each with responses.csv.gz and items.jsonl.gz.
//
// Real sets: a fifth of the models, whole families, is held out of the calibration and of the forms; the other four fifths
// make them. Then the held-out fifth answers both forms: |score on one − score on the other|, in points, beside that of
// random pairs of disjoint forms. Models are the units of standard errors.
// Simulated: 14 042 items in 57 subjects, seven of them excluded, with texts in Chinese; difficulty is borrowed from models
// that answered "the same" items in English. Held-out models answer the Chinese items, of which every fifth may be another
// item than its English brother (--drift).
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  answeredDifficulty,
  buildParallelForms,
  equatedScores,
  itemPool,
  joinKeys,
  NO_DIFFICULTY,
  readResponses,
  resolveBackend,
  scoreAt,
  submatrix,
  summarizeForms,
} from "anchoreval-trainer";
import { modelFamilies } from "../offline-trainer/dist/matrix/families.js";
import {
  marginDistance,
  marginCounts,
  shareDistance,
} from "../offline-trainer/dist/extensions/parallel-forms/quotas.js";
import { drawnCounts } from "../offline-trainer/dist/extensions/parallel-forms/summarize-forms.js";
import { folds } from "../offline-trainer/dist/matrix/splits.js";
import { oneAfterTheOther, WAYS } from "./forms/compared-forms.js";
import { simulatedPool } from "./forms/simulated-pool.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "mmlu+gsm,legalbench,simulated" },
    sizes: { type: "string", default: "100,300" },
    seeds: { type: "string", default: "5" },
    pairs: { type: "string", default: "40" },
    drift: { type: "string", default: "0.2" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/forms.js FOLDER [--sets a,b] [--sizes 100,300] [--seeds 5] [--pairs 40]");
  process.exit(2);
}
const sizes = values.sizes.split(",").map(Number);
const seeds = Number(values.seeds);
const BUCKETS = 5;
const COUNT = 2;
const { backend } = await resolveBackend("cpu");
const SETS = {
  "mmlu+gsm": {
    set: "helm-lite",
    keep: ({ scenario }) => scenario === "mmlu" || scenario === "gsm",
    subject: (item) => item.scenario,
  },
  legalbench: { set: "helm-legalbench", keep: () => true, subject: (item) => item.subscenario },
};

for (const name of values.sets.split(",")) {
  if (name === "simulated") await simulated();
  else await real(name, SETS[name]);
}

async function real(name, { set, keep, subject }) {
  const { matrix: all } = await readResponses(join(folder, set, "responses.csv.gz"), {
    items: join(folder, set, "items.jsonl.gz"),
  });
  const columns = [...all.items.keys()].filter((i) => keep(all.items[i]));
  const matrix = submatrix(all, [...all.subjects.keys()], columns);
  const pool = itemPool(
    tableOf(
      ["id", "Subject"],
      matrix.items.map((item) => [item.item_id, subject(item)]),
    ),
    { by: "Subject" },
  );
  const splits = folds(
    { groups: modelFamilies(matrix), eligible: matrix.subjects.map(() => true) },
    5,
    createRandom(1).fork("folds"),
  );
  const fitted = [];
  for (const { sources, targets } of splits)
    fitted.push({ targets, difficulty: await calibrated(pool, matrix, sources) });
  console.log(
    `\n${name}: ${matrix.subjects.length} models × ${pool.rows.length} items, ${pool.subjects.length} subjects`,
  );
  for (const size of sizes) compare(pool, matrix, fitted, size);
}

/** Difficulties of a pool from some models' answers, joined by id. */
function calibrated(pool, matrix, sources) {
  const answers = submatrix(matrix, sources, [...matrix.items.keys()]);
  const options = { sameItems: true, backend, random: createRandom(1) };
  return answeredDifficulty(pool, joinKeys(pool), answers, options);
}

/** @param fitted - held-out models, rows of the matrix, each with the difficulty from the others */
function compare(pool, matrix, fitted, size) {
  if (COUNT * size > pool.rows.length) return;
  const columns = new Map(matrix.items.map((item, i) => [item.item_id, i]));
  const column = Uint32Array.from(pool.ids.values, (id) => columns.get(id));
  const everything = [...pool.rows.keys()];
  const score = (model, items) =>
    mean(items.map((i) => scoreAt(matrix, model, column[i])).filter((y) => !Number.isNaN(y)));
  const rows = {};
  const equating = { raw: [], equated: [] };
  const chance = [];
  for (const [way, draw] of Object.entries(WAYS)) {
    const gaps = new Map();
    const toPool = [];
    const times = way === "random" ? Number(values.pairs) : seeds;
    for (const [fold, { targets, difficulty }] of fitted.entries())
      for (let seed = 1; seed <= times; seed++) {
        const forms = draw(pool, difficulty, { size, count: COUNT, buckets: BUCKETS, seed: fold * times + seed });
        const tables =
          way === "anchoreval forms" ? forms.map((form) => equatedScores(difficulty.answered, form, everything)) : [];
        for (const model of targets) {
          const full = score(model, everything);
          const own = forms.map((form) => score(model, form));
          gaps.set(model, [...(gaps.get(model) ?? []), Math.abs(own[0] - own[1])]);
          for (const value of own) toPool.push(Math.abs(value - full));
          tables.forEach((table, k) => {
            equating.raw.push(Math.abs(own[k] - full));
            equating.equated.push(Math.abs(table[Math.round(own[k] * size)] - full));
          });
        }
        if (tables.length > 0 && seed === 1) {
          const options = { size, count: COUNT, buckets: BUCKETS, random: createRandom(seed) };
          const { pairs } = summarizeForms(buildParallelForms(pool, difficulty, options), seed, BUCKETS);
          chance.push(pairs[0].chanceDifference);
        }
      }
    rows[way] = { gaps: new Map([...gaps].map(([model, own]) => [model, mean(own)])), toPool: mean(toPool) };
  }
  console.log(
    `  ${COUNT} forms of ${size}: points apart (ratio to random ± its standard error), points from the pool's score`,
  );
  for (const [way, { gaps, toPool }] of Object.entries(rows)) {
    const { ratio, error } = ratioOf(gaps, rows.random.gaps);
    console.log(
      `    ${way.padEnd(24)} ${points(mean([...gaps.values()]))}  (${ratio.toFixed(2)} ± ${error.toFixed(2)})  ${points(toPool)}`,
    );
  }
  console.log(`    by chance alone, as the response model expects: ${points(mean(chance))}`);
  console.log(
    `    error for the pool's score: raw ${points(mean(equating.raw))}, equated ${points(mean(equating.equated))}`,
  );
  const built = buildParallelForms(pool, fitted[0].difficulty, {
    size,
    count: COUNT,
    buckets: BUCKETS,
    random: createRandom(1),
  });
  distances(built, { size, count: COUNT, seed: 1 });
}

/** Prints how far forms are from the pool and from each other, beside those drawn one after the other. */
function distances(built, shape) {
  const { strata, quotas, forms } = built;
  const line = (name, lists) => {
    const counts = lists.map((items) => drawnCounts(built, items));
    const cells = ["subject", "bucket"].map((axis) => {
      const margins = counts.map((own) => marginCounts(strata, axis, own));
      const toPool = Math.max(...counts.map((own) => marginDistance(strata, own, axis)));
      return `${toPool.toFixed(3)} to the pool, ${shareDistance(margins[0], margins[1]).toFixed(3)} to each other`;
    });
    console.log(`    L1, ${name}: by subject ${cells[0]}; by difficulty ${cells[1]}`);
  };
  line(
    "anchoreval forms",
    forms.map(({ items }) => items),
  );
  line("one after the other", oneAfterTheOther(built, shape));
  console.log(
    `    least that ${shape.size} items can have to the pool: ${quotas.least.subjects.toFixed(3)}, ${quotas.least.buckets.toFixed(3)}`,
  );
}

async function simulated() {
  const { columns, rows, matrix } = simulatedPool({ models: 120 });
  const subjects = [...new Set(rows.map((row) => row.at(-1)))];
  const exclude = createRandom(1)
    .fork("excluded")
    .shuffle([...subjects])
    .slice(0, 7);
  const pool = itemPool(tableOf(columns, rows), { by: "Subject", exclude });
  console.log(
    `\nsimulated: ${rows.length} items in ${subjects.length} subjects, ${exclude.length} excluded: ${pool.rows.length} items`,
  );
  const size = 300;
  const shape = { size, count: COUNT, buckets: BUCKETS };
  const begun = performance.now();
  const plain = buildParallelForms(pool, NO_DIFFICULTY, { ...shape, random: createRandom(1) });
  console.log(`  no difficulty: ${seconds(begun)} s`);
  distances(plain, { ...shape, seed: 1 });

  const [split] = folds(
    { groups: modelFamilies(matrix), eligible: matrix.subjects.map(() => true) },
    2,
    createRandom(1),
  );
  const fitting = performance.now();
  const difficulty = await calibrated(pool, matrix, split.sources);
  console.log(`  difficulty from ${difficulty.answered.models} models: ${seconds(fitting)} s`);
  const building = performance.now();
  const forms = buildParallelForms(pool, difficulty, { ...shape, random: createRandom(1) });
  const { passes, swaps, before, after } = forms.refinement;
  console.log(
    `  forms: ${seconds(building)} s; ${swaps} swaps in ${passes} passes, mismatch ${before.toPrecision(2)} to ${after.toPrecision(2)}`,
  );
  for (const drift of [0, Number(values.drift)]) {
    console.log(`  held-out models on Chinese items, ${100 * drift} % of them other ones than in English:`);
    compare(pool, drifted(matrix, drift), [{ targets: split.targets, difficulty }], size);
  }
}

/** Answers with those of a share of the items dealt anew among the items of their subject. */
function drifted(matrix, share) {
  const random = createRandom(1).fork("drift");
  const moved = new Map();
  matrix.items.forEach(({ scenario }, i) => {
    if (random.next() < share) moved.set(scenario, [...(moved.get(scenario) ?? []), i]);
  });
  const from = [...matrix.items.keys()];
  for (const items of moved.values()) random.shuffle([...items]).forEach((other, k) => (from[items[k]] = other));
  const changed = submatrix(matrix, [...matrix.subjects.keys()], from);
  return { ...changed, items: matrix.items };
}

function tableOf(columns, rows) {
  return { name: "the items", columns, rows, lines: rows.map((_, k) => k + 2) };
}

/** Ratio of two means over models, and its standard error with models as units. */
function ratioOf(own, random) {
  const models = [...own.keys()];
  const all = models.reduce((sum, m) => sum + random.get(m), 0);
  const ratio = models.reduce((sum, m) => sum + own.get(m), 0) / all;
  const squares = models.reduce((sum, m) => sum + (own.get(m) - ratio * random.get(m)) ** 2, 0);
  return { ratio, error: Math.sqrt(squares) / all };
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function points(fraction) {
  return (100 * fraction).toFixed(2);
}

function seconds(begun) {
  return ((performance.now() - begun) / 1000).toFixed(1);
}
