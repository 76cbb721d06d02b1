import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { shares, startingValues } from "../../../offline-trainer/src/calibrate/starting-values.ts";

/** Three models: all right, mixed with a gap, all wrong; the last item was answered by nobody. */
const responses = {
  subjects: 3,
  items: 4,
  signs: Int8Array.of(1, 1, 1, 0, 1, -1, 0, 0, -1, -1, -1, 0),
};

test("shares count what was answered, shrunk by half an answer either way", () => {
  const { subject, item, answers } = shares(responses);
  expect(Array.from(subject)).toEqual([3.5 / 4, 1.5 / 3, 0.5 / 4]);
  expect(Array.from(item)).toEqual([2.5 / 4, 1.5 / 4, 1.5 / 3, 0.5]);
  expect(Array.from(answers)).toEqual([3, 3, 2, 0]);
});

test("abilities begin as standardised logits, intercepts as the items' own", () => {
  const { theta, a, b } = startingValues(responses, 3, createRandom(1));
  const first = [0, 1, 2].map((m) => theta[3 * m]!);
  expect(first.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 12);
  expect(first.reduce((sum, value) => sum + value * value, 0) / 3).toBeCloseTo(1, 12);
  expect(first[0]! > first[1]! && first[1]! > first[2]!).toBe(true);
  expect(Array.from(a).filter((_, k) => k % 3 === 0)).toEqual([0.8, 0.8, 0.8, 0.8]);
  [-Math.log(2.5 / 1.5), Math.log(2.5 / 1.5), 0, 0].forEach((value, i) => expect(b[i]).toBeCloseTo(value, 14));
  // The other dimensions are drawn: no two alike, nor zero.
  const drawn = [...theta, ...a].filter((_, k) => k % 3 !== 0);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn).not.toContain(0);
});

test("depend on the seed in the drawn dimensions only", () => {
  expect(startingValues(responses, 2, createRandom(1))).toEqual(startingValues(responses, 2, createRandom(1)));
  const [one, other] = [startingValues(responses, 2, createRandom(1)), startingValues(responses, 2, createRandom(2))];
  expect(one.theta.filter((_, k) => k % 2 === 0)).toEqual(other.theta.filter((_, k) => k % 2 === 0));
  expect(one.theta).not.toEqual(other.theta);
});

test("are finite where all models are alike", () => {
  const alike = { subjects: 2, items: 2, signs: Int8Array.of(1, -1, 1, -1) };
  const { theta } = startingValues(alike, 1, createRandom(1));
  expect(Array.from(theta)).toEqual([0, 0]);
});
