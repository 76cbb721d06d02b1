import { unlikeEvidence, unlikeModel, unlikeShare } from "anchoreval/internal/core/estimators/unlike-answers";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";

const sigmoid = (z: number): number => 1 / (1 + Math.exp(-z));

function evidenceOf(logits: readonly number[], scores: readonly number[]): number {
  const items = Uint32Array.from(logits, (_, j) => j);
  const mass = new Float64Array(logits.length).fill(1 / logits.length);
  const sample = { items, positions: items, scores: Float64Array.from(scores), mass, inclusion: null, share: 1 };
  return unlikeEvidence({ predicted: Float64Array.from(logits, sigmoid), sample });
}

/** Items from easy to hard, as a form has them. */
const spread = (n: number): number[] => Array.from({ length: n }, (_, j) => -3 + (6 * j) / (n - 1));
const drawn = (seed: string, logits: readonly number[], chance: (z: number) => number): number[] => {
  const random = createRandom(1).fork(seed);
  return logits.map((z) => Number(random.next() < chance(z)));
};

describe("unlikeEvidence", () => {
  test("is the formula, summed item by item", () => {
    const [logits, scores] = [
      [-2, 0.25, 1.5],
      [1, 0.5, 0],
    ];
    const shifts = Array.from({ length: 49 }, (_, k) => (k - 24) / 4);
    const densities = shifts.map((shift) => (1 + (shift / 0.75) ** 2 / 3) ** -2);
    const total = densities.reduce((sum, density) => sum + density, 0);
    const likelihood = (share: number, chance: number): number =>
      shifts.reduce((sum, shift, k) => {
        const weight = share !== 0.5 ? 1 : k % 2 === 0 ? 2 : 0; // every second one of half shares
        const terms = logits.map((z, j) => {
          const p = (1 - share) * sigmoid(z + shift) + share * chance;
          return p ** scores[j]! * (1 - p) ** (1 - scores[j]!);
        });
        return sum + weight * (densities[k]! / total) * terms.reduce((product, term) => product * term, 1);
      }, 0);
    const unlike = [0.5, 1].flatMap((share) => [0.01, 0.35, 0.65, 0.99].map((chance) => likelihood(share, chance)));
    const mean = unlike.reduce((sum, value) => sum + value, 0) / 8;
    expect(evidenceOf(logits, scores)).toBeCloseTo(Math.log(mean / likelihood(0, 0)), 12);
  });

  test("of no answer is none, but for the steps", () => {
    expect(evidenceOf([], [])).toBeCloseTo(0, 3);
  });

  /** Mean over models that answer alike by a rule. */
  const evidenceBy = (chance: (z: number) => number): number => {
    const logits = spread(100);
    const seeds = Array.from({ length: 20 }, (_, k) => `model ${k}`);
    return seeds.reduce((sum, seed) => sum + evidenceOf(logits, drawn(seed, logits, chance)) / seeds.length, 0);
  };

  test.each([-2, 0, 2])("speaks for the predictions where all logits are shifted by %d", (shift) => {
    expect(evidenceBy((z) => sigmoid(z + shift))).toBeLessThan(-1.5);
  });

  test.each([0.25, 0.9])("speaks against them where every item is right with the chance %d", (chance) => {
    expect(evidenceBy(() => chance)).toBeGreaterThan(5);
  });

  test("of certain predictions, all wrong, is a number", () => {
    const evidence = evidenceOf([-800, 800, 800], [1, 0, 0]);
    expect(evidence).toBeGreaterThan(0);
    expect(evidence).toBeLessThan(100);
  });
});

describe("unlikeModel and unlikeShare", () => {
  test("before any answer, and without evidence, are the prior and nothing", () => {
    expect(unlikeModel([])).toBeCloseTo(0.2, 15);
    expect(unlikeModel([0, 0])).toBeCloseTo(0.2, 15);
    expect(unlikeShare(0, 0.2)).toBeCloseTo(0, 15);
    expect(unlikeShare(-3, unlikeModel([-3]))).toBe(0);
  });

  test("a scenario by itself is the posterior, relative to the prior", () => {
    const prior = 0.8 * 0.02 + 0.2 * 0.8;
    const posterior = (prior * Math.exp(2)) / (1 - prior + prior * Math.exp(2));
    expect(unlikeShare(2, unlikeModel([2]))).toBeCloseTo((posterior - prior) / (1 - prior), 12);
  });

  test("all scenarios together tell more than one, and one that differs is seen beside others that don't", () => {
    const alone = unlikeShare(1, unlikeModel([1]));
    expect(unlikeShare(1, unlikeModel([1, 1, 1, 1]))).toBeGreaterThan(1.5 * alone);
    const others = unlikeModel([9, -4, -4, -4, -4]);
    expect(unlikeShare(9, others)).toBeGreaterThan(0.95);
    expect(unlikeShare(-4, others)).toBe(0);
  });

  test("no evidence is too long", () => {
    expect(unlikeShare(1e5, unlikeModel([1e5, -1e5]))).toBe(1);
    expect(unlikeShare(-1e5, unlikeModel([1e5, -1e5]))).toBe(0);
  });
});
