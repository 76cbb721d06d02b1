import { answeredSample, knownBounds } from "anchoreval/internal/core/estimators/answered-sample";
import {
  gatedPairVariance,
  pairedScores,
  type ScorePair,
  type ServedScore,
  type ServedVariance,
} from "anchoreval/internal/core/inference/paired-scores";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const ASKED = 60;
const ITEMS = 600;
const weights = new Float64Array(ITEMS).fill(1 / ITEMS);

/** Chances of a right answer to the anchors, from hard to easy; mean about .65. */
const CHANCES = Array.from({ length: ASKED }, (_, j) => 0.05 + 0.9 * Math.min(1, (j + 8) / 48));

function served(answers: readonly number[], chances: readonly number[] = CHANCES, of = ITEMS): ServedScore {
  const items = Uint32Array.from(answers, (_, j) => j);
  const even = new Float64Array(answers.length).fill(1 / answers.length);
  const inclusion = new Float64Array(answers.length).fill(answers.length / of);
  const sample = answeredSample({ items, mass: even, inclusion }, answers)!;
  const bounds = knownBounds(of === ITEMS ? weights : new Float64Array(of).fill(1 / of), sample);
  return {
    sample,
    bounds,
    residuals: answers.map((score, j) => score - chances[j]!),
    leverages: answers.map(() => 0),
    score: answers.reduce((sum, score) => sum + score, 0) / answers.length,
    gated: null,
  };
}

function drawn(random: RandomSource): number[] {
  return CHANCES.map((chance) => (random.next() < chance ? 1 : 0));
}

function flipped(answers: readonly number[], places: readonly number[]): number[] {
  return answers.map((score, j) => (places.includes(j) ? 1 - score : score));
}

const differences = (pairs: readonly ScorePair[], shrinkage: number): number[] =>
  pairedScores(pairs)(shrinkage).map(({ a, b }) => b - a);

describe("two unlike models", () => {
  const random = createRandom("unlike");
  const pairs = [0, 1, 2].map(() => ({ a: served(drawn(random)), b: served(drawn(random)) }));
  const plain = pairs.map(({ a, b }) => b.score - a.score);

  test("differ by what their scores do, where nothing shrinks", () => {
    differences(pairs, 0).forEach((difference, s) => expect(difference).toBeCloseTo(plain[s]!, 6));
  });

  test("or by δ/(δ + s·U/n) of it, δ with 20 answers' weight on that of all scenarios", () => {
    const gaps = pairs.map(({ a, b }) => a.sample.scores.filter((score, j) => score !== b.sample.scores[j]).length);
    const common = (gaps.reduce((sum, gap) => sum + gap, 0) + 0.5) / (3 * ASKED + 1);
    differences(pairs, 0.7).forEach((difference, s) => {
      const likeness = (gaps[s]! + 20 * common) / (ASKED + 20);
      expect(difference).toBeCloseTo((plain[s]! * likeness) / (likeness + (0.7 * (1 - ASKED / ITEMS)) / ASKED), 6);
    });
  });

  test("keep the mean of both scores, inside what the answers prove", () => {
    pairedScores(pairs)(0.7).forEach((scores, s) => {
      const { a, b } = pairs[s]!;
      expect(scores.a + scores.b).toBeCloseTo(a.score + b.score, 12);
    });
    const far = { a: { ...pairs[0]!.a, score: 0 }, b: { ...pairs[0]!.b, score: 1 } };
    const [clamped] = pairedScores([far])(0);
    expect(clamped).toEqual({ a: far.a.bounds.low, b: far.b.bounds.high });
  });
});

test("turned around, a difference changes its sign and nothing else", () => {
  const random = createRandom("turned");
  for (let k = 0; k < 200; k++) {
    const pairs = [0, 1].map(() => {
      const own = drawn(random);
      const other = own.map((score) => (random.next() < 0.08 ? 1 - score : score));
      return { a: served(own), b: served(other) };
    });
    const turned = pairs.map(({ a, b }) => ({ a: b, b: a }));
    differences(pairs, 0.5).forEach((difference, s) =>
      expect(differences(turned, 0.5)[s]).toBeCloseTo(-difference, 12),
    );
  }
});

test("the same answers are no difference, and all items answered are the difference", () => {
  const own = drawn(createRandom("same"));
  expect(differences([{ a: served(own), b: served(own) }], 0.5)).toEqual([0]);
  const other = flipped(own, [1, 2, 50]);
  const [a, b] = [served(own, CHANCES, ASKED), served(other, CHANCES, ASKED)];
  expect(differences([{ a, b }], 0.5)).toEqual([b.score - a.score]);
});

describe("a copy that errs by chance", () => {
  // Right on what is hard and wrong on what is easy: only chance does that.
  const own = CHANCES.map((chance) => (chance > 0.5 ? 1 : 0));
  const easy = [55, 57, 59];
  const score = own.reduce<number>((sum, value) => sum + value, 0) / ASKED;

  test("is lower by δ·(2S−1) on the items left, whichever of the two it is", () => {
    const pair = { a: served(own), b: served(flipped(own, easy)) };
    const noise = 4.75 / (ASKED + 44);
    const mean = score - 1.5 / ASKED;
    const expected = -3 / ITEMS - noise * (2 * mean - 1) * (1 - ASKED / ITEMS);
    expect(differences([pair], 0.5)[0]).toBeCloseTo(expected, 3);
    expect(differences([{ a: pair.b, b: pair.a }], 0.5)[0]).toBeCloseTo(-expected, 3);
  });

  test("isn't taken for one where the answers that differ could well have been either", () => {
    const middling = [16, 17, 18, 19];
    const pair = { a: served(own), b: served(flipped(own, middling)) };
    expect(Math.abs(differences([pair], 0)[0]! - (pair.b.score - pair.a.score))).toBeLessThan(0.01);
  });

  test("nor where so many answers differ that no rerun does that", () => {
    const many = own.flatMap((_, j) => (j % 3 === 0 ? [j] : []));
    const pair = { a: served(own), b: served(flipped(own, many)) };
    expect(differences([pair], 0)[0]).toBeCloseTo(pair.b.score - pair.a.score, 3);
  });

  test("nor where scores lie between 0 and 1", () => {
    const graded = own.map((value, j) => (easy.includes(j) ? 0.25 : value));
    const pair = { a: served(own), b: served(graded) };
    expect(differences([pair], 0)[0]).toBeCloseTo(pair.b.score - pair.a.score, 12);
  });
});

test("reruns with 3 % of the answers flipped: half of the error of subtraction, or less", () => {
  const random = createRandom("reruns");
  const scenarios = 4;
  let [error, plain] = [0, 0];
  for (let k = 0; k < 300; k++) {
    const flips = { all: new Array<number>(scenarios).fill(0) };
    const pairs = Array.from({ length: scenarios }, (_, s) => {
      // The other items are like the anchors: their scores follow the same chances.
      const others = Array.from({ length: ITEMS - ASKED }, (_, i) => (random.next() < CHANCES[i % ASKED]! ? 1 : 0));
      const own = drawn(random);
      const rerun = own.map((score) => (random.next() < 0.03 ? 1 - score : score));
      const rest = others.reduce<number>((sum, score) => sum + (random.next() < 0.03 ? 1 - 2 * score : 0), 0);
      flips.all[s] = (rest + rerun.reduce((sum, score, j) => sum + score - own[j]!, 0)) / ITEMS;
      return { a: served(own), b: served(rerun) };
    });
    differences(pairs, 0.7).forEach((difference, s) => {
      error += Math.abs(difference - flips.all[s]!);
      plain += Math.abs(pairs[s]!.b.score - pairs[s]!.a.score - flips.all[s]!);
    });
  }
  expect(error / plain).toBeLessThan(0.5);
});

describe("gatedPairVariance", () => {
  const gate = (own: Partial<ServedVariance>): ServedVariance => ({
    within: 0.5,
    bias: 0,
    variance: 0.002,
    side: 1,
    ...own,
  });

  test("is the harmonic mean of that by the draw and of both scores', times τ²", () => {
    expect(gatedPairVariance(0.004, gate({}), gate({}), 1).within).toBeCloseTo(0.004, 15);
    expect(gatedPairVariance(0.001, gate({}), gate({}), 0.5).within).toBeCloseTo(
      0.25 / (0.5 / 0.001 + 0.5 / 0.004),
      15,
    );
    expect(gatedPairVariance(0, gate({ variance: 0 }), gate({ variance: 0 }), 1).within).toBe(0);
  });

  test("by nothing but scores it is ½(1 + w) of that by the draw", () => {
    expect(gatedPairVariance(0.004, gate({}), gate({ within: 0.9 }), null).within).toBeCloseTo(0.85 * 0.004, 15);
  });

  test("a bias on the same side is both models', on either side it adds up", () => {
    const [a, b] = [gate({ bias: 0.01 }), gate({ bias: 0.04 })];
    expect(gatedPairVariance(0.004, a, b, 1).bias).toBeCloseTo(0.01, 12);
    expect(gatedPairVariance(0.004, a, { ...b, side: -1 }, 1).bias).toBeCloseTo(0.09, 12);
  });
});
