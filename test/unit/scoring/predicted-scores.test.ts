import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { answerCurves } from "anchoreval/internal/core/person-fit/statistics";
import { expectedScore, onScale, predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { describe, expect, test } from "vitest";

const bank = itemBank(Float64Array.of(1, 1, 1), Float64Array.of(-2, 0, 2));
const theta = Float64Array.of(0);

test("are the response probabilities where scores were not binarised", () => {
  expect(predictedScores(theta, bank, null)).toEqual(itemResponses(theta, bank));
});

test("go through the monotone map where they were", () => {
  const map = { x: Float64Array.of(0.25, 0.75), y: Float64Array.of(0.4, 0.6) };
  const predicted = predictedScores(theta, bank, map);
  expect(predicted[0]).toBe(0.6);
  expect(predicted[1]).toBeCloseTo(0.5, 15);
  expect(predicted[2]).toBe(0.4);
});

describe.each([1, 2, 3, 4, 5, 255, 256, 257, 259, 512, 601])("of %i items", (count) => {
  const random = createRandom(`predicted-scores ${count}`);
  const draw = (length: number, of: () => number): Float64Array => Float64Array.from({ length }, of);
  const map = { x: Float64Array.of(0.1, 0.5, 0.9), y: Float64Array.of(0.2, 0.4, 0.7) };
  const raw = draw(count, () => 0.1 + random.next());
  const weights = raw.map((weight) => weight / raw.reduce((sum, own) => sum + own, 0));

  test.each([1, 2, 5])("those of some, and their weighted sums, in %i dimensions", (dims) => {
    const plain = itemBank(
      draw(count * dims, () => random.normal()),
      draw(count, () => 3 * random.normal()),
    );
    const bounded: ItemBank = { ...plain, lower: draw(count, () => 0.25), upper: draw(count, () => 0.95) };
    const at = draw(dims, () => random.normal());
    for (const own of [plain, bounded])
      for (const scoreMap of [null, map]) {
        const all = predictedScores(at, own, scoreMap);
        const sum = all.reduce((total, p, i) => total + weights[i]! * p, 0);
        const moved = all.reduce((total, p, i) => total + weights[i]! * p * (1 - p), 0);
        const { score, spread } = expectedScore(at, own, weights, scoreMap);
        expect(Math.abs(score - sum)).toBeLessThan(1e-14);
        expect(Math.abs(spread - moved)).toBeLessThan(1e-14);
        const some = Array.from({ length: count }, (_, i) => count - 1 - i);
        onScale(answerCurves(own, at, { items: some }).p, scoreMap).forEach((p, j) =>
          expect(Math.abs(p - all[some[j]!]!)).toBeLessThan(1e-14),
        );
      }
  });
});
