// Eigenvalues and -vectors of symmetric matrices: Jacobi's rotations of offline-trainer/src/numeric beside ml-matrix.
// usage: node bench/eigen.js
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { EigenvalueDecomposition, Matrix } from "ml-matrix";
import { symmetricEigen } from "../offline-trainer/dist/numeric/eigen.js";

const REPEATS = 7;
const random = createRandom("eigen");

console.log("| n | Jacobi ms | ml-matrix ms | ml-matrix / Jacobi | largest difference of eigenvalues, relative |");
console.log("| --- | --- | --- | --- | --- |");
for (const n of [2, 5, 8, 16, 26, 40, 80]) {
  const matrices = Array.from({ length: Math.max(4, Math.round(20_000 / n ** 2.2)) }, () => gram(n, 2 * n));
  const jacobi = () => matrices.map((matrix) => symmetricEigen(matrix, n).values);
  const library = () =>
    matrices.map((matrix) => {
      const found = new EigenvalueDecomposition(Matrix.from1DArray(n, n, matrix), { assumeSymmetric: true });
      return found.realEigenvalues.toReversed();
    });
  const others = library();
  const gap = Math.max(
    ...jacobi().flatMap((values, m) => Array.from(values, (value, k) => Math.abs(value - others[m][k]) / values[0])),
  );
  const [own, other] = [jacobi, library].map((run) => fastest(run) / matrices.length);
  console.log(
    `| ${[n, own.toFixed(4), other.toFixed(4), (other / own).toFixed(2), gap.toExponential(0)].join(" | ")} |`,
  );
}

function gram(n, rows) {
  const x = Float64Array.from({ length: n * rows }, () => random.normal());
  const out = new Float64Array(n * n);
  for (let r = 0; r < n; r++)
    for (let c = 0; c < n; c++) for (let k = 0; k < rows; k++) out[r * n + c] += x[k * n + r] * x[k * n + c];
  return out;
}

/** Milliseconds of the fastest of several runs. */
function fastest(run) {
  let least = Infinity;
  for (let k = 0; k < REPEATS; k++) {
    const begin = performance.now();
    run();
    least = Math.min(least, performance.now() - begin);
  }
  return least;
}
