// What the peers' published methods reach on the splits, seeds and yardstick of `anchoreval backtest`, and what the
// project reaches: error relative to the mean of as many random items, geometric mean over scenarios. Every item
// weighs the same. Missing answers, of sources and targets, are the item's mean over the sources. Scores aren't clipped
// to [0, 1] unless the method does.
// usage: node bench/peers.js FOLDER [--sets a,b:scenario+scenario] [--splits interpolation,extrapolation,family]
//          [--seeds 5] [--anchors 10,30,50,100] [--methods ridge,…,irt-kmeans,anchoreval]
//          [--threads 2] [--separate] [--rows FILE,…] [--json]
// --separate: every scenario by itself, in our estimates and in extrapolation's order of the models.
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz. --rows adds the rows that an earlier run
// printed with --json. Times of the methods are in the rows of --json: seconds of one thread, all fits together.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { readResponses, recommended } from "anchoreval-trainer";
import { planCells } from "anchoreval-trainer/internal/features/backtest/fit/plan-cells";
import { headlineEstimator } from "anchoreval-trainer/internal/methods/method";
import { familyNumbers } from "anchoreval-trainer/internal/matrix/families";
import { runOnThreads } from "anchoreval-trainer/internal/threads/run-on-threads";
import { peerMethods } from "./peers/methods.js";
import { readOptions } from "./options.js";

const {
  values: options,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,helm-legalbench,openllm2-official,glue-anchorpoints:sst2",
    splits: "interpolation,extrapolation,family",
    seeds: "5",
    anchors: "10,30,50,100",
    methods: null,
    threads: String(availableParallelism()),
    separate: false,
    rows: null,
    json: false,
  },
  1,
);
const began = performance.now();
const splits = options.splits.split(",");
const sizes = options.anchors.split(",").map(Number);
const seeds = Number(options.seeds);
const peers = peerMethods();

/** What a bundle serves as the score. */
const HEADLINE = headlineEstimator(recommended);

/** Rows of `anchoreval backtest`, by run and estimator. */
const OWN = {
  "irt-kmeans": {
    extra: ["--set", "selection=irt-kmeans", "--set", "lambda=reference"],
    rows: {
      "anchor-mean": "k-means on IRT, weighted mean",
      "p-irt": "k-means on IRT, p-IRT",
      "gp-irt": "k-means on IRT, gp-IRT",
    },
  },
  anchoreval: { extra: [], rows: { score: "**anchoreval, its default**" } },
};
const names = options.methods?.split(",") ?? [...peers.map(({ name }) => name), ...Object.keys(OWN)];
const unknown = names.find((name) => name !== "" && !(name in OWN) && !peers.some((peer) => peer.name === name));
if (unknown !== undefined) {
  console.error(`unknown method ${unknown}: ${[...peers.map(({ name }) => name), ...Object.keys(OWN)].join(", ")}`);
  process.exit(2);
}

const rows = (options.rows?.split(",") ?? []).flatMap((file) => JSON.parse(readFileSync(file, "utf8")).rows);
for (const set of options.sets.split(",").filter(Boolean)) {
  const [name, chosen] = set.split(":");
  const scenarios = chosen?.split("+") ?? [];
  const { matrix } = await readResponses(join(folder, name, "responses.csv.gz"), {
    items: join(folder, name, "items.jsonl.gz"),
  });
  for (const split of splits) {
    const anonymous = new Set(familyNumbers(matrix.subjects)).size === matrix.subjects.length;
    if (split === "family" && anonymous) {
      console.error(`${set}, family: left out, no two models have names of one family`);
      continue;
    }
    const peerNames = names.filter((own) => own !== "" && !(own in OWN));
    if (peerNames.length > 0) rows.push(...(await peerRows({ set: name, matrix, scenarios, split, names: peerNames })));
    for (const own of names) if (own in OWN) rows.push(...ownRows({ set: name, scenarios, split, own }));
  }
}
checkYardstick();
const seconds = (performance.now() - began) / 1000;
if (options.json) console.log(JSON.stringify({ sizes, seeds, seconds, rows }, null, 1));
else printTable();
console.error(`${Math.round(seconds)} s on ${options.threads} threads`);

/** One row a scenario, method and size. Errors in points. */
async function peerRows({ set, matrix, scenarios, split: name, names: methods }) {
  const settings = { ...recommended.settings, weighting: "items", linked: !options.separate };
  const method = { ...recommended, settings };
  const cells = planCells(matrix, { split: name, sizes, seeds, method, scenarios }).flatMap(
    ({ benchmark: { scenarios: parts }, split, seed }) => {
      const stream = parts.length > 1 ? "all" : parts[0].id; // of the draws that the back-test compares with
      return parts.map((scenario, s) => ({ scenario, split: split.scenarios[s], sizes, seed, stream }));
    },
  );
  const from = performance.now();
  const results = await runOnThreads(new URL("./peers/worker.js", import.meta.url), cells, {
    threads: Number(options.threads),
    work: "the comparison",
    data: { methods },
    onDone: (done) => progress(`${set}, ${name}: ${done} of ${cells.length} fits`),
  });
  progress(`${set}, ${name}: ${cells.length} fits, ${((performance.now() - from) / 1000).toFixed(0)} s\n`);
  return [...new Set(cells.map((cell) => cell.scenario.id))].flatMap((scenario) =>
    sizes.flatMap((n) =>
      methods.map((method) => {
        const own = results.filter((_, c) => cells[c].scenario.id === scenario).flat();
        const sums = { error: 0, randomError: 0, targets: 0, items: 0, seconds: 0, fits: 0 };
        for (const result of own)
          if (result.n === n && result.method === method) {
            for (const key of ["error", "randomError", "targets", "items", "seconds"]) sums[key] += result[key];
            sums.fits++;
          }
        return {
          set,
          scenario,
          split: name,
          n,
          method,
          label: peers.find((peer) => peer.name === method).label,
          items: sums.items / sums.fits,
          mae: (100 * sums.error) / sums.targets,
          randomMae: (100 * sums.randomError) / sums.targets,
          ratioToRandom: sums.error / sums.randomError,
          seconds: sums.seconds,
        };
      }),
    ),
  );
}

/** Rows of `anchoreval backtest`. */
function ownRows({ set, scenarios, split, own }) {
  const file = (name) => join(folder, set, name);
  const args = [
    "backtest",
    "--set",
    "weighting=items",
    "--split",
    split,
    "--anchors",
    options.anchors,
    "--json",
    "--quiet",
  ];
  args.push("--responses", file("responses.csv.gz"), "--items", file("items.jsonl.gz"), "--threads", options.threads);
  args.push("--seeds", options.seeds, ...OWN[own].extra);
  if (options.separate) args.push("--set", "separate=true");
  for (const scenario of scenarios) args.push("--scenario", scenario);
  const from = performance.now();
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname, ...args],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (status !== 0) throw new Error(`${set}, ${split}: ${stderr}`);
  progress(`${set}, ${split}: ${own}, ${((performance.now() - from) / 1000).toFixed(0)} s\n`);
  return JSON.parse(stdout)
    .rows.filter((row) => row.scenario !== "overall")
    .map((row) => ({ ...row, estimator: own === "anchoreval" && row.estimator === HEADLINE ? "score" : row.estimator }))
    .filter(({ estimator }) => estimator in OWN[own].rows)
    .map(({ scenario, n, estimator, mae, randomMae, ratioToRandom }) => ({
      set,
      scenario,
      split,
      n,
      method: `${own} ${estimator}`,
      label: OWN[own].rows[estimator],
      items: n,
      mae,
      randomMae,
      ratioToRandom,
    }));
}

/** All rows of a scenario, split and size were divided by the same error of random items: draw for draw. */
function checkYardstick() {
  const known = new Map();
  for (const { set, scenario, split, n, randomMae } of rows) {
    const key = `${set}/${scenario}, ${split}, ${n} items`;
    if (Math.abs((known.get(key) ?? randomMae) - randomMae) > 1e-9)
      throw new Error(`${key}: the error of random items is ${known.get(key)} in one row and ${randomMae} in another`);
    known.set(key, randomMae);
  }
}

/** One line that is written over until it ends, on a terminal; only ended lines elsewhere. */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\u001b[K`);
  else if (text.endsWith("\n")) process.stderr.write(text);
}

function printTable() {
  const labels = new Map(rows.map(({ method, label }) => [method, label]));
  const cell = (method, split) => {
    const figures = sizes.map((n) => {
      const own = rows.filter((row) => row.method === method && row.split === split && row.n === n);
      if (own.length === 0) return null;
      const logs = own.reduce((sum, { ratioToRandom }) => sum + Math.log(Math.max(ratioToRandom, 1e-3)), 0);
      return Math.exp(logs / own.length)
        .toFixed(2)
        .replace(/^0/, "");
    });
    return figures.some((figure) => figure === null) ? "" : figures.join(" / ");
  };
  const header = splits.map((split) => {
    const scenarios = new Set(rows.filter((row) => row.split === split).map((row) => `${row.set}/${row.scenario}`));
    return `${split}, ${scenarios.size} scenarios`;
  });
  console.log(`error relative to as many random items, ${seeds} seeds; n = ${sizes.join(" / ")}\n`);
  console.log(`| method | ${header.join(" | ")} |`);
  console.log(`| --- |${" --- |".repeat(splits.length)}`);
  for (const [method, label] of labels)
    console.log(`| ${label} | ${splits.map((split) => cell(method, split)).join(" | ")} |`);
}
