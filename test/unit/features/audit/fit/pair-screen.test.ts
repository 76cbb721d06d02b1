import { sigmoid } from "anchoreval/internal/core/numeric/functions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { fittedAnswers, type FittedAnswers } from "../../../../../features/audit/fit/fitted-answers.ts";
import { answerLikeness, chanceShares, nearCopies } from "../../../../../features/audit/fit/near-copies.ts";
import { Extremes, type ScreenedRows, screenPairs } from "../../../../../features/audit/fit/pair-screen.ts";
import { calibrationOf } from "./reference.ts";

describe("screening of all pairs of rows", () => {
  const rowsOf = (count: number, width: number): Float32Array => {
    const random = createRandom(`rows ${count} ${width}`);
    return Float32Array.from({ length: count * width }, () => random.normal());
  };
  const screened = (rows: Float32Array, width: number): ScreenedRows => ({
    count: rows.length / width,
    width,
    fill: (row, out) => out.set(rows.subarray(row * width, (row + 1) * width)),
  });
  const bruteForce = (rows: Float32Array, width: number, reach: number): { pair: string; product: number }[] => {
    const count = rows.length / width;
    const out: { pair: string; product: number }[] = [];
    for (let i = 0; i < count; i++)
      for (let j = i + 1; j < Math.min(count, i + reach + 1); j++) {
        let product = 0;
        for (let k = 0; k < width; k++) product += rows[i * width + k]! * rows[j * width + k]!;
        out.push({ pair: `${i}-${j}`, product });
      }
    return out.sort((x, y) => y.product - x.product);
  };

  test.each([
    [2, 3],
    [5, 7],
    [64, 10],
    [131, 6],
    [200, 11],
  ])("%i rows of %i: the extremes are those of brute force", (count, width) => {
    const rows = rowsOf(count, width);
    const all = bruteForce(rows, width, count);
    const keep = 40;
    const screen = screenPairs(screened(rows, width), keep, Infinity);
    expect(screen.compared).toBe(all.length);
    expect(screen.pairs).toBe(all.length);
    const names = (pairs: typeof screen.highest): string[] => pairs.map(({ left, right }) => `${left}-${right}`).sort();
    const positive = all.filter(({ product }) => product > 0).slice(0, keep);
    const negative = all.filter(({ product }) => product < 0).slice(-keep);
    expect(names(screen.highest)).toEqual(positive.map(({ pair }) => pair).sort());
    expect(names(screen.lowest)).toEqual(negative.map(({ pair }) => pair).sort());
    for (const { left, right, product } of screen.highest)
      expect(product).toBeCloseTo(all.find(({ pair }) => pair === `${left}-${right}`)!.product, 5);
    for (const { product } of screen.lowest) expect(product).toBeLessThan(0);
  });

  test("with less work allowed, rows are compared with those that follow", () => {
    const rows = rowsOf(150, 4);
    const screen = screenPairs(screened(rows, 4), 1000, 150 * 4 * 20);
    const near = bruteForce(rows, 4, 20);
    expect(screen.compared).toBe(near.length);
    expect(screen.pairs).toBe((150 * 149) / 2);
    for (const { left, right } of [...screen.highest, ...screen.lowest]) expect(right - left).toBeLessThanOrEqual(20);
    expect(screen.highest).toHaveLength(Math.min(1000, near.filter(({ product }) => product > 0).length));
  });

  test("of equal products those that came first are kept, and no more than asked for", () => {
    const extremes = new Extremes(3);
    for (let k = 0; k < 50; k++) extremes.add(k, k + 1, k === 20 ? 2 : 1);
    expect(
      extremes
        .kept()
        .map(({ left }) => left)
        .sort((x, y) => x - y),
    ).toEqual([0, 1, 20]);
  });
});

describe("estimated share of chance", () => {
  const normals = (count: number, seed: string): Float64Array => {
    const random = createRandom(seed);
    return Float64Array.from({ length: count }, () => Math.abs(random.normal()))
      .sort()
      .reverse();
  };

  test("is about 1 where nothing but chance is there", () => {
    const shares = chanceShares(normals(5000, "a"), normals(5000, "b"));
    expect(shares[4999]).toBeGreaterThan(0.95);
    expect(shares[200]).toBeGreaterThan(0.7);
    expect(shares[20]).toBeGreaterThan(0.3);
  });

  test("is about the share of chance in a mixture", () => {
    const random = createRandom("mixture");
    const real = Array.from({ length: 300 }, () => 4 + 0.3 * random.normal());
    const values = Float64Array.from([...normals(5000, "c"), ...real])
      .sort()
      .reverse();
    const shares = chanceShares(values, normals(5000, "d"));
    expect(shares[250]).toBeLessThan(0.05);
    const [low, high] = [shares[499]!, shares[599]!];
    expect(low).toBeGreaterThan(0.2);
    expect(high).toBeLessThan(0.7);
  });

  test("one value far above all others isn't chance, one among them is", () => {
    const opposite = normals(400, "e");
    expect(chanceShares(Float64Array.of(9), opposite)[0]).toBeLessThan(1e-3);
    expect(chanceShares(Float64Array.of(opposite[3]!), opposite)[0]).toBe(1);
  });

  test("never falls, and with hardly anything to compare with says so", () => {
    const shares = chanceShares(normals(300, "f"), normals(300, "g"));
    for (let k = 1; k < shares.length; k++) expect(shares[k]!).toBeGreaterThanOrEqual(shares[k - 1]!);
    expect(Array.from(chanceShares(Float64Array.of(5, 4, 3), Float64Array.of()))).toEqual([1 / 3, 1 / 3, 1 / 3]);
  });
});

/** Answers drawn from a one-dimensional bank; `copies` of items 0, 1, … follow with a share of answers drawn anew. */
function withCopies(models: number, items: number, copies: number, redrawn: number): FittedAnswers {
  const random = createRandom(`copies ${models}`);
  const theta = Array.from({ length: models }, () => random.normal());
  const a = Array.from({ length: items }, () => Math.exp(0.3 * random.normal()));
  const b = Array.from({ length: items }, () => random.normal());
  const all = items + copies;
  const signs = new Int8Array(models * all);
  const draw = (m: number, i: number): number => (random.next() < sigmoid(a[i]! * theta[m]! - b[i]!) ? 1 : -1);
  for (let m = 0; m < models; m++) {
    for (let i = 0; i < items; i++) signs[m * all + i] = random.next() < 0.02 ? 0 : draw(m, i);
    for (let k = 0; k < copies; k++)
      signs[m * all + items + k] = random.next() < redrawn ? draw(m, k) : signs[m * all + k]!;
  }
  const parameters = { dims: 1, theta, a: [...a, ...a.slice(0, copies)], b: [...b, ...b.slice(0, copies)] };
  return fittedAnswers({ subjects: models, items: all, signs }, calibrationOf(parameters));
}

describe("near-copies", () => {
  const alone = (models: number): Int32Array => Int32Array.from({ length: models }, (_, m) => m);

  test("planted ones come first, and nothing else is found", () => {
    const answers = withCopies(200, 300, 12, 0.15);
    const { pairs, compared, comparable } = nearCopies(answers, alone(200), Infinity);
    const planted = Array.from({ length: 12 }, (_, k) => `${k},${300 + k}`);
    const found = pairs.map(({ items }) => items.join());
    expect(planted.every((pair) => found.slice(0, 12).includes(pair))).toBe(true);
    expect(found.length).toBeLessThan(16);
    expect(compared).toBe(comparable);
    for (const { items, chance, ...own } of pairs) {
      expect(chance).toBeLessThanOrEqual(0.2);
      expect({ items, ...own }).toEqual(answerLikeness(answers, items[0], items[1], alone(200)));
    }
  });

  test("without any, hardly a pair is listed", () => {
    expect(nearCopies(withCopies(200, 300, 0, 0), alone(200), Infinity).pairs.length).toBeLessThan(3);
  });

  test("items with few answers, or few of either kind, aren't compared", () => {
    const answers = withCopies(100, 20, 4, 0);
    answers.signs.fill(1, 0, 99);
    answers.signs.fill(0, 1 * 100, 1 * 100 + 85);
    const { pairs, comparable } = nearCopies(answers, alone(100), Infinity);
    expect(comparable).toBe((22 * 21) / 2);
    for (const { items } of pairs) expect(items.includes(0) || items.includes(1)).toBe(false);
  });

  test("what a family knows as one counts little", () => {
    // Two unrelated items that each family answers as one: eight families of 25.
    const answers = withCopies(200, 40, 0, 0);
    const families = Int32Array.from({ length: 200 }, (_, m) => Math.floor(m / 25));
    const known = [1, 1, -1, -1, 1, -1, 1, -1];
    answers.calibration.theta.fill(0);
    answers.calibration.b.fill(0);
    for (let m = 0; m < 200; m++) for (const i of [0, 1]) answers.signs[i * 200 + m] = known[families[m]!]!;
    const own = answerLikeness(answers, 0, 1, alone(200));
    const related = answerLikeness(answers, 0, 1, families);
    expect(own.z).toBeGreaterThan(10);
    expect(related.z).toBeLessThan(4);
    expect(related.q3).toBeCloseTo(own.q3, 12);
  });
});
