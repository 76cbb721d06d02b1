import { mapAbility } from "anchoreval/internal/core/ability/map";
import { scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import {
  answerPattern,
  SUSPICIONS,
  suspicions,
  type AnswerPattern,
  type PatternThresholds,
} from "anchoreval/internal/core/person-fit/answer-pattern";
import { brokenRun, lzStar, preknowledge } from "../../../sdk/core/person-fit/statistics.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbBank, arbScore } from "../../support/arbitraries.ts";
import { wholeSample } from "../../support/whole-sample.ts";

/** A bank with answers to all of its items. */
const arbAnswers = arbBank({ items: { min: 2, max: 25 } }).chain((bank) =>
  fc.record({
    bank: fc.constant(bank),
    scores: fc.array(arbScore, { minLength: bank.count, maxLength: bank.count }),
  }),
);

function priorOf(dims: number): ReturnType<typeof scaledPrior> {
  const covariance = Float64Array.from({ length: dims * dims }, (_, k) => (k % (dims + 1) === 0 ? 1 : 0));
  return scaledPrior(new Float64Array(dims), covariance, 2);
}

function patternOf(bank: ReturnType<typeof itemBank>, scores: readonly number[]): AnswerPattern {
  const sample = wholeSample(scores);
  return answerPattern(bank, mapAbility(bank, sample, priorOf(bank.dims)), sample, 0.1);
}

describe("any bank and answers", () => {
  test("give finite statistics or null", () => {
    fc.assert(
      fc.property(arbAnswers, ({ bank, scores }) => {
        for (const value of Object.values(patternOf(bank, scores)))
          if (value !== null) expect(value).toSatisfy(isFinite);
      }),
    );
  });

  test("in another order give the same", () => {
    fc.assert(
      fc.property(arbAnswers, ({ bank, scores }) => {
        const sample = wholeSample(scores);
        const ability = mapAbility(bank, sample, priorOf(bank.dims));
        const turned = {
          ...sample,
          items: sample.items.toReversed(),
          positions: sample.positions.toReversed(),
          scores: sample.scores.toReversed(),
        };
        const [one, other] = [sample, turned].map((own) => answerPattern(bank, ability, own, 0.1));
        for (const name of ["lzStar", "infit", "outfit", "preknowledge", "brokenRun"] as const)
          if (one![name] !== null)
            expect(Math.abs(other![name]! - one![name])).toBeLessThan(1e-7 * (1 + Math.abs(one![name])));
      }),
    );
  });

  test("the wrong answers mirrored into right ones leave lz*, infit and outfit, not preknowledge", () => {
    fc.assert(
      fc.property(arbBank({ items: { min: 5, max: 25 }, asymptotes: false }), fc.integer(), (bank, seed) => {
        const random = createRandom(seed);
        const scores = Array.from({ length: bank.count }, () => Number(random.next() < 0.6));
        const mirrored = itemBank(
          bank.a.map((own) => -own),
          bank.b.map((own) => -own),
        );
        const one = patternOf(bank, scores);
        const other = patternOf(
          mirrored,
          scores.map((own) => 1 - own),
        );
        for (const name of ["lzStar", "infit", "outfit"] as const)
          if (one[name] !== null && other[name] !== null)
            expect(Math.abs(other[name] - one[name])).toBeLessThan(1e-5 * (1 + Math.abs(one[name])));
      }),
    );
  });

  test("one more right answer at the same ability raises preknowledge, most on the hardest item", () => {
    fc.assert(
      fc.property(arbAnswers, fc.nat(), ({ bank, scores }, at) => {
        const theta = new Float64Array(bank.dims);
        const p = itemResponses(theta, bank);
        const gain = (item: number): number => {
          const right = wholeSample(scores.map((own, j) => (j === item ? 1 : own)));
          const wrong = wholeSample(scores.map((own, j) => (j === item ? 0 : own)));
          return preknowledge(bank, theta, right)! - preknowledge(bank, theta, wrong)!;
        };
        const hardest = p.indexOf(Math.min(...p));
        expect(gain(at % bank.count)).toBeGreaterThan(0);
        expect(gain(hardest)).toBeGreaterThanOrEqual(gain(at % bank.count) - 1e-12);
      }),
    );
  });
});

describe("where the response model holds", () => {
  const random = createRandom("answers of the model");
  const bank = itemBank(
    Float64Array.from({ length: 400 }, () => 0.4 + 0.8 * random.next()),
    Float64Array.from({ length: 200 }, () => 1.5 * random.normal()),
  );
  const draw = (theta: Float64Array): number[] => [...itemResponses(theta, bank)].map((p) => Number(random.next() < p));
  const values = Array.from({ length: 1000 }, () => {
    const sample = wholeSample(draw(Float64Array.of(random.normal(), random.normal())));
    const ability = mapAbility(bank, sample, priorOf(2));
    return {
      star: lzStar(bank, ability, sample)!,
      plain: lzStar(bank, { ...ability, covariance: new Float64Array(4) }, sample)!,
    };
  });
  const moments = (of: (own: (typeof values)[number]) => number): { mean: number; sd: number } => {
    const mean = values.reduce((sum, own) => sum + of(own), 0) / values.length;
    return { mean, sd: Math.sqrt(values.reduce((sum, own) => sum + (of(own) - mean) ** 2, 0) / values.length) };
  };

  // 1000 draws: the mean's standard error is .032, the deviation's .022; the mean's bias falls with the root of the items.
  test("lz* has mean 0 and standard deviation 1; lz, without the correction, has less", () => {
    const star = moments((own) => own.star);
    expect(Math.abs(star.mean)).toBeLessThan(0.15);
    expect(Math.abs(star.sd - 1)).toBeLessThan(0.08);
    expect(moments((own) => own.plain).sd).toBeLessThan(star.sd - 0.05);
  });

  test("memorised hard items and shuffled answers stand out", () => {
    const theta = Float64Array.of(-0.5, -0.5);
    const hard = [...bank.b.keys()].sort((i, j) => bank.b[j]! - bank.b[i]!).slice(0, 60);
    const clean = Array.from({ length: 200 }, () => draw(theta));
    const memorised = clean.map((scores) => scores.map((own, j) => (hard.includes(j) ? 1 : own)));
    const shuffled = clean.map((scores) => random.shuffle([...scores]));
    const at = (patterns: readonly number[][], name: "lzStar" | "preknowledge", level: number): number =>
      patterns.map((scores) => patternOf(bank, scores)[name]!).sort((x, y) => x - y)[Math.floor(level * 199)]!;
    expect(at(memorised, "preknowledge", 0.05)).toBeGreaterThan(at(clean, "preknowledge", 0.98));
    expect(at(shuffled, "lzStar", 0.9)).toBeLessThan(at(clean, "lzStar", 0.02));
  });
});

describe("brokenRun", () => {
  test("is the log-likelihood ratio of counts", () => {
    const logChance = (chance: number): number => 3 * Math.log(chance) + 47 * Math.log(1 - chance);
    expect(brokenRun(3 / 50, 50, 0.3)).toBeCloseTo(logChance(0.01) - logChance(0.3), 10);
  });

  test("is never above 0 where a source model's score is 0, nor with a right answer in ten where the weakest has a tenth", () => {
    for (const score of [0, 0.001, 0.3, 1]) expect(brokenRun(score, 100, 0)).toBe(0);
    for (const worst of [0.1, 0.2, 0.5]) expect(brokenRun(worst, 100, worst)).toBeLessThan(0);
  });

  test("is finite where the weakest source is perfect", () => {
    expect(brokenRun(0, 100, 1)).toBeGreaterThan(100);
    expect(brokenRun(1, 100, 1)).toBeLessThan(-100);
    expect(Number.isFinite(brokenRun(1, 100, 1))).toBe(true);
  });
});

describe("suspicions", () => {
  const thresholds: PatternThresholds = {
    models: 80,
    lzStar: -4,
    preknowledge: 2,
    stronger: { lzStar: -5, preknowledge: 3 },
    brokenRun: 0,
    infit: 1.3,
    outfit: 2,
  };
  const usual: AnswerPattern = { lzStar: -4, infit: 9, outfit: 9, preknowledge: 2, brokenRun: 0 };

  test("nothing at the thresholds, and no statistic counts that no flag rests on", () => {
    expect(suspicions(usual, thresholds, null)).toEqual([]);
    expect(suspicions({ ...usual, lzStar: null, preknowledge: null }, thresholds, null)).toEqual([]);
  });

  test("each beyond its own", () => {
    expect(suspicions({ ...usual, preknowledge: 2.1 }, thresholds, null)).toEqual(["memorised"]);
    expect(suspicions({ ...usual, lzStar: -4.1 }, thresholds, null)).toEqual(["guessing"]);
    expect(suspicions({ ...usual, brokenRun: 0.1 }, thresholds, null)).toEqual(["broken"]);
  });

  test("a model stronger than any seen has thresholds of its own, where there are some", () => {
    const odd = { ...usual, preknowledge: 2.1, lzStar: -4.1, brokenRun: 0.1 };
    expect(suspicions(odd, thresholds, 0.5)).toEqual(["broken"]);
    expect(suspicions({ ...odd, preknowledge: 3.1, lzStar: -5.1 }, thresholds, 0.5)).toEqual([...SUSPICIONS]);
    // Nothing is known of models that are stronger, or so much stronger than those held out.
    expect(suspicions(odd, { ...thresholds, stronger: null }, 0.5)).toBeNull();
    const measured = (leap: number) => ({ ...thresholds, stronger: { ...thresholds.stronger!, leap } });
    expect(suspicions(odd, measured(0.4), 0.5)).toBeNull();
    expect(suspicions(odd, measured(0.5), 0.5)).toEqual(["broken"]);
  });
});
