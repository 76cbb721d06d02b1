/**
 * From the logs of 30 models to an estimate of the 31st, with lm-evaluation-harness's files at both ends:
 *
 *   node examples/lm-eval/run.js [FOLDER OF REAL LOGS …]
 *
 * 1. `anchoreval simulate` draws a leaderboard of 31 models, whose logs are written as the harness writes them;
 * 2. `anchoreval import` makes a response matrix of 30 models' logs, and compares the scores with the harness's own;
 * 3. `anchoreval fit` makes a bundle; 4. `anchoreval export` the list of documents for `lm_eval --samples`;
 * 5. the last model's log is cut to these documents, as if the harness had run only them;
 * 6. `anchoreval estimate` reads that log, and its score on all documents is printed beside.
 *
 * Folders of real logs are imported too, on their own.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { documentsOf, writeLogs } from "./write-logs.js";

const PROGRAM = fileURLToPath(new URL("../../sdk/bin/anchoreval.js", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "anchoreval-lm-eval-"));

function anchoreval(...argv) {
  console.log(`\n$ anchoreval ${argv.join(" ")}`);
  const { status } = spawnSync(process.execPath, [PROGRAM, ...argv], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// The leaderboard, and its logs: a scenario with subscenarios is a group of tasks that counts each document the same.
const simulated = join(out, "simulated");
anchoreval("simulate", "--settings", join(import.meta.dirname, "settings.json"), "--out", simulated);
const read = (name) =>
  gunzipSync(readFileSync(join(simulated, name)))
    .toString()
    .trim()
    .split("\n");
const items = read("items.jsonl.gz").map((line) => JSON.parse(line));
const rows = read("responses.csv.gz")
  .slice(1)
  .map((line) => line.split(","));
const taskOf = ({ scenario, subscenario }) => (subscenario === undefined ? scenario : `${scenario}_${subscenario}`);

const groups = {};
for (const item of items.filter(({ subscenario }) => subscenario !== undefined)) {
  const group = (groups[item.scenario] ??= { tasks: [], weighting: "items" });
  if (!group.tasks.includes(taskOf(item))) group.tasks.push(taskOf(item));
}

/** A model's run on all documents, or on those of a list `{ task: [document ids] }`. */
function runOf([model, ...cells], second, list = null) {
  const tasks = {};
  for (const task of new Set(items.map(taskOf))) {
    const columns = items.flatMap((item, index) => (taskOf(item) === task ? [index] : []));
    const all = documentsOf(
      columns.map((column) => items[column]),
      (index) => (cells[columns[index]] === "" ? NaN : Number(cells[columns[index]])),
    );
    const documents = list === null ? all : all.filter(({ id }) => list[task]?.includes(id));
    if (documents.length > 0) tasks[task] = { documents, all: columns.length };
  }
  const ran = Object.entries(groups).filter(([, group]) => group.tasks.every((task) => task in tasks));
  const date = `2026-01-01T00-00-${String(second).padStart(2, "0")}.000000`;
  return { model, date, tasks, groups: Object.fromEntries(ran) };
}

// The model to estimate: one that was asked everything, from the middle of the field.
const complete = rows.filter((cells) => !cells.includes(""));
const target = (complete.length > 0 ? complete : rows)[Math.floor((complete.length > 0 ? complete : rows).length / 2)];
const logs = join(out, "logs");
rows.filter((row) => row !== target).forEach((row, m) => writeLogs(logs, runOf(row, m % 60)));
console.log(`\n${rows.length - 1} models' logs are in ${logs}`);

const imported = join(out, "imported");
anchoreval("import", "--from", "lm-eval", logs, "--out", imported);
for (const [index, folder] of process.argv.slice(2).entries())
  anchoreval("import", "--from", "lm-eval", folder, "--out", join(out, `imported-${index}`));

const bundle = join(out, "bundle");
const files = ["--responses", join(imported, "responses.csv.gz"), "--items", join(imported, "items.jsonl.gz")];
anchoreval(
  "fit",
  ...files,
  "--anchors",
  "50",
  "--name",
  "example@1.0.0",
  "--created",
  "2026-01-01T00:00:00Z",
  "--out",
  bundle,
);
anchoreval("export", "--bundle", bundle, "--to", "lm-eval", "--out", out);

const list = JSON.parse(readFileSync(join(out, "example-1.0.0-50.samples.json"), "utf8"));
const cut = writeLogs(join(out, "anchors-only"), runOf(target, 0, list));
anchoreval("estimate", "--bundle", bundle, "--from", "lm-eval", cut);

const scenarios = [...new Set(items.map(({ scenario }) => scenario))].map((scenario) => {
  const scores = items.flatMap((item, index) =>
    item.scenario === scenario && target[index + 1] !== "" ? [Number(target[index + 1])] : [],
  );
  return { scenario, score: scores.reduce((sum, score) => sum + score, 0) / scores.length };
});
const points = (score) => (100 * score).toFixed(1);
const overall = scenarios.reduce((sum, { score }) => sum + score, 0) / scenarios.length;
console.log(`\n${target[0]} on all ${items.length} documents: ${points(overall)}`);
for (const { scenario, score } of scenarios) console.log(`  ${scenario} ${points(score)}`);
