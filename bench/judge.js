// A judge and few labels beside two published estimators, on the same labels: how often their 95 % intervals hold people's
// mean of these items, how wide they are, and Winkler's score, all three over draws of labels; widths and scores over those of
// the labels alone. Boards are simulated judges (test/support/judges.js) and, of alpacaeval2, a judge's probabilities of one
// model after another with people who answer by them.
// usage: node bench/judge.js FOLDER [--labels 30,100,300] [--draws 200] [--boards useless,stars] [--items 1000] [--python PYTHON] [--json]
// PYTHON is one whose environment has cje-eval 0.9.3 and evalstats 0.3.3; without it ours stands alone.
import { once } from "node:events";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { estimateFromJudge } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readResponses } from "anchoreval-trainer";
import { drawPlaces, judgedItems, JUDGES } from "../test/support/judges.js";
import { readOptions } from "./options.js";

const {
  values,
  positionals: [folder],
} = readOptions(
  import.meta.url,
  { labels: "30,100,300", draws: "200", boards: "", items: "1000", python: null, json: false },
  1,
);
const ALPHA = 0.05;
const sizes = values.labels.split(",").map(Number);
const draws = Number(values.draws);
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

const wanted = values.boards.split(",");
const boards = [...simulated(), await alpaca()].filter(({ name }) => wanted.some((word) => name.includes(word)));
const peers = values.python === undefined ? null : startPeers(values.python);
const rows = [];
for (const board of boards)
  for (const n of sizes) {
    const random = createRandom(`${board.name}, ${n} labels`);
    const cells = Array.from({ length: draws }, (_, k) => cellOf(board.itemsOf(k), n, random));
    const intervals = cells.map(ownIntervals);
    if (peers !== null) (await peers(cells)).forEach((others, k) => Object.assign(intervals[k], others));
    for (const method of Object.keys(intervals[0])) rows.push(summary(board.name, n, method, cells, intervals));
    if (!values.json) print(rows.filter((row) => row.board === board.name && row.n === n));
  }
if (values.json) console.log(JSON.stringify({ draws, rows }, null, 1));
else printMeans();
peers?.end();

function simulated() {
  return JUDGES.map(([name, , board]) => {
    const items = judgedItems(board, Number(values.items), createRandom(name));
    return { name, itemsOf: () => items };
  });
}

/** Another model each draw. */
async function alpaca() {
  const set = join(folder, "alpacaeval2");
  const { matrix } = await readResponses(join(set, "responses.csv.gz"), { items: join(set, "items.jsonl.gz") });
  const random = createRandom("alpacaeval2");
  const models = matrix.subjects.map((_, m) => {
    const judged = Array.from(matrix.items, (_, i) => matrix.scores[m * matrix.items.length + i]).filter((x) => x >= 0);
    return judged.map((chance) => [Number(random.next() < chance), chance]);
  });
  return { name: "alpacaeval2's, as a probability", itemsOf: (k) => models[k % models.length] };
}

/** Labels of `n` items, and what there is to know. */
function cellOf(items, n, random) {
  const places = drawPlaces([...items.keys()], n, random);
  return { items, places, truth: mean(items.map(([label]) => label)) };
}

function ownIntervals({ items, places }) {
  const judge = new Map(items.map(([, judged], k) => [String(k), judged]));
  const labels = new Map(places.map((k) => [String(k), items[k][0]]));
  const { interval, labels: alone } = estimateFromJudge(judge, labels);
  return { "labels alone": alone.interval, anchoreval: interval };
}

/** The process with the others' estimators: intervals of cells by method, null where one refuses. */
function startPeers(python) {
  const script = fileURLToPath(new URL("peers/judge.py", import.meta.url));
  const child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.on("exit", (code) => code === 0 || process.exit(1));
  const ask = async (cells) => {
    const answers = [];
    const sent = cells.map(({ items, places }) => ({
      judge: items.map(([, judged]) => judged),
      labels: places.map((k) => [k, items[k][0]]),
    }));
    if (!child.stdin.write(`${JSON.stringify(sent)}\n`)) await once(child.stdin, "drain");
    while (answers.length < cells.length) answers.push(JSON.parse((await lines.next()).value));
    return answers;
  };
  return Object.assign(ask, { end: () => child.stdin.end() });
}

/** Winkler's score is the width, and 2/α times what an interval misses by. Draws that a method refuses are left out. */
function summary(board, n, method, cells, intervals) {
  const done = intervals.flatMap((all, k) =>
    all[method] ? [{ ...all[method], alone: all["labels alone"], ...cells[k] }] : [],
  );
  const missed = ({ low, high }, truth) => Math.max(0, low - truth, truth - high);
  const score = (interval, truth) => interval.high - interval.low + (2 / ALPHA) * missed(interval, truth);
  const width = mean(done.map(({ low, high }) => high - low));
  const alone = mean(done.map(({ alone: { low, high } }) => high - low));
  return {
    ...{ board, n, method, draws: done.length },
    held: mean(done.map((one) => Number(missed(one, one.truth) <= 1e-12))),
    half: 50 * width,
    width: width / alone,
    winkler: mean(done.map((one) => score(one, one.truth))) / mean(done.map((one) => score(one.alone, one.truth))),
  };
}

function print(shown) {
  const [{ board, n }] = shown;
  console.log(`\na judge ${board}; ${n} labels`);
  for (const { method, held, half, width, winkler, draws: done } of shown)
    console.log(
      `  ${method.padEnd(14)} held ${held.toFixed(3)}  ± ${half.toFixed(1).padStart(4)}  width ${width.toFixed(2)}  Winkler ${winkler.toFixed(2)}${done < draws ? `  (${draws - done} refused)` : ""}`,
    );
}

/** Over boards: least and mean coverage, geometric means of widths and scores. */
function printMeans() {
  console.log("\nmethod, over boards: labels: coverage (least), width, Winkler, of as many boards");
  for (const method of new Set(rows.map((row) => row.method)))
    for (const n of sizes) {
      const all = rows.filter((row) => row.method === method && row.n === n && row.draws > 0);
      const geometric = (field) => Math.exp(mean(all.map((row) => Math.log(row[field])))).toFixed(2);
      const held = all.map((row) => row.held);
      console.log(
        `  ${method.padEnd(14)} ${String(n).padStart(3)}: ${mean(held).toFixed(3)} (${Math.min(...held).toFixed(3)}), ${geometric("width")}, ${geometric("winkler")}, ${all.length}`,
      );
    }
}
