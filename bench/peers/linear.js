// The linear algebra of the peers' methods: Cholesky, and ridge regression with an intercept.

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
export function linearScore({ weights, intercept = 0 }, answers) {
  let score = intercept;
  for (let k = 0; k < answers.length; k++) score += weights[k] * answers[k];
  return score;
}
