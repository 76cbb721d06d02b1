// Instructions, which no neighbour disturbs: valgrind counts those of a Node that compiles in one thread and one order.
// Run with a name and a count, this file is the work itself.
import { execFile, execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadBundle, estimateFromAnchors } from "anchoreval";
import { syntheticBundle } from "../worker/synthetic-bundle.js";

const HERE = fileURLToPath(import.meta.url);
const PROGRAM = fileURLToPath(new URL("../../sdk/bin/anchoreval.js", import.meta.url));
/** Counts of one build repeat to .1 %, those of a fit to .3 %: `--only speed`, twice. A step of 2 % is the code's. */
const NOISE = "2%";

/** What is counted: a process, or one call of many in it. */
const WORKS = {
  "anchoreval --version": { args: [PROGRAM, "--version"] },
  "fit of 40 models × 200 items": { args: [PROGRAM, "fit", "--name", "a@1.0.0", "--anchors", "20"], board: true },
  "an estimate on 14 042 items": { args: [HERE, "estimate"], calls: 100 },
  // Of one build 39.4 or 40.8 million, by when garbage is collected.
  "reading a bundle of 14 042 items": { args: [HERE, "read"], calls: 20, noise: "5%" },
};

/**
 * A fit of a size that instructions can't be counted of in time: what it asks of the calibrations, which repeats to the
 * last, and its memory, which repeats to some percent. Seconds are bench/fit.js's.
 */
const LARGER = { models: 100, items: 5000, dims: 10 };

/** @param node - the version that the file's counts are of: another one compiles otherwise */
export async function measureSpeed(node) {
  const skipped = unable(node);
  const folder = await mkdtemp(join(tmpdir(), "anchoreval-scorecard-"));
  try {
    // In two rows: the fit takes as long as the others together.
    const isFit = ([, { board }]) => board === true;
    const works = Object.entries(WORKS);
    const rows = [works.filter(isFit), works.filter((work) => !isFit(work))];
    const larger = await measureLarger(folder);
    const counted = await Promise.all(rows.map((row) => countRow(row, folder, skipped)));
    return [...counted.flat(), ...larger];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function countRow(row, folder, skipped) {
  const figures = [];
  let setUp = null;
  for (const [work, { args, calls, board = false, noise = NOISE }] of row) {
    const name = `speed: instructions, ${work}`;
    const figure = (value) => figures.push({ name, value, noise });
    if (skipped) figures.push({ name, skipped });
    else if (calls) {
      setUp ??= await instructions([...args, 0]); // of both calls the same
      figure(Math.round(((await instructions([...args, calls])) - setUp) / calls));
    } else figure(await instructions(board ? [...args, ...(await smallFit(folder))] : args));
  }
  return figures;
}

function unable(node) {
  if (process.version !== node) return `counted with Node ${node}; this is ${process.version}`;
  if (existsSync("/usr/bin/valgrind")) return null;
  try {
    const how = ["-y", "-qq", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"];
    execFileSync("apt-get", ["install", ...how, "valgrind"], { stdio: "ignore" });
    return null;
  } catch {
    return "no valgrind, and it couldn't be installed";
  }
}

async function measureLarger(folder) {
  const { models, items, dims } = LARGER;
  const data = await drawBoard(folder, { models, items, scenarios: 2 });
  const how = [
    "--name",
    "a@1.0.0",
    "--anchors",
    "20,100",
    "--set",
    `dims=${dims}`,
    "--provider",
    "cpu",
    "--threads",
    "2",
  ];
  const out = ["--out", join(folder, "larger"), "--quiet", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, "fit", ...data, ...how, ...out]);
  const { manifest, peakMemory } = JSON.parse(stdout);
  const calibrations = Object.values(manifest.fit.calibration);
  const name = `fit of ${models} models × ${items} items in ${dims} dimensions`;
  return [
    { name: `speed: evaluations, ${name}`, value: calibrations.reduce((sum, { evaluations }) => sum + evaluations, 0) },
    { name: `speed: megabytes, ${name}`, value: Math.round(peakMemory / 1e6), noise: "8%" },
  ];
}

/** Draws a board, and gives the options of a fit of it. */
async function drawBoard(folder, { models, items, scenarios }) {
  const out = join(folder, `board of ${models}`);
  const size = ["--models", models, "--items", items, "--scenarios", scenarios].map(String);
  await promisify(execFile)(process.execPath, [PROGRAM, "simulate", ...size, "--out", out, "--quiet"]);
  return ["--responses", join(out, "responses.csv.gz"), "--items", join(out, "items.jsonl.gz")];
}

async function smallFit(folder) {
  const data = await drawBoard(folder, { models: 40, items: 200, scenarios: 1 });
  return [...data, ...["--provider", "typescript", "--threads", "1", "--out", join(folder, "bundle"), "--quiet"]];
}

async function instructions(args) {
  const { stderr } = await promisify(execFile)("valgrind", [
    ...["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"],
    ...[process.execPath, "--single-threaded", "--predictable", ...args.map(String)],
  ]);
  const count = /I\s+refs:\s+([\d,]+)/.exec(stderr);
  if (!count) throw new Error(`valgrind counted nothing: ${stderr}`);
  return Number(count[1].replaceAll(",", ""));
}

if (process.argv[1] === HERE) {
  const [work, calls] = process.argv.slice(2);
  const { files, answers } = syntheticBundle("mmlu", { mmlu: 14042 }, false);
  const open = () => loadBundle({ name: "mmlu", read: (file) => Promise.resolve(files.get(file) ?? null) });
  const bundle = await open();
  const run = work === "read" ? open : () => estimateFromAnchors(bundle, answers);
  for (let k = 0; k < Number(calls); k++) await run();
}
