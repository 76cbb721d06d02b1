// What forms that are chosen by price cost beside forms that aren't, for intervals of the same width and for the same error:
// boards whose items have prices drawn at random, log-normal, alone or the dearer the harder an item is; and the tasks of
// terminal-bench-core by their tokens. Widths, errors and coverage are of models held out.
// usage: node bench/prices.js FOLDER [--sets helm-lite,openllm2-official,terminal-bench-core] [--sizes 10,20,40,80,160]
//          [--spreads 1,1.5] [--correlations 0,0.5] [--seed 1] [--adaptive | --totals 100,200,400,800,1600 [--between 1]]
// With --totals: forms of that many anchors of all scenarios together, shared by price and evenly; --between is the standard
// deviation of log prices between scenarios.
// With --adaptive: adaptive evaluations of held-out models that ask 5 % of the items, in place of forms.
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz; terminal-bench-core also trials.csv.gz.
import { join } from "node:path";
import { estimateFromAnchors } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { fileChunks } from "anchoreval/internal/node/read-file";
import { parsePrices } from "anchoreval/internal/features/prices/sdk/parse-prices";
import { customised, fit, resolveBackend } from "anchoreval-trainer";
import { anchorInput } from "anchoreval-trainer/internal/anchors/anchor-method";
import { pricedMethod, residualVariances } from "anchoreval-trainer/internal/features/prices/fit/priced-anchors";
import { scoreAt, submatrix } from "anchoreval-trainer/internal/matrix/response-matrix";
import { fittedBundle, holds, mean, method, modelAnswers, points, readLeaderboard } from "./fitted-bundle.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,openllm2-official,terminal-bench-core",
    sizes: "10,20,40,80,160",
    spreads: "1,1.5",
    correlations: "0,0.5",
    seed: "1",
    adaptive: false,
    totals: null,
    between: "1",
  },
  1,
);
const seed = Number(values.seed);
const sizes = values.sizes.split(",").map(Number);
const facts = { benchmark: "board", version: "1.0.0", created: "2026-01-01T00:00:00Z" };
/** Forms whose price is looked at: its mean is what a size costs. */
const DRAWS = 10;
/** Of terminal-bench-core: 76 tasks have tokens. */
const [TASKS, TASK_SIZES, REPLAYS] = ["terminal-bench-core", [8, 12, 16, 24, 36, 50], 3];
const { backend } = await resolveBackend("cpu");
const stratified = await customised(method, { selection: "stratified" });

for (const set of values.sets.split(",")) {
  if (values.adaptive) await compareAdaptive(set);
  else if (values.totals) await compareTotals(set);
  else await (set === TASKS ? compareTasks() : compareBoard(set));
}

/** What was asked without prices costs the mean price: draws don't know it where it has nothing to do with difficulty. */
async function compareAdaptive(set) {
  const matrix = await readLeaderboard(folder, set);
  const { runReplays } = await import("anchoreval-trainer/internal/features/adaptive/fit/replay");
  const shared = {
    method,
    backend,
    split: "interpolation",
    share: 0.05,
    repeats: 20,
    mostTargets: 24,
    seeds: 1,
  };
  const plain = await runReplays(matrix, shared);
  for (const spread of values.spreads.split(",").map(Number)) {
    const items = drawnPrices(matrix, spread, 0);
    const priced = await runReplays(matrix, { ...shared, purse: { unit: null, items, budget: Infinity } });
    console.log(`${set}, adaptive, prices: σ ${spread}`);
    for (const [k, { scenario, asked, price, halfWidth, rmse, coverage }] of priced.entries()) {
      const other = plain[k];
      const before = (other.asked * price.whole) / other.items;
      const share = (field) => ((price.asked / before) * (field(priced[k]) / field(other)) ** 2).toFixed(2);
      console.log(
        `  ${scenario.padEnd(12)} ${asked} items: ${price.asked.toFixed(1)}, without prices ${before.toFixed(1)}; half-width ${halfWidth.toFixed(2)} and ${other.halfWidth.toFixed(2)}, ` +
          `RMSE ${rmse.toFixed(2)} and ${other.rmse.toFixed(2)}, coverage ${coverage.toFixed(3)} and ${other.coverage.toFixed(3)}; ` +
          `price at the same half-width ${share((row) => row.halfWidth)}, at the same RMSE ${share((row) => row.rmse)}`,
      );
    }
  }
}

async function compareBoard(set) {
  const matrix = await readLeaderboard(folder, set);
  const fitted = (own) => fit(matrix, { ...facts, backend, sizes, seed, method: own });
  const plain = new Map([
    ["screened", await fitted(method)],
    ["stratified", await fitted(stratified)],
  ]);
  console.log(
    `${set}: ${matrix.subjects.length} models × ${matrix.items.length} items, ${sizes.join(", ")} a scenario`,
  );
  for (const spread of values.spreads.split(",").map(Number))
    for (const correlation of values.correlations.split(",").map(Number)) {
      const prices = drawnPrices(matrix, spread, correlation);
      const priced = await curves(await fitted(pricedMethod(method, { items: prices })), prices);
      console.log(`  prices: σ ${spread}, correlation with difficulty ${correlation}`);
      report("priced", priced);
      const drawn = await curves(await fitted(pricedMethod(stratified, { items: prices })), prices);
      report("priced-draw", drawn);
      for (const [name, own] of plain) {
        const other = await curves(own, prices);
        report(name, other, name === "stratified" ? { priced, "priced-draw": drawn } : { priced });
      }
      console.log(`    a draw by price, at best: ${bound(plain.get("stratified"), prices).toFixed(2)} of an even draw`);
    }
}

/** Overall scores by forms of a total: chosen by price or not, the scenarios' shares by price or even. */
async function compareTotals(set) {
  const matrix = await readLeaderboard(folder, set);
  const totals = values.totals.split(",").map(Number);
  const fitted = (own) => fit(matrix, { ...facts, backend, sizes: [], totals, seed, method: own });
  const plain = await fitted(method);
  const random = createRandom(`prices between ${seed}`);
  const factors = new Map();
  for (const { scenario } of matrix.items)
    if (!factors.has(scenario)) factors.set(scenario, Math.exp(Number(values.between) * random.normal()));
  console.log(`${set}: ${matrix.subjects.length} models × ${matrix.items.length} items, ${totals.join(", ")} in all`);
  for (const spread of values.spreads.split(",").map(Number))
    for (const correlation of values.correlations.split(",").map(Number)) {
      const within = drawnPrices(matrix, spread, correlation);
      const prices = new Map(matrix.items.map(({ item_id: id, scenario }) => [id, within.get(id) * factors.get(scenario)])); // prettier-ignore
      console.log(`  prices: σ ${spread} within scenarios and ${values.between} between, correlation with difficulty ${correlation}`); // prettier-ignore
      const byPrice = pricedMethod(method, { items: prices });
      const even = { ...byPrice.anchors, shares: undefined };
      const priced = await curves(await fitted(byPrice), prices);
      report("priced", priced);
      report("shared evenly", await curves(await fitted({ ...byPrice, anchors: even }), prices), { priced });
      report("screened", await curves(plain, prices), { priced });
    }
}

/** Log-normal prices: log c = σ(ρ·z + √(1 − ρ²)·ε), z how hard an item is in its scenario. */
function drawnPrices(matrix, spread, correlation) {
  const random = createRandom(`prices ${seed}`);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  const share = matrix.items.map((_, i) =>
    mean(matrix.subjects.map((_, m) => scoreAt(matrix, m, i)).filter((score) => !Number.isNaN(score))),
  );
  const byScenario = new Map();
  matrix.items.forEach(({ scenario }, i) => byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), share[i]]));
  return new Map(
    matrix.items.map(({ item_id: id, scenario }, i) => {
      const own = byScenario.get(scenario);
      const deviation = Math.sqrt(mean(own.map((other) => (other - mean(own)) ** 2)));
      const hard = (mean(own) - share[i]) / deviation;
      return [id, Math.exp(spread * (correlation * hard + Math.sqrt(1 - correlation ** 2) * normal()))];
    }),
  );
}

/** By scenario and overall, of every size: mean price of its forms, half-width, error and coverage of held-out models. */
async function curves({ parts, content }, prices) {
  const drawn = new Map();
  for (let k = 0; k < DRAWS; k++)
    for (const { learned } of parts)
      for (const form of await learned.draw(k))
        for (const { scenario } of learned.scenarios) {
          const anchors = form.scenarios.get(scenario.id).anchors.items;
          const own = mean([...anchors].map((i) => prices.get(scenario.matrix.items[i].item_id)));
          const key = `${form.id} ${scenario.id}`;
          drawn.set(key, (drawn.get(key) ?? 0) + (own * anchors.length) / DRAWS);
        }
  const rows = new Map();
  const note = (id, price, { halfWidth95, estimators, coverage95 }) => {
    const row = { price, width: halfWidth95, error: estimators.gate.rmse, coverage: coverage95 };
    rows.set(id, [...(rows.get(id) ?? []), row]);
  };
  for (const { id: form, scenarios, overall } of content.manifest.forms) {
    const priceOf = (id) => drawn.get(`${form} ${id}`);
    for (const [id, own] of Object.entries(scenarios))
      if (!own.whole) note(id, priceOf(id), (own.together ?? own).measured.interpolation);
    const all = Object.keys(scenarios).reduce((sum, id) => sum + priceOf(id), 0);
    if (overall) note("overall", all, overall.measured.interpolation);
  }
  return rows;
}

/** @param others - curves by name, whose prices are compared with these */
function report(name, rows, others = {}) {
  const coverage = [...rows].flatMap(([id, own]) => (id === "overall" ? [] : own.map((row) => row.coverage)));
  const overall = rows.get("overall") ?? [...rows.values()][0];
  console.log(
    `    ${name.padEnd(13)} overall, price: half-width ${overall.map(({ price, width }) => `${price.toPrecision(3)}: ${points(width)}`).join(", ")}; ` +
      `coverage ${mean(overall.map((row) => row.coverage)).toFixed(3)}, of scenarios ${mean(coverage).toFixed(3)}, least ${Math.min(...coverage).toFixed(3)}`,
  );
  const shares = (other, field) =>
    [...rows].map(([id, own]) => [id, own.flatMap((row) => priceShare(row, other.get(id), field))]);
  const all = (found) => found.filter(([id]) => id !== "overall").flatMap(([, own]) => own);
  const words = (found) => {
    const overallShares = found.find(([id]) => id === "overall")?.[1] ?? [];
    return `scenarios ${geometric(all(found))}, overall ${geometric(overallShares)} (${overallShares.map((own) => own.toFixed(2)).join(", ")})`;
  };
  for (const [other, curve] of Object.entries(others))
    console.log(
      `      ${other} at the same half-width: ${words(shares(curve, "width"))}; at the same error: ${words(shares(curve, "error"))}`,
    );
}

function geometric(shares) {
  return shares.length === 0 ? "–" : Math.exp(mean(shares.map(Math.log))).toFixed(2);
}

/** The price at which `rows` have a row's figure, by straight lines of logarithms, over that row's; none outside. */
function priceShare(row, rows, field) {
  for (const [k, next] of rows.entries()) {
    const before = rows[k - 1];
    if (!before || before[field] < row[field] || next[field] > row[field] || next[field] === before[field]) continue;
    const share = Math.log(before[field] / row[field]) / Math.log(before[field] / next[field]);
    return [(before.price * (next.price / before.price) ** share) / row.price];
  }
  return [];
}

/**
 * The least variance of a draw at a price over that of a draw by weight, sampling fractions aside:
 * (Σw√(vc))² / (Σwv·Σwc); mean over scenarios.
 */
function bound({ parts }, prices) {
  const found = parts.flatMap(({ learned }) =>
    learned.scenarios.map(({ scenario, trained }) => {
      const input = anchorInput(scenario, trained, { sizes: [], random: createRandom(1), final: false });
      const v = residualVariances(input);
      const c = input.items.map(({ item_id: id }) => prices.get(id));
      const sum = (value) => c.reduce((total, _, i) => total + input.weights[i] * value(i), 0);
      return sum((i) => Math.sqrt(v[i] * c[i])) ** 2 / (sum((i) => v[i]) * sum((i) => c[i]));
    }),
  );
  return mean(found);
}

/** Every model of terminal-bench-core is held out in turn. */
async function compareTasks() {
  const file = join(folder, TASKS, "trials.csv.gz");
  const columns = [{ column: "input_tokens+output_tokens", unit: "tokens" }];
  const [{ names }] = await parsePrices(file, recordedTokens(fileChunks(file)), columns);
  const prices = new Map([...names].flatMap(([id, { price }]) => (price === null ? [] : [[id, price]])));
  const all = await readLeaderboard(folder, TASKS);
  const matrix = submatrix(
    all,
    [...all.subjects.keys()],
    [...all.items.keys()].filter((i) => prices.has(all.items[i].item_id)),
  );
  console.log(
    `${TASKS}: ${matrix.subjects.length} models × ${matrix.items.length} tasks that some trial has tokens of`,
  );
  const ways = [
    ["priced", pricedMethod(method, { items: prices })],
    ["screened", method],
    ["stratified", stratified],
  ];
  const plain = await fit(matrix, { ...facts, backend, sizes: TASK_SIZES, seed, method: stratified });
  console.log(`  a draw by price, at best: ${bound(plain, prices).toFixed(2)} of an even draw`);
  const rows = new Map();
  for (const [name, own] of ways) rows.set(name, await replayedTasks(matrix, prices, own));
  for (const [name, own] of rows) {
    const figures = own.map(
      ({ size, price, width, error, coverage }) =>
        `${size}: ${(price / 1e6).toFixed(2)} M tokens, half-width ${points(width)}, error ${points(error)}, coverage ${coverage.toFixed(2)}`,
    );
    console.log(`  ${name}\n    ${figures.join("\n    ")}`);
    if (name === "priced") continue;
    const shares = (field) => own.flatMap((row) => priceShare(row, rows.get("priced"), field));
    console.log(
      `    price of the priced: same half-width ${geometric(shares("width"))}, same error ${geometric(shares("error"))}`,
    );
  }
}

/** The rows of trials with tokens: several agents write 0 for what they don't record. */
async function* recordedTokens(chunks) {
  const parts = [];
  for await (const chunk of chunks) parts.push(chunk);
  const [header, ...lines] = Buffer.concat(parts).toString().split("\n");
  const at = header.split(",").indexOf("input_tokens");
  const kept = lines.filter((line) => Number(line.split(",")[at]) > 0);
  yield Buffer.from([header, ...kept].join("\n"));
}

async function replayedTasks(matrix, prices, own) {
  const tallies = new Map(TASK_SIZES.map((size) => [size, []]));
  const items = [...matrix.items.keys()];
  for (const target of matrix.subjects.keys())
    for (let replay = 1; replay <= REPLAYS; replay++) {
      const sources = [...matrix.subjects.keys()].filter((m) => m !== target);
      const options = { sizes: TASK_SIZES, seed: replay, method: own };
      const { bundle } = await fittedBundle(submatrix(matrix, sources, items), options);
      const scores = items.map((i) => scoreAt(matrix, target, i));
      for (const size of TASK_SIZES) {
        const { responses, truths } = modelAnswers(matrix, bundle, String(size))(scores);
        const [result] = Object.values(estimateFromAnchors(bundle, responses, { form: String(size) }).scenarios);
        const [truth] = truths.values();
        tallies.get(size).push({
          price: Object.keys(responses).reduce((sum, id) => sum + prices.get(id), 0),
          width: (result.interval.high - result.interval.low) / 2,
          square: (result.score - truth) ** 2,
          held: holds(result.interval, truth) ? 1 : 0,
        });
      }
    }
  return Array.from(tallies, ([size, tally]) => {
    const average = (field) => mean(tally.map((one) => one[field]));
    return {
      size,
      price: average("price"),
      width: average("width"),
      error: Math.sqrt(average("square")),
      coverage: average("held"),
    };
  });
}
