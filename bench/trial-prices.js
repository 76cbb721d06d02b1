// A table of single trials in two commands, import and fit, to a bundle of trials and prices; and how well prices that are taken
// from some agents say what another one spends, by four ways to make one price of many answers.
// usage: node bench/trial-prices.js FOLDER
// FOLDER has terminal-bench-core, with trials.csv.gz.
//
// Every agent in turn is held out, and its mean cost of each task compared with the task's price by the others, up to one factor
// for the agent: |ln cost − ln price − factor|, its median and root mean square over agents and tasks. "One verbose": the same
// where one of the other agents, each in turn, spends 30 times as much as it did. Of tokens, too: the middle price of tasks by
// how many of their 20 trials by these agents have any.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { AnswerCosts } from "../offline-trainer/dist/matrix/typical-prices.js";

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node bench/trial-prices.js FOLDER");
  process.exit(2);
}
const table = join(folder, "terminal-bench-core", "trials.csv.gz");
const program = new URL("../offline-trainer/bin/anchoreval-trainer.js", import.meta.url).pathname;
const out = mkdtempSync(join(tmpdir(), "trial-prices-"));
try {
  const [board, bundle] = [join(out, "board"), join(out, "bundle")];
  const columns = "tokens=input_tokens+output_tokens,seconds=ended-started";
  run("import", "--from", "table", table, "--columns", columns, "--out", board);
  const items = join(board, "items.jsonl.gz");
  run(
    ...["fit", "--responses", join(board, "trials.csv.gz"), "--items", items, "--prices", items],
    ...["--price-column", "tokens", "--anchors", "10,20,40", "--name", "tb@1.0.0", "--out", bundle],
  );
} finally {
  rmSync(out, { recursive: true, force: true });
}

function run(...argv) {
  console.log(`$ anchoreval ${argv.join(" ").replaceAll(out, "out").replaceAll(table, "trials.csv.gz")}`);
  const text = execFileSync(process.execPath, [program, ...argv], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  console.log(text.replaceAll(out, "out"));
}

function compareWays(kind) {
  const rows = readTrials(kind);
  const agents = [...new Set(rows.map(({ agent }) => agent))];
  const tasks = [...new Set(rows.map(({ task }) => task))];
  console.log(`\n${kind}: ${agents.length} agents, ${tasks.length} tasks, ${rows.length} trials that say it`);
  if (kind === "tokens") showSeldom(rows);
  for (const [name, price] of Object.entries(WAYS)) {
    const found = (factor) =>
      agents.flatMap((held) => {
        const others = agents.filter((agent) => agent !== held);
        const verbose = factor === 1 ? [null] : others;
        return verbose.flatMap((loud) => {
          const own = rows
            .filter(({ agent }) => agent !== held)
            .map((row) => (row.agent === loud ? { ...row, cost: row.cost * factor } : row));
          return deviations(rows.filter(({ agent }) => agent === held), price(own, tasks)); // prettier-ignore
        });
      });
    const words = (own) => `${median(own.map(Math.abs)).toFixed(2)} ${Math.sqrt(mean(own.map((one) => one * one))).toFixed(2)}`; // prettier-ignore
    console.log(`  ${name.padEnd(28)} ${words(found(1))}   one verbose ${words(found(30))}`);
  }
}

/** Whether what is seldom logged is dearer: the middle price of tasks by how many trials say what they took. */
function showSeldom(rows) {
  const prices = WAYS["a typical agent (import's)"](rows, [...new Set(rows.map(({ task }) => task))]);
  const trials = (task) => rows.filter((row) => row.task === task).length;
  for (const [least, most] of [
    [1, 5],
    [6, 12],
    [13, 17],
    [18, 20],
  ]) {
    const own = [...prices.keys()].filter((task) => least <= trials(task) && trials(task) <= most);
    console.log(`  ${least} to ${most} trials: ${own.length} tasks, ${Math.round(median(own.map((task) => prices.get(task))))}`); // prettier-ignore
  }
}

/** Of each task that the agent's cost and its price are known: ln cost − ln price, less the median. */
function deviations(rows, prices) {
  const costs = meansBy(rows, ({ task }) => task);
  const own = [...costs].flatMap(([task, cost]) => (prices.has(task) ? [Math.log(cost / prices.get(task))] : []));
  return own.map((one) => one - median(own));
}

function readTrials(kind) {
  const [head, ...lines] = gunzipSync(readFileSync(table)).toString().trim().split("\n").map((line) => line.split(",")); // prettier-ignore
  const at = (name) => head.indexOf(name);
  return lines.flatMap((cells) => {
    const cell = (name) => cells[at(name)];
    const cost =
      kind === "tokens"
        ? Number(cell("input_tokens") || NaN) + Number(cell("output_tokens") || NaN)
        : (Date.parse(cell("ended")) - Date.parse(cell("started"))) / 1000;
    return cost > 0 ? [{ agent: cell("model"), task: cell("item_id"), cost }] : [];
  });
}

/** Each makes prices by task of trials. */
const WAYS = {
  "mean of rows": (rows) => meansBy(rows, ({ task }) => task),
  "median of agents": (rows) => byTask(rows, (own) => median(own.map(({ cost }) => cost))),
  "mean of ratios": (rows) => {
    const levels = meansBy(rows, ({ agent }) => agent);
    return byTask(rows, (own) => mean(own.map(({ agent, cost }) => cost / levels.get(agent))));
  },
  "a typical agent (import's)": (rows, tasks) => {
    const costs = new AnswerCosts();
    for (const { agent, task, cost } of rows) costs.add(agent, task, { tokens: cost });
    const [found] = costs.prices(tasks.map((task) => ({ item_id: task, scenario: "all" }))).prices;
    const known = new Set(rows.map(({ task }) => task));
    return new Map([...found.items].filter(([task]) => known.has(task)));
  },
};

/** A price by task, of the agents' mean costs of it. */
function byTask(rows, price) {
  const cells = meansBy(rows, ({ agent, task }) => JSON.stringify([agent, task]));
  const own = Array.from(cells, ([key, cost]) => ({ agent: JSON.parse(key)[0], task: JSON.parse(key)[1], cost }));
  return new Map([...new Set(own.map(({ task }) => task))].map((task) => [task, price(own.filter((one) => one.task === task))])); // prettier-ignore
}

function meansBy(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row.cost]);
  return new Map(Array.from(groups, ([name, own]) => [name, mean(own)]));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

for (const kind of ["tokens", "seconds"]) compareWays(kind);
