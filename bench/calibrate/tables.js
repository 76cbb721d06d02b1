import { MEASURES, PRIOR_SCALES } from "./held-out.js";
import { median } from "./median.js";

/** Bytes that the graph's operators read and write for a cell, in a core's cache (see the graph of coded responses). */
const CACHE_BYTES_PER_CELL = 108;
/** Passes of the optimiser over all parameters for one evaluation: eight pairs four times, point, pair, priors. */
const OPTIMISER_PASSES = 42;

/** Times beside a peer's: one row a set, dimension and version, over its seeds. */
export function timeTable(rows) {
  const head = ["set", "D", "peer", "seeds", "ours s", "peer s", "ratio (range)", "of processor time", "load"];
  const lines = grouped(rows).map((own) => [
    own[0].set,
    own[0].dims,
    own[0].peer.name,
    seedsOf(own),
    median(own.map((row) => row.ours.seconds)).toFixed(2),
    median(own.map((row) => row.peer.seconds)).toFixed(0),
    spread(own.map((row) => row.ratio)),
    spread(own.map((row) => row.cpuRatio)),
    median(own.flatMap((row) => row.loads)).toFixed(1),
  ]);
  return table(head, lines);
}

/**
 * Quality on held-out models: ours, and what a peer's fit has more or less of it, ± the standard error of that
 * difference over the held-out models of all seeds.
 */
export function qualityTable(rows) {
  const head = ["set", "D", "fit", "seeds", "models"];
  head.push(...PRIOR_SCALES.flatMap((k) => MEASURES.map((measure) => `${measure}, k = ${k}`)));
  let last = "";
  const lines = grouped(rows).flatMap((all) => {
    const own = all.filter((row) => row.peer.fits);
    if (own.length === 0) return [];
    const about = [own[0].set, own[0].dims];
    const counts = [own.length, own.reduce((sum, row) => sum + row.targets, 0)];
    const cells = (pick) => PRIOR_SCALES.flatMap((_, k) => MEASURES.map((_, measure) => pick(k, measure)));
    const values = (quality, k, measure) => quality[k].map((target) => target[measure]);
    const digits = (measure) => (measure === 0 ? 4 : 2);
    const ours = cells((k, measure) =>
      mean(own.flatMap((row) => values(row.ours.quality, k, measure))).toFixed(digits(measure)),
    );
    const peers = Object.keys(own[0].peer.fits).map((fit) => {
      const found = cells((k, measure) => {
        if (own.some((row) => row.peer.fits[fit] === null)) return "no number";
        const gaps = own.flatMap((row) => {
          const theirs = values(row.peer.fits[fit], k, measure);
          return values(row.ours.quality, k, measure).map((value, target) => theirs[target] - value);
        });
        const average = mean(gaps);
        const error = Math.sqrt(mean(gaps.map((gap) => (gap - average) ** 2)) / (gaps.length - 1));
        const sign = average < 0 ? "−" : "+";
        return `${sign}${Math.abs(average).toFixed(digits(measure))} ± ${error.toFixed(digits(measure))}`;
      });
      return [...about, `${own[0].peer.name}, ${fit}`, ...counts, ...found];
    });
    // Ours once for all peers that follow on the same models.
    const line = JSON.stringify([about, counts, ours]);
    if (line === last) return peers;
    last = line;
    return [[...about, "ours", ...counts, ...ours], ...peers];
  });
  return table(head, lines);
}

function seedsOf(own) {
  const full = own.filter((row) => !row.peer.estimated).length;
  const failures = own.reduce((sum, row) => sum + row.peer.failures, 0);
  const remarks = [full < own.length && `${full} in full`, failures > 0 && `${failures} runs ended in NaN`];
  return [own.length, ...remarks.filter(Boolean)].join(", ");
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
export function growthTable({ growth, limits }) {
  const billions = (value) => (value / 1e9).toFixed(1);
  const about = [
    `one core: ${billions(limits.cacheBytes)} GB/s copied in blocks of 1 MB, ${billions(limits.memoryBytes)} GB/s in memory,`,
    `${billions(limits.largeProduct)} GFLOP/s in a large product, ${billions(limits.ownProduct)} in one of inner size 6,`,
    `${billions(limits.sigmoids)} billion logistic functions a second, ${billions(limits.loop)} billion numbers a second in a loop of JavaScript`,
  ].join(" ");
  const head = [
    "models",
    "items",
    "D",
    "s",
    "evaluations",
    "ms each",
    "ns a cell",
    "of processors",
    "peak MB",
    "of it before",
  ];
  head.push("copies ns", "σ ns", "products ns", "memory ns", "optimiser ns", "limits / processors");
  const lines = growth.map(({ models, items, dims, seconds, cpu, evaluations, peak, before }) => {
    const cells = models * items;
    const each = seconds / evaluations;
    // Of one cell, on one core, by the limits: what operators move in cache, σ, products, and what comes from memory.
    const cache = CACHE_BYTES_PER_CELL / limits.cacheBytes;
    const products = (6 * (dims + 1)) / limits.ownProduct;
    const memory = 1 / limits.memoryBytes;
    const sigmoid = 1 / limits.sigmoids;
    const optimiser = (OPTIMISER_PASSES * ((models + items) * dims + items)) / limits.loop / cells;
    const bound = cache + sigmoid + products + memory + optimiser;
    const nano = (value) => (value * 1e9).toFixed(2);
    return [
      models,
      items,
      dims,
      seconds.toFixed(2),
      evaluations,
      (1e3 * each).toFixed(1),
      nano(each / cells),
      nano(cpu / evaluations / cells),
      (peak / 1e6).toFixed(0),
      (before / 1e6).toFixed(0),
      nano(cache),
      nano(sigmoid),
      nano(products),
      nano(memory),
      nano(optimiser),
      (bound / (cpu / evaluations / cells)).toFixed(2),
    ];
  });
  return `${about}\n${table(head, lines)}`;
}

function spread(ratios) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  return `${median(ratios).toFixed(0)} (${low.toFixed(0)}–${high.toFixed(0)})`;
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) {
    const key = `${row.set} ${row.dims} ${row.peer.name}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
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
