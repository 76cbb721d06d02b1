import { createRandom } from "anchoreval/internal/core/numeric/random";
import { classicalMean, labelledInterval, labelledMean } from "anchoreval/internal/features/judge/core/labelled-mean";
import { describe, expect, test } from "vitest";
import { drawPlaces, judgedItems, JUDGES } from "../../../../support/judges.js";
import { WHOLE } from "../../../../support/whole.ts";

const LEVEL = 0.95;

const ITEMS = 1000;
const DRAWS = WHOLE ? 2000 : 400;
/** Of 95 % intervals, less the error of as few draws. */
const LEAST_HELD = WHOLE ? 0.93 : 0.895;

describe.each(JUDGES)("a judge that is %s", (name, atMost, board) => {
  const random = createRandom(name);
  const items = judgedItems(board, ITEMS, random);
  const meanOf = (at: 0 | 1): number => items.reduce((sum, item) => sum + item[at], 0) / ITEMS;
  const [truth, all] = [meanOf(0), { count: ITEMS, mean: meanOf(1) }];

  test.each([30, 100, 300])("%i labels: intervals hold, and are never wider than the labels' alone", (n) => {
    const order = items.map((_, k) => k);
    let [held, half, alone, bias, wider] = [0, 0, 0, 0, 0];
    for (let draw = 0; draw < DRAWS; draw++) {
      const drawn = drawPlaces(order, n, random);
      const [labels, judged] = ([0, 1] as const).map((at) => Float64Array.from(drawn, (k) => items[k]![at]));
      const estimate = labelledMean(labels!, judged!, all, LEVEL);
      const [interval, plain] = [estimate, classicalMean(labels!, ITEMS)].map((one) => labelledInterval(one, LEVEL));
      held += Number(interval!.low <= truth && truth <= interval!.high) / DRAWS;
      half += (interval!.high - interval!.low) / 2 / DRAWS;
      alone += (plain!.high - plain!.low) / 2 / DRAWS;
      bias += (estimate.score - truth) / DRAWS;
      wider += Number(interval!.high - interval!.low > plain!.high - plain!.low + 1e-12);
    }
    expect(held).toBeGreaterThan(LEAST_HELD);
    expect(wider).toBe(0);
    expect(Math.abs(bias)).toBeLessThan(0.15 * half);
    if (n === 100) expect(half / alone).toBeLessThanOrEqual(atMost);
  });
});

test("with every label the score is theirs, and the interval a point", () => {
  const [labels, judged] = [Float64Array.of(1, 0, 1, 1, 0), Float64Array.of(0.9, 0.2, 0.4, 0.8, 0.1)];
  const estimate = labelledMean(labels, judged, { count: 5, mean: 0.48 }, LEVEL);
  expect(estimate.score).toBeCloseTo(0.6, 12);
  expect(labelledInterval(estimate, LEVEL)).toEqual({ low: estimate.score, high: estimate.score });
});

test("the line and its residuals are those of a regression by hand", () => {
  // Least squares, the variance of the line at F̄ and HC2's residuals, written out; 1 − n/N = 0.94.
  const f = [0.1, 0.9, 0.4, 0.7, 0.2, 0.8, 0.3, 0.6, 0.5, 0.95, 0.05, 0.45];
  const y = [0, 1, 0.25, 0.75, 0.5, 1, 0, 0.75, 0.25, 0.75, 0, 0.5];
  const { score, slope, degrees, effective } = labelledMean(y, f, { count: 200, mean: 0.55 }, LEVEL);
  const [fm, ym] = [5.95 / 12, 5.75 / 12];
  const sff = f.reduce((sum, x) => sum + (x - fm) ** 2, 0);
  const line = f.reduce((sum, x, k) => sum + (x - fm) * (y[k]! - ym), 0) / sff;
  expect(slope).toBeCloseTo(line, 12);
  expect(score).toBeCloseTo(ym + line * (0.55 - fm), 12);
  expect(degrees).toBe(10);
  const hc2 =
    f.reduce((sum, x, k) => sum + (y[k]! - ym - line * (x - fm)) ** 2 / (1 - 1 / 12 - (x - fm) ** 2 / sff), 0) / 12;
  const open = (hc2 + (0.5 * 0.25 ** 2) / 12) * (1 + (12 * (0.55 - fm) ** 2) / sff) * (0.94 / 12);
  expect((ym * (1 - ym)) / effective).toBeCloseTo(open, 12);
});

test.each([
  ["stretched and moved", (f: number) => 40 - 25 * f],
  ["in thousands", (f: number) => 1000 * f],
])("a judge %s says the same", (_, change) => {
  const random = createRandom(3);
  const judged = Array.from({ length: 40 }, () => random.next());
  const labels = judged.map((f) => Number(random.next() < f));
  const plain = labelledMean(labels, judged, { count: 300, mean: 0.47 }, LEVEL);
  const changed = labelledMean(labels, judged.map(change), { count: 300, mean: change(0.47) }, LEVEL);
  expect(changed.score).toBeCloseTo(plain.score, 10);
  expect(changed.effective).toBeCloseTo(plain.effective, 6);
});

test("a judge that says one thing of all, and labels that are all alike, leave the labels alone", () => {
  const labels = [1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1];
  const alone = classicalMean(labels, 100);
  expect(labelledMean(labels, labels.map(() => 0.7), { count: 100, mean: 0.7 }, LEVEL)).toEqual(alone); // prettier-ignore
  const same = labelledMean(labels.map(() => 1), labels, { count: 100, mean: 0.5 }, LEVEL); // prettier-ignore
  expect(same).toMatchObject({ score: 1, slope: 0 });
  const { low, high } = labelledInterval(same, LEVEL);
  expect([low < 0.8, high]).toEqual([true, 1]); // 12 right answers don't prove that all are
});
