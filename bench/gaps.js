// A board as its maintainers have it: the weaker, the older a model, and old models weren't run on newer items. Writes such a
// one from a set that has all answers, for bench/accuracy.js.
// usage: node bench/gaps.js SET OUT [--share .3] [--harder 1] [--seed 1]
//
// Models stand in the order of their scores, and a model lacks the items that are newer than it by more than so much that
// about SHARE of all answers is missing; the best third lacks none. HARDER: by how many standard deviations newer items are harder than
// the oldest, 0 where dates have nothing to do with difficulty.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses } from "anchoreval-trainer";
import { scoreAt } from "anchoreval-trainer/internal/matrix/response-matrix";
import { writeItems, writeWideCsv } from "anchoreval-trainer/internal/matrix/write-tables";
import { ranks } from "anchoreval-trainer/internal/numeric/statistics";
import { mean } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [set, out],
} = readOptions(import.meta.url, { share: "0.3", harder: "1", seed: "1" }, 2);
const { matrix } = await readResponses(join(set, "responses.csv.gz"), { items: join(set, "items.jsonl.gz") });
const [models, items] = [[...matrix.subjects.keys()], [...matrix.items.keys()]];
const random = createRandom(Number(values.seed)).fork("gaps");

/** Place of every one in order, in [0,1]. */
const places = (figures) => ranks(figures).map((rank) => (rank - 0.5) / figures.length);
const scores = (list, at) => mean(list.map(at).filter((score) => !Number.isNaN(score)));
const strength = places(models.map((m) => scores(items, (i) => scoreAt(matrix, m, i))));
const hardness = places(items.map((i) => -scores(models, (m) => scoreAt(matrix, m, i))));
const date = places(hardness.map((place) => Number(values.harder) * (place - 0.5) * Math.sqrt(12) + random.normal()));
// Of the weaker two thirds, dates and strengths even on [0,1]: P(date − strength·3/2 > w) = (1 − w)²/2·2/3.
const late = 1 - Math.sqrt(3 * Number(values.share));
const observed = new Uint8Array(models.length * items.length).fill(1);
const cells = new Float32Array(observed.length);
for (const m of models)
  for (const i of items) {
    const at = m * items.length + i;
    const score = scoreAt(matrix, m, i);
    if (Number.isNaN(score) || (strength[m] < 2 / 3 && date[i] - 1.5 * strength[m] > late)) observed[at] = 0;
    else cells[at] = score;
  }
await mkdir(out, { recursive: true });
await writeWideCsv(join(out, "responses.csv.gz"), { ...matrix, scores: cells, observed, stride: items.length });
await writeItems(join(out, "items.jsonl.gz"), matrix.items);
console.log(`${out}: ${(100 * mean([...observed].map((seen) => 1 - seen))).toFixed(1)} % of the answers are missing`);
