// Anchor points, weighted (Vivek, Ethayarajh, Yang & Kiela 2024): k-medoids of the items by 1 − correlation over the
// sources, from random medoids; each medoid stands for the items that correlate most with it. As in the published code
// an item that all sources answer alike correlates with none, itself included, and goes to the first medoid.
import { linearScore } from "./linear.js";
import { centredProducts, randomItems } from "./source.js";

const correlations = new WeakMap();

export const medoids = {
  name: "medoids",
  label: "medoids (anchor points), weighted",
  forms: 1,
  fit(source, n, random) {
    if (!correlations.has(source)) correlations.set(source, correlationsOf(source));
    const correlation = correlations.get(source);
    const count = source.items;
    const distances = correlation.map((value) => 1 - value);
    const items = fasterPam(distances, count, randomItems(count, n, random)).sort();
    const weights = new Float64Array(n);
    for (let i = 0; i < count; i++) {
      let own = 0;
      for (let k = 1; k < n; k++) if (correlation[items[k] * count + i] > correlation[items[own] * count + i]) own = k;
      weights[own] += 1 / count;
    }
    return { items, predict: (answers) => linearScore({ weights }, answers) };
  },
};

/** Correlations of all pairs of items; 0 where one doesn't vary. */
function correlationsOf(source) {
  const { items: count, models } = source;
  const products = centredProducts(
    source,
    Array.from({ length: models }, (_, m) => m),
  );
  const scales = Float64Array.from({ length: count }, (_, i) => {
    const square = products[i * count + i];
    return square > 1e-12 ? 1 / Math.sqrt(square) : 0;
  });
  for (let i = 0; i < count; i++) for (let j = 0; j < count; j++) products[i * count + j] *= scales[i] * scales[j];
  return products;
}

/**
 * k-medoids by eager swaps until none of them gains.
 * @see Schubert & Rousseeuw (2021), Fast and eager k-medoids clustering, Information Systems 101
 */
export function fasterPam(distances, count, start) {
  const chosen = Int32Array.from(start);
  const k = chosen.length;
  const isChosen = new Uint8Array(count);
  for (const i of chosen) isChosen[i] = 1;
  const nearest = new Int32Array(count);
  const near = new Float64Array(count);
  const second = new Float64Array(count);
  const loss = new Float64Array(k);
  const assign = (point) => {
    near[point] = second[point] = Infinity;
    for (let c = 0; c < k; c++) {
      const distance = distances[chosen[c] * count + point];
      if (distance < near[point]) {
        second[point] = near[point];
        near[point] = distance;
        nearest[point] = c;
      } else if (distance < second[point]) second[point] = distance;
    }
  };
  const removalLoss = () => {
    loss.fill(0);
    for (let point = 0; point < count; point++) loss[nearest[point]] += second[point] - near[point];
  };
  for (let point = 0; point < count; point++) assign(point);
  removalLoss();
  const change = new Float64Array(k);
  for (let since = 0, candidate = 0; since < count; since++, candidate = (candidate + 1) % count) {
    if (isChosen[candidate] === 1) continue;
    change.set(loss);
    let gain = 0;
    const row = candidate * count;
    for (let point = 0; point < count; point++) {
      const distance = distances[row + point];
      if (distance < near[point]) {
        gain += distance - near[point];
        change[nearest[point]] += near[point] - second[point];
      } else if (distance < second[point]) change[nearest[point]] += distance - second[point];
    }
    let out = 0;
    for (let c = 1; c < k; c++) if (change[c] < change[out]) out = c;
    if (change[out] + gain >= -1e-9) continue;
    isChosen[chosen[out]] = 0;
    isChosen[candidate] = 1;
    chosen[out] = candidate;
    for (let point = 0; point < count; point++) assign(point);
    removalLoss();
    since = -1;
  }
  return chosen;
}
