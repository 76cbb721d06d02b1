/** Points of θ and what each counts for in an integral over θ. */
export interface Grid {
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/** Points from `low` on, `step` apart, until `high` is passed. */
export function evenGrid(low: number, high: number, step: number): Grid {
  const count = Math.ceil((high - low) / step) + 1;
  return {
    points: Float64Array.from({ length: count }, (_, q) => low + q * step),
    weights: new Float64Array(count).fill(step),
  };
}

/**
 * Points from `low` on that lie as densely as `density` says, a smooth function > 0 of points per unit of θ, until `high`
 * is passed: the trapezoid rule in the variable u with du = density·dθ. Each point follows from the one before it by
 * Runge and Kutta's method of fourth order.
 * @param substep - longest step of the method, in θ: well below the length over which the density changes
 */
export function denseGrid(density: (theta: number) => number, low: number, high: number, substep: number): Grid {
  const points = [low];
  const weights = [1 / density(low)];
  for (let theta = low; theta < high;) {
    const substeps = Math.ceil(weights.at(-1)! / substep);
    const h = 1 / substeps;
    for (let n = 0; n < substeps; n++) {
      const k1 = 1 / density(theta);
      const k2 = 1 / density(theta + 0.5 * h * k1);
      const k3 = 1 / density(theta + 0.5 * h * k2);
      const k4 = 1 / density(theta + h * k3);
      theta += (h / 6) * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    points.push(theta);
    weights.push(1 / density(theta));
  }
  return { points: Float64Array.from(points), weights: Float64Array.from(weights) };
}

/** Index of the first point at or beyond θ; the number of points where there is none. */
export function placeOf(theta: number, { points }: Grid): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]! < theta) low = middle + 1;
    else high = middle;
  }
  return low;
}
