import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { backtestCell } from "../../../../../features/backtest/fit/cell.ts";
import { describeBenchmark } from "../../../../../offline-trainer/src/matrix/benchmark.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { customised } from "../../../../../offline-trainer/src/methods/index.ts";
import { randomBaseline } from "../../../../../offline-trainer/src/fit/errors.ts";
import { responseMatrix, scoreAt } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores } from "../../../../../offline-trainer/src/matrix/scenarios.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";

/** Standard errors allowed: seeds are fixed, so that what passes once passes always. */
const DEVIATIONS = 4;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1);

/** The ends of Wilson's interval by its definition: where (p − π)² = z²·π(1 − π)/n, found by halving. */
function wilsonEnds(p: number, n: number): { low: number; high: number } {
  const outside = (end: number): boolean => (p - end) ** 2 > (1.959963984540054 ** 2 * end * (1 - end)) / n;
  const halved = (from: number, to: number): number => {
    let [out, within] = [from, to];
    for (let k = 0; k < 60; k++) {
      const middle = (out + within) / 2;
      if (outside(middle)) out = middle;
      else within = middle;
    }
    return within;
  };
  return { low: halved(0, p), high: halved(1, p) };
}

interface Figures {
  readonly error: number;
  readonly coverage: number;
  readonly halfWidth: number;
  readonly winkler: number;
}
const FIGURES = ["error", "coverage", "halfWidth", "winkler"] as const;

function figuresOf(truth: number, score: number, { low, high }: { low: number; high: number }): Figures {
  const outside = truth < low ? low - truth : truth > high ? truth - high : 0;
  return {
    error: Math.abs(score - truth),
    coverage: outside > 0 ? 0 : 1,
    halfWidth: (high - low) / 2,
    winkler: high - low + 40 * outside,
  };
}

test("random items: what all sets of n come to on average, weights and gaps as they are", () => {
  const random = createRandom("all sets");
  const [models, items, n] = [4, 9, 4];
  const weights = Float64Array.from({ length: items }, (_, i) => (i + 1) / 45);
  const matrix = responseMatrix(
    Array.from({ length: models }, (_, m) => `m${m}`),
    Array.from({ length: items }, (_, i) => ({ item_id: `${i}`, scenario: "a" })),
    // The last model has answered three items: some sets hold none of them.
    Float64Array.from({ length: models * items }, (_, k) =>
      k >= 30 && k < 36 ? NaN : Math.round(4 * random.next()) / 4,
    ),
  );
  const scenario = { id: "a", begin: 0, count: items, subscenarios: [{ id: null, items }], weights, matrix };
  const targets = [3, 0, 1];
  const truths = [0.9, 0.03, 0.97];
  const streams = 100;
  const drawn = Array.from({ length: streams }, (_, k) =>
    randomBaseline(scenario, targets, truths, n, random.fork(`stream ${k}`)),
  );
  const sets = Array.from({ length: 2 ** items }, (_, bits) =>
    Array.from({ length: items }, (_, i) => i).filter((i) => (bits >> i) % 2 === 1),
  ).filter((set) => set.length === n);
  const held = new Set<number>();
  targets.forEach((model, t) => {
    const all = sets.map((set): Figures => {
      const known = set.filter((i) => !Number.isNaN(scoreAt(matrix, model, i)));
      if (known.length === 0) return figuresOf(truths[t]!, 0.5, { low: 0, high: 1 });
      const mass = known.reduce((sum, i) => sum + weights[i]!, 0);
      const score = known.reduce((sum, i) => sum + weights[i]! * scoreAt(matrix, model, i), 0) / mass;
      const effective = 1 / known.reduce((sum, i) => sum + (weights[i]! / mass) ** 2, 0);
      return figuresOf(truths[t]!, score, wilsonEnds(score, effective));
    });
    for (const { coverage } of all) held.add(coverage);
    const own: Figures[] = drawn.map(({ errors, intervals }) => ({
      error: errors[t]!,
      coverage: intervals!.coverage[t]!,
      halfWidth: intervals!.halfWidth[t]!,
      winkler: intervals!.winkler[t]!,
    }));
    for (const figure of FIGURES) {
      const expected = all.map((set) => set[figure]);
      const standardError = Math.sqrt(variance(expected) / (200 * streams));
      expect(standardError).toBeLessThan(figure === "winkler" ? 0.05 : 0.004);
      const gap = mean(own.map((stream) => stream[figure])) - mean(expected);
      expect(Math.abs(gap)).toBeLessThanOrEqual(DEVIATIONS * standardError + 1e-12);
    }
  });
  expect(held.size).toBe(2);
});

describe("Wilson's interval on random items", () => {
  const items = 3000;
  const random = createRandom("population");
  const shares = [0.15, 0.4, 0.7, 0.9];
  const matrix = responseMatrix(
    shares.map((share) => `${share}`),
    Array.from({ length: items }, (_, i) => ({ item_id: `${i}`, scenario: "a" })),
    Float64Array.from({ length: shares.length * items }, (_, k) =>
      random.next() < shares[Math.floor(k / items)]! ? 1 : 0,
    ),
  );
  const slice = (weight: (item: number) => number) => {
    const raw = Float64Array.from({ length: items }, (_, i) => weight(i));
    const total = raw.reduce((sum, own) => sum + own, 0);
    const weights = raw.map((own) => own / total);
    return { id: "a", begin: 0, count: items, subscenarios: [{ id: null, items }], weights, matrix };
  };
  const targets = shares.map((_, m) => m);

  // Of 3000 items 60 are few enough for a plain interval; 50 streams of 200 draws know a coverage to .002.
  test.each([
    ["items that weigh the same", () => 1],
    ["one item in ten weighs twenty times as much", (item: number) => (item % 10 === 0 ? 20 : 1)],
  ])("%s: it holds the truth about 95 times in 100", (_, weight) => {
    const own = slice(weight);
    const truths = Array.from(fullScores(matrix, own).score);
    const drawn = Array.from({ length: 50 }, (_, k) =>
      randomBaseline(own, targets, truths, 60, random.fork(`draws ${k}`)),
    );
    const coverage = targets.map((t) => mean(drawn.map(({ intervals }) => intervals!.coverage[t]!)));
    expect(Math.abs(mean(coverage) - 0.95)).toBeLessThan(0.012);
    for (const share of coverage) expect(Math.abs(share - 0.95)).toBeLessThan(0.03);
  });

  test("every item asked, or more than there are: no interval to compare with", () => {
    const own = slice(() => 1);
    const truths = Array.from(fullScores(matrix, own).score);
    for (const n of [items, items + 5]) {
      const { errors, intervals } = randomBaseline(own, targets, truths, n, random);
      expect(Math.max(...errors)).toBeLessThan(1e-12);
      expect(intervals).toBeNull();
    }
    expect(randomBaseline(own, targets, truths, items - 1, random).intervals).not.toBeNull();
  });
});

describe("anchors drawn at random, their mean", () => {
  const matrix = smallLeaderboard({ models: 20, items: [60] });
  const rows = matrix.subjects.map((_, m) => m);
  // Too few sources to cross-validate, which takes the time: random anchors and their mean learn nothing from them.
  const split = { sources: rows.slice(0, 6), targets: rows.slice(6) };

  test("err as random items do: ratio 1, few of the items or half of them", async () => {
    const method = await customised(recommended, { selection: "random", dims: 1 });
    const benchmark = { ...describeBenchmark(matrix, method.settings), replicates: Int32Array.from(rows) };
    const input = { benchmark, split: { ...split, scenarios: [split] }, sizes: [6, 30], method };
    const seeds = await Promise.all(
      Array.from({ length: 20 }, (_, seed) => backtestCell({ ...input, seed }, typescriptBackend)),
    );
    for (const size of [0, 1]) {
      const cells = seeds.map((results) => results[size]!.estimates);
      // Models of one form share its luck: forms are what is independent here.
      const forms = cells.flatMap((estimates) =>
        [...new Set(estimates.map(({ draw }) => draw))].map((draw) =>
          mean(
            estimates
              .filter((own) => own.draw === draw)
              .map((own) => Math.abs(own.estimators["anchor-mean"] - own.truth)),
          ),
        ),
      );
      const baseline = mean(cells.flat().map(({ randomError }) => randomError));
      const draws = 200 * cells.length;
      const standardError = Math.sqrt(variance(forms) * (1 / forms.length + 1 / draws)) / baseline;
      expect(forms).toHaveLength(200);
      expect(standardError).toBeLessThan(0.035);
      expect(Math.abs(mean(forms) / baseline - 1)).toBeLessThan(DEVIATIONS * standardError);
    }
  });
});
