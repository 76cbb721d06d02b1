// How often intervals over trials hold what they are for: this run's score, the expected score over runs, that on other tasks.
// usage: node bench/trials.js FOLDER [--splits 20] [--trials 1,3,5] [--boards 4] [--models 80] [--slope 0.6] [--luck 0.8]
//          [--scenarios human_eval,lsat_cot]
// FOLDER has terminal-bench-core, with trials.csv.gz and items.jsonl.gz, and noises-lowk07.
//
// terminal-bench-core: each model in turn is held out, the bundle is fitted on the others. "Other tasks": fitted and asked on a
// random half of the tasks, and the truth is the model's mean on the other half, whose own error is taken into account; "same
// tasks": asked on half of the tasks in some trials, and the truth is its mean on all tasks in the other trials. Beside each the
// ± that boards print, 1.96 standard deviations of the run means over their root.
//
// noises-lowk07 has rates of some ten runs, whose number is the least that all rates of a model in a scenario are multiples of.
// Eight models at a time are held out; 50 items are asked in trials drawn from those runs. Truths: the mean of these trials of
// all items, and that of the other trials, its own error taken into account.
//
// Simulated boards: `models` × 400 items, logit chance = a(θ − b) + luck·N(0,1) anew in each cell, a even from `slope` to .8
// more, fitted on means of 3 trials of all but 20 of them; every truth is known.
import { join } from "node:path";
import { loadBundle } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { estimateTrials } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import { bundleFiles, fit, readResponses, resolveBackend } from "anchoreval-trainer";
import { withComponents } from "anchoreval-trainer/internal/features/trials/fit/variance-components";
import { responseMatrix, scoreAt } from "anchoreval-trainer/internal/matrix/response-matrix";
import { readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    splits: "20",
    trials: "1,3,5",
    boards: "4",
    models: "80",
    slope: "0.6",
    luck: "0.8",
    scenarios: "human_eval,lsat_cot",
  },
  1,
);
const { backend } = await resolveBackend("typescript", { threads: 2 });
const TRIALS = values.trials.split(",").map(Number);
const mean = (own) => own.reduce((sum, one) => sum + one, 0) / own.length;
const variance = (own) => own.reduce((sum, one) => sum + (one - mean(own)) ** 2, 0) / (own.length - 1);

/** A bundle of some models and items, from their trials. */
async function bundleOf({ models, items, trialsOf }, size) {
  const cells = models.flatMap((model) =>
    items.map((item) => ({ model, item: item.item_id, scores: trialsOf(model, item.item_id) })),
  );
  const matrix = responseMatrix(
    models,
    items,
    Float64Array.from(cells, ({ scores }) => mean(scores)),
  );
  const options = {
    benchmark: "trials",
    version: "1.0.0",
    created: "2026-01-01T00:00:00Z",
    sizes: [size],
    seed: 1,
    backend,
    parts: [withComponents(cells, matrix.items)],
  };
  const files = bundleFiles(await fit(matrix, options));
  return loadBundle({ name: "trials", read: async (file) => files.get(file) ?? null });
}

/** Coverages and mean half-widths, by name. */
class Tally {
  #rows = new Map();
  /** @param error - standard error of the truth: it widens the interval */
  add(name, score, interval, truth, error = 0) {
    const row = this.#rows.get(name) ?? { held: 0, of: 0, width: 0 };
    const side = (end) => Math.hypot(end - score, 1.96 * error);
    if (truth >= score - side(interval.low) && truth <= score + side(interval.high)) row.held++;
    row.of++;
    row.width += (interval.high - interval.low) / 2;
    this.#rows.set(name, row);
  }
  lines() {
    return Array.from(
      this.#rows,
      ([name, { held, of, width }]) =>
        `  ${name.padEnd(44)} ${(held / of).toFixed(3)} of ${of}, ± ${((100 * width) / of).toFixed(1)}`,
    );
  }
}

/** The ± of run means about their mean, as boards print it. */
function printed(trialsOf, ids, runs) {
  const means = Array.from({ length: runs }, (_, t) => mean(ids.map((id) => trialsOf(id)[t])));
  const half = (1.96 * Math.sqrt(variance(means))) / Math.sqrt(runs);
  return { score: mean(means), interval: { low: mean(means) - half, high: mean(means) + half } };
}

const path = join(folder, "terminal-bench-core");
const read = await readResponses(join(path, "trials.csv.gz"), { items: join(path, "items.jsonl.gz") });
const { subjects, items } = read.matrix;
const table = new Map(read.trials.map(({ model, item, scores }) => [`${model}\n${item}`, scores]));
const board = (model, id) => table.get(`${model}\n${id}`);
const tally = new Tally();
for (let split = 0; split < Number(values.splits); split++) {
  const random = createRandom(`split ${split}`);
  for (const target of subjects) {
    const models = subjects.filter((model) => model !== target);
    const trialsOf = (id) => board(target, id);
    const order = random.shuffle([...items]);
    const [half, rest] = [order.slice(0, items.length / 2), order.slice(items.length / 2)];
    const [own, other] = [half, rest].map((side) => side.map(({ item_id: id }) => id));

    for (const size of [20, 40]) {
      const bundle = await bundleOf({ models, items: half, trialsOf: board }, size);
      const asked = bundle.scenarios.values().next().value.forms.get(String(size)).itemIds;
      for (const t of TRIALS) {
        const { score, trials } = estimateTrials(bundle, new Map(asked.map((id) => [id, trialsOf(id).slice(0, t)])));
        const means = other.map((id) => mean(trialsOf(id)));
        const error = Math.sqrt(variance(means) / means.length);
        const name = `other tasks, ${size} of 40 asked, ${t} trials`;
        tally.add(`${name}: over tasks`, score, trials.overall.tasks, mean(means), error);
        if (size === 40 && t > 1) {
          const usual = printed(trialsOf, own, t);
          tally.add(`${name}: ± of run means`, usual.score, usual.interval, mean(means), 0);
          tally.add(`${name}: same, truth's error added`, usual.score, usual.interval, mean(means), error);
        }
      }
    }
    const bundle = await bundleOf({ models, items, trialsOf: board }, 40);
    const asked = bundle.scenarios.values().next().value.forms.get("40").itemIds;
    for (const t of TRIALS.filter((count) => count < 4)) {
      const { score, trials } = estimateTrials(bundle, new Map(asked.map((id) => [id, trialsOf(id).slice(0, t)])));
      const later = items.map(({ item_id: id }) => trialsOf(id).slice(t));
      const noise = mean(later.map((own) => variance(own) / own.length)) / items.length;
      const name = `same tasks, 40 of 80 asked, ${t} trials`;
      tally.add(`${name}: over runs`, score, trials.overall.expected, mean(later.map(mean)), Math.sqrt(noise));
      if (split > 0) continue; // nothing is drawn
      const whole = items.map(({ item_id: id }) => id);
      if (t > 1) {
        const usual = printed(trialsOf, whole, t);
        tally.add(`all tasks, ${t} trials: ± of run means`, usual.score, usual.interval, mean(later.map(mean)), Math.sqrt(noise)); // prettier-ignore
      }
    }
  }
}
console.log(`terminal-bench-core, ${subjects.length} models × ${values.splits} splits`);
for (const line of tally.lines()) console.log(line);

const five = subjects.map((model) => {
  const ids = items.map(({ item_id: id }) => id);
  const usual = printed((id) => board(model, id), ids, 5);
  const means = ids.map((id) => mean(board(model, id)));
  return { printed: usual.interval.high - usual.score, tasks: 1.96 * Math.sqrt(variance(means) / means.length) };
});
console.log(
  `  80 tasks × 5 trials: ± of five run means ${(100 * mean(five.map((own) => own.printed))).toFixed(2)}, over tasks ${(100 * mean(five.map((own) => own.tasks))).toFixed(2)}`,
);

/** Trials by model and item: lists of passes, of models with six runs of every item or more. */
function repeatedBoard(matrix, columns) {
  const table = new Map();
  matrix.subjects.forEach((model, m) => {
    const rates = columns.map((i) => scoreAt(matrix, m, i));
    const count = [...Array(60).keys()].slice(6).find((n) => rates.every((rate) => Math.abs(rate * n - Math.round(rate * n)) < 0.02)); // prettier-ignore
    if (count === undefined || rates.every((rate) => rate === 0 || rate === 1)) return;
    const trials = rates.map((rate) => Array.from({ length: count }, (_, k) => Number(k < Math.round(rate * count))));
    table.set(model, new Map(columns.map((i, k) => [matrix.items[i].item_id, trials[k]])));
  });
  return table;
}

const runs = await readLeaderboard(folder, "noises-lowk07");
for (const scenario of values.scenarios.split(",").filter(Boolean)) {
  const columns = [...runs.items.keys()].filter((i) => runs.items[i].scenario === scenario);
  const cells = repeatedBoard(runs, columns);
  const itemsOf = columns.map((i) => ({ item_id: runs.items[i].item_id, scenario }));
  const random = createRandom(scenario);
  const models = random.shuffle([...cells.keys()]);
  const held = new Tally();
  for (let from = 0; from < models.length; from += 8) {
    const targets = models.slice(from, from + 8);
    const sources = models.filter((model) => !targets.includes(model));
    const trialsOf = (model, id) => cells.get(model).get(id);
    const bundle = await bundleOf({ models: sources, items: itemsOf, trialsOf }, 50);
    const asked = bundle.scenarios.values().next().value.forms.get("50").itemIds;
    for (const target of targets)
      for (const t of TRIALS)
        for (let repeat = 0; repeat < 5; repeat++) {
          const drawn = new Map([...cells.get(target)].map(([id, own]) => [id, random.shuffle([...own])]));
          const { score, trials } = estimateTrials(bundle, new Map(asked.map((id) => [id, drawn.get(id).slice(0, t)])));
          const later = [...drawn.values()].map((own) => own.slice(t));
          const noise = mean(later.map((own) => variance(own) / own.length)) / later.length;
          held.add(`${t} trials: this run`, score, trials.overall.run, mean([...drawn.values()].map((own) => mean(own.slice(0, t))))); // prettier-ignore
          if (later[0].length > 1)
            held.add(`${t} trials: over runs`, score, trials.overall.expected, mean(later.map(mean)), Math.sqrt(noise));
        }
  }
  console.log(`\nnoises-lowk07, ${scenario}: 50 of ${columns.length} items asked, ${models.length} models`);
  for (const line of held.lines()) console.log(line);
}

/** A simulated board. */
function simulated(seed) {
  const random = createRandom(`board ${seed}`);
  const ids = Array.from({ length: 400 }, (_, i) => `sim/${i}`);
  const curves = ids.map(() => drawCurve(random));
  const models = Array.from({ length: Number(values.models) }, (_, m) => {
    const ability = random.normal();
    const chances = new Map(ids.map((id, i) => [id, chanceOf(curves[i], ability, random)]));
    return { name: `m${m}`, ability, chances };
  });
  return { models, items: ids.map((id) => ({ item_id: id, scenario: "sim" })), ids };
}
const drawCurve = (random) => ({ a: Number(values.slope) + 0.8 * random.next(), b: 1.2 * random.normal() });
const chanceOf = ({ a, b }, ability, random) =>
  1 / (1 + Math.exp(-(a * (ability - b) + Number(values.luck) * random.normal())));

const known = new Tally();
for (let seed = 0; seed < Number(values.boards); seed++) {
  const { models, items: simulatedItems, ids } = simulated(seed);
  const random = createRandom(`trials ${seed}`);
  const draw = (chance, count) => Array.from({ length: count }, () => Number(random.next() < chance));
  const drawn = new Map(
    models.slice(20).map(({ name, chances }) => [name, new Map(ids.map((id) => [id, draw(chances.get(id), 3)]))]),
  );
  const sources = [...drawn.keys()];
  const trialsOf = (model, id) => drawn.get(model).get(id);
  const bundle = await bundleOf({ models: sources, items: simulatedItems, trialsOf }, 50);
  const asked = bundle.scenarios.values().next().value.forms.get("50").itemIds;
  for (const { ability, chances } of models.slice(0, 20)) {
    const expected = mean([...chances.values()]);
    const tasks = mean(Array.from({ length: 20000 }, () => chanceOf(drawCurve(random), ability, random)));
    for (const t of [...TRIALS, 10])
      for (let repeat = 0; repeat < 10; repeat++) {
        const run = new Map(ids.map((id) => [id, draw(chances.get(id), t)]));
        const { score, trials } = estimateTrials(bundle, new Map(asked.map((id) => [id, run.get(id)])));
        const { overall } = trials;
        known.add(`${t} trials: this run`, score, overall.run, mean([...run.values()].map(mean)));
        known.add(`${t} trials: over runs`, score, overall.expected, expected);
        known.add(`${t} trials: over tasks`, score, overall.tasks, tasks);
      }
  }
}
console.log(`\nsimulated, 50 of 400 items asked, fitted on 3 trials: ${values.boards} boards × 20 models × 10 runs`);
for (const line of known.lines()) console.log(line);
