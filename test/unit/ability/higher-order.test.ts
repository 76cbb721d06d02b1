import { higherOrderAbilities, type AbilityBlock } from "anchoreval/internal/core/ability/higher-order";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { higherOrderPrior, scaledPrior } from "anchoreval/internal/core/ability/prior";
import { itemBank, type ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../support/fixture.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";

const SCALE = 1.7;

/** Two or three banks of some dimensions, answered by chance, with loadings on `general` abilities. */
function world(seed: string, dims: readonly number[], general: number, asymptotes = false) {
  const random = createRandom(seed);
  const blocks = dims.map((d) => {
    const count = 12;
    const a = Float64Array.from({ length: count * d }, () => 0.4 + random.normal());
    const b = Float64Array.from({ length: count }, () => random.normal());
    const lower = asymptotes ? Float64Array.from(b, () => 0.2 * random.next()) : null;
    const upper = asymptotes ? Float64Array.from(b, () => 1 - 0.1 * random.next()) : null;
    const bank = itemBank(a, b, { lower, upper });
    const mean = Float64Array.from({ length: d }, () => random.normal());
    const loadings = Float64Array.from({ length: d * general }, () => 0.5 * random.normal());
    const covariance = new Float64Array(d * d);
    for (let r = 0; r < d; r++) {
      covariance[r * d + r] = 0.4 + random.next();
      for (let c = 0; c < d; c++)
        for (let k = 0; k < general; k++)
          covariance[r * d + c] = covariance[r * d + c]! + loadings[r * general + k]! * loadings[c * general + k]!;
    }
    const scores = Float64Array.from({ length: count }, () => (random.next() < 0.5 ? 0 : 1));
    return { bank, mean, covariance, loadings, answers: { items: scores.map((_, i) => i), scores } };
  });
  return {
    blocks,
    given: blocks.map(({ bank, answers, mean, covariance, loadings }): AbilityBlock => ({
      bank,
      answers,
      prior: higherOrderPrior(mean, covariance, SCALE, loadings, general),
    })),
  };
}

/** The same as one bank whose ability is all banks', with the covariance between them written out. */
function dense(blocks: ReturnType<typeof world>["blocks"], general: number) {
  const size = blocks.reduce((sum, { mean }) => sum + mean.length, 0);
  const items = blocks.reduce((sum, { bank }) => sum + bank.count, 0);
  const covariance = new Float64Array(size * size);
  const a = new Float64Array(items * size);
  let begin = 0;
  let row = 0;
  const begins: number[] = [];
  for (const { bank, covariance: own, loadings } of blocks) {
    begins.push(begin);
    const { dims } = bank;
    for (let r = 0; r < dims; r++) {
      for (let c = 0; c < dims; c++) covariance[(begin + r) * size + begin + c] = own[r * dims + c]!;
      blocks.slice(0, begins.length - 1).forEach((other, s) => {
        for (let c = 0; c < other.mean.length; c++) {
          let sum = 0;
          for (let k = 0; k < general; k++) sum += loadings[r * general + k]! * other.loadings[c * general + k]!;
          covariance[(begin + r) * size + begins[s]! + c] = covariance[(begins[s]! + c) * size + begin + r] = sum;
        }
      });
    }
    for (let i = 0; i < bank.count; i++, row++)
      for (let d = 0; d < dims; d++) a[row * size + begin + d] = bank.a[i * dims + d]!;
    begin += dims;
  }
  const all = (of: (block: (typeof blocks)[number]) => ArrayLike<number>): Float64Array =>
    Float64Array.from(blocks.flatMap((block) => Array.from(of(block))));
  const asymptote = (of: (bank: ItemBank) => ArrayLike<number> | null, none: number): Float64Array =>
    all(({ bank }) => of(bank) ?? new Float64Array(bank.count).fill(none));
  const bank = itemBank(
    a,
    all((block) => block.bank.b),
    { lower: asymptote((own) => own.lower, 0), upper: asymptote((own) => own.upper, 1) },
  );
  const scores = all((block) => block.answers.scores);
  const prior = scaledPrior(
    all((block) => block.mean),
    covariance,
    SCALE,
  );
  return { begins, size, ability: mapAbility(bank, { items: scores.map((_, i) => i), scores }, prior) };
}

describe.each([
  { dims: [1, 1], general: 1, asymptotes: false },
  { dims: [3, 2, 4], general: 2, asymptotes: false },
  { dims: [2], general: 3, asymptotes: false },
  { dims: [2, 1], general: 1, asymptotes: true },
])("$dims dimensions, $general general, asymptotes $asymptotes", ({ dims, general, asymptotes }) => {
  const { blocks, given } = world(dims.join(), dims, general, asymptotes);
  const expected = dense(blocks, general);
  const abilities = higherOrderAbilities(given);

  test("are the mode under the covariance between banks, written out", () => {
    abilities.forEach((ability, s) => {
      expect(ability.status).toBe("converged");
      const own = expected.ability.theta.subarray(expected.begins[s], expected.begins[s]! + dims[s]!);
      expect(largestDifference(ability.theta, own)).toBeLessThan(1e-7);
    });
  });

  test("with its blocks of the posterior's covariance", () => {
    abilities.forEach(({ covariance, standardError }, s) => {
      const d = dims[s]!;
      for (let r = 0; r < d; r++) {
        for (let c = 0; c < d; c++) {
          const at = (expected.begins[s]! + r) * expected.size + expected.begins[s]! + c;
          expect(covariance[r * d + c]).toBeCloseTo(expected.ability.covariance[at]!, 7);
        }
        expect(standardError[r]).toBe(Math.sqrt(covariance[r * d + r]!));
      }
    });
  });
});

test("loadings of 0 leave each bank its own ability", () => {
  const { blocks } = world("apart", [2, 3], 1);
  const given = blocks.map(({ bank, answers, mean, covariance }) => ({ bank, answers, mean, covariance }));
  const together = higherOrderAbilities(
    given.map(({ bank, answers, mean, covariance }) => ({
      bank,
      answers,
      prior: higherOrderPrior(mean, covariance, SCALE, new Float64Array(mean.length), 1),
    })),
  );
  given.forEach(({ bank, answers, mean, covariance }, s) => {
    const alone = mapAbility(bank, answers, scaledPrior(mean, covariance, SCALE));
    expect(largestDifference(together[s]!.theta, alone.theta)).toBeLessThan(1e-9);
    expect(largestDifference(together[s]!.covariance, alone.covariance)).toBeLessThan(1e-9);
  });
});

test("right answers in one bank raise the ability in another that leans the same way", () => {
  const bank = itemBank(new Float64Array(10).fill(1.5), new Float64Array(10));
  const prior = higherOrderPrior(Float64Array.of(0), Float64Array.of(1), 1, Float64Array.of(0.9), 1);
  const answers = (score: number) => ({
    items: Array.from({ length: 10 }, (_, i) => i),
    scores: new Array<number>(10).fill(score),
  });
  const half = { items: [0, 1], scores: [1, 0] };
  const second = (score: number): number =>
    higherOrderAbilities([
      { bank, answers: answers(score), prior },
      { bank, answers: half, prior },
    ])[1]!.theta[0]!;
  expect(second(1)).toBeGreaterThan(0.5);
  expect(second(0)).toBeCloseTo(-second(1), 9);
});

test("refuses loadings that leave no specific ability, and parameters that are no numbers", () => {
  expectRefusal(
    refusal(() => higherOrderPrior(Float64Array.of(0), Float64Array.of(1), 1, Float64Array.of(1.01), 1)),
    "invalid_data",
    "not a Gaussian",
  );
  const bank = itemBank(Float64Array.of(1), Float64Array.of(0));
  const prior = higherOrderPrior(Float64Array.of(0), Float64Array.of(1), 1, Float64Array.of(0.5), 1);
  expectRefusal(
    refusal(() => higherOrderAbilities([{ bank, answers: { items: [0], scores: [NaN] }, prior }])),
    "numeric_failure",
    "the abilities' posterior",
  );
});

test("steep items with asymptotes, answered by chance: all blocks together need not be definite, and a mode is found", () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = createRandom(`steep ${seed}`);
    const count = 12;
    const given = Array.from({ length: 3 }, (): AbilityBlock => {
      const bank = itemBank(
        Float64Array.from({ length: count }, () => 3 + random.next()),
        Float64Array.from({ length: count }, () => 3 * random.normal()),
        { lower: new Float64Array(count).fill(0.4), upper: new Float64Array(count).fill(0.9) },
      );
      const scores = Float64Array.from({ length: count }, () => (random.next() < 0.5 ? 0 : 1));
      const prior = higherOrderPrior(Float64Array.of(0), Float64Array.of(1), 2, Float64Array.of(0.95), 1);
      return { bank, answers: { items: scores.map((_, i) => i), scores }, prior };
    });
    for (const { status, covariance } of higherOrderAbilities(given)) {
      expect(status).toBe("converged");
      expect(covariance[0]).toBeGreaterThan(0);
    }
  }
});
