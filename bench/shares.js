// What it would bring to share a total of anchors by the scenarios' errors, not evenly: errors of overall scores, composed
// of the scenarios' errors at each number of anchors as if they were independent.
// usage: node bench/shares.js FOLDER [--sets helm-lite,openllm2-official] [--recipes tinybenchmarks,recommended]
//          [--totals 50,100] [--anchors 5,10,15,20,30,45] [--seeds 2]
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,openllm2-official" },
    recipes: { type: "string", default: "tinybenchmarks,recommended" },
    totals: { type: "string", default: "50,100" },
    anchors: { type: "string", default: "5,10,15,20,30,45" },
    seeds: { type: "string", default: "2" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/shares.js FOLDER [--sets a,b] [--totals 50,100]");
  process.exit(2);
}
const bin = new URL("../offline-trainer/bin/anchoreval-trainer.js", import.meta.url).pathname;
const [least, most] = [Math.min(...numbers(values.anchors)), Math.max(...numbers(values.anchors))];

for (const set of values.sets.split(",")) {
  const all = backtest(set).filter(({ headline, scenario }) => headline && scenario !== "overall");
  for (const recipe of new Set(all.map((row) => row.recipe))) {
    const rows = all.filter((row) => row.recipe === recipe);
    const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
    const squares = scenarios.map((id) => squareCurve(rows.filter(({ scenario }) => scenario === id)));
    for (const total of numbers(values.totals)) {
      const overall = (shares) => Math.sqrt(shares.reduce((sum, n, s) => sum + squares[s](n), 0)) / scenarios.length;
      const even = scenarios.map(() => total / scenarios.length);
      const errors = even.map((n, s) => Math.sqrt(squares[s](n)));
      const sum = errors.reduce((all, own) => all + own, 0);
      const byError = errors.map((own) => Math.min(most, Math.max(least, (total * own) / sum)));
      const best = greedy(squares, total);
      console.log(
        `${set}, ${recipe}, ${total}: even ${overall(even).toFixed(2)} points; by error ${change(overall(byError), overall(even))}; in hindsight ${change(overall(best), overall(even))} (${scenarios.map((id, s) => `${id} ${best[s]}`).join(", ")})`,
      );
    }
  }
}

function backtest(set) {
  const file = (name) => join(folder, set, name);
  const data = ["--responses", file("responses.csv.gz"), "--items", file("items.jsonl.gz"), "--weighting", "items"];
  const how = [
    "--recipe",
    values.recipes,
    "--split",
    "interpolation",
    "--anchors",
    values.anchors,
    "--seeds",
    values.seeds,
    "--json",
    "--quiet",
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "backtest", ...data, ...how], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout).rows;
}

/** Squared error by the number of anchors, log-linear between those that were measured and level beyond. */
function squareCurve(rows) {
  const points = rows.map(({ n, rmse }) => [Math.log(n), 2 * Math.log(rmse)]).sort(([x], [y]) => x - y);
  return (n) => {
    const x = Math.min(points.at(-1)[0], Math.max(points[0][0], Math.log(n)));
    const next = Math.max(
      1,
      points.findIndex(([at]) => at >= x),
    );
    const [[x0, y0], [x1, y1]] = [points[next - 1], points[next]];
    return Math.exp(y0 + ((x - x0) / (x1 - x0)) * (y1 - y0));
  };
}

/** One anchor after the other to where it takes most off; knows the errors of the very models that it is judged by. */
function greedy(squares, total) {
  const shares = squares.map(() => least);
  const gain = (s) => (shares[s] < most ? squares[s](shares[s]) - squares[s](shares[s] + 1) : -Infinity);
  for (let spent = least * shares.length; spent < total; spent++) {
    const best = shares.reduce((one, _, s) => (gain(s) > gain(one) ? s : one), 0);
    shares[best]++;
  }
  return shares;
}

function change(one, other) {
  return `${(100 * (one / other - 1)).toFixed(1)} %`;
}

function numbers(list) {
  return list.split(",").map(Number);
}
