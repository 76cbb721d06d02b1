// Whether plans keep what they promise: the items that bundles of several seeds plan for some half-widths, and how many of the
// held-out models have no wider intervals by forms of so many items, fitted with another seed.
// usage: node bench/plan.js FOLDER [--sets helm-lite] [--half-widths 10,7] [--anchors 10,30,50,100] [--splits 3] [--seeds 4]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { estimateFromAnchors, planFromBundle } from "anchoreval";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, mean, method, modelAnswers } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite" },
    "half-widths": { type: "string", default: "10,7" },
    anchors: { type: "string", default: "10,30,50,100" },
    splits: { type: "string", default: "3" },
    seeds: { type: "string", default: "4" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/plan.js FOLDER [--sets a,b] [--half-widths 10,7] [--splits 3] [--seeds 4]");
  process.exit(2);
}
const numbers = (text) => text.split(",").map(Number);
const sizes = numbers(values.anchors);
/** The mean over several scenarios is planned for half of it. */
const widths = numbers(values["half-widths"]).map((width) => width / 100);
const points = (fraction) => (100 * fraction).toFixed(1);

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const rows = [];
  const cells = planCells(matrix, { split: "interpolation", sizes, seeds: Number(values.splits), method });
  for (const { split, seed: number } of cells) {
    const sources = submatrix(matrix, split.sources, items);
    const fitted = async (seed, anchors) => (await fittedBundle(sources, { sizes: anchors, seed })).bundle;
    const plans = new Map();
    for (let seed = 0; seed < Number(values.seeds); seed++)
      for (const [row, items] of plannedItems(await fitted(`plan ${seed}`, sizes)))
        plans.set(row, [...(plans.get(row) ?? []), items]);
    const planned = Array.from(plans, ([row, of]) => ({ ...JSON.parse(row), of }));
    const forms = [...new Set(planned.map(({ share, of }) => Math.round(of[0] * share)))].sort((x, y) => x - y);
    const bundle = await fitted("served", forms);
    const targets = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((row) => !row.some(Number.isNaN));
    for (const { id, width, share, of } of planned) {
      const halves = halfWidths(matrix, bundle, String(Math.round(of[0] * share)), id, targets);
      const within = mean(halves.map((half) => (half <= width ? 1 : 0)));
      rows.push({ id, width, within, spread: Math.max(...of) / Math.min(...of) });
      console.log(
        `${set}, split ${number}, ${id} to ± ${points(width)}: ${of.join(", ")} items; ${points(within)} % within`,
      );
    }
  }
  const spreads = rows.map(({ spread }) => spread).sort((x, y) => x - y);
  console.log(
    `${set}: ${points(mean(rows.map(({ within }) => within)))} % of the models within what was promised; most items to fewest ` +
      `over seeds: ${mean(spreads).toFixed(2)} on the mean, ${spreads.at(-1).toFixed(2)} at most`,
  );
}

/** Items that a bundle plans for each half-width, where forms of so many exist; `share` of them are each scenario's. */
function plannedItems(bundle) {
  const ids = [...bundle.scenarios.keys()];
  return widths.flatMap((width) => {
    const rows = ids.map((id) => {
      const { items } = planFromBundle(bundle, { halfWidth: width }).needed.scenarios[id];
      return [JSON.stringify({ id, width, share: 1 }), items];
    });
    if (ids.length === 1) return rows;
    const overall = { id: "overall", width: width / 2, share: 1 / ids.length };
    return [...rows, [JSON.stringify(overall), planFromBundle(bundle, { halfWidth: width / 2 }).needed.overall.items]];
  });
}

/** What intervals of the targets come to by a form. */
function halfWidths(matrix, bundle, form, id, targets) {
  const answersOf = modelAnswers(matrix, bundle, form);
  return targets.map((row) => {
    const estimate = estimateFromAnchors(bundle, answersOf(row).responses, { form });
    const { low, high } = (id === "overall" ? estimate : estimate.scenarios[id]).interval;
    return (high - low) / 2;
  });
}
