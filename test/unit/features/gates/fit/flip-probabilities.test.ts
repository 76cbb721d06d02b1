import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { flipsFromRates, flipsFromRuns } from "../../../../../features/gates/fit/gate-forms.ts";

const random = createRandom("flips");
const ITEMS = 400;
const mean = (own: ArrayLike<number>): number => Array.from(own).reduce((sum, x) => sum + x, 0) / own.length;
/** Chances of one model: U-shaped, and others' mean scores that go with them, or don't. */
const chances = Float64Array.from({ length: ITEMS }, () => 0.5 - 0.5 * Math.cos(Math.PI * random.next()));
const alike = chances.map((p) => Math.min(1, Math.max(0, p + 0.15 * random.normal())));
const unlike = Float64Array.from({ length: ITEMS }, () => random.next());
const truth = chances.map((p) => 2 * p * (1 - p));
const runsOf = (runs: number) => ({
  runs: new Float64Array(ITEMS).fill(runs),
  right: chances.map((p) => Array.from({ length: runs }, () => Number(random.next() < p)).reduce((x, y) => x + y, 0)),
});
const error = (own: Float64Array): number => mean(own.map((flip, i) => (flip - truth[i]!) ** 2));

describe("flips from runs", () => {
  test("have the mean that the model's answers flip by", () => {
    for (const runs of [2, 5, 20])
      for (const accuracy of [alike, unlike])
        expect(Math.abs(mean(flipsFromRuns(runsOf(runs), accuracy, 20)) - mean(truth))).toBeLessThan(
          0.01 + 4 * Math.sqrt(0.2 / ITEMS / (runs - 1)),
        );
  });

  test("are nearer to the truth with more runs, and with other models that are alike; these do no harm if they aren't", () => {
    const errors = [2, 5, 20].map((runs) => error(flipsFromRuns(runsOf(runs), unlike, 20)));
    expect(errors[1]).toBeLessThan(errors[0]!);
    expect(errors[2]).toBeLessThan(errors[1]!);
    const repeats = runsOf(3);
    const none = error(flipsFromRuns(repeats, new Float64Array(ITEMS).fill(NaN).fill(0.5, 0, 1), 20));
    expect(error(flipsFromRuns(repeats, alike, 20))).toBeLessThan(0.8 * none);
    expect(error(flipsFromRuns(repeats, unlike, 20))).toBeLessThan(1.05 * none);
  });

  test("of an item that was run without end are those of its share of right answers", () => {
    const repeats = { runs: Float64Array.of(10_000, 10_000, 10_000), right: Float64Array.of(0, 2500, 10_000) };
    const [never, quarter, always] = flipsFromRuns(repeats, Float64Array.of(0.2, 0.5, 0.7), 10);
    expect(never).toBeLessThan(0.001);
    expect(quarter).toBeCloseTo(0.375, 3);
    expect(always).toBeLessThan(0.001);
  });

  test("don't depend on what counts as right", () => {
    const { runs, right } = runsOf(4);
    const turned = flipsFromRuns({ runs, right: right.map((own) => 4 - own) }, alike.map((own) => 1 - own), 20); // prettier-ignore
    flipsFromRuns({ runs, right }, alike, 20).forEach((own, i) => expect(turned[i]).toBeCloseTo(own, 9));
  });

  test("of items that weren't run go by what is known of the others", () => {
    const { runs, right } = runsOf(10);
    for (let i = 0; i < 50; i++) runs[i] = right[i] = 0;
    const own = flipsFromRuns({ runs, right }, alike, 20);
    expect(own.every((flip) => flip > 0 && flip < 0.5)).toBe(true);
    const [middle, edge] = [0, 1].map((k) =>
      mean(own.slice(0, 50).filter((_, i) => Number(Math.abs(alike[i]! - 0.5) > 0.3) === k)),
    );
    expect(middle).toBeGreaterThan(edge!);
  });

  test("of a model that is always right, or always wrong, are few, and numbers", () => {
    for (const share of [0, 1]) {
      const repeats = { runs: new Float64Array(ITEMS).fill(3), right: new Float64Array(ITEMS).fill(3 * share) };
      for (const flip of flipsFromRuns(repeats, alike, 20)) expect(flip >= 0 && flip < 0.02).toBe(true);
    }
  });
});

describe("flips from pass rates", () => {
  test("are the mean of 2p(1−p), shrunk toward the mean over items by four models", () => {
    const rates = [
      [0.5, 0.5],
      [1, 0],
      [0, 0.5],
    ];
    const average = 1.5 / 6;
    expect([...flipsFromRates((item) => rates[item]!, 3)!]).toEqual(
      [1, 0, 0.5].map((sum) => (sum + 4 * average) / (2 + 4)),
    );
  });

  test("of an item without answers are the mean; of answers that are all right or wrong nothing is known", () => {
    expect(flipsFromRates((item) => [[0.5], []][item]!, 2)![1]).toBe(0.5);
    expect(flipsFromRates(() => [0, 1], 5)).toBeNull();
  });
});
