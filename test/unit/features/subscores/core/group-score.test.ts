import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { commonShift, groupScore, groupSums, NO_SHIFT } from "../../../../../features/subscores/core/group-score.ts";
import { itemsOf, runsOf } from "../../../../../features/subscores/core/part.ts";

const COUNT = 60;
const random = createRandom("group scores");
const uniform = (length: number): number[] => Array.from({ length }, () => random.next());
const weights = Float64Array.from(uniform(COUNT), (some) => 0.5 + some);
const predicted = Float64Array.from(uniform(COUNT), (some) => 0.05 + 0.9 * some);
const items = random.shuffle(Array.from({ length: COUNT }, (_, item) => item)).slice(0, 25);
const scores = items.map((item) => Number(random.next() < predicted[item]!));
const leverages = items.map((_, j) => 0.3 * (j % 2));
const answers = { weights, predicted, items, scores, leverages };
const every = Uint32Array.from(weights, (_, item) => item);
const [part, others] = [every.filter((item) => item % 3 === 0), every.filter((item) => item % 3 !== 0)] as const;
const weightOf = (group: Uint32Array): number => group.reduce((sum, item) => sum + weights[item]!, 0);
const FIGURES = { shift: 0.1, variance: 0.3 };

describe("the score of a group", () => {
  test("is its answers and predictions, and without shifts a whole is the mean of its parts", () => {
    const plain = (group: Uint32Array): number =>
      groupScore(groupSums(answers)(group), { shift: 0, variance: 0 }, 1, NO_SHIFT).score;
    const seen = new Map(items.map((item, j) => [item, scores[j]!]));
    const mean = part.reduce((sum, item) => sum + weights[item]! * (seen.get(item) ?? predicted[item]!), 0);
    expect(plain(part)).toBeCloseTo(mean / weightOf(part), 12);
    const parts = plain(part) * weightOf(part) + plain(others) * weightOf(others);
    expect(parts / weightOf(every)).toBeCloseTo(plain(every), 12);
  });

  test("shifts with its scenario's score, which its parts come to", () => {
    const common = commonShift(0.55, 0, groupSums(answers)(every));
    const shifted = (group: Uint32Array): number => groupScore(groupSums(answers)(group), { shift: 0, variance: 0 }, 1, common).score; // prettier-ignore
    expect(shifted(every)).toBeCloseTo(0.55, 12);
    const parts = shifted(part) * weightOf(part) + shifted(others) * weightOf(others);
    expect(parts / weightOf(every)).toBeCloseTo(0.55, 12);
  });

  test("is the same whatever the order of answers", () => {
    const order = random.shuffle([...items.keys()]);
    const pick = <T>(values: readonly T[]): T[] => order.map((j) => values[j]!);
    const again = { ...answers, items: pick(items), scores: pick(scores), leverages: pick(leverages) };
    const [one, other] = [answers, again].map((some) =>
      groupScore(groupSums(some)(part), FIGURES, 0.9, { shift: 0.2, variance: 0.01 }),
    );
    expect(one!.score).toBeCloseTo(other!.score, 12);
    expect(one!.variance).toBeCloseTo(other!.variance, 12);
  });

  test("its own shift is the posterior mode of the model with one shift, to first order", () => {
    const sums = groupSums(answers)(part);
    const precision = sums.information / 0.9 + 1 / FIGURES.variance;
    const step = (sums.residual - FIGURES.shift * sums.information) / 0.9 / precision;
    const expected = sums.scored + sums.expected + (FIGURES.shift + step) * sums.spread;
    expect(groupScore(sums, FIGURES, 0.9, NO_SHIFT).score).toBeCloseTo(expected, 12);
  });

  test("is known where all was answered, and more answers never make it less sure", () => {
    const full = Float64Array.from(every, (item) => item % 2);
    const whole = groupSums({ weights, predicted, items: every, scores: full, leverages: full })(part);
    const { score, variance, bounds } = groupScore(whole, FIGURES, 1, { shift: 0.7, variance: 0.01 });
    expect(variance).toBeCloseTo(0, 12);
    expect(bounds.high - bounds.low).toBeCloseTo(0, 12);
    expect(score).toBeCloseTo(part.reduce((sum, item) => sum + weights[item]! * (item % 2), 0) / weightOf(part), 12);
    const variances = [0, 5, 10, 20, 25].map((count) => {
      const fewer = { ...answers, items: items.slice(0, count), scores: scores.slice(0, count), leverages: leverages.slice(0, count) }; // prettier-ignore
      return groupScore(groupSums(fewer)(part), FIGURES, 1, NO_SHIFT).variance;
    });
    expect(variances).toEqual(variances.toSorted((x, y) => y - x));
  });

  test("stays within what the answers prove", () => {
    for (const common of [-50, 50]) {
      const { score, bounds } = groupScore(groupSums(answers)(part), FIGURES, 1, { shift: common, variance: 0 });
      expect(score).toBe(common < 0 ? bounds.low : bounds.high);
    }
  });
});

test("items are noted by runs, and read again as they were", () => {
  for (const some of [[0], [59], [3, 4, 9], [0, 1, 2, 57, 58, 59], items.toSorted((x, y) => x - y)])
    expect(Array.from(itemsOf(runsOf(some)))).toEqual(some);
  expect(runsOf([3, 4, 9])).toEqual([3, 2, 4, 1]);
});
