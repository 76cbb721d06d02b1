// The peers' methods that the README shows: plain means of answers, to random items (the yardstick itself) and to items
// stratified by their difficulty; ridge regression and double optimisation (Zhang, Dorner & Hardt 2025).

/**
 * `fit(source, n, random)` chooses items from the sources alone and gives `{ items, predict }`: `predict` makes a score
 * of a target's answers to them. `forms` are drawn on every fit.
 */
export function peerMethods() {
  return [randomMean, stratifiedMean, ridge, doubleOptimize];
}

const mean = (answers) => answers.reduce((sum, answer) => sum + answer, 0) / answers.length;

const randomMean = {
  name: "random-mean",
  label: "mean of random items",
  forms: 10,
  fit: (source, n, random) => ({ items: randomItems(source.items, n, random), predict: mean }),
};

/** Systematic sampling over the items in the order of their means over the sources, equal means in random order. */
const stratifiedMean = {
  name: "stratified-mean",
  label: "mean of items stratified by difficulty",
  forms: 10,
  fit({ items: count, itemMeans }, n, random) {
    const order = random.shuffle(Array.from({ length: count }, (_, i) => i));
    order.sort((x, y) => itemMeans[x] - itemMeans[y]);
    const start = random.next();
    const items = Int32Array.from({ length: n }, (_, k) => order[Math.floor(((k + start) * count) / n)]);
    return { items, predict: mean };
  },
};

/** Random-Sampling-Learn: the sources' full scores on their answers to n random items. */
const ridge = {
  name: "ridge",
  label: "ridge, random items → full score",
  forms: 10,
  fit: (source, n, random) => learned(source, randomItems(source.items, n, random)),
};

function learned(source, items) {
  const fitted = ridgeCv(columnsOf(source, items), source.full, items.length);
  return { items, predict: (answers) => linearScore(fitted, answers) };
}

/** The columns of some items and the rows of some models, row by row. */
function columnsOf({ items: width, scores, models }, items, rows = Array.from({ length: models }, (_, m) => m)) {
  const out = new Float64Array(rows.length * items.length);
  rows.forEach((m, row) => {
    for (let k = 0; k < items.length; k++) out[row * items.length + k] = scores[m * width + items[k]];
  });
  return out;
}

/** n different items at random, in random order. */
function randomItems(count, n, random) {
  const items = new Int32Array(count);
  for (let i = 0; i < count; i++) items[i] = i;
  for (let k = 0; k < n; k++) {
    const other = k + random.below(count - k);
    const item = items[k];
    items[k] = items[other];
    items[other] = item;
  }
  return items.slice(0, n);
}

const STEPS = 1000;
const PATIENCE = 100;
const DECAY = 1e-4;

/**
 * A mask of n items and their weights by gradient descent together. The mask is the n largest of p, 0 ≤ p ≤ 1, Σp = n,
 * its gradient passed straight through; the score is Σ w·y / n.
 */
const doubleOptimize = {
  name: "double-optimize",
  label: "double optimisation",
  forms: 1,
  fit({ models, items: count, scores, full }, n, random) {
    const order = random.shuffle(Array.from({ length: models }, (_, m) => m));
    const cut = Math.floor(0.8 * models);
    const training = order.slice(0, cut);
    const held = order.slice(cut);
    const p = new Float64Array(count).fill(n / count);
    const w = Float64Array.from({ length: count }, () => random.normal());
    const stepP = adam(count, 0.001);
    const stepW = adam(count, 0.1);
    const slope = new Float64Array(count);
    const slopeP = new Float64Array(count);
    const slopeW = new Float64Array(count);
    let best = null;
    for (let step = 0, idle = 0; step < STEPS; step++) {
      const items = largest(p, n);
      const gap = (m) => {
        let score = 0;
        for (let k = 0; k < n; k++) score += w[items[k]] * scores[m * count + items[k]];
        return score / n - full[m];
      };
      const loss = held.reduce((sum, m) => sum + gap(m) ** 2 / held.length, 0);
      if (best === null || loss < best.loss) {
        best = { loss, items, weights: Float64Array.from(items, (i) => w[i] / n) };
        idle = 0;
      } else if (++idle > PATIENCE) break;
      slope.fill(0);
      for (const m of training) {
        const factor = (2 * gap(m)) / training.length / n;
        for (let i = 0, at = m * count; i < count; i++, at++) slope[i] += factor * scores[at];
      }
      for (let i = 0; i < count; i++) slopeP[i] = slope[i] * w[i];
      slopeW.fill(0);
      for (const i of items) slopeW[i] = slope[i];
      stepW(w, slopeW);
      stepP(p, slopeP);
      project(p, n);
    }
    const { items, weights } = best;
    return { items, predict: (answers) => linearScore({ weights }, answers) };
  },
};

/** Adam with weight decay in the gradient. @see Kingma & Ba (2015) */
function adam(count, rate) {
  const first = new Float64Array(count);
  const square = new Float64Array(count);
  let step = 0;
  return (values, slopes) => {
    step++;
    const firstScale = 1 / (1 - 0.9 ** step);
    const squareScale = 1 / (1 - 0.999 ** step);
    for (let i = 0; i < count; i++) {
      const slope = slopes[i] + DECAY * values[i];
      first[i] = 0.9 * first[i] + 0.1 * slope;
      square[i] = 0.999 * square[i] + 0.001 * slope * slope;
      values[i] -= (rate * first[i] * firstScale) / (Math.sqrt(square[i] * squareScale) + 1e-8);
    }
  };
}

/** Where the n largest values are, ascending; of equal ones the first. */
function largest(values, n) {
  const threshold = values.slice().sort()[values.length - n];
  let ties = n;
  for (const value of values) if (value > threshold) ties--;
  const items = [];
  for (let i = 0; i < values.length; i++)
    if (values[i] > threshold || (values[i] === threshold && ties-- > 0)) items.push(i);
  return Int32Array.from(items);
}

/** The nearest point with 0 ≤ p ≤ 1 and Σp = n, by bisection, in place. */
function project(p, n) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of p) {
    low = Math.min(low, value - 1);
    high = Math.max(high, value);
  }
  while (high - low > 1e-6) {
    const shift = (low + high) / 2;
    let sum = 0;
    for (const value of p) sum += Math.min(1, Math.max(0, value - shift));
    if (sum > n) low = shift;
    else high = shift;
  }
  const shift = (low + high) / 2;
  for (let i = 0; i < p.length; i++) p[i] = Math.min(1, Math.max(0, p[i] - shift));
}

/** Replaces the lower triangle of a symmetric positive definite matrix (n × n) by its Cholesky factor. */
function cholesky(matrix, n) {
  for (let i = 0; i < n; i++) {
    const row = i * n;
    for (let j = 0; j <= i; j++) {
      const other = j * n;
      let even = matrix[row + j];
      let odd = 0;
      let k = 0;
      for (; k + 1 < j; k += 2) {
        even -= matrix[row + k] * matrix[other + k];
        odd += matrix[row + k + 1] * matrix[other + k + 1];
      }
      if (k < j) even -= matrix[row + k] * matrix[other + k];
      matrix[row + j] = i === j ? Math.sqrt(even - odd) : (even - odd) / matrix[other + j];
    }
  }
  return matrix;
}

/** Solves L·Lᵀ·x = y in place. */
function choleskySolve(factor, n, y) {
  forward(factor, n, y);
  for (let i = n - 1; i >= 0; i--) {
    let sum = y[i];
    for (let k = i + 1; k < n; k++) sum -= factor[k * n + i] * y[k];
    y[i] = sum / factor[i * n + i];
  }
  return y;
}

/** Solves L·x = y in place. */
function forward(factor, n, y) {
  for (let i = 0; i < n; i++) {
    let sum = y[i];
    for (let k = 0; k < i; k++) sum -= factor[i * n + k] * y[k];
    y[i] = sum / factor[i * n + i];
  }
}

/** A penalty times the unit matrix, added to a copy. */
function withRidge(matrix, n, alpha) {
  const out = matrix.slice();
  for (let i = 0; i < n; i++) out[i * n + i] += alpha;
  return out;
}

/**
 * Ridge regression with an unpenalised intercept, the penalty with the least squared leave-one-out error: what
 * scikit-learn's RidgeCV is without arguments.
 * @param x - answers, a row a model
 * @returns weights, intercept, and the penalty chosen
 * @see Rifkin & Lippert (2007), Notes on regularized least squares
 * @public for its test
 */
export function ridgeCv(x, y, columns, alphas = [0.1, 1, 10]) {
  const rows = y.length;
  const centre = new Float64Array(columns);
  for (let m = 0; m < rows; m++) for (let k = 0; k < columns; k++) centre[k] += x[m * columns + k] / rows;
  const level = y.reduce((sum, value) => sum + value, 0) / rows;
  const xc = x.map((value, at) => value - centre[at % columns]);
  const yc = Float64Array.from(y, (value) => value - level);
  const products = rows <= columns ? outer(xc, rows, columns) : inner(xc, rows, columns);
  let best = null;
  for (const alpha of alphas) {
    const fitted = rows <= columns ? dual(products, xc, yc, columns, alpha) : primal(products, xc, yc, columns, alpha);
    if (best === null || fitted.error < best.error) best = { ...fitted, alpha };
  }
  let intercept = level;
  for (let k = 0; k < columns; k++) intercept -= best.weights[k] * centre[k];
  return { weights: best.weights, intercept, alpha: best.alpha };
}

/** X·Xᵀ. */
function outer(x, rows, columns) {
  const out = new Float64Array(rows * rows);
  for (let m = 0; m < rows; m++)
    for (let o = 0; o <= m; o++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += x[m * columns + k] * x[o * columns + k];
      out[m * rows + o] = out[o * rows + m] = sum;
    }
  return out;
}

/** Xᵀ·X. */
function inner(x, rows, columns) {
  const out = new Float64Array(columns * columns);
  for (let m = 0; m < rows; m++)
    for (let k = 0; k < columns; k++) {
      const left = x[m * columns + k];
      for (let j = 0; j <= k; j++) out[k * columns + j] += left * x[m * columns + j];
    }
  for (let k = 0; k < columns; k++) for (let j = 0; j < k; j++) out[j * columns + k] = out[k * columns + j];
  return out;
}

/** Fewer models than items: residuals are α·c with (XXᵀ + αI)·c = y, and 1 − h is α times the inverse's diagonal − 1/M. */
function dual(products, xc, yc, columns, alpha) {
  const rows = yc.length;
  const factor = cholesky(withRidge(products, rows, alpha), rows);
  const c = choleskySolve(factor, rows, yc.slice());
  let error = 0;
  const unit = new Float64Array(rows);
  for (let m = 0; m < rows; m++) {
    unit.fill(0);
    unit[m] = 1;
    forward(factor, rows, unit);
    let diagonal = 0;
    for (let k = m; k < rows; k++) diagonal += unit[k] * unit[k];
    error += ((alpha * c[m]) / Math.max(alpha * diagonal - 1 / rows, 1e-12)) ** 2;
  }
  const weights = new Float64Array(columns);
  for (let m = 0; m < rows; m++) for (let k = 0; k < columns; k++) weights[k] += c[m] * xc[m * columns + k];
  return { weights, error };
}

function primal(products, xc, yc, columns, alpha) {
  const rows = yc.length;
  const factor = cholesky(withRidge(products, columns, alpha), columns);
  const weights = new Float64Array(columns);
  for (let m = 0; m < rows; m++) for (let k = 0; k < columns; k++) weights[k] += xc[m * columns + k] * yc[m];
  choleskySolve(factor, columns, weights);
  let error = 0;
  for (let m = 0; m < rows; m++) {
    const line = xc.slice(m * columns, (m + 1) * columns);
    let residual = yc[m];
    for (let k = 0; k < columns; k++) residual -= line[k] * weights[k];
    forward(factor, columns, line);
    const leverage = line.reduce((sum, value) => sum + value * value, 1 / rows);
    error += (residual / Math.max(1 - leverage, 1e-12)) ** 2;
  }
  return { weights, error };
}

/** Σ w·y + intercept. */
function linearScore({ weights, intercept = 0 }, answers) {
  let score = intercept;
  for (let k = 0; k < answers.length; k++) score += weights[k] * answers[k];
  return score;
}
