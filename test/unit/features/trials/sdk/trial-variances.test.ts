import { createRandom } from "anchoreval/internal/core/numeric/random";
import { summariseTrials } from "anchoreval/internal/tables/item-trials";
import { taskVariance, trialsPerItem } from "anchoreval/internal/features/trials/sdk/trial-variances";
import { describe, expect, it } from "vitest";

const sampleOf = (scores: readonly number[]) => ({
  mass: new Float64Array(scores.length).fill(1 / scores.length),
  scores: Float64Array.from(scores),
});
const evenly = (items: number): Float64Array => new Float64Array(items).fill(1 / items);

describe("taskVariance", () => {
  it("is the squared standard error of a mean where every item was answered", () => {
    const scores = [1, 0, 0.5, 1, 1, 0.25, 0, 1];
    const mean = scores.reduce((sum, y) => sum + y, 0) / 8;
    const squares = scores.reduce((sum, y) => sum + (y - mean) ** 2, 0);
    const { variance, degrees } = taskVariance(sampleOf(scores), evenly(8));
    expect(variance).toBeCloseTo(squares / 7 / 8, 12);
    expect(degrees).toBeCloseTo(7, 12);
  });

  it("is right on the mean of groups that are drawn as a whole, and too small without them", () => {
    // 40 groups of 5 twins: the variance of the mean is that of 40 draws.
    const random = createRandom(3);
    const groups = Array.from({ length: 200 }, (_, k) => String(Math.floor(k / 5)));
    let [grouped, single] = [0, 0];
    for (let draw = 0; draw < 200; draw++) {
      const chances = Array.from({ length: 40 }, () => Number(random.next() < 0.4));
      const sample = sampleOf(groups.map((group) => chances[Number(group)]!));
      const { variance, degrees } = taskVariance(sample, evenly(200), groups);
      grouped += variance / 200;
      single += taskVariance(sample, evenly(200)).variance / 200;
      expect(degrees).toBeCloseTo(39, 9);
    }
    const right = (0.4 * 0.6) / 40;
    expect(grouped / right).toBeGreaterThan(0.96);
    expect(grouped / right).toBeLessThan(1.04);
    expect(single / right).toBeLessThan(0.25);
  });

  it("is never smaller for its groups, and the same for groups of one", () => {
    const scores = [1, 0, 1, 0, 0, 1];
    const alone = taskVariance(sampleOf(scores), evenly(6));
    expect(taskVariance(sampleOf(scores), evenly(6), ["a", "b", "c", "d", "e", "f"])).toEqual(alone);
    // Opposites in every group.
    expect(taskVariance(sampleOf(scores), evenly(6), ["a", "a", "b", "b", "c", "c"]).variance).toBeGreaterThanOrEqual(
      alone.variance,
    );
  });
});

describe("summariseTrials", () => {
  it("has the mean and the unbiased variance, the same of a list and of counts", () => {
    for (const trials of [[1, 0, null, 1], { passed: 2, of: 3 }]) {
      const { count, mean, variance } = summariseTrials(trials);
      expect({ count, mean }).toEqual({ count: 3, mean: 2 / 3 });
      expect(variance).toBeCloseTo(1 / 3, 12);
    }
    expect(summariseTrials([0.25, 0.75]).variance).toBeCloseTo(0.125, 12);
    expect(summariseTrials([1])).toEqual({ count: 1, mean: 1, variance: NaN });
    expect(summariseTrials([null]).count).toBe(0);
  });
});

it("counts trials an item by their harmonic mean", () => {
  expect(trialsPerItem([1, 3])).toBeCloseTo(1.5, 12);
});
