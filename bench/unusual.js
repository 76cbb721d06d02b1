// Models that no board has: nearly always right or wrong, at chance, the best ones with most of their errors mended. What a
// bundle of a split's source models says of them.
// usage: node bench/unusual.js FOLDER [--sets helm-lite,openllm2-official:x+y] [--anchors 10,30,100] [--seeds 1]
//          [--models 20] [--kinds "99 % right,chance"] [--separate]
import { estimateFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { scoreAt } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedSplits, holds, mean, modelAnswers, points, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { sets: "helm-lite,openllm2-official", anchors: "10,30,100", seeds: "1", models: "20", kinds: null, separate: false },
  1,
);
const sizes = values.anchors.split(",").map(Number);

const right = (share) => (random) => () => Number(random.next() < share);
const mended = (share) => (random, own) => (i) => own(i) + (random.next() < share ? 1 - own(i) : 0);
/** How a kind answers an item, of one of the targets' answers. */
const KINDS = {
  "as it is": (random, own) => own,
  "99 % right": right(0.99),
  "97 % right": right(0.97),
  "90 % right": right(0.9),
  "3 % right": right(0.03),
  chance: right(0.25),
  "60 % mended": mended(0.6),
  "80 % mended": mended(0.8),
};
const kinds = Object.keys(KINDS).filter((kind) => !values.kinds || values.kinds.split(",").includes(kind));

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  for await (const { split, seed, bundle } of fittedSplits(matrix, { sizes, seeds: Number(values.seeds) })) {
    const random = createRandom(seed).fork("unusual models");
    const whole = split.targets.filter((m) => items.every((i) => !Number.isNaN(scoreAt(matrix, m, i))));
    const score = (m) => mean(items.map((i) => scoreAt(matrix, m, i)));
    const best = whole.toSorted((one, other) => score(other) - score(one)).slice(0, Number(values.models));
    for (const { id: form } of bundle.manifest.forms) {
      const answersOf = modelAnswers(matrix, bundle, form);
      for (const kind of kinds)
        for (const m of best) {
          const answer = KINDS[kind](random, (i) => scoreAt(matrix, m, i));
          const scores = items.map(answer);
          const asked = values.separate ? [...bundle.scenarios.keys()].map((id) => [id]) : [undefined];
          for (const ids of asked) {
            const { responses, truths } = answersOf(scores, ids);
            const estimate = estimateFromAnchors(bundle, responses, { form });
            const given = [...truths.keys()].filter((id) => !ids || ids.includes(id));
            for (const id of given) add(`${kind}, ${form}`, id, estimate.scenarios[id], truths.get(id));
            if (given.length > 1) add(`${kind}, ${form}, overall`, "", estimate, mean([...truths.values()]));
          }
        }
    }
  }
  console.log(
    `${set}: errors, bias and half-widths in points, of scenarios and overall; the share of intervals that hold, in the worst scenario too`,
  );
  for (const [row, scenarios] of tallies) {
    const all = [...scenarios.values()].flat();
    const share = (list) => mean(list.map(({ interval, truth }) => Number(holds(interval, truth))));
    const figures = {
      error: points(mean(all.map(({ score, truth }) => Math.abs(score - truth)))),
      bias: points(mean(all.map(({ score, truth }) => score - truth))),
      "±": points(mean(all.map(({ interval }) => (interval.high - interval.low) / 2))),
      hold: `${share(all).toFixed(3)}, ${Math.min(...[...scenarios.values()].map(share)).toFixed(3)}`,
    };
    console.log(
      `  ${row.padEnd(26)} ${Object.entries(figures)
        .map(([name, value]) => `${name} ${value}`)
        .join("  ")}`,
    );
  }

  function add(row, scenario, { score, interval }, truth) {
    if (score === null || interval === null) return;
    if (!tallies.has(row)) tallies.set(row, new Map());
    const scenarios = tallies.get(row);
    scenarios.set(scenario, [...(scenarios.get(scenario) ?? []), { score, interval, truth }]);
  }
}
