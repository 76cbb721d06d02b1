// Fifty answers of a model, as one trial of 50 tasks, two of 25 or five of 10: what each errs by, and what `planTrials` had said.
// usage: node bench/trial-prices.js FOLDER [--seeds 2] [--repeats 4] [--sources N]
// FOLDER has terminal-bench-core, with trials.csv.gz and items.jsonl.gz, and terminal-bench-1, whose shares are of five trials.
//
// Each model in turn is held out and a bundle fitted on the others' trials, or those of N of them, by several seeds. It answers a form in trials drawn
// from its own, and the truth is its mean on all tasks in the other trials: the variance of that truth is taken away from the
// squared errors, and widens the intervals. Five trials leave no others: they are compared with their own run, whose variance
// is added, as it has nothing to do with which tasks were drawn.
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { estimateTrials } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import { planTrials } from "anchoreval/internal/features/trials/sdk/plan-trials";
import { readResponses, scoreAt } from "anchoreval-trainer";
import { withComponents } from "anchoreval-trainer/internal/features/trials/fit/variance-components";
import { responseMatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedBundle, mean, points } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(import.meta.url, { seeds: "2", repeats: "4", sources: null }, 1);
/** Tasks, and trials of each. */
const WAYS = [
  { size: 50, count: 1 },
  { size: 25, count: 2 },
  { size: 10, count: 5 },
];
const variance = (own) => own.reduce((sum, one) => sum + (one - mean(own)) ** 2, 0) / (own.length - 1);

await replayBoard("terminal-bench-core", "trials.csv.gz", ({ trials }) => trials);
await replayBoard("terminal-bench-1", "responses.csv.gz", ({ matrix }) =>
  matrix.subjects.flatMap((model, m) =>
    matrix.items.map(({ item_id: item }, i) => {
      const passed = Math.round(5 * scoreAt(matrix, m, i));
      return { model, item, scores: [0, 1, 2, 3, 4].map((k) => Number(k < passed)) };
    }),
  ),
);

/** Replays all models of a board. @param trialsOf - scores of its cells' trials */
async function replayBoard(set, table, trialsOf) {
  const read = await readResponses(join(folder, set, table), { items: join(folder, set, "items.jsonl.gz") });
  const { subjects, items } = read.matrix;
  const cells = trialsOf(read);
  const results = WAYS.map(() => ({ planned: [], basis: new Set(), squares: [], noises: [], halves: [], held: [] }));
  for (let seed = 0; seed < Number(values.seeds); seed++)
    for (const target of subjects) {
      const random = createRandom(`${target} ${seed}`);
      const others = random.shuffle(subjects.filter((model) => model !== target));
      const learned = others.slice(0, values.sources ? Number(values.sources) : undefined);
      const bundle = await fittedOn(learned, items, cells, seed);
      const plan = planTrials(bundle, { trials: WAYS.map(({ count }) => count) });
      const own = cells.filter(({ model }) => model === target);
      WAYS.forEach(({ size, count }, w) => {
        const { basis, choices } = plan.forms.find(({ form }) => form === String(size));
        results[w].basis.add(basis);
        results[w].planned.push(choices.find(({ trials }) => trials === count).halfWidth);
        for (let repeat = 0; repeat < Number(values.repeats); repeat++) {
          const drawn = new Map(own.map(({ item, scores }) => [item, random.shuffle([...scores])]));
          addReplay(results[w], bundle, drawn, WAYS[w]);
        }
      });
    }
  console.log(`${set}: ${subjects.length} models × ${items.length} tasks; points`);
  WAYS.forEach((way, w) => console.log(line(way, results[w])));
}

function line({ size, count }, { planned, basis, squares, noises, halves, held }) {
  const rmse = Math.sqrt(Math.max(0, mean(squares) - mean(noises)));
  const most = halves.toSorted((x, y) => x - y)[Math.ceil(0.9 * halves.length) - 1];
  const coverage = held.length === 0 ? "–" : mean(held).toFixed(3);
  return `  ${size} tasks × ${count}: RMSE ${points(rmse)}  coverage ${coverage}  ± ${points(mean(halves))}, of nine in ten at most ${points(most)}, planned ${points(mean(planned))} (${[...basis].join(", ")})`;
}

/** A bundle of some models' trials. */
async function fittedOn(models, items, cells, seed) {
  const learned = cells.filter(({ model }) => models.includes(model));
  const means = new Map(learned.map(({ model, item, scores }) => [`${model}\n${item}`, mean(scores)]));
  const scores = models.flatMap((model) => items.map(({ item_id: item }) => means.get(`${model}\n${item}`)));
  const sizes = WAYS.map(({ size }) => size);
  const parts = [withComponents(learned, items)];
  return (await fittedBundle(responseMatrix(models, items, Float64Array.from(scores)), { sizes, seed, parts })).bundle;
}

/** One run of a form in some trials, beside the expected score. @param trials - the model's, by item */
function addReplay({ squares, noises, halves, held }, bundle, trials, { size, count }) {
  const form = String(size);
  const [scenario] = bundle.scenarios.values();
  const asked = scenario.forms.get(form).itemIds.map((id) => [id, trials.get(id).slice(0, count)]);
  const { score, trials: intervals } = estimateTrials(bundle, new Map(asked), { form });
  const { low, high } = intervals.overall.expected;
  const all = [...trials.values()];
  const isLeft = all.every((own) => own.length > count + 1);
  const compared = all.map((own) => (isLeft ? own.slice(count) : own.slice(0, count)));
  const noise = mean(compared.map((own) => variance(own) / own.length)) / compared.length;
  const truth = mean(compared.map(mean));
  squares.push((score - truth) ** 2);
  noises.push(isLeft ? noise : -noise);
  halves.push((high - low) / 2);
  const side = (end) => Math.hypot(end - score, 1.96 * Math.sqrt(noise));
  if (isLeft) held.push(Number(truth >= score - side(low) && truth <= score + side(high)));
}
