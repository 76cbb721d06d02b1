// Back-tests of small boards with one seed: the error and the intervals of held-out models, the same on every machine.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = fileURLToPath(new URL("../../sdk/bin/anchoreval.js", import.meta.url));
const DATA = fileURLToPath(new URL("../../../shared/data", import.meta.url));
/** Inside the models' range, and models better than all that the fit saw. */
const SPLITS = ["interpolation", "extrapolation"];
/**
 * One that anybody can draw; real boards of one scenario and of two; of many models; of stronger ones far beyond the others;
 * with gaps.
 */
const BOARDS = ["simulated", "swebench-lite", "evalplus-code", "openllm2-arc", "alpacaeval2", "livecodebench-v6"];
/** Of a ratio or a share, where all are computed alike: half of the .01 that is a step. */
const NOISE = 0.005;

export async function measureTruth() {
  const folder = await mkdtemp(join(tmpdir(), "anchoreval-scorecard-"));
  try {
    const figures = [];
    for (const board of BOARDS) {
      if (board === "simulated") await drawBoard(join(folder, board));
      const set = board === "simulated" ? join(folder, board) : join(DATA, board);
      const rows = existsSync(set) ? await backtest(set) : null;
      figures.push(...SPLITS.flatMap((split) => figuresOf(board, split, rows)));
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function drawBoard(out) {
  const size = ["--models", "60", "--items", "400", "--scenarios", "2", "--seed", "1"];
  await anchoreval("simulate", ...size, "--out", out, "--quiet");
}

async function backtest(set) {
  const files = ["--responses", join(set, "responses.csv.gz"), "--items", join(set, "items.jsonl.gz")];
  const plan = ["--split", SPLITS.join(), "--anchors", "30", "--seeds", "1", "--provider", "typescript"];
  return JSON.parse(await anchoreval("backtest", ...files, ...plan, "--json", "--quiet")).rows;
}

/** Means over the scenarios of what a bundle recommends: error and interval score beside those of random items. */
function figuresOf(board, split, rows) {
  const scenarios = rows?.filter(
    (row) => row.split === split && row.recommended && row.scenario !== "overall" && row.randomMae !== null,
  );
  const mean = (figure) =>
    scenarios && Number((scenarios.reduce((sum, row) => sum + figure(row), 0) / scenarios.length).toFixed(4));
  const figures = {
    "error over random items'": mean((row) => row.mae / row.randomMae),
    "interval score over random items'": mean((row) => row.winkler95 / row.randomWinkler95),
    "coverage of 95 %": mean((row) => row.coverage95),
  };
  return Object.entries(figures).map(([figure, value]) => {
    const name = `truth: ${board}, ${split}: ${figure}`;
    if (value === undefined) return { name, skipped: `${DATA} has no ${board}` };
    return { name, value, noise: NOISE };
  });
}

async function anchoreval(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args], { maxBuffer: 1 << 28 });
  return stdout;
}
