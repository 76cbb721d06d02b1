import { disorder, MOST_DISORDER } from "anchoreval/internal/core/person-fit/disorder";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const curves = (logits: readonly number[]) => ({
  p: Float64Array.from(logits, (z) => 1 / (1 + Math.exp(-z))),
  q: Float64Array.from(logits, (z) => 1 / (1 + Math.exp(z))),
});
const logitsOf = (count: number, random: RandomSource): number[] =>
  Array.from({ length: count }, () => 1.5 + 2 * random.normal());

/** The same by all arrangements of as many right answers. */
function byEnumeration(scores: readonly number[], logits: readonly number[]): number {
  const right = scores.reduce((sum, score) => sum + score, 0);
  const weight = (arrangement: (j: number) => number): number =>
    Math.exp(logits.reduce((sum, z, j) => sum + z * arrangement(j), 0));
  let [all, count] = [0, 0];
  for (let bits = 0; bits < 1 << scores.length; bits++) {
    const of = (j: number): number => (bits >> j) & 1;
    if (scores.reduce((sum, _, j) => sum + of(j), 0) !== right) continue;
    all += weight(of);
    count++;
  }
  return -Math.log(count) - Math.log(weight((j) => scores[j]!) / all);
}

test("is that of all arrangements with as many right answers", () => {
  const random = createRandom(1);
  for (let k = 0; k < 40; k++) {
    const logits = logitsOf(1 + (k % 10), random);
    const scores = logits.map(() => Number(random.next() < 0.6));
    expect(disorder({ scores }, curves(logits))).toBeCloseTo(byEnumeration(scores, logits), 9);
  }
});

test("a shift of all logits is no matter; answers that are all alike have none", () => {
  const random = createRandom(2);
  const logits = logitsOf(30, random);
  const scores = logits.map((z) => Number(random.next() < 1 / (1 + Math.exp(-z))));
  const shifted = logits.map((z) => z + 3);
  expect(disorder({ scores }, curves(shifted))).toBeCloseTo(disorder({ scores }, curves(logits)), 8);
  expect(disorder({ scores: logits.map(() => 1) }, curves(logits))).toBe(0);
  expect(disorder({ scores: logits.map(() => 0) }, curves(logits))).toBe(0);
  expect(disorder({ scores: scores.map((score) => (score === 1 ? 0.5 : 0.49)) }, curves(logits))).toBe(disorder({ scores }, curves(logits))); // prettier-ignore
});

test("thousands of answers, sure and hopeless ones, stay numbers", () => {
  const random = createRandom(3);
  const logits = Array.from({ length: 3000 }, (_, j) => (j % 3 === 0 ? 60 : j % 3 === 1 ? -60 : random.normal()));
  const scores = logits.map(() => Number(random.next() < 0.5));
  expect(disorder({ scores }, curves(logits))).toBeGreaterThan(100);
  expect(disorder({ scores: logits.map((z) => Number(z > 0)) }, curves(logits))).toBeLessThan(-100);
});

describe("50 answers of simulated models", () => {
  const flagged = (answer: (z: number, random: RandomSource) => boolean): number => {
    const random = createRandom(4);
    let found = 0;
    for (let k = 0; k < 2000; k++) {
      const logits = logitsOf(50, random);
      const scores = logits.map((z) => Number(answer(z, random)));
      if (disorder({ scores }, curves(logits)) > MOST_DISORDER) found++;
    }
    return found / 2000;
  };

  test("that answer by their curves: no more than e⁻² are flagged, nor nearly as many", () => {
    expect(flagged((z, random) => random.next() < 1 / (1 + Math.exp(-z)))).toBeLessThan(0.005);
  });

  test("that flip coins: most are flagged", () => {
    expect(flagged((_, random) => random.next() < 0.8)).toBeGreaterThan(0.95);
  });
});
