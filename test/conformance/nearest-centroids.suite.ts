import { createRandom } from "anchoreval/core";
import { expect } from "vitest";
import type { Nearest, NearestBackend, Points } from "../../offline-trainer/src/clustering/nearest-centroids.ts";
import { weightedKmeans } from "../../offline-trainer/src/clustering/weighted-kmeans.ts";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";

const [COUNT, DIMS, K] = [500, 6, 9];

/** One shape for most: a device compiles its kernels by shape. */
const normal = (seed: string): Points => {
  const random = createRandom(seed);
  return { count: COUNT, dims: DIMS, values: Float64Array.from({ length: COUNT * DIMS }, () => random.normal()) };
};
const grid = (seed: string): Points => {
  const random = createRandom(seed);
  return { count: COUNT, dims: DIMS, values: Float64Array.from({ length: COUNT * DIMS }, () => random.below(2)) };
};
const changed = (points: Points, change: (value: number, at: number) => number): Points => ({
  ...points,
  values: points.values.map(change),
});
/** The first points as centroids. */
const first = ({ dims, values }: Points, k = K): Float64Array => values.slice(0, k * dims);

/** Points and centroids whose nearest are hard to tell apart, or break what squares and shifts them. */
const CASES: Readonly<Record<string, { points: Points; centroids: Float64Array }>> = {
  "points without structure": { points: normal("plain"), centroids: normal("centroids").values.slice(0, K * DIMS) },
  "centroids that are points": { points: normal("own"), centroids: first(normal("own")) },
  "many equal distances: a tie goes to the lower number": {
    points: grid("ties"),
    centroids: first(changed(grid("other"), (value) => value / 2)),
  },
  "the same centroid several times": {
    points: normal("twins"),
    centroids: first(normal("twins")).map((_, at, all) => all[at % (3 * DIMS)]!),
  },
  "duplicates of few points": {
    points: changed(normal("few"), (_, at) => [1, 5, 9][Math.floor(at / DIMS) % 3]!),
    centroids: first(changed(normal("few"), (_, at) => [1, 5, 9][Math.floor(at / DIMS) % 3]!)),
  },
  "a spread of 1 a billion away from 0": {
    points: changed(normal("far"), (value) => 1e9 + value),
    centroids: first(changed(normal("far centroids"), (value) => 1e9 + value)),
  },
  "distances that differ in the last digits": {
    points: normal("close"),
    centroids: Float64Array.from({ length: K * DIMS }, (_, at) => 1 + 1e-12 * Math.floor(at / DIMS)),
  },
  "points that are all the same": {
    points: changed(normal("one"), () => 0.1),
    centroids: first(normal("one")),
  },
  "spreads of many orders of magnitude": {
    points: changed(normal("orders"), (value, at) => value * 10 ** -(Math.floor(at / DIMS) % 30)),
    centroids: first(normal("orders centroids")).map((value, at) => value * 10 ** -Math.floor(at / DIMS)),
  },
  "squares that overflow": {
    points: changed(normal("huge"), (value) => 1e200 * value),
    centroids: first(changed(normal("huge centroids"), (value) => 1e200 * value)),
  },
  "squares that vanish": {
    points: changed(normal("tiny"), (value) => 1e-200 * value),
    centroids: first(changed(normal("tiny centroids"), (value) => 1e-200 * value)),
  },
  "numbers beyond float32": {
    points: changed(normal("large"), (value) => 1e60 * value),
    centroids: first(changed(normal("large centroids"), (value) => 1e60 * value)),
  },
  "a centroid far out of the points": {
    points: normal("outside"),
    centroids: first(normal("outside centroids")).map((value, at) => (at < DIMS ? 1e25 * value : value)),
  },
  "points and centroids that are no numbers": {
    points: changed(normal("gaps"), (value, at) => [NaN, Infinity, -Infinity][Math.floor(at / 7)] ?? value),
    centroids: first(normal("gaps centroids")).map((value, at) => (at === 8 ? NaN : value)),
  },
};

async function assigned(backend: NearestBackend, points: Points, centroids: Float64Array): Promise<Nearest> {
  const search = await backend.openNearest(points, centroids.length / points.dims);
  try {
    return await search.assign(centroids);
  } finally {
    await search.dispose();
  }
}

/** What every backend must keep when it finds nearest centroids: the plain sums' labels, whatever it computes with. */
export function nearestContracts(
  backend: NearestBackend,
  contract: (name: string, run: () => Promise<void>) => void,
): void {
  for (const [name, { points, centroids }] of Object.entries(CASES))
    contract(`nearest centroids are the plain sums' in float64: ${name}`, async () => {
      const expected = await assigned(typescriptBackend, points, centroids);
      expect(await assigned(backend, points, centroids)).toEqual(expected);
    });

  contract("nearest centroids of points with many dimensions, as of answers, and of a single one", async () => {
    for (const [count, dims, k] of [
      [60, 300, 20],
      [60, 1, 1],
    ] as const) {
      const random = createRandom(`answers ${dims}`);
      const values = Float64Array.from({ length: count * dims }, () => random.below(2));
      const points = { count, dims, values };
      const centroids = values.subarray(0, k * dims).map((value) => value / 2 + random.next() / 2);
      const expected = await assigned(typescriptBackend, points, centroids);
      expect(await assigned(backend, points, centroids)).toEqual(expected);
    }
  });

  contract("nearest centroids are found anew at each call, among parts of larger arrays", async () => {
    const { values, ...shape } = normal("parts");
    const wide = new Float64Array(values.length + 5).fill(99);
    wide.set(values, 5);
    const search = await backend.openNearest({ ...shape, values: wide.subarray(5) }, K);
    try {
      for (const seed of ["one", "other", "one"]) {
        const centroids = first(normal(seed));
        const padded = new Float64Array(centroids.length + 3);
        padded.set(centroids, 3);
        const nearest = await search.assign(padded.subarray(3));
        expect(nearest).toEqual(await assigned(typescriptBackend, { ...shape, values }, centroids));
      }
    } finally {
      await search.dispose();
    }
  });

  contract("searches for nearest centroids are kept apart, and the others when one is disposed of", async () => {
    const [points, others] = [normal("apart"), normal("others")];
    const one = await backend.openNearest(points, K);
    const other = await backend.openNearest(others, K);
    try {
      await one.assign(first(points));
      await one.dispose();
      expect(await other.assign(first(points))).toEqual(await assigned(typescriptBackend, others, first(points)));
    } finally {
      await other.dispose();
    }
  });

  contract("leads k-means to the same clusters, to the last bit", async () => {
    const points = normal("k-means");
    const random = createRandom("weights");
    const weights = Float64Array.from({ length: COUNT }, () => 0.1 + random.next());
    const clusters = await weightedKmeans(points, weights, K, createRandom(1), backend);
    expect(clusters).toEqual(await weightedKmeans(points, weights, K, createRandom(1), typescriptBackend));
    expect(clusters.iterations).toBeGreaterThan(3);
  });
}
