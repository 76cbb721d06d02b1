// Another item or another trial: adaptive evaluations of held-out models' expected scores over runs, by their known answers.
// usage: node bench/another-trial.js FOLDER [--repeats 15] [--seeds 8] [--half-widths 8,6,5,4,3.5] [--budgets 0.5,1,1.5,2.5,5]
//          [--sets terminal-bench-core] [--rules 200]
// FOLDER has terminal-bench-core, with trials.csv.gz and items.jsonl.gz, and passk-code, whose sets (LBPP_Python, …) have rates of 128 samples.
//
// Answers are drawn from a model's recorded trials, so that their mean is the truth; budgets are answers over items. Then, on
// terminal-bench-core (--rules N times), what is asked again once all items are asked, by several rules; and, computed, how much
// another trial of a noisy item may be worth before all items are asked, on boards of 80 items whose chances are known.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { itemPool } from "anchoreval/internal/adaptive/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { predictAnswers } from "anchoreval/internal/core/adaptive/population";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses } from "anchoreval-trainer";
import { runReplays } from "../offline-trainer/dist/extensions/adaptive/replay.js";
import { groupItems, scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, method } from "./fitted-bundle.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeats: { type: "string", default: "15" },
    seeds: { type: "string", default: "8" },
    "half-widths": { type: "string", default: "8,6,5,4,3.5" },
    budgets: { type: "string", default: "0.5,1,1.5,2.5,5" },
    rules: { type: "string", default: "200" },
    sets: { type: "string", default: "terminal-bench-core" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    "usage: node bench/another-trial.js FOLDER [--repeats 15] [--seeds 8] [--half-widths 8,6] [--budgets 1,5]",
  );
  process.exit(2);
}
/** Of which passk-code has the rates. */
const SAMPLES = 128;
const numbers = (text) => text.split(",").filter(Boolean).map(Number);

/** A board with the trials of its cells: recorded ones, or as many as its pass rates are of. */
async function readBoard(set) {
  const path = join(folder, set);
  if (set === "terminal-bench-core")
    return readResponses(join(path, "trials.csv.gz"), { items: join(path, "items.jsonl.gz") });
  const { matrix } = await readResponses(join(folder, "passk-code", `${set}.pass1.csv.gz`));
  const trials = matrix.subjects.flatMap((model, m) =>
    matrix.items.map(({ item_id: item }, i) => {
      const passed = Math.round(SAMPLES * scoreAt(matrix, m, i));
      return { model, item, scores: Array.from({ length: SAMPLES }, (_, k) => Number(k < passed)) };
    }),
  );
  return { matrix, trials };
}

const shared = {
  method,
  provider: "typescript",
  split: "interpolation",
  repeats: Number(values.repeats),
  mostTargets: 24,
  seeds: Number(values.seeds),
};
const report = async ({ matrix, trials }, name, options) => {
  const [row] = await runReplays(groupItems(matrix), { ...shared, trials, ...options });
  const figures = ["asked", "halfWidth", "rmse", "bias", "coverage"].map(
    (key) => `${key} ${row[key].toFixed(key === "coverage" ? 3 : 2)}`,
  );
  console.log(
    `${name.padEnd(22)} ${figures.join(", ")}, again ${row.trials.again.toFixed(1)}; uniform ${row.uniformRmse.toFixed(2)}; ` +
      `once each ± ${row.trials.once.toFixed(2)}, five times ± ${row.trials.fiveTimes.toFixed(2)} (${row.replays} replays of ${row.targets} models)`,
  );
};
for (const set of values.sets.split(",").filter(Boolean)) {
  const board = await readBoard(set);
  console.log(`${set}, ${board.matrix.subjects.length} models × ${board.matrix.items.length} items`);
  for (const share of numbers(values.budgets)) await report(board, `${share} answers an item`, { share });
  for (const points of numbers(values["half-widths"]))
    await report(board, `to ± ${points} points`, { share: 20, stop: { halfWidth: points / 100 } });
}

const mean = (own) => own.reduce((sum, one) => sum + one, 0) / own.length;
await compareRules(Number(values.rules));
compareBefore();

/** Errors of the mean after all items were asked once and some again, by what is asked again. */
async function compareRules(times) {
  const { matrix, trials } = await readBoard("terminal-bench-core");
  const errors = new Map();
  for (const [target, name] of matrix.subjects.entries()) {
    const others = [...matrix.subjects.keys()].filter((m) => m !== target);
    const { bundle, source } = await fittedBundle(submatrix(matrix, others, [...matrix.items.keys()]), {
      sizes: [40],
      seed: 1,
    });
    const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
    const population = pool.population(pool.scenarios.map(({ id }) => id));
    const ids = Array.from(population.lines, (line) => pool.item(line).item_id);
    const cells = new Map(trials.filter(({ model }) => model === name).map(({ item, scores }) => [item, scores]));
    const chances = ids.map((id) => mean(cells.get(id)));
    const prior = predictAnswers(population, { items: [], scores: [] });
    const random = createRandom(name);
    for (let time = 0; time < times; time++) {
      const first = chances.map((p) => Number(random.next() < p));
      const after = predictAnswers(population, { items: [...ids.keys()], scores: first });
      const rules = {
        evenly: () => 0.25,
        "by predictions before the first answer": (i) => prior[i] * (1 - prior[i]),
        "by predictions from all first answers": (i) => after[i] * (1 - after[i]),
        "by the item's own answers": (i, passed, of) =>
          ((passed + 2 * after[i]) / (of + 2)) * (1 - (passed + 2 * after[i]) / (of + 2)),
        "by the true chances": (i) => chances[i] * (1 - chances[i]),
      };
      for (const [rule, noise] of Object.entries(rules)) {
        const passed = first.slice();
        const of = ids.map(() => 1);
        for (let more = 1; more <= 160; more++) {
          const gains = ids.map((_, i) => noise(i, passed[i], of[i]) / (of[i] * (of[i] + 1)));
          const i = gains.indexOf(Math.max(...gains));
          passed[i] += Number(random.next() < chances[i]);
          of[i]++;
          if (![40, 80, 160].includes(more)) continue;
          const key = `${String(more).padStart(3)} again ${rule}`;
          errors.set(key, [...(errors.get(key) ?? []), mean(passed.map((own, j) => own / of[j])) - mean(chances)]);
        }
      }
    }
  }
  console.log("all 80 tasks once, and some again: bias and root mean squared error, points");
  for (const [key, own] of [...errors].sort(([a], [b]) => (a < b ? -1 : 1)))
    console.log(
      `  ${key.padEnd(52)} ${(100 * mean(own)).toFixed(3).padStart(6)} ${(100 * Math.sqrt(mean(own.map((x) => x * x)))).toFixed(2)}`,
    );
}

/** Σ (1/π − 1)(1−ρ)v + ρv/a at a answers, π = min(1, a): least over a, and by each item once before any is asked twice. */
function compareBefore() {
  const N = 80;
  const even = (from, to) => Array.from({ length: N }, (_, i) => from + ((to - from) * i) / (N - 1));
  const boards = {
    "v alike": even(0.2, 0.2),
    "v from .08 to .25": even(0.08, 0.25),
    "chances even in (0,1)": even(0.02, 0.98).map((p) => p * (1 - p)),
    "chances mostly near 0 or 1": even(-1, 1).map((z) => 0.25 - (0.495 * Math.tanh(2.5 * z)) ** 2),
  };
  console.log(
    "variance where another trial may come before another item, over that where none does, by items asked of 80",
  );
  for (const [name, v] of Object.entries(boards))
    for (const noise of [0.2, 0.5, 0.8]) {
      const varianceOf = (a) =>
        a.reduce((sum, own, i) => sum + (1 / Math.min(1, own) - 1) * (1 - noise) * v[i] + (noise * v[i]) / own, 0);
      const filled = (answers, most) => {
        let [low, high] = [1e-9, 1e9];
        const at = (level) =>
          v.map((own) =>
            Math.min(
              most,
              Math.sqrt(own) / level < 1 ? Math.sqrt(own) / level : Math.max(1, Math.sqrt(noise * own) / level),
            ),
          );
        for (let k = 0; k < 200; k++) {
          const level = Math.sqrt(low * high);
          if (at(level).reduce((sum, own) => sum + own, 0) > answers) low = level;
          else high = level;
        }
        return varianceOf(at(high));
      };
      const ratios = [0.5, 0.8, 0.9, 0.95, 1].map(
        (share) => `${share}: ${(filled(share * N, Infinity) / filled(share * N, 1)).toFixed(3)}`,
      );
      console.log(`  ${name.padEnd(28)} noise ${noise}  ${ratios.join("  ")}`);
    }
}
