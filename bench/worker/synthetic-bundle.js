// Bundles of the size that matters, drawn from a 2PL, with a model's answers to their anchors; and the CPU time of the
// workerd that serves them.
import { readdir, readFile } from "node:fs/promises";
import { encodeBundle } from "anchoreval/bundle";
import { FORMAT_VERSION } from "anchoreval/internal/core/bundle/names";
import { itemBank, PARAMETERIZATION } from "anchoreval/internal/core/irt/item-bank";
import { itemResponse } from "anchoreval/internal/core/irt/response";
import { cholesky } from "anchoreval/internal/core/numeric/dense";
import { createRandom } from "anchoreval/internal/core/numeric/random";

/** 28 659 items in six scenarios: the sizes of MMLU, HellaSwag, GSM8K, TruthfulQA, WinoGrande and ARC. */
export const SCENARIOS = { mmlu: 14042, hellaswag: 10042, gsm8k: 1319, truthfulqa: 817, winogrande: 1267, arc: 1172 };
/** Ability dimensions of every bank, by default. */
export const DIMS = 5;
/** Anchors of every scenario. */
const ANCHORS = 100;
/** Factors of all scenarios: as many as a fit keeps at most. */
const FACTORS = 48;
/** General abilities that linked banks share: as many as a fit keeps at most. */
const GENERAL = 8;

const SOURCES = 395;
const PRIOR_SCALE = 2.5;
/** Trace of LLᵀ, what a linked bank's ability shares with the others' of its variance in D dimensions. */
const SHARED = 0.9;
const MEASURED = { interpolation: null, extrapolation: null };
/** What blends the estimators of a scenario by itself. */
const BLEND = {
  lambda: 0.4,
  stack: { "anchor-mean": 0.1, "p-irt": 0.2, "p-irt-dr": 0.2, gaussian: 0.3, "ridge-gap": 0.15, aipw: 0.05 },
  rmse: 0.03,
  overallRmse: null,
  tightening: { inside: 0.9, outside: 0.95 },
};

/**
 * @param benchmark - name of the bundle
 * @param scenarios - ids and numbers of items
 * @param linked - whether the answers to all scenarios count in each
 * @param anchors - of every scenario
 * @param dims - of every bank's ability
 * @returns the bundle's files, and answers to all of its anchors
 */
export function syntheticBundle(benchmark, scenarios, linked, anchors = ANCHORS, dims = DIMS) {
  const random = createRandom("bench/worker");
  const ids = Object.keys(scenarios);
  const form = String(anchors);
  const general = Float64Array.from({ length: GENERAL }, () => random.normal());
  const answers = {};
  const banks = [];
  const contents = ids.map((id) => {
    const count = scenarios[id];
    const { loadings, specific } = drawLoadings(random, dims);
    const theta = drawAbility(random, loadings, specific, general, dims);
    const bank = itemBank(
      Float32Array.from({ length: count * dims }, () => 0.3 * Math.abs(random.normal())),
      Float32Array.from({ length: count }, () => random.normal() - 0.5),
    );
    const order = random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, anchors);
    for (const item of order) answers[`${id}/${item}`] = random.next() < itemResponse(theta, bank, item) ? 1 : 0;
    banks.push({
      id,
      scenarios: [id],
      irtModel: "2pl",
      dims,
      prior: {
        mean: Array(dims).fill(0),
        covariance: Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0)),
        scale: PRIOR_SCALE,
        ...(linked && { loadings: Array.from(loadings) }),
      },
    });
    const record = (index) => ({ item_id: `${id}/${index}`, scenario: id });
    const items = Uint32Array.from([...order].sort((x, y) => bank.b[x] - bank.b[y]));
    return {
      bank,
      sourceScores: Float32Array.from({ length: SOURCES }, () => 0.2 + 0.6 * random.next()),
      forms: new Map([
        [
          form,
          {
            items,
            mass: new Float64Array(anchors).fill(1),
            inclusion: new Float64Array(anchors).fill(anchors / count),
          },
        ],
      ]),
      factors: drawFactors(random, anchors),
      answerFactors: drawFactors(random, anchors),
      anchors: order.map((index) => ({ ...record(index), index, forms: [form] })),
      items: Array.from({ length: count }, (_, index) => record(index)),
    };
  });
  const measured = { ...BLEND, measured: MEASURED };
  const together = linked ? { ...measured, overallRmse: 0.02 } : null;
  const manifest = {
    formatVersion: FORMAT_VERSION,
    benchmark,
    version: "1.0.0",
    benchmarkVersion: null,
    created: "2026-01-01T00:00:00Z",
    description: null,
    parameterization: PARAMETERIZATION,
    weighting: "items",
    banks,
    scenarios: ids.map((id) => ({
      id,
      weight: 1,
      items: scenarios[id],
      subscenarios: [{ id: null, items: scenarios[id] }],
      threshold: null,
      scoreMap: null,
    })),
    forms: [
      {
        id: form,
        selection: "random",
        estimator: "gate",
        interval: "design",
        scenarios: Object.fromEntries(ids.map((id) => [id, { ...measured, items: anchors, whole: false, together }])),
        overall: { inflation: 1.2, seen: linked ? { worst: 0.3, best: 0.7 } : null, measured: MEASURED },
      },
    ],
    defaultForm: form,
    sources: { models: SOURCES, names: null, note: null },
    protocol: {},
    fit: {},
    data: { licence: null, source: null },
  };
  return { files: encodeBundle({ manifest, scenarios: contents }), answers };
}

/**
 * Answers with a share of every scenario's missing, to the nearest item: as many in each, so that those of all scenarios
 * still count together.
 */
export function withMissing(answers, share) {
  const random = createRandom("bench/worker/missing");
  const byScenario = new Map();
  for (const id of Object.keys(answers)) {
    const [scenario] = id.split("/");
    byScenario.set(scenario, [...(byScenario.get(scenario) ?? []), id]);
  }
  const left = [...byScenario.values()].flatMap((ids) => random.shuffle(ids).slice(Math.round(share * ids.length)));
  return Object.fromEntries(left.map((id) => [id, answers[id]]));
}

/** L with a positive definite I − LLᵀ (its trace is below 1, so its eigenvalues are), and that matrix's factor. */
function drawLoadings(random, dims) {
  const drawn = Float64Array.from({ length: dims * GENERAL }, () => random.normal());
  const norm = Math.hypot(...drawn);
  const loadings = drawn.map((value) => (Math.sqrt(SHARED) * value) / norm);
  const specific = Float64Array.from({ length: dims * dims }, (_, at) => {
    const [r, c] = [Math.floor(at / dims), at % dims];
    let value = r === c ? 1 : 0;
    for (let k = 0; k < GENERAL; k++) value -= loadings[r * GENERAL + k] * loadings[c * GENERAL + k];
    return value;
  });
  return { loadings, specific: cholesky(specific, dims) };
}

/** L·g + ε, ε of the specific covariance. */
function drawAbility(random, loadings, specific, general, dims) {
  const noise = Float64Array.from({ length: dims }, () => random.normal());
  return Float64Array.from({ length: dims }, (_, r) => {
    let value = 0;
    for (let k = 0; k < GENERAL; k++) value += loadings[r * GENERAL + k] * general[k];
    for (let c = 0; c <= r; c++) value += specific[r * dims + c] * noise[c];
    return value;
  });
}

/** Factors of so many anchors. */
function drawFactors(random, anchors) {
  return {
    rank: FACTORS,
    mean: Float32Array.from({ length: anchors }, () => 0.3 + 0.4 * random.next()),
    loadings: Float32Array.from({ length: anchors * FACTORS }, () => 0.1 * random.normal()),
    noise: Float32Array.from({ length: anchors }, () => 0.1 + 0.1 * random.next()),
    total: { mean: 0.5, loadings: new Float64Array(FACTORS).fill(0.01) },
  };
}

/** Linux counts it in hundredths of a second for every program, whatever the kernel's own clock. */
const TICK_MS = 10;

/**
 * Milliseconds of CPU, user and system, that the workerd below this process has had so far, in all of its threads.
 * @returns null where there is no /proc
 * @throws where there isn't exactly one workerd
 */
export async function workerdCpu() {
  const entries = await readdir("/proc").catch(() => []);
  if (!entries.includes("self")) return null;
  const found = [];
  for (const id of entries.filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${id}/stat`, "utf8").catch(() => ""); // it may have ended
    // The name stands in parentheses and may hold any character; what follows it is numbers.
    const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
    const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (name === "workerd" && Number(rest[1]) === process.pid)
      found.push(TICK_MS * (Number(rest[11]) + Number(rest[12])));
  }
  if (found.length !== 1) throw new Error(`this process has ${found.length} workerd, not one`);
  return found[0];
}
