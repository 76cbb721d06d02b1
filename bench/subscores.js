// Scores of groups of items on models that were held out of the whole fit: coverage, widths and errors.
// usage: node bench/subscores.js FOLDER [--sets helm-lite:math+mmlu,openllm2-official] [--splits interpolation,extrapolation]
//          [--anchors 100] [--seeds 4] [--difficulty] [--groups] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz; SET:SCENARIO+SCENARIO takes some of its scenarios.
// Groups are the subscenarios, and with --difficulty the thirds by difficulty. Errors stand beside those of the mean of the
// group's answered anchors, and of p-irt: its answers, and of the other items what the ability predicts.
import { estimate } from "anchoreval";
import { scoreAt, submatrix, withSubscores } from "anchoreval-trainer";
import { planCells } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { bundleScoring } from "anchoreval/internal/estimate/bundle-scoring";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { itemsOf, subscoresPart } from "anchoreval/internal/features/subscores/core/part";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { fittedBundle, holds, mean, method, modelAnswers, points, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite:math+mmlu,openllm2-official:math_hard+musr",
    splits: "interpolation,extrapolation",
    anchors: "50,100",
    seeds: "4",
    difficulty: false,
    groups: false,
    json: false,
  },
  1,
);
const sizes = values.anchors.split(",").map(Number);
const rms = (errors) => Math.sqrt(mean(errors.map((error) => error ** 2)));
const rows = [];

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const asked = { groups: subscenarios(matrix), difficulty: values.difficulty };
  for (const split of values.splits.split(",")) {
    const seeds = split === "extrapolation" ? 1 : Number(values.seeds);
    for (const [k, cell] of planCells(matrix, { split, sizes, seeds, method }).entries()) {
      const { sources, targets } = cell.split;
      const learned = submatrix(matrix, sources, [...matrix.items.keys()]);
      const part = withSubscores(matrix.items, asked);
      const { bundle } = await fittedBundle(learned, { sizes, seed: k + 1, parts: [part] });
      for (const form of sizes.map(String))
        for (const model of targets) rows.push(...modelRows({ set, split, matrix, bundle, form, model }));
    }
    for (const form of sizes.map(String)) print(set, split, form);
  }
}
if (values.json) console.log(JSON.stringify(rows));

/** The subscenarios as groups. */
function subscenarios({ items }) {
  const groups = new Map();
  for (const { item_id: id, scenario, subscenario } of items) {
    if (subscenario === undefined) continue;
    const key = `${scenario}\n${subscenario}`;
    groups.set(key, [...(groups.get(key) ?? []), id]);
  }
  return Array.from(groups, ([key, ids]) => ({ name: key.split("\n")[1], items: ids }));
}

/** A held-out model's groups: what the bundle says, the truth, and what others would. */
function modelRows({ set, split, matrix, bundle, form, model }) {
  const scores = matrix.items.map((_, i) => scoreAt(matrix, model, i));
  const { responses } = modelAnswers(matrix, bundle, form)(scores);
  const { subscores, scenarios } = estimate(bundle, responses, { form, subscores: true });
  return subscores.flatMap(({ scenario, name, score, interval, status, items, answered }) => {
    const of = bundle.scenarios.get(scenario);
    const columns = [...matrix.items.keys()].filter((i) => matrix.items[i].scenario === scenario);
    const noted = partOf(bundle.manifest, subscoresPart)[scenario].groups.find((group) => group.name === name);
    const members = itemsOf(noted.items);
    const at = (item) => scores[columns[item]];
    if ([...members].some((item) => Number.isNaN(at(item)))) return [];
    const { itemIds, anchors } = of.forms.get(form);
    const byScenario = new Map(
      Array.from(bundle.scenarios, ([id, { forms }]) => [
        id,
        Float64Array.from(forms.get(form).itemIds, (one) => responses[one] ?? NaN),
      ]),
    );
    const pooling = scenarios[scenario].details.evidence === "together" ? "pooled" : "separate";
    const { theta } = bundleScoring(bundle, form).estimate(byScenario).ability(scenario, pooling);
    const predicted = predictedScores(theta, of.bank, of.scoreMap);
    const seen = new Set(Array.from(anchors.items).filter((_, j) => responses[itemIds[j]] !== undefined));
    const answers = [...members].filter((item) => seen.has(item)).map(at);
    const truth = mean([...members].map(at));
    return [
      {
        ...{ set, split, form, scenario, name, items, answered, status, truth, score },
        ...{ interval, anchorMean: answers.length > 0 ? mean(answers) : null },
        pIrt: mean([...members].map((item) => (seen.has(item) ? at(item) : predicted[item]))),
        main: scenarios[scenario].score,
      },
    ];
  });
}

function print(set, split, form) {
  const mine = rows.filter((row) => row.set === set && row.split === split && row.form === form);
  for (const scenario of [...new Set(mine.map((row) => row.scenario))]) {
    const some = mine.filter((row) => row.scenario === scenario);
    line(`${set} ${split} ${form} ${scenario}`, some);
    if (values.groups) for (const name of new Set(some.map((row) => row.name))) line(`  ${name}`, some.filter((row) => row.name === name)); // prettier-ignore
  }
}

function line(title, some) {
  const said = some.filter(({ status, interval }) => status === "measured" && interval !== null);
  const few = some.filter(({ status }) => status.startsWith("too_few")).length;
  if (said.length === 0) return console.log(`${title}: ${some.length} said nothing of`);
  const error = (key) => points(rms(said.filter((row) => row[key] !== null).map((row) => row[key] - row.truth)));
  const covered = mean(said.map(({ interval, truth }) => Number(holds(interval, truth))));
  const width = points(mean(said.map(({ interval }) => (interval.high - interval.low) / 2)));
  console.log(
    `${title}: ${said.length} scores, ${few} too few; coverage ${covered.toFixed(3)}, half-width ${width}; RMSE ${error("score")}, p-irt ${error("pIrt")}, anchors' mean ${error("anchorMean")}, scenario's score ${error("main")}`,
  );
}
