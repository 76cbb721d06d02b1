import { ANCHOR_COUNTS, PRIOR_SCALES } from "./held-out.js";
import { median } from "./median.js";

/** Bytes that the graph's operators read and write for a cell, in a core's cache (see the graph of coded responses). */
const CACHE_BYTES_PER_CELL = 108;

/** Rows of a comparison with py-irt: one a set and dimension, over its seeds. */
export function pyIrtTable(rows) {
  const head = [
    "set",
    "D",
    "py-irt",
    "seeds",
    "ours s",
    "py-irt s",
    "ratio (range)",
    "of processor time",
    ...PRIOR_SCALES.flatMap((k) => [
      `log-likelihood k=${k}: ours / py-irt (best, last)`,
      ...ANCHOR_COUNTS.map((n) => `p-irt error ${n}, k=${k}`),
    ]),
  ];
  const lines = grouped(rows, (row) => `${row.set} ${row.dims} ${row.version}`).map((own) => {
    const full = own.filter((row) => !row.pyIrt.estimated);
    const three = (digits, pick) =>
      full.length === 0
        ? "–"
        : ["ours", "best", "last"]
            .map((who) =>
              mean(
                full.map((row) =>
                  pick(who === "ours" ? row.ours.quality : row.pyIrt[who === "best" ? "quality" : "last"]),
                ),
              ),
            )
            .map((value) => value.toFixed(digits))
            .join(" / ");
    return [
      own[0].set,
      own[0].dims,
      own[0].version,
      `${own.length} (${full.length} in full, ${own.reduce((sum, row) => sum + row.pyIrt.failures, 0)} failed runs)`,
      median(own.map((row) => row.ours.seconds)).toFixed(2),
      median(own.map((row) => row.pyIrt.seconds)).toFixed(0),
      spread(own.map((row) => row.ratio)),
      spread(own.map((row) => row.cpuRatio)),
      ...PRIOR_SCALES.flatMap((_, k) => [
        three(4, (quality) => quality[k].logLikelihood),
        ...ANCHOR_COUNTS.map((_, c) => three(2, (quality) => quality[k].pIrtError[c])),
      ]),
    ];
  });
  return table(head, lines);
}

/** Rows of a comparison with girth. */
export function girthTable(rows) {
  if (rows.length === 0) return "";
  const head = [
    "set",
    "seed",
    "ours by",
    "ours s",
    "girth s",
    "ratio",
    "of processor time",
    "items without a number",
    "log-likelihood k=1",
  ];
  head.push(...ANCHOR_COUNTS.map((n) => `p-irt error ${n}, k=1`));
  const lines = rows.map(({ set, seed, fitter, ours, girth, ratio, cpuRatio }) => [
    set,
    seed,
    fitter,
    ours.seconds.toFixed(2),
    girth.seconds.toFixed(1),
    ratio.toFixed(0),
    cpuRatio.toFixed(0),
    girth.withoutNumber,
    `${ours.quality[0].logLikelihood.toFixed(4)} / ${girth.quality[0].logLikelihood.toFixed(4)}`,
    ...ANCHOR_COUNTS.map((_, c) => [ours, girth].map((one) => one.quality[0].pIrtError[c].toFixed(2)).join(" / ")),
  ]);
  return table(head, lines);
}

/** Sentences about the two large cells. */
export function scaleLines({ accuracy, large }) {
  const size = ({ models, items, dims, seconds, cpu, evaluations, peak, load }) =>
    `${models} × ${items}, D = ${dims}: ${seconds.toFixed(1)} s (${cpu.toFixed(1)} s of processors, load ${load.toFixed(1)}), ${evaluations} evaluations, ${(peak / 1e9).toFixed(2)} GB at most`;
  const lines = [];
  if (accuracy) {
    const { value, optimum } = accuracy;
    lines.push(size(accuracy));
    lines.push(
      `  ${value.toFixed(1)} nats; float64 at the same scales ${optimum.value.toFixed(1)} after ${optimum.evaluations} evaluations (${optimum.converged ? "converged" : "not converged"}, ${optimum.seconds.toFixed(0)} s): relative gap ${((value - optimum.value) / optimum.value).toExponential(1)}`,
    );
  }
  if (large) lines.push(size(large));
  return lines;
}

/** How time and memory grow, beside what the machine's measured limits allow. */
export function growthTable({ growth, limits, threads }) {
  const billions = (value) => (value / 1e9).toFixed(1);
  const about = [
    `one core: ${billions(limits.cacheBytes)} GB/s copied in cache, ${billions(limits.memoryBytes)} GB/s in memory,`,
    `${billions(limits.largeProduct)} GFLOP/s in a large product, ${billions(limits.ownProduct)} in one of inner size 6,`,
    `${billions(limits.sigmoids)} billion logistic functions a second`,
  ].join(" ");
  const head = ["models", "items", "D", "s", "evaluations", "ms each", "ns a cell", "peak MB", "of it before"];
  head.push("cache ns", "products ns", "memory ns", "limit / measured");
  const lines = growth.map(({ models, items, dims, seconds, evaluations, peak, before }) => {
    const cells = models * items;
    const each = seconds / evaluations;
    // Of one cell, on one core, by the limits: what operators move in cache, products, and what comes from memory.
    const cache = CACHE_BYTES_PER_CELL / limits.cacheBytes;
    const products = (6 * (dims + 1)) / limits.ownProduct;
    const memory = 1 / limits.memoryBytes;
    const bound = (cache + products + memory) / threads;
    const nano = (value) => (value * 1e9).toFixed(2);
    return [
      models,
      items,
      dims,
      seconds.toFixed(2),
      evaluations,
      (1e3 * each).toFixed(1),
      nano(each / cells),
      (peak / 1e6).toFixed(0),
      (before / 1e6).toFixed(0),
      nano(cache),
      nano(products),
      nano(memory),
      (bound / (each / cells)).toFixed(2),
    ];
  });
  return `${about}\n${table(head, lines)}`;
}

function spread(ratios) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)})`;
}

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups.values()];
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A Markdown table. */
function table(head, lines) {
  const row = (cells) => `| ${cells.join(" | ")} |`;
  return [row(head), row(head.map(() => "---")), ...lines.map(row)].join("\n");
}
