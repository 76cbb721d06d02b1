// Whether "better" is said of models, not of runs: how often two runs of one and the same model are told apart, how often models
// that differ are, and whether compare, rank, race and check say the same.
// usage: node bench/verdicts.js FOLDER [--parts agents,draws,equal,trials,power,boards,surfaces] [--replays 10000] [--pairs 200]
// FOLDER has terminal-bench-core (trials.csv.gz, items.jsonl.gz), passk-code and the boards; simulated parts don't read it.
//
// "before" is --over these-answers, which was what compare said of models.
import { join } from "node:path";
import { checkFromAnchors, compareFromAnchors, raceFromPool, rankFromAnchors } from "anchoreval";
import { itemPool } from "anchoreval/internal/features/adaptive/sdk/item-pool";
import { loadItemLines } from "anchoreval/internal/bundles/read-file";
import { discordance } from "anchoreval/internal/core/inference/paired-difference";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { studentTQuantile } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses, simulateLeaderboard } from "anchoreval-trainer";
import { scoreAt } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedBundle, fittedSplits, mean, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const DEFAULTS = { parts: "agents,draws,equal,trials,power,boards,surfaces", replays: "10000", pairs: "200" };
const {
  values,
  positionals: [folder],
} = readOptions(import.meta.url, DEFAULTS, 1);
const replays = Number(values.replays);
/** Items of simulated benchmarks, and of a form. */
const SIZES = [
  [20, 10],
  [80, 40],
  [300, 50],
  [2000, 100],
];
const ACCURACIES = [0.05, 0.5, 0.95];
/** Boards whose held-out models are compared, as many of each. */
const BOARDS = ["helm-lite", "openllm2-official", "swebench-lite"];
const TARGETS = 16;
const parts = { agents, draws, equal, trials, power, boards, surfaces };

for (const part of values.parts.split(",")) {
  const begin = Date.now();
  console.log(`\n${part}`);
  await parts[part]();
  console.log(`  (${Math.round((Date.now() - begin) / 1000)} s)`);
}

/** All pairs of two single trials of one agent. */
async function agents() {
  const { bundle, names, runs, ids } = await agentRuns();
  for (const form of ["40", "80"]) {
    const count = tally();
    for (const own of runs)
      for (let j = 1; j < own.length; j++)
        for (let i = 0; i < j; i++) count.add(bundle, form, ids(form), own[i], own[j]);
    count.print(`form ${form}, ${names.length} agents`);
  }
}

/** Runs of one model, drawn from its recorded pass rates. */
async function draws() {
  const random = createRandom("draws");
  for (const set of ["HumanEvalPack_PythonPlus", "LBPP_Python", "MBPPPlus_mbpp_plus", "MBPP_mbpp"]) {
    const { matrix } = await readResponses(join(folder, "passk-code", `${set}.pass1.csv.gz`));
    const items = matrix.items.length;
    const { bundle } = await fittedBundle(matrix, { sizes: [60, items], seed: 1 });
    for (const form of ["60", String(items)]) {
      const ids = formIds(bundle, form);
      const place = new Map(matrix.items.map(({ item_id: id }, i) => [id, i]));
      const count = tally();
      for (let replay = 0; replay < replays / 10; replay++) {
        const m = replay % matrix.subjects.length;
        const run = () => new Map(ids.map((id) => [id, Number(random.next() < scoreAt(matrix, m, place.get(id)))]));
        count.add(bundle, form, ids, run(), run());
      }
      count.print(`${set}, form ${form} of ${items}, ${matrix.subjects.length} models`);
    }
  }
}

/** Equal models, with all items and with forms. */
async function equal() {
  for (const [items, anchors] of SIZES) {
    const simulated = await simulatedBundle(items, anchors);
    for (const form of [items, anchors])
      for (const accuracy of ACCURACIES) {
        const chances = simulated.chances(accuracy);
        const random = createRandom(`equal ${items} ${form} ${accuracy}`);
        const ids = formIds(simulated.bundle, String(form));
        const count = tally();
        for (let replay = 0; replay < replays; replay++)
          count.add(
            simulated.bundle,
            String(form),
            ids,
            drawn(chances, ids, random),
            drawn(chances, ids, random),
            replay % 10 === 0,
          );
        count.print(`${form} of ${items} items, at ${accuracy}`);
      }
  }
}

/** Equal models in several trials of each item, or one of them: over runs. */
async function trials() {
  for (const [items, anchors] of SIZES.slice(0, 3)) {
    const simulated = await simulatedBundle(items, anchors);
    for (const form of [items, anchors])
      for (const [one, other] of [
        [2, 2],
        [5, 5],
        [5, 1],
      ]) {
        const random = createRandom(`trials ${items} ${form} ${one} ${other}`);
        const ids = formIds(simulated.bundle, String(form));
        const chances = simulated.chances(0.5);
        const run = (times) => new Map(ids.map((id) => [id, Array.from({ length: times }, () => Number(random.next() < chances.get(id)))])); // prettier-ignore
        const count = tally();
        for (let replay = 0; replay < replays / 5; replay++)
          count.add(simulated.bundle, String(form), ids, run(one), run(other), replay % 10 === 0);
        count.print(`${form} of ${items} items, ${one} trials against ${other}`);
      }
  }
}

/** Models that differ by 2.8 standard errors of two runs on all items, what a z test finds in four of five, and by twice that. */
async function power() {
  for (const [items, anchors] of SIZES) {
    const simulated = await simulatedBundle(items, anchors);
    for (const form of [items, anchors])
      for (const times of [1, 2]) {
        const low = simulated.chances(0.6);
        const noise = Math.sqrt((2 * mean([...low.values()].map((p) => p * (1 - p)))) / form);
        const high = simulated.chances(Math.min(0.99, 0.6 + 2.8 * times * noise));
        const random = createRandom(`power ${items} ${form} ${times}`);
        const ids = formIds(simulated.bundle, String(form));
        const count = tally();
        for (let replay = 0; replay < replays / 5; replay++)
          count.add(simulated.bundle, String(form), ids, drawn(low, ids, random), drawn(high, ids, random));
        count.print(
          `${form} of ${items} items, a difference of ${(100 * (mean([...high.values()]) - 0.6)).toFixed(1)} points`,
        );
      }
  }
}

/** Held-out models of real boards, on forms. */
async function boards() {
  for (const set of BOARDS) {
    const matrix = await readLeaderboard(folder, set);
    const items = [...matrix.items.keys()];
    const sizes = [30, 100];
    const { value: fitted } = await fittedSplits(matrix, { sizes, seeds: 1 }).next();
    const { split, bundle } = fitted;
    const rows = split.targets.map((m) => items.map((i) => scoreAt(matrix, m, i))).filter((row) => !row.some(Number.isNaN)); // prettier-ignore
    const runs = rows.slice(0, TARGETS).map((row) => new Map(items.map((i) => [matrix.items[i].item_id, row[i]])));
    for (const { id: form } of bundle.manifest.forms) {
      const ids = formIds(bundle, form);
      const count = tally();
      for (const [j, b] of runs.entries()) for (const a of runs.slice(0, j)) count.add(bundle, form, ids, a, b);
      count.print(`${set}, form ${form}, ${runs.length} models held out`);
    }
  }
}

/** Single trials of any two agents, on every surface. */
async function surfaces() {
  const { bundle, runs, ids, source } = await agentRuns();
  const pool = itemPool(bundle, await loadItemLines(source, bundle.manifest));
  const random = createRandom("surfaces");
  for (const form of ["80", "40"]) {
    const said = { compare: 0, rank: 0, race: 0, check: 0 };
    const more = { rank: 0, race: 0, check: 0 };
    const less = { rank: 0, race: 0, check: 0 };
    let contradictions = 0;
    for (let k = 0; k < Number(values.pairs); k++) {
      const [a, b] = [0, 1].map(() => {
        const own = runs[Math.floor(random.next() * runs.length)];
        return own[Math.floor(random.next() * own.length)];
      });
      const model = (run, name) => ({ name, form, responses: only(run, ids(form)) });
      const [one, other] = [model(a, "a"), model(b, "b")];
      const { verdict } = compareFromAnchors(bundle, one, other);
      const found = { compare: verdict === "a-better" ? "a" : verdict === "b-better" ? "b" : "" };
      const { models } = rankFromAnchors(bundle, [one, other]);
      found.rank = models[0].rankInterval.high === 1 ? models[0].name : "";
      const checked = (now, before) =>
        checkFromAnchors(bundle, now, { baselines: [before], maxDrop: 0, alarmsPerYear: 25, runsPerYear: 1000 })
          .verdict;
      found.check = checked(one, other) === "regressed" ? "b" : checked(other, one) === "regressed" ? "a" : "";
      // A race asks in an order of its own: all items, or as many rounds as the form has items.
      if (form === "80") {
        const race = raceFromPool(pool, [{ name: "a", responses: a }, { name: "b", responses: b }], { margin: 0 }); // prettier-ignore
        found.race = race.candidates.some(({ state }) => state === "out") ? race.leader : "";
      }
      for (const [surface, best] of Object.entries(found)) {
        if (best !== "") said[surface]++;
        if (surface === "compare" || best === found.compare) continue;
        if (found.compare === "") more[surface]++;
        else less[surface]++;
      }
      if (found && new Set(Object.values(found).filter((best) => best !== "")).size > 1) contradictions++;
    }
    const words = Object.entries(said).filter(([surface]) => form === "80" || surface !== "race").map(([surface, count]) => `${surface} ${count}${surface === "compare" ? "" : ` (${more[surface]} that compare doesn't, ${less[surface]} of its fewer)`}`); // prettier-ignore
    console.log(`  form ${form}, ${values.pairs} pairs told apart by ${words.join(", ")}; opposite ${contradictions}`);
  }
}

/** terminal-bench-core: a bundle, and every agent's single trials. */
async function agentRuns() {
  const path = join(folder, "terminal-bench-core");
  const read = await readResponses(join(path, "trials.csv.gz"), { items: join(path, "items.jsonl.gz") });
  const { bundle, source } = await fittedBundle(read.matrix, { sizes: [40, 80], seed: 1 });
  const byModel = new Map(read.matrix.subjects.map((model) => [model, []]));
  for (const cell of read.trials) byModel.get(cell.model).push(cell);
  const runs = [...byModel.values()].map((cells) =>
    Array.from({ length: 5 }, (_, t) => new Map(cells.map(({ item, scores }) => [item, scores[t] ?? null]))),
  );
  return { bundle, source, runs, names: [...byModel.keys()], ids: (form) => formIds(bundle, form) };
}

/** A benchmark whose items' chances are known at every accuracy. */
async function simulatedBundle(items, anchors) {
  const { matrix } = simulateLeaderboard({ models: 60, items, scenarios: 1, dims: 1, seed: 1 });
  const { bundle } = await fittedBundle(matrix, { sizes: [anchors, items], seed: 1 });
  const [scenario] = bundle.scenarios.values();
  const ids = scenario.forms.get(String(items)).itemIds;
  const positions = scenario.forms.get(String(items)).anchors.items;
  const chances = (accuracy) => {
    let [low, high] = [-30, 30];
    let found = null;
    for (let step = 0; step < 60; step++) {
      const ability = (low + high) / 2;
      const p = itemResponses(new Float64Array(scenario.bank.dims ?? 1).fill(ability), scenario.bank);
      found = new Map(ids.map((id, j) => [id, p[positions[j]]]));
      if (mean([...p]) < accuracy) low = ability;
      else high = ability;
    }
    return found;
  };
  return { bundle, chances };
}

function formIds(bundle, form) {
  return [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get(form).itemIds);
}

function only(run, ids) {
  return new Map(ids.map((id) => [id, run.get(id) ?? null]));
}

function drawn(chances, ids, random) {
  return new Map(ids.map((id) => [id, Number(random.next() < chances.get(id))]));
}

/** Counts pairs that are told apart: now, before, by the exact McNemar test and by a paired t test. */
function tally() {
  let [pairs, tested, now, before, exact, paired] = [0, 0, 0, 0, 0, 0];
  const better = ({ verdict }) => Number(verdict === "a-better" || verdict === "b-better");
  return {
    add(bundle, form, ids, a, b, also = true) {
      const sides = [a, b].map((run) => ({ form, responses: only(run, ids) }));
      pairs++;
      now += better(compareFromAnchors(bundle, ...sides));
      if (!also) return;
      tested++;
      before += better(compareFromAnchors(bundle, ...sides, { over: "these-answers" }));
      const means = [a, b].map((run) => {
        const scores = ids.map((id) => run.get(id));
        return scores.map((score) => (Array.isArray(score) ? mean(score) : (score ?? NaN)));
      });
      const common = ids.map((_, j) => j).filter((j) => !Number.isNaN(means[0][j] + means[1][j]));
      const [left, right] = means.map((own) => Float64Array.from(common, (j) => own[j]));
      exact += Number(exactMcNemar(discordance(left, right)) <= 0.05);
      paired += Number(pairedT(left, right));
    },
    print(name) {
      const share = (count, of) => `${((100 * count) / of).toFixed(2)} %`;
      console.log(
        `  ${name}: ${now} of ${pairs} pairs told apart (${share(now, pairs)}); of ${tested} before ${share(before, tested)}, exact McNemar ${share(exact, tested)}, paired t ${share(paired, tested)}`,
      );
    },
  };
}

function exactMcNemar({ aHigher, bHigher }) {
  const n = aHigher + bHigher;
  let log = -n * Math.LN2;
  let below = 0;
  for (let k = 0; k <= Math.min(aHigher, bHigher); k++) {
    if (k > 0) log += Math.log((n - k + 1) / k);
    below += Math.exp(log);
  }
  return Math.min(1, 2 * below);
}

function pairedT(left, right) {
  const gaps = right.map((score, j) => score - left[j]);
  const average = mean(gaps);
  const square = mean(gaps.map((gap) => (gap - average) ** 2)) / (gaps.length - 1);
  return average !== 0 && Math.abs(average) > studentTQuantile(0.975, gaps.length - 1) * Math.sqrt(square);
}
