// The accuracy table: geometric mean over scenarios of the error relative to random items.
// usage: node bench/accuracy.js FOLDER [--sets a,b:scenario+scenario] [--seeds 5] [--anchors 10,30,50,100]
//          [--runs default:interpolation,default:family,irt-kmeans:newest,…] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    seeds: { type: "string", default: "5" },
    anchors: { type: "string", default: "10,30,50,100" },
    runs: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/accuracy.js FOLDER [--sets a,b] [--seeds 5] [--anchors 10,30,50,100]");
  process.exit(2);
}
const bin = new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname;
const sizes = values.anchors.split(",").map(Number);

/** What is measured: the default on four splits, and the seeds' own recipe on the split of its notebooks and two more. */
const REFERENCE = {
  name: "irt-kmeans, λ by the reference",
  extra: ["--selection", "irt-kmeans", "--lambda", "reference"],
};
const RUNS = [
  ...["interpolation", "extrapolation", "newest", "family"].map((split) => ({ name: "default", split, extra: [] })),
  ...["newest", "interpolation", "extrapolation"].map((split) => ({ ...REFERENCE, split })),
].filter(
  ({ name, split }) => values.runs === undefined || values.runs.split(",").includes(`${name.split(",")[0]}:${split}`),
);

const geometricMean = (ratios) =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(Math.max(ratio, 1e-3)), 0) / ratios.length);
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const results = [];
if (!values.json)
  console.log(
    `error relative to random items, geometric mean over scenarios, ${values.seeds} seeds; n = ${sizes.join(" / ")}`,
  );
for (const run of RUNS) {
  const rows = values.sets.split(",").flatMap((set) => backtest(set, run));
  for (const estimator of ["anchor-mean", "p-irt", "gp-irt", "p-irt-dr", "gaussian", "ridge-gap", "aipw", "gate"]) {
    const cells = sizes.map((n) =>
      rows.filter((row) => row.n === n && row.estimator === estimator && row.scenario !== "overall"),
    );
    const known = cells.map((own) => own.filter((row) => row.coverage95 !== null));
    const result = {
      recipe: run.name,
      split: run.split,
      estimator,
      scenarios: cells[0].length,
      ratioToRandom: cells.map((own) => geometricMean(own.flatMap((row) => row.ratioToRandom ?? []))),
      coverage95: known.map((own) => (own.length > 0 ? mean(own.map((row) => row.coverage95)) : null)),
      worstCoverage95: known.map((own) => (own.length > 0 ? Math.min(...own.map((row) => row.coverage95)) : null)),
      halfWidth95: known.map((own) => (own.length > 0 ? mean(own.map((row) => row.halfWidth95)) : null)),
    };
    results.push(result);
    if (!values.json) print(result);
  }
}
if (values.json) console.log(JSON.stringify({ sizes, results }, null, 1));

function backtest(set, { split, extra }) {
  const [name, scenarios] = set.split(":");
  const args = [
    "backtest",
    "--weighting",
    "items",
    "--responses",
    join(folder, name, "responses.csv.gz"),
    "--items",
    join(folder, name, "items.jsonl.gz"),
  ];
  args.push("--split", split, "--anchors", values.anchors, "--seeds", values.seeds, "--json", "--quiet", ...extra);
  for (const scenario of scenarios?.split("+") ?? []) args.push("--scenario", scenario);
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${set}, ${split}: ${stderr}`);
  return JSON.parse(stdout).rows;
}

function print({ recipe, split, estimator, scenarios, ratioToRandom, coverage95, worstCoverage95, halfWidth95 }) {
  const ratios = ratioToRandom.map((ratio) => ratio.toFixed(3)).join("  ");
  const interval =
    coverage95[0] === null
      ? ""
      : `  coverage ${coverage95.map((share) => share.toFixed(3)).join(" ")} (worst ${Math.min(...worstCoverage95).toFixed(2)}), half-width ${halfWidth95.map((width) => width.toFixed(1)).join(" ")}`;
  console.log(
    `${split.padEnd(14)} ${recipe.padEnd(31)} ${estimator.padEnd(12)} ${ratios}  (${scenarios} scenarios)${interval}`,
  );
}
