import type { RandomSource } from "anchoreval/core";
import type { Points } from "../../methods/kmeans/clusters.ts";

/**
 * Random Fourier features of the Gaussian kernel exp(−‖x−y‖²/2σ²): √(2/D)·cos(ωx + u), ω ~ N(0, σ⁻²), u uniform on
 * [0, 2π), with inner products near the kernel. σ is the root mean squared distance of two points.
 * @returns count×width, row-major; all alike where all points are
 * @see Rahimi & Recht (2007), NIPS 20
 */
export function randomFeatures({ count, dims, values }: Points, width: number, random: RandomSource): Float64Array {
  const scale = 1 / (rootMeanSquaredDistance({ count, dims, values }) || 1);
  const frequencies = Float64Array.from({ length: width * dims }, () => scale * random.normal());
  const phases = Float64Array.from({ length: width }, () => 2 * Math.PI * random.next());
  const out = new Float64Array(count * width);
  const height = Math.sqrt(2 / width);
  for (let i = 0; i < count; i++)
    for (let f = 0; f < width; f++) {
      let phase = phases[f]!;
      for (let d = 0; d < dims; d++) phase += frequencies[f * dims + d]! * values[i * dims + d]!;
      out[i * width + f] = height * Math.cos(phase);
    }
  return out;
}

/** √ of the mean of ‖x−y‖² over all pairs of different points: √(2n/(n−1)·(mean‖x‖² − ‖mean x‖²)); 0 of a single one. */
export function rootMeanSquaredDistance({ count, dims, values }: Points): number {
  if (count < 2) return 0;
  const mean = new Float64Array(dims);
  for (let at = 0; at < values.length; at++) mean[at % dims]! += values[at]! / count;
  let squares = 0;
  for (let at = 0; at < values.length; at++) squares += (values[at]! - mean[at % dims]!) ** 2;
  return Math.sqrt((2 * squares) / (count - 1));
}
