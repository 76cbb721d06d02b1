/**
 * Descriptive statistics of a leaderboard, for telling whether simulated ones lie in the range of real ones.
 * Missing answers are left out of every mean; correlations use the answers that there are.
 */
import { symmetricEigen } from "../offline-trainer/dist/numeric/eigen.js";

/** Models used for eigenvalues, evenly spaced: the spectrum depends on their number, so that it must be the same for all sets. */
const EIGEN_MODELS = 80;
const EIGEN_ITEMS = 1500;
/** Items used for comparing pairs of models, evenly spaced. */
const PAIR_ITEMS = 4000;

/** @param matrix - ResponseMatrix */
export function leaderboardStatistics(matrix) {
  const models = matrix.subjects.length;
  const columns = matrix.items.length;
  const value = (m, i) => {
    const at = m * columns + i;
    return matrix.observed !== null && matrix.observed[at] === 0 ? NaN : matrix.scores[at];
  };
  const groups = new Map();
  matrix.items.forEach((item, i) => {
    if (!groups.has(item.scenario)) groups.set(item.scenario, []);
    groups.get(item.scenario).push(i);
  });
  const scenarios = [...groups].map(([id, items]) => scenarioStatistics(id, items, models, value));
  const overall = Array.from({ length: models }, (_, m) => mean(scenarios.map((scenario) => scenario.scores[m])));
  const between = [];
  for (let s = 0; s < scenarios.length; s++)
    for (let t = 0; t < s; t++) between.push(correlation(scenarios[s].scores, scenarios[t].scores));
  let observed = 0;
  for (let at = 0; at < models * columns; at++) observed += matrix.observed === null ? 1 : matrix.observed[at];
  return {
    models,
    items: columns,
    missing: 1 - observed / (models * columns),
    scores: { mean: mean(overall), sd: deviation(overall), ...range(overall) },
    between: quantiles(between, [0, 0.5, 1]),
    pairs: pairStatistics(matrix, value),
    scenarios,
  };
}

function scenarioStatistics(id, items, models, value) {
  const scores = Array.from({ length: models }, (_, m) => mean(items.map((i) => value(m, i))));
  const accuracy = [];
  const itemTotal = [];
  for (const i of items) {
    const column = Array.from({ length: models }, (_, m) => value(m, i));
    accuracy.push(mean(column));
    // Correlation with the score on the other items.
    const rest = scores.map((score, m) => (score * items.length - column[m]) / (items.length - 1));
    itemTotal.push(correlation(column, rest));
  }
  const defined = itemTotal.filter((r) => !Number.isNaN(r));
  return {
    id,
    items: items.length,
    scores,
    score: { mean: mean(scores), sd: deviation(scores), ...range(scores) },
    accuracy: quantiles(accuracy, [0.05, 0.25, 0.5, 0.75, 0.95]),
    itemTotal: quantiles(defined, [0.05, 0.25, 0.5, 0.75, 0.95]),
    negative: defined.filter((r) => r < 0).length / defined.length,
    constant: 1 - defined.length / itemTotal.length,
    eigen: residualSpectrum(items, scores, value),
  };
}

/**
 * Largest eigenvalues, as shares of the trace, of the correlation matrix between items after the regression of each
 * item on the model's score: what a single ability leaves unexplained. Got from the models × models Gram matrix, which
 * has the same nonzero eigenvalues.
 */
function residualSpectrum(allItems, scores, value) {
  const present = scores.map((_, m) => m).filter((m) => allItems.every((i) => !Number.isNaN(value(m, i))));
  const usable = present.length >= 20 ? present : scores.map((_, m) => m).filter((m) => !Number.isNaN(scores[m]));
  const models = evenly(usable, EIGEN_MODELS);
  const n = models.length;
  const total = standardized(models.map((m) => scores[m]));
  const gram = new Float64Array(n * n);
  let used = 0;
  for (const i of evenly(allItems, EIGEN_ITEMS)) {
    const column = models.map((m) => value(m, i));
    const centre = mean(column);
    const z = standardized(column.map((y) => (Number.isNaN(y) ? centre : y)));
    if (!z) continue;
    const slope = z.reduce((sum, y, m) => sum + y * total[m], 0) / n;
    const residual = standardized(z.map((y, m) => y - slope * total[m]));
    if (!residual) continue;
    used++;
    for (let r = 0; r < n; r++) for (let c = 0; c < n; c++) gram[r * n + c] += residual[r] * residual[c];
  }
  const trace = used * n;
  const { values } = symmetricEigen(gram, n);
  return { models: n, shares: Array.from(values.slice(0, 6), (v) => v / trace) };
}

/** Agreement of pairs of models, and the correlation of each model's residuals with its nearest relative's. */
function pairStatistics(matrix, value) {
  const models = matrix.subjects.length;
  const items = evenly([...matrix.items.keys()], PAIR_ITEMS);
  const itemMean = items.map((i) => mean(Array.from({ length: models }, (_, m) => value(m, i))));
  const rows = [];
  for (let m = 0; m < models; m++) {
    const row = Float32Array.from(items, (i) => value(m, i));
    const own = mean(row.map((y, k) => y - itemMean[k]));
    const residual = row.map((y, k) => (Number.isNaN(y) ? 0 : y - itemMean[k] - own));
    let norm = 0;
    for (const r of residual) norm += r * r;
    rows.push({ row, residual: residual.map((r) => r / Math.sqrt(norm || 1)) });
  }
  let pairs = 0;
  let alike = 0;
  const nearest = new Float64Array(models);
  const relative = new Float64Array(models);
  for (let l = 0; l < models; l++)
    for (let r = 0; r < l; r++) {
      const [x, y] = [rows[l], rows[r]];
      let shared = 0;
      let same = 0;
      let product = 0;
      for (let k = 0; k < items.length; k++) {
        const [p, q] = [x.row[k], y.row[k]];
        if (p === p && q === q) {
          shared++;
          if (p > 0.5 === q > 0.5) same++;
        }
        product += x.residual[k] * y.residual[k];
      }
      if (shared < 20) continue;
      pairs++;
      const agreement = same / shared;
      if (agreement > 0.97) alike++;
      for (const m of [l, r]) {
        nearest[m] = Math.max(nearest[m], agreement);
        relative[m] = Math.max(relative[m], product);
      }
    }
  return {
    alike: alike / pairs,
    nearest: quantiles([...nearest], [0.05, 0.5, 0.95]),
    relative: quantiles([...relative], [0.05, 0.5, 0.95]),
  };
}

function mean(values) {
  let sum = 0;
  let count = 0;
  for (const value of values)
    if (!Number.isNaN(value)) {
      sum += value;
      count++;
    }
  return count > 0 ? sum / count : NaN;
}

function deviation(values) {
  const centre = mean(values);
  return Math.sqrt(mean(Array.from(values, (value) => (value - centre) ** 2)));
}

function range(values) {
  const known = values.filter((value) => !Number.isNaN(value));
  return { min: Math.min(...known), max: Math.max(...known) };
}

/** Mean 0 and standard deviation 1; null where the values don't vary. */
function standardized(values) {
  const centre = mean(values);
  const sd = deviation(values);
  return sd > 1e-9 ? values.map((value) => (value - centre) / sd) : null;
}

function correlation(left, right) {
  const both = left.map((_, k) => k).filter((k) => !Number.isNaN(left[k]) && !Number.isNaN(right[k]));
  const x = standardized(both.map((k) => left[k]));
  const y = standardized(both.map((k) => right[k]));
  if (!x || !y || both.length < 3) return NaN;
  return mean(x.map((value, k) => value * y[k]));
}

function quantiles(values, at) {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((x, y) => x - y);
  return at.map((q) => (sorted.length > 0 ? sorted[Math.round(q * (sorted.length - 1))] : NaN));
}

function evenly(values, count) {
  if (values.length <= count) return values;
  return Array.from({ length: count }, (_, k) => values[Math.floor((k * values.length) / count)]);
}
