// Races of held-out models: a fit on the source models of a split, then candidates drawn from its targets are asked round
// after round until one has won. Which wins, with how many calls.
// usage: node bench/race.js FOLDER [--sets helm-lite,openllm2-official] [--candidates 5,20,50] [--races 40] [--seeds 3]
//          [--levels 0.95] [--margin 0.5]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
//
// "near" are candidates that stand next to each other among the targets by their full scores. "equal", in every fifth race of
// 20, are one target whose answers are shuffled within tens of neighbouring items of a scenario, so that all full scores are
// the same where items weigh the same. The truth is the score on all items. Beside a race stand all candidates on as many
// items each as it asked on the mean, and on the form of 100 anchors a scenario, the highest score winning: there no error is
// stated.
import { estimateFromAnchors } from "anchoreval";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { raceField, raceOrder } from "anchoreval/internal/features/adaptive/sdk/race-rounds";
import { eliminate, raceQuantile } from "anchoreval/internal/features/adaptive/core/elimination";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { scoreAt } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedSplits, mean, modelAnswers, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,openllm2-official",
    candidates: "5,20,50",
    races: "40",
    seeds: "3",
    levels: "0.95",
    margin: "0.5",
    over: "these-answers",
  },
  1,
);
const FORM = 100;
const margin = Number(values.margin) / 100;
const [sizes, levels] = [values.candidates, values.levels].map((list) => list.split(",").map(Number));
const races = Number(values.races);

for (const set of values.sets.split(",")) {
  const matrix = await readLeaderboard(folder, set);
  const items = [...matrix.items.keys()];
  const tallies = new Map();
  const splits = fittedSplits(matrix, { sizes: [FORM], seeds: Number(values.seeds) });
  for await (const { split, seed, source, bundle } of splits) {
    const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
    const population = pool.population(pool.scenarios.map(({ id }) => id));
    const index = new Map(matrix.items.map(({ item_id }, i) => [item_id, i]));
    const positions = Array.from(population.lines, (line) => index.get(pool.item(line).item_id));
    const answersOf = modelAnswers(matrix, bundle, String(FORM));
    const targets = split.targets
      .map((m) => items.map((i) => scoreAt(matrix, m, i)))
      .filter((row) => !row.some(Number.isNaN))
      .map((row) => {
        const answers = Float64Array.from(positions, (i) => row[i]);
        const truth = answers.reduce((sum, score, i) => sum + population.weights[i] * score, 0);
        const { responses } = answersOf(row);
        return { answers, truth, onForm: estimateFromAnchors(bundle, responses, { form: String(FORM) }).score };
      })
      .sort((a, b) => b.truth - a.truth);
    for (let race = 0; race < races; race++) {
      const random = createRandom(`${set} ${seed} ${race}`);
      for (const k of sizes) {
        if (k > targets.length) continue;
        const any = random
          .fork(`any ${k}`)
          .shuffle([...targets])
          .slice(0, k);
        const at = random.fork(`near ${k}`).below(targets.length - k + 1);
        run(any, `${k} candidates`);
        if (k < targets.length - 1) run(targets.slice(at, at + k), `${k} near`);
        if (k === 20 && race % 5 === 0) run(equals(random.fork("equal"), k), `${k} equal`);
      }

      function run(candidates, kind) {
        const order = raceOrder(population, random.fork(`order ${kind}`));
        const all = candidates.map(({ answers }) => answers);
        const { score, difference } = raceField(population, order, all, values.over);
        const known = new Map(); // a race is looked at after every round
        const field = {
          score,
          difference: (i, j, round) => {
            const key = (round * all.length + i) * all.length + j;
            if (!known.has(key)) known.set(key, difference(i, j, round));
            return known.get(key);
          },
        };
        for (const level of levels)
          tally(candidates, `${kind}, level ${level}`, raceOf(field, order, candidates.length, level), field, order);
      }
      function equals(own, k) {
        const { answers } = targets[own.below(targets.length)];
        const chances = population.scenarios.map(({ begin, bank: { count } }) => ({ begin, count }));
        return Array.from({ length: k }, (_, c) => {
          const turned = answers.slice();
          const stream = own.fork(`${c}`);
          for (const { begin, count } of chances)
            for (let i = begin; i < begin + count; i += 10) {
              const part = stream.shuffle([...answers.slice(i, Math.min(begin + count, i + 10))]);
              turned.set(part, i);
            }
          const truth = turned.reduce((sum, score, i) => sum + population.weights[i] * score, 0);
          return { answers: turned, truth, onForm: NaN };
        });
      }
    }
    function tally(candidates, kind, { winner, out, asked }, field, order) {
      const best = Math.max(...candidates.map(({ truth }) => truth));
      const own = tallies.get(kind) ?? { races: 0, right: 0, within: 0, lost: 0, calls: [], even: 0, form: 0, open: 0 };
      const enough = (i) => Number(candidates[i].truth >= best - margin - 1e-12);
      const counts = order.rounds.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
      const share = asked / candidates.length / population.count;
      own.races++;
      if (winner === null) own.open++;
      else {
        own.right += Number(candidates[winner].truth >= best - 1e-12);
        own.within += enough(winner);
      }
      own.lost += Number(candidates.every(({ truth }, i) => truth < best - 1e-12 || out[i] !== null));
      own.calls.push(share);
      // All candidates on as many items: the round that asks the next more.
      const round = counts.findIndex((count) => count >= share * population.count);
      const highest = (score) => candidates.reduce((top, _, i) => (score(i) > score(top) ? i : top), 0);
      own.even += enough(highest((i) => field.score(i, round)));
      own.form += enough(highest((i) => candidates[i].onForm));
      own.formShare = (FORM * population.scenarios.length) / population.count;
      tallies.set(kind, own);
    }
  }
  console.log(`${set}: ${values.seeds} fits, ${races} races each; margin ${values.margin}`);
  for (const [kind, own] of tallies) {
    const sorted = own.calls.sort((a, b) => a - b);
    const rate = (count) => (count / own.races).toFixed(3);
    const percent = (share) => `${(100 * share).toFixed(1)} %`;
    console.log(
      `  ${kind.padEnd(28)} ${own.races} races: winner right ${rate(own.right)}, within the margin ${rate(own.within)}, best one out ${rate(own.lost)}, no winner ${rate(own.open)}; ` +
        `calls ${percent(mean(sorted))} of all items (nine in ten at most ${percent(sorted[Math.floor(0.9 * sorted.length)])}), ${(mean(sorted) / own.formShare).toFixed(2)} of all on form ${FORM}; ` +
        `within the margin with as many calls each ${rate(own.even)}, on form ${FORM} ${rate(own.form)}`,
    );
  }
}

/** A race as somebody would run it who asks what it says. */
function raceOf(field, order, k, level) {
  const z = quantile(order, k, level);
  const completed = Array(k).fill(0);
  for (;;) {
    const found = eliminate({ ...field, completed }, z, margin, order.rounds.length);
    if (found.ask.size === 0) {
      const asked = completed.reduce(
        (sum, rounds) =>
          sum + (rounds === 0 ? 0 : order.rounds[rounds - 1].counts.reduce((all, count) => all + count, 0)),
        0,
      );
      return { ...found, asked };
    }
    for (const [i, rounds] of found.ask) completed[i] = rounds;
  }
}

function quantile({ rounds }, k, level) {
  if (values.over === "tasks") return raceQuantile((1 + level) / 2, k, rounds.map((own) => own.taskInformation)); // prettier-ignore
  const times = rounds.map(({ information }) => information).filter(Number.isFinite);
  return raceQuantile(level, k, times);
}
