// The accuracy table: error relative to random items, with the worst scenario and the bias of what is served, and what the
// intervals are worth beside Wilson's on random items, over scenarios.
// usage: node bench/accuracy.js FOLDER [--sets a,b:scenario+scenario] [--seeds 5] [--anchors 10,30,50,100]
//          [--runs default:interpolation,default:family,irt-kmeans:newest,…] [--selection NAME] [--sources N] [--separate] [--json]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { accuracyFigures, relativeChange } from "./accuracy/figures.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  {
    sets: "helm-lite,openllm2-official",
    seeds: "5",
    anchors: "10,30,50,100",
    runs: null,
    selection: null,
    sources: null,
    separate: false,
    json: false,
  },
  1,
);
const bin = new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname;
const sizes = values.anchors.split(",").map(Number);

/** What is measured: the default, or the selection asked for, on four splits; and the seeds' own recipe on three. */
const REFERENCE = {
  id: "irt-kmeans",
  name: "irt-kmeans, λ by the reference",
  extra: ["--set", "selection=irt-kmeans", "--set", "lambda=reference"],
};
const OWN = values.selection
  ? { id: values.selection, name: values.selection, extra: ["--set", `selection=${values.selection}`] }
  : { id: "default", name: "default", extra: [] };
const all = [
  ...["interpolation", "extrapolation", "newest", "family"].map((split) => ({ ...OWN, split })),
  ...(values.selection ? [] : ["newest", "interpolation", "extrapolation"].map((split) => ({ ...REFERENCE, split }))),
];
const wanted = values.runs?.split(",") ?? all.map(({ id, split }) => `${id}:${split}`);
const runs = wanted.map(
  (run) =>
    all.find(({ id, split }) => `${id}:${split}` === run) ??
    fail(`--runs is of ${all.map(({ id, split }) => `${id}:${split}`).join(", ")}; got ${run}`),
);

const results = [];
if (!values.json) console.log(`means over scenarios, ${values.seeds} seeds; n = ${sizes.join(" / ")}`);
for (const run of runs) {
  const figures = measure(run);
  if (!values.separate) continue;
  const apart = measure({ ...run, name: `${run.name}, separate`, extra: [...run.extra, "--set", "separate=true"] });
  if (!values.json) console.log(`${run.split}, ${run.name}: error together against separate`);
  for (const own of figures) {
    own.changeFromSeparate = relativeChange(
      own,
      apart.find(({ estimator }) => estimator === own.estimator),
    );
    if (!values.json) console.log(line(own.estimator, own.changeFromSeparate, percent));
  }
}
if (values.json) console.log(JSON.stringify({ sizes, results }, null, 1));

/** Figures of one recipe on one split, all sets together. */
function measure({ name, split, extra }) {
  const rows = values.sets.split(",").flatMap((set) => backtest(set, split, extra));
  const figures = accuracyFigures(rows, sizes).map((own) => ({ recipe: name, split, ...own }));
  results.push(...figures);
  if (!values.json) print(`${split}, ${name}`, figures);
  return figures;
}

function backtest(set, split, extra) {
  const [name, scenarios] = set.split(":");
  const files = [
    "--responses",
    join(folder, name, "responses.csv.gz"),
    "--items",
    join(folder, name, "items.jsonl.gz"),
  ];
  const args = ["backtest", "--set", "weighting=items", ...files, "--split", split, "--anchors", values.anchors];
  args.push("--seeds", values.seeds, "--json", "--quiet", ...extra);
  if (values.sources !== undefined) args.push("--sources", values.sources);
  for (const scenario of scenarios?.split("+") ?? []) args.push("--scenario", scenario);
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${set}, ${split}: ${stderr}`);
  return JSON.parse(stdout).rows;
}

function print(title, figures) {
  console.log(`${title} (${figures[0].scenarios} scenarios): error relative to random items`);
  for (const { estimator, ratioToRandom } of figures) console.log(line(estimator, ratioToRandom, decimals(3)));
  for (const own of figures.filter(({ coverage95 }) => coverage95.some((share) => share !== null))) {
    console.log(
      `  errors of ${own.estimator}: in the worst scenario, relative to random items; bias in points, its share of an error`,
    );
    console.log(line("worst scenario", own.worstRatioToRandom, decimals(3)));
    console.log(line("bias", own.bias, decimals(2)));
    console.log(line("worst |bias| / error", own.worstBiasToError, decimals(3)));
    console.log(`  95 % intervals of ${own.estimator}`);
    console.log(line("coverage", own.coverage95, decimals(3)));
    console.log(line("worst scenario", own.worstCoverage95, decimals(3)));
    console.log(line("± two st. errors", own.worstCoverageSe, (error) => decimals(3)(2 * error)));
    console.log(line("half-width, points", own.halfWidth95, decimals(2)));
    console.log(line("half-width / Wilson", own.halfWidthToRandom, decimals(3)));
    console.log(line("Winkler / Wilson", own.winklerToRandom, decimals(3)));
    const overall = (figure) => own.overall.map((figures) => figures[figure]);
    console.log(`  overall scores of ${own.estimator}: error relative to random items, bias in points, coverage`);
    console.log(line("error", overall("ratioToRandom"), decimals(3)));
    console.log(line("bias", overall("bias"), decimals(2)));
    console.log(line("coverage", overall("coverage95"), decimals(3)));
  }
}

function line(label, figures, format) {
  return `  ${label.padEnd(20)}${figures.map((figure) => (figure === null ? "–" : format(figure)).padStart(9)).join("")}`;
}

function decimals(digits) {
  return (figure) => figure.toFixed(digits);
}

function percent(fraction) {
  return `${fraction > 0 ? "+" : ""}${(100 * fraction).toFixed(1)} %`;
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
