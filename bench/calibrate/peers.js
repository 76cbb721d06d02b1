import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromPyIrt } from "anchoreval/internal/core/irt/conversions";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";

const HERE = new URL(".", import.meta.url).pathname;

/**
 * A Python with the peers in it: the folder given, or a virtual environment made in it.
 * py-irt 0.7.1 refuses Python 3.12 and later, its newest companions 3.10 and earlier.
 */
export function openPython(folder, report) {
  const python = join(folder, "bin", "python");
  if (!existsSync(python)) {
    const base = ["python3.11", "python3"].find((name) => {
      const found = spawnSync(name, ["-c", "import sys; sys.exit(sys.version_info[:2] != (3, 11))"]);
      return found.status === 0;
    });
    if (base === undefined) throw new Error("the pinned py-irt needs Python 3.11, which is not on the PATH");
    report(`making a virtual environment with py-irt and girth (2 GB to fetch, 5 GB on disk)`);
    check(spawnSync(base, ["-m", "venv", folder], { encoding: "utf8" }));
    const install = ["-m", "pip", "install", "--quiet", "--no-deps", "-r", join(HERE, "requirements.txt")];
    check(spawnSync(python, install, { encoding: "utf8" }));
  }
  return { folder, python, report, versions: versionsOf(python) };
}

function versionsOf(python) {
  const versions = ["py-irt", "girth", "torch", "pyro-ppl", "numpy", "scipy"];
  const code = `import sys,importlib.metadata as m;print("Python "+sys.version.split()[0],*[f"{n} {m.version(n)}" for n in ${JSON.stringify(versions)}],sep=", ")`;
  return check(spawnSync(python, ["-c", code], { encoding: "utf8" })).trim();
}

/** Seeds of py-irt: the notebooks' own, then others where a run ends in numbers that are none. */
const PY_IRT_SEEDS = [42, 43, 44];

/**
 * py-irt's own command on some rows of a matrix, with the options of tinyBenchmarks' notebooks.
 * @param version - the pinned one, or another that is laid over it
 * @returns seconds as the command itself reports them and seconds of the processor, imports left out of both; peak
 * memory; `failures`, how many seeds ended in an error; null in place of the figures where all did
 */
export function fitPyIrt(peers, work, matrix, rows, { version, dims, epochs, threads }) {
  mkdirSync(work, { recursive: true });
  const data = join(work, "responses.jsonlines");
  writeFileSync(data, Array.from(rows, (m) => pyIrtLine(matrix, m)).join(""));
  const program = join(peers.folder, "bin", "py-irt");
  const run = { python: peers.python, threads, overlay: overlayOf(peers, version) };
  const imports = measured(run, join(work, "imports.json"), [peers.python, "-c", "import py_irt.cli"]);
  for (const [failures, seed] of PY_IRT_SEEDS.entries()) {
    const command = [program, "train", "multidim_2pl", data, work, "--dims", String(dims), "--lr", ".1"];
    command.push("--epochs", String(epochs), "--priors", "hierarchical", "--seed", String(seed), "--deterministic");
    const { status, cpu, peakBytes, log } = measured(run, join(work, "run.json"), [...command, "--log-every", "200"]);
    if (status === 0) {
      const seconds = Number(/Train time:\s+([\d.]+)/.exec(log)?.[1] ?? NaN);
      return { seconds, cpu: cpu - imports.cpu, peakBytes, failures };
    }
    const reason = log.match(/^(?:\w*Error: .*)/m)?.[0] ?? `status ${status}`;
    peers.report(`py-irt ${version}, D = ${dims}, its seed ${seed}, stopped: ${reason}`);
  }
  return { seconds: null, cpu: null, peakBytes: null, failures: PY_IRT_SEEDS.length };
}

/** Folder of another version of py-irt, to be imported in place of the pinned one. */
function overlayOf({ folder, python }, version) {
  const pinned = /py-irt ([\d.]+)/.exec(versionsOf(python))[1];
  if (version === pinned) return null;
  const overlay = join(folder, `py-irt-${version}`);
  if (!existsSync(overlay)) {
    const install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", overlay, `py-irt==${version}`];
    check(spawnSync(python, install, { encoding: "utf8" }));
  }
  return overlay;
}

/**
 * What {@link fitPyIrt} left in its folder: item bank and abilities of the epoch of least loss (`best`, what
 * tinyBenchmarks reads) and of the last one.
 */
export function readPyIrt(work, matrix, dims) {
  const read = (file) => pyIrtFit(JSON.parse(readFileSync(join(work, file), "utf8")), matrix.items.length, dims);
  return { best: read("best_parameters.json"), last: read("parameters.json") };
}

/** One model as py-irt reads it; items by number, answers that are missing left out. */
function pyIrtLine(matrix, model) {
  const responses = {};
  const columns = matrix.items.length;
  for (let i = 0; i < columns; i++) {
    const at = model * columns + i;
    if (matrix.observed === null || matrix.observed[at] === 1) responses[`i${i}`] = matrix.scores[at];
  }
  return `${JSON.stringify({ subject_id: `m${model}`, responses })}\n`;
}

/** logit P = Σ_d γ_d(θ_d − b_d): upstream's form, in which its exported discriminations are already positive. */
function pyIrtFit({ disc, diff, ability, item_ids }, items, dims) {
  const a = new Float64Array(items * dims);
  const b = new Float64Array(items * dims);
  for (const [row, name] of Object.entries(item_ids)) {
    const item = Number(name.slice(1));
    a.set(disc[row], item * dims);
    b.set(diff[row], item * dims);
  }
  return { bank: fromPyIrt({ a, b }, dims), theta: Float64Array.from(ability.flat()) };
}

/**
 * girth's marginal maximum likelihood of the one-dimensional 2PL, once a folder. An item that it gave no number has NaN.
 * @returns seconds, and seconds of the processor, of the fit alone; the item bank and the abilities
 */
export function fitGirth({ python }, work, matrix, rows, threads) {
  mkdirSync(work, { recursive: true });
  const columns = matrix.items.length;
  const answers = new Uint8Array(rows.length * columns);
  rows.forEach((m, k) => {
    for (let i = 0; i < columns; i++) {
      const at = m * columns + i;
      answers[k * columns + i] = matrix.observed !== null && matrix.observed[at] === 0 ? 255 : matrix.scores[at];
    }
  });
  const [data, out] = [join(work, "answers.bin"), join(work, "girth.json")];
  writeFileSync(data, answers);
  if (!existsSync(out)) {
    const command = [python, join(HERE, "girth_2pl.py"), data, String(rows.length), String(columns), out];
    const { status, log } = measured({ python, threads }, join(work, "girth-run.json"), command);
    if (status !== 0) throw new Error(`girth: ${log}`);
  }
  const { seconds, cpu, peakBytes, a, difficulty, ability } = JSON.parse(readFileSync(out, "utf8"));
  const slopes = Float64Array.from(a, (value) => value ?? NaN);
  const bank = itemBank(
    slopes,
    slopes.map((slope, i) => slope * (difficulty[i] ?? NaN)),
  );
  return { seconds, cpu, peakBytes, bank, theta: Float64Array.from(ability, (value) => value ?? NaN) };
}

/** A command under `measured.py`: its status, output, seconds of the processor and peak memory. */
function measured({ python, threads, overlay }, out, command) {
  const count = String(threads);
  const env = { ...process.env, OMP_NUM_THREADS: count, MKL_NUM_THREADS: count, OPENBLAS_NUM_THREADS: count };
  if (overlay) env.PYTHONPATH = overlay;
  check(spawnSync(python, [join(HERE, "measured.py"), out, ...command], { encoding: "utf8", env }));
  return JSON.parse(readFileSync(out, "utf8"));
}

function check({ status, signal, stdout, stderr, error }) {
  if (status !== 0) throw error ?? new Error(stderr || `ended by ${signal ?? `status ${status}`}`);
  return stdout;
}
