import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { resolveBackend } from "../../offline-trainer/dist/backends/resolve-backend.js";
import { calibrate } from "../../offline-trainer/dist/calibrate/calibrate.js";
import { calibrateMarginal } from "../../offline-trainer/dist/calibrate/marginal/calibrate-marginal.js";
import { codeResponses } from "../../offline-trainer/dist/matrix/code-responses.js";
import { heldOut } from "./held-out.js";
import { median } from "./median.js";
import { fitGirth, fitPyIrt, readPyIrt } from "./peers.js";

/** Fits of ours before a peer's, and as many after it: what else the machine does is then much the same for both. */
const REPEATS = 3;
/** Epochs of the two short runs whose difference tells the time of one epoch. */
const SHORT_RUNS = [20, 70];

/**
 * Ours and py-irt on the same sources: times, and both banks on the same held-out models.
 * @param full - whether py-irt runs all its epochs; else its time is that of one epoch times their number, and there
 * is no quality. The same where it ends in numbers that are none, whatever its seed
 * @param cache - folder of finished runs
 */
export async function comparePyIrt({ set, version, dims, seed, epochs, full, threads, provider, python, cache }) {
  const { sources, targets } = set.split(seed);
  const options = { dims, seed, threads, provider };
  const kind = full ? "" : "-short";
  const work = join(cache, `py-irt-${version}-${set.name}-d${dims}-s${seed}-e${epochs}-t${threads}${kind}`);
  const done = join(work, "times.json");
  if (!existsSync(done)) {
    mkdirSync(work, { recursive: true });
    const before = await timeOurs(set, sources, options);
    const load = loadavg()[0];
    const train = (folder, count) =>
      fitPyIrt(python, folder, set.matrix, sources, { version, dims, epochs: count, threads });
    let peer = full ? { ...train(work, epochs), estimated: false } : null;
    if (peer === null || peer.seconds === null) {
      const [few, more] = SHORT_RUNS.map((count) => train(join(work, "short"), count));
      const scaled = (name) => ((more[name] - few[name]) / (SHORT_RUNS[1] - SHORT_RUNS[0])) * epochs;
      const failures = peer?.failures ?? 0;
      peer = { seconds: scaled("seconds"), cpu: scaled("cpu"), peakBytes: more.peakBytes, failures, estimated: true };
    }
    const after = await timeOurs(set, sources, options);
    writeFileSync(done, JSON.stringify({ peer, ours: [...before, ...after], loads: [load, loadavg()[0]] }));
  }
  const { peer, ours, loads } = JSON.parse(readFileSync(done, "utf8"));
  const judge = (fit) => heldOut(fit, set, targets, seed);
  const found = peer.estimated ? null : readPyIrt(work, set.matrix, dims);
  const fits = found && { "least loss": judge(found.best), "last epoch": judge(found.last) };
  const quality = judge(await fitOurs(set, sources, options));
  return row(
    { set, dims, seed, targets, loads },
    { runs: ours, quality },
    { ...peer, name: `py-irt ${version}`, fits },
  );
}

/** The same with girth and one dimension; ours is timed anew where girth's run is an earlier one. */
export async function compareGirth({ set, seed, threads, python, cache }) {
  const { sources, targets } = set.split(seed);
  const work = join(cache, `girth-${set.name}-s${seed}-t${threads}`);
  const responses = coded(set, sources);
  const ours = () => fitMarginal(responses);
  const before = await times(ours);
  const load = loadavg()[0];
  const { bank, theta, seconds, cpu, peakBytes } = fitGirth(python, work, set.matrix, sources, threads);
  const runs = [...before, ...(await times(ours))];
  const judge = (fit) => heldOut(fit, set, targets, seed);
  const withoutNumber = bank.a.filter(Number.isNaN).length;
  const peer = { seconds, cpu, peakBytes, failures: 0, estimated: false, withoutNumber };
  const loads = [load, loadavg()[0]];
  const quality = judge(await ours());
  return row(
    { set, dims: 1, seed, targets, loads },
    { runs, quality },
    { ...peer, name: "girth", fits: { twopl_mml: judge({ bank, theta }) } },
  );
}

/** A row of the tables. */
function row({ set, targets, ...about }, { runs, quality }, peer) {
  const ours = { seconds: median(runs.map((run) => run.seconds)), cpu: median(runs.map((run) => run.cpu)), quality };
  const ratios = { ratio: peer.seconds / ours.seconds, cpuRatio: peer.cpu / ours.cpu };
  return { set: set.name, targets: targets.length, ...about, ours, peer, ...ratios };
}

/** Our marginal maximum likelihood of one dimension; without standard errors, as girth has none. */
async function fitMarginal(responses) {
  const { a, b, theta } = await calibrateMarginal(responses, { model: "2pl", standardErrors: false });
  return { bank: itemBank(a, b), theta };
}

async function fitOurs(set, sources, { dims, seed, threads, provider }) {
  const { backend } = await resolveBackend(provider, threads);
  const random = createRandom(seed).fork("calibration");
  const found = await calibrate(coded(set, sources), { dims, backend, random });
  return { bank: itemBank(found.a, found.b), theta: found.theta };
}

function timeOurs(set, sources, options) {
  return times(() => fitOurs(set, sources, options));
}

async function times(run) {
  const all = [];
  for (let k = 0; k < REPEATS; k++) {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    await run();
    const { user, system } = process.cpuUsage(used);
    all.push({ seconds: (performance.now() - begun) / 1e3, cpu: (user + system) / 1e6 });
  }
  return all;
}

function coded(set, rows) {
  return codeResponses(set.matrix, rows, new Float64Array(set.matrix.items.length).fill(0.5));
}

/** What the machine is, without its name. */
export function machine() {
  return `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"})`;
}
