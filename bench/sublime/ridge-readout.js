const PENALTIES = [0.01, 0.03, 0.1, 0.3, 1, 3];

/**
 * Full scores of some models from their answers to some items, by ridge regression on others' (in the models' space):
 * ŷ = ȳ + k(K + λI)⁻¹(y − ȳ), K = XXᵀ/tr of centred answers, λ of the least leave-one-out error.
 * @returns scores of `targets`
 */
export function ridgeReadout({ models, scores }, full, items, sources, targets) {
  const n = sources.length;
  const centres = Array.from(items, (i) => sources.reduce((sum, m) => sum + scores[i * models + m], 0) / n);
  const rows = (list) => list.map((m) => Float64Array.from(items, (i, j) => scores[i * models + m] - centres[j]));
  const [X, T] = [rows(sources), rows(targets)];
  const dot = (x, y) => x.reduce((sum, value, j) => sum + value * y[j], 0);
  const K = X.map((x) => Float64Array.from(X, (y) => dot(x, y)));
  const unit = K.reduce((sum, row, i) => sum + row[i], 0) / n || 1;
  const level = sources.reduce((sum, m) => sum + full[m], 0) / n;
  const y = Float64Array.from(sources, (m) => full[m] - level);
  let best = null;
  for (const penalty of PENALTIES) {
    const inverse = inverted(K, penalty * unit);
    const alpha = inverse.map((row) => dot(row, y));
    const error = alpha.reduce((sum, a, i) => sum + (a / inverse[i][i]) ** 2, 0);
    if (best === null || error < best.error) best = { error, alpha };
  }
  return T.map((t) => level + X.reduce((sum, x, i) => sum + dot(t, x) * best.alpha[i], 0));
}

/** (K + λI)⁻¹ by Cholesky. */
function inverted(K, lambda) {
  const n = K.length;
  const L = K.map((row) => Float64Array.from(row));
  for (let i = 0; i < n; i++) {
    L[i][i] += lambda;
    for (let j = 0; j <= i; j++) {
      let sum = L[i][j];
      for (let k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
      L[i][j] = i === j ? Math.sqrt(sum) : sum / L[j][j];
    }
  }
  const inverse = K.map(() => new Float64Array(n));
  for (let c = 0; c < n; c++) {
    const z = new Float64Array(n);
    for (let i = c; i < n; i++) {
      let sum = i === c ? 1 : 0;
      for (let k = c; k < i; k++) sum -= L[i][k] * z[k];
      z[i] = sum / L[i][i];
    }
    for (let i = n - 1; i >= 0; i--) {
      let sum = z[i];
      for (let k = i + 1; k < n; k++) sum -= L[k][i] * inverse[k][c];
      inverse[i][c] = sum / L[i][i];
    }
  }
  return inverse;
}
