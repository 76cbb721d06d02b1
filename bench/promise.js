// What a bundle promises of the overall score, and of each scenario's, beside what held-out models show: a fit on the source
// models of a split, whose measured errors are read from the bundle, then estimates of the split's targets. ± is the standard
// error of what is promised, of as many held-out models.
// usage: node bench/promise.js FOLDER [--sets helm-lite,openllm2-official] [--anchors 10,30,50,100] [--split extrapolation]
//          [--seeds 3]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { parseArgs } from "node:util";
import { estimateFromAnchors } from "anchoreval";
import { planCells } from "../offline-trainer/dist/backtest/plan-cells.js";
import { scoreAt, submatrix } from "../offline-trainer/dist/matrix/response-matrix.js";
import { fittedBundle, holds, mean, method, modelAnswers, points } from "./fitted-bundle.js";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    anchors: { type: "string", default: "10,30,50,100" },
    split: { type: "string", default: "extrapolation" },
    seeds: { type: "string", default: "3" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/promise.js FOLDER [--sets a,b] [--anchors 10,30,50,100] [--split extrapolation]");
  process.exit(2);
}
const sizes = values.anchors.split(",").map(Number);
/** Which of a bundle's measured errors are of models like the targets. */
const kind = values.split === "extrapolation" ? "extrapolation" : "interpolation";

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const rows = new Map();
  for (const { split, seed } of planCells(matrix, { ...values, sizes, seeds: Number(values.seeds), method })) {
    const { bundle } = await fittedBundle(submatrix(matrix, split.sources, items), { sizes, seed });
    const answered = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((scores) => !scores.some(Number.isNaN));
    for (const form of bundle.manifest.forms) {
      const answersOf = modelAnswers(matrix, bundle, form.id);
      for (const { responses, truths } of answered.map((scores) => answersOf(scores))) {
        const found = estimateFromAnchors(bundle, responses, { form: form.id });
        if (truths.size > 1) add("overall", form, form.overall, found, mean([...truths.values()]));
        for (const [id, truth] of truths)
          add("scenarios", form, form.scenarios[id].together ?? form.scenarios[id], found.scenarios[id], truth);
      }
    }
  }
  console.log(`${set}, ${values.split}: errors in points, promised by the bundle and of the targets`);
  for (const [row, estimates] of rows) {
    const promised = mean(estimates.map((own) => own.promised));
    const known = mean(estimates.map((own) => own.known));
    const error = mean(estimates.map((own) => Math.abs(own.error)));
    console.log(
      `  ${row.padEnd(16)} promised ${points(promised)} ± ${points(known)}, error ${points(error)} (${(promised / error).toFixed(2)} promised), ` +
        `bias ${points(mean(estimates.map((own) => own.error)))}, 95 % intervals hold ${mean(estimates.map((own) => own.held)).toFixed(3)}`,
    );
  }

  function add(of, form, { measured }, { score, interval }, truth) {
    const row = `${of}, ${form.id}`;
    const { models = NaN, estimators } = measured[kind] ?? {};
    const { mae = NaN, rmse = NaN } = estimators?.[form.estimator] ?? {};
    const own = {
      promised: mae,
      known: Math.sqrt((rmse ** 2 - mae ** 2) / models),
      error: score - truth,
      held: interval && holds(interval, truth) ? 1 : 0,
    };
    rows.set(row, [...(rows.get(row) ?? []), own]);
  }
}
