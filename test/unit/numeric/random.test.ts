import { createRandom } from "anchoreval/internal/core/numeric/random";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

/** The same generators, written in Python from their descriptions. */
const reference = readFixture<{
  tolerance: { normal: number };
  streams: [string, number[]][];
  normals: [string, number][];
  shuffles: [string, number[]][];
}>("numpy/random.json");

const draw = (seed: number | string, count: number): number[] => {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => random.next());
};

describe("the stream", () => {
  test("is pinned: every published number rests on it", () => {
    for (const [seed, expected] of reference.streams) expect(draw(seed, 4)).toEqual(expected);
    for (const [seed, expected] of reference.shuffles)
      expect(createRandom(seed).shuffle(Array.from({ length: 12 }, (_, i) => i))).toEqual(expected);
    for (const [seed, expected] of reference.normals)
      expect(Math.abs(createRandom(seed).normal() - expected)).toBeLessThanOrEqual(reference.tolerance.normal);
  });

  test("depends on the seed only", () => {
    expect(draw(7, 50)).toEqual(draw("7", 50));
    expect(draw(7, 50)).not.toEqual(draw(8, 50));
    expect(draw("", 5)).not.toEqual(draw("0", 5));
  });

  test("is in [0,1) with 53 random bits", () => {
    const values = draw("bits", 20_000);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThan(1);
    // The lowest of the 53 bits is one in half of the draws: binomial, 5 standard deviations.
    const odd = values.filter((value) => (value * 2 ** 53) % 2 === 1).length;
    expect(Math.abs(odd - 10_000)).toBeLessThan(5 * Math.sqrt(5000));
    expect(values.every((value) => Number.isInteger(value * 2 ** 53))).toBe(true);
  });

  test("is uniform: χ² over 100 cells", () => {
    const cells = new Float64Array(100);
    for (const value of draw("uniform", 100_000)) cells[Math.floor(value * 100)]! += 1;
    const chiSquare = cells.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    // 99 degrees of freedom: both tails at 1e-6.
    expect(chiSquare).toBeGreaterThan(43);
    expect(chiSquare).toBeLessThan(178);
  });

  test("has no correlation between neighbours", () => {
    const values = draw("serial", 100_000).map((value) => value - 0.5);
    const sum = values.slice(1).reduce((total, value, i) => total + value * values[i]!, 0);
    // Each product has the standard deviation 1/12.
    expect(Math.abs(sum)).toBeLessThan((5 * Math.sqrt(99_999)) / 12);
  });
});

describe("forks", () => {
  test("depend on seed and label, not on what was drawn before", () => {
    const fresh = createRandom(3);
    const used = createRandom(3);
    for (let i = 0; i < 100; i++) used.next();
    used.normal();
    expect(used.fork("stage").next()).toBe(fresh.fork("stage").next());
    expect(fresh.next()).toBe(createRandom(3).next()); // and a fork draws nothing from its parent
  });

  test("of labels without a slash are the streams of their paths, as they always were", () => {
    for (const path of [["gsm"], ["größe 🙂", "fold 1"], ["", "a"], ["\u0001\udc00", "", "~", "3:a"]])
      expect(path.reduce((stream, label) => stream.fork(label), createRandom(7)).next()).toBe(
        createRandom(["7", ...path].join("/")).next(),
      );
  });

  test("of other labels are other streams, slashes in them too", () => {
    const first = (path: readonly string[]): number =>
      path.reduce((stream, label) => stream.fork(label), createRandom(3)).next();
    expect(first(["a/b"])).not.toBe(first(["a", "b"]));
    expect(first(["a", "b/c"])).not.toBe(first(["a/b", "c"]));
    const label = fc.array(fc.constantFrom("a", "/", "1"), { maxLength: 4 }).map((parts) => parts.join(""));
    const paths = fc.array(label, { maxLength: 3 });
    fc.assert(
      fc.property(paths, paths, (one, other) => {
        expect(first(one) === first(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });

  test("of different labels are independent", () => {
    const root = createRandom(3);
    const left = root.fork("fold 1");
    const right = root.fork("fold 2");
    let sum = 0;
    for (let i = 0; i < 50_000; i++) sum += (left.next() - 0.5) * (right.next() - 0.5);
    expect(Math.abs(sum)).toBeLessThan((5 * Math.sqrt(50_000)) / 12);
  });

  test("of many labels give many streams", () => {
    const root = createRandom(3);
    const firsts = new Set(Array.from({ length: 20_000 }, (_, i) => root.fork(`item ${i}`).next()));
    expect(firsts.size).toBe(20_000);
  });
});

test("a name makes its stream again from the beginning, and all its forks, on another thread too", () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.string()), fc.array(fc.string(), { maxLength: 3 }), (seed, labels) => {
      const random = labels.reduce((stream, label) => stream.fork(label), createRandom(seed));
      const drawn = [random.next(), random.normal(), random.fork("a/b").next()];
      const again = createRandom(structuredClone(random.name));
      expect([again.next(), again.normal(), again.fork("a/b").next()]).toEqual(drawn);
      expect(again.name).toEqual(random.name);
    }),
  );
});

test("below gives every integer below its bound, equally often", () => {
  const random = createRandom("below");
  const counts = new Float64Array(7);
  for (let i = 0; i < 70_000; i++) counts[random.below(7)]! += 1;
  const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0);
  expect(chiSquare).toBeLessThan(37); // 6 degrees of freedom, 2e-6
  expect(createRandom(1).below(1)).toBe(0);
});

test("normal has the moments and the tail of a standard normal", () => {
  const random = createRandom("normal");
  const values = Array.from({ length: 100_000 }, () => random.normal());
  const moment = (power: number): number => values.reduce((sum, value) => sum + value ** power, 0) / values.length;
  // Standard errors of the moments: √(1, 2, 15, 96)/√n.
  expect(Math.abs(moment(1))).toBeLessThan(5 / Math.sqrt(1e5));
  expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2e-5));
  expect(Math.abs(moment(3))).toBeLessThan(5 * Math.sqrt(15e-5));
  expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96e-5));
  const beyond = values.filter((value) => Math.abs(value) > 1.959964).length;
  expect(Math.abs(beyond - 5000)).toBeLessThan(5 * Math.sqrt(5000 * 0.95));
});

describe("shuffle", () => {
  test("permutes in place", () => {
    const values = Array.from({ length: 100 }, (_, i) => i);
    const same = createRandom("shuffle").shuffle(values);
    expect(same).toBe(values);
    expect(values).not.toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(values.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(createRandom(1).shuffle([])).toEqual([]);
  });

  test("reaches the 24 orders of four equally often", () => {
    const random = createRandom("orders");
    const counts = new Map<string, number>();
    for (let i = 0; i < 24_000; i++) {
      const order = random.shuffle([0, 1, 2, 3]).join("");
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).toBe(24);
    const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquare).toBeLessThan(69); // 23 degrees of freedom, 2e-6
  });
});
