// Models unlike any that a bundle was learned from, on a fit of a split's source models: near the ceiling and the floor,
// leaps, answers known by heart, at chance, inverted or missing where they were wrong, and sources half of which are copies
// of one.
// usage: node bench/unusual.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 30,50,100] [--seeds 3] [--models 20]
//          [--kinds "99 % right",chance]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { estimateFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, holds, mean, method, modelAnswers, points } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    anchors: { type: "string", default: "30,50,100" },
    seeds: { type: "string", default: "3" },
    models: { type: "string", default: "20" },
    kinds: { type: "string" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/unusual.js FOLDER [--sets a,b] [--anchors 30,50,100] [--seeds 3] [--models 20]");
  process.exit(2);
}
const sizes = values.anchors.split(",").map(Number);

/** An invented model is right on a share of all items. */
const right = (share) => (random) => () => (random.next() < share ? 1 : 0);
/** One of the best targets with a share of its errors set right. */
const mended = (share) => (random, own) => (i) => own(i) + (random.next() < share ? 1 - own(i) : 0);

/** How each kind answers an item: of a random source and one of the targets' own answers. */
const KINDS = {
  "as it is": { answer: (random, own) => own },
  "100 % right": { answer: right(1), once: true },
  "99 % right": { answer: right(0.99) },
  "97 % right": { answer: right(0.97) },
  "3 % right": { answer: right(0.03) },
  "1 % right": { answer: right(0.01) },
  chance: { answer: right(0.25) },
  inverted: { answer: (random, own) => (i) => 1 - own(i) },
  "60 % mended": { answer: mended(0.6), best: true },
  "80 % mended": { answer: mended(0.8), best: true },
  "30 % by heart": { answer: mended(0.3) },
  leap: { answer: (random, own) => own, best: true, weak: true },
  "wrong ones missing": { answer: (random, own) => own, hides: (random, score) => random.next() < 0.3 * (1 - score) },
  "half are copies": { answer: (random, own) => own, copies: true },
};
const kinds = Object.entries(KINDS).filter(([id]) => !values.kinds || values.kinds.split(",").includes(id));

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  for (const { split, seed } of planCells(matrix, {
    split: "interpolation",
    sizes,
    seeds: Number(values.seeds),
    method,
  })) {
    const answered = split.targets.filter((m) => items.every((i) => !Number.isNaN(scoreAt(matrix, m, i))));
    const random = createRandom(seed).fork("unusual models");
    const sources = submatrix(matrix, split.sources, items);
    const fitted = async (responses) => (await fittedBundle(responses, { sizes, seed })).bundle;
    const plain = await fitted(sources);
    for (const [id, kind] of kinds) {
      const total = (m) => items.reduce((sum, i) => sum + (scoreAt(matrix, m, i) || 0), 0);
      const weakest = [...split.sources].sort((a, b) => total(a) - total(b)).slice(0, split.sources.length / 2);
      const bundle = kind.copies
        ? await fitted(halfCopies(sources))
        : kind.weak
          ? await fitted(submatrix(matrix, weakest, items))
          : plain;
      const forms = bundle.manifest.forms.map((form) => [form.id, modelAnswers(matrix, bundle, form.id)]);
      const ordered = kind.best ? [...answered].sort((a, b) => total(b) - total(a)).slice(0, 10) : answered;
      for (const m of ordered.slice(0, kind.once ? 1 : Number(values.models))) {
        const answer = kind.answer(random, (i) => scoreAt(matrix, m, i));
        const scores = items.map(answer);
        const given = scores.map((score) => (kind.hides?.(random, score) ? NaN : score));
        for (const [form, answersOf] of forms) {
          const found = estimateFromAnchors(bundle, answersOf(given).responses, { form });
          judge(`${id}, ${form}`, found, answersOf(scores).truths, tallies);
        }
      }
    }
  }
  console.log(`${set}: errors and half-widths in points, of the anchor mean in brackets; accused: of scenarios`);
  for (const [row, scenarios] of tallies) {
    const figures = Object.entries(scenarios).map(
      ([of, { count, error, mean, bias, held, halfWidth }]) =>
        `${of} ${points(error / count)} (${points(mean / count)}) bias ${points(bias / count)} held ${(held / count).toFixed(2)} ± ${points(halfWidth / count)}`,
    );
    const { accused, warned, told, count } = scenarios.scenario;
    console.log(
      `  ${row.padEnd(26)} ${figures.join("; ")}; accused ${(accused / count).toFixed(2)}, warned ${(warned / count).toFixed(2)}, held or warned ${(told / count).toFixed(2)}`,
    );
  }
}

/** As many copies of the first model again as there are models. */
function halfCopies(sources) {
  const models = [...sources.subjects.keys()];
  const doubled = submatrix(sources, [...models, ...models.map(() => 0)], [...sources.items.keys()]);
  return { ...doubled, subjects: doubled.subjects.map((name, m) => (m < models.length ? name : `${name}-copy-${m}`)) };
}

/** Adds what a model's estimate errs by, in every scenario and overall. */
function judge(row, found, truths, tallies) {
  if (!tallies.has(row)) tallies.set(row, {});
  const meanOf = (id) => found.scenarios[id].details?.estimators["anchor-mean"] ?? NaN;
  for (const [id, truth] of truths) {
    const warned = found.warnings.some(({ scenario, code }) => scenario === id && code !== "missing_answers");
    const suspicions = found.scenarios[id].details?.pattern.suspicions ?? [];
    add("scenario", found.scenarios[id], meanOf(id), truth, suspicions.length > 0, warned);
  }
  if (truths.size > 1)
    add("overall", found, mean([...truths.keys()].map(meanOf)), mean([...truths.values()]), false, false);

  function add(of, { score, interval }, anchorMean, truth, accused, warned) {
    if (score === null || interval === null) return;
    const empty = { count: 0, error: 0, mean: 0, bias: 0, held: 0, halfWidth: 0, accused: 0, warned: 0, told: 0 };
    const own = (tallies.get(row)[of] ??= empty);
    own.count++;
    own.error += Math.abs(score - truth);
    own.mean += Math.abs(anchorMean - truth);
    own.bias += score - truth;
    own.held += holds(interval, truth) ? 1 : 0;
    own.halfWidth += (interval.high - interval.low) / 2;
    own.accused += accused ? 1 : 0;
    own.warned += warned ? 1 : 0;
    own.told += warned || holds(interval, truth) ? 1 : 0;
  }
}
