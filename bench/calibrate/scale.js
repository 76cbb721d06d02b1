import { spawnSync } from "node:child_process";
import { cpus, loadavg } from "node:os";
import { growthTable, scaleLines } from "./tables.js";

const CELL = new URL("./scale-cell.js", import.meta.url).pathname;
/** Evaluations of the float64 search at most: it should end by itself before. */
const OPTIMUM_EVALUATIONS = 1500;

/** What grows: one of the three at a time. */
const GROWTH = [
  ...[100, 200, 400, 800, 1600].map((models) => ({ models, items: 7000, dims: 5 })),
  ...[1750, 3500, 14_000, 28_000].map((items) => ({ models: 400, items, dims: 5 })),
  ...[1, 2, 10, 20].map((dims) => ({ models: 400, items: 7000, dims })),
];

/** Time and memory at leaderboard size, and what bounds them. */
export async function scaleMode({ cells, threads, provider, json }) {
  const run = (options) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [CELL, JSON.stringify({ threads, provider, ...options })],
      { encoding: "utf8", maxBuffer: 1 << 28 },
    );
    if (status !== 0) throw new Error(stderr);
    return { ...JSON.parse(stdout), load: loadavg()[0] };
  };
  const found = { threads, provider, cores: cpus().length, node: process.version };
  if (cells.includes("accuracy"))
    found.accuracy = run({ models: 400, items: 28_659, dims: 10, optimum: OPTIMUM_EVALUATIONS });
  if (cells.includes("large")) found.large = run({ models: 6349, items: 28_659, dims: 2 });
  if (cells.includes("growth")) {
    found.limits = run({ limits: 5 });
    found.growth = GROWTH.map(run);
  }
  if (json) console.log(JSON.stringify(found, null, 1));
  else {
    console.log(`Node ${found.node}, ${found.cores} cores, ${threads} thread(s), provider ${provider}`);
    for (const line of scaleLines(found)) console.log(line);
    if (found.growth) console.log(growthTable(found));
  }
}
