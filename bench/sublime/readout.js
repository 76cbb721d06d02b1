import { addGram, cholesky, choleskySolve } from "anchoreval/internal/core/numeric/dense";
/** λ of the ridge, in mean squared lengths of the models' centred answers. */
const PENALTIES = [0.01, 0.03, 0.1, 0.3, 1, 3];
/**
 * Error of full scores read from the answers to a subset by ridge regression, learned without a part of the models each
 * time, of the best of a few penalties: what a score that knows how the items hang together can make of them, for a
 * thousandth of the time that a fit takes.
 * @param parts - each with one source and one target at least
 */
export function readoutError(columns, full, items, parts) {
  const sums = new Float64Array(PENALTIES.length);
  let count = 0;
  for (const { sources, targets } of parts) {
    count += targets.length;
    readouts(columns, full, items, sources, targets).forEach((scores, p) =>
      scores.forEach((score, t) => (sums[p] += Math.abs(score - full[targets[t]]))),
    );
  }
  const least = Math.min(...sums);
  return { error: least / count, penalty: sums.indexOf(least) };
}
/**
 * Full scores ŷ = ȳ + xᵀw of some models, x their answers less the sources' means, by each penalty:
 * w = (XᵀX + λI)⁻¹Xᵀ(y − ȳ) = Xᵀ(XXᵀ + λI)⁻¹(y − ȳ), whichever side is shorter.
 * @returns by penalty, in the order of `targets`
 * @see Hoerl & Kennard (1970), Technometrics 12, 55–67
 */
export function readouts({ models, scores }, full, items, sources, targets) {
  const [n, k] = [sources.length, items.length];
  const mean = sources.reduce((sum, m) => sum + full[m], 0) / n;
  const y = Float64Array.from(sources, (m) => full[m] - mean);
  const centres = Float64Array.from(items, (i) => sources.reduce((sum, m) => sum + scores[i * models + m], 0) / n);
  const answer = (m, j) => scores[items[j] * models + m] - centres[j];
  const rows = Float64Array.from({ length: n * k }, (_, at) => answer(sources[Math.floor(at / k)], at % k));
  const byItem = k <= n;
  const side = Math.min(n, k);
  const gram = new Float64Array(side * side);
  const lines = byItem
    ? rows
    : Float64Array.from({ length: n * k }, (_, at) => rows[(at % n) * k + Math.floor(at / n)]);
  addGram(gram, side, lines, new Float64Array(n + k - side).fill(1), n + k - side);
  const length = rows.reduce((sum, value) => sum + value ** 2, 0) / n;
  if (length === 0) return PENALTIES.map(() => new Float64Array(targets.length).fill(mean));
  return PENALTIES.map((penalty) => {
    const matrix = gram.slice();
    for (let j = 0; j < side; j++) matrix[j * side + j] += penalty * length;
    const factor = cholesky(matrix, side);
    const weights = byItem
      ? choleskySolve(factor, side, turned(rows, y, k))
      : turned(rows, choleskySolve(factor, side, y), k);
    return Float64Array.from(targets, (m) => {
      let score = mean;
      for (let j = 0; j < k; j++) score += answer(m, j) * weights[j];
      return score;
    });
  });
}
/** Xᵀv, of rows of length k. */
function turned(rows, v, k) {
  const product = new Float64Array(k);
  rows.forEach((value, at) => (product[at % k] += value * v[Math.floor(at / k)]));
  return product;
}
