import { itemBank, itemResponses, predictedScores } from "anchoreval/core";
import { expect, test } from "vitest";

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
