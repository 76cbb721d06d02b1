// Lasso (Zhang, Dorner & Hardt 2025): the sources' full scores on their answers to all items, at the smallest penalty
// with as many weights other than zero as there are items to ask, else fewer. A thousand penalties, 1e-4 to 10.
import { linearScore } from "./linear.js";

const GRID = 1000;
/** Relative to the largest weight, as scikit-learn has it. */
const TOLERANCE = 1e-4;
const SWEEPS = 10_000;

/** One path of penalties serves all sizes. */
const paths = new WeakMap();

export const lasso = {
  name: "lasso",
  label: "lasso",
  forms: 1,
  fit(source, n) {
    if (!paths.has(source)) paths.set(source, lassoPath(source));
    const { items, weights, intercept } = paths.get(source)(n);
    return { items, predict: (answers) => linearScore({ weights, intercept }, answers) };
  },
};

/** Solves from the largest penalty down, each from the one before, as far as it is asked for. */
function lassoPath({ models, items: count, scores, full }) {
  const columns = centredColumns(scores, models, count);
  const level = full.reduce((sum, score) => sum + score, 0) / models;
  const state = {
    columns,
    models,
    residual: Float64Array.from(full, (score) => score - level),
    weights: new Float64Array(count),
    lengths: Float64Array.from({ length: count }, (_, i) => dot(columns, i, columns, i, models)),
  };
  const solutions = [];
  let step = GRID - 1;
  const extend = () => {
    solve(state, models * 10 ** (-4 + (5 * step--) / (GRID - 1)));
    const items = [...state.weights.keys()].filter((i) => state.weights[i] !== 0);
    solutions.push({ items, weights: items.map((i) => state.weights[i]) });
  };
  return (n) => {
    while (step >= 0 && (solutions.at(-1)?.items.length ?? 0) <= 1.25 * n + 5) extend();
    const fitting = solutions.filter(({ items }) => items.length <= n);
    const most = Math.max(...fitting.map(({ items }) => items.length));
    const { items, weights } = fitting.findLast((solution) => solution.items.length === most);
    const intercept = items.reduce((sum, i, k) => {
      let centre = 0;
      for (let m = 0; m < models; m++) centre += scores[m * count + i] / models;
      return sum - weights[k] * centre;
    }, level);
    return { items: Int32Array.from(items), weights, intercept };
  };
}

/** Coordinate descent, mostly over weights that aren't zero: ½‖r‖² + penalty·‖w‖₁. */
function solve({ columns, models, residual, weights, lengths }, penalty) {
  const all = [...weights.keys()].filter((i) => lengths[i] > 0);
  const sweep = (items) => {
    let moved = 0;
    let largest = 0;
    for (const i of items) {
      const at = i * models;
      const before = weights[i];
      let toward = before * lengths[i];
      for (let m = 0; m < models; m++) toward += columns[at + m] * residual[m];
      const after = (Math.sign(toward) * Math.max(0, Math.abs(toward) - penalty)) / lengths[i];
      if (after !== before) {
        for (let m = 0; m < models; m++) residual[m] -= (after - before) * columns[at + m];
        weights[i] = after;
        moved = Math.max(moved, Math.abs(after - before));
      }
      largest = Math.max(largest, Math.abs(after));
    }
    return moved <= TOLERANCE * largest;
  };
  for (let round = 0; round < SWEEPS; round++) {
    if (sweep(all)) return;
    const active = all.filter((i) => weights[i] !== 0);
    for (let inner = 0; inner < SWEEPS && !sweep(active); inner++);
  }
}

/** Columns less their means, one after the other. */
function centredColumns(scores, models, count) {
  const out = new Float64Array(models * count);
  for (let i = 0; i < count; i++) {
    let mean = 0;
    for (let m = 0; m < models; m++) mean += scores[m * count + i] / models;
    for (let m = 0; m < models; m++) out[i * models + m] = scores[m * count + i] - mean;
    if (isConstant(out, i * models, models)) out.fill(0, i * models, (i + 1) * models);
  }
  return out;
}

function isConstant(values, begin, count) {
  for (let k = begin; k < begin + count; k++) if (Math.abs(values[k]) > 1e-12) return false;
  return true;
}

function dot(left, i, right, j, length) {
  let sum = 0;
  for (let m = 0; m < length; m++) sum += left[i * length + m] * right[j * length + m];
  return sum;
}
