// Another item or another trial: adaptive evaluations of held-out models' expected scores over runs, by their known answers.
// usage: node bench/another-trial.js FOLDER [--repeats 20] [--seeds 3] [--half-widths 8,6,5,4] [--budgets 0.5,1,1.5,2.5,5]
//          [--sets terminal-bench-core,HumanEvalPack_PythonPlus,LBPP_Python]
// FOLDER has terminal-bench-core, with trials.csv.gz and items.jsonl.gz, and passk-code, whose rates are of 128 samples.
//
// Answers are drawn from a model's recorded trials, so that their mean is the truth; budgets are answers over items.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readResponses } from "anchoreval-trainer";
import { runReplays } from "../offline-trainer/dist/extensions/adaptive/replay.js";
import { groupItems, scoreAt } from "../offline-trainer/dist/matrix/response-matrix.js";
import { method } from "./fitted-bundle.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeats: { type: "string", default: "20" },
    seeds: { type: "string", default: "3" },
    "half-widths": { type: "string", default: "8,6,5,4" },
    budgets: { type: "string", default: "0.5,1,1.5,2.5,5" },
    sets: { type: "string", default: "terminal-bench-core,HumanEvalPack_PythonPlus,LBPP_Python" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error(
    "usage: node bench/another-trial.js FOLDER [--repeats 20] [--seeds 3] [--half-widths 8,6] [--budgets 1,5]",
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
for (const set of values.sets.split(",")) {
  const board = await readBoard(set);
  console.log(`${set}, ${board.matrix.subjects.length} models × ${board.matrix.items.length} items`);
  for (const share of numbers(values.budgets)) await report(board, `${share} answers an item`, { share });
  for (const points of numbers(values["half-widths"]))
    await report(board, `to ± ${points} points`, { share: 20, stop: { halfWidth: points / 100 } });
}
