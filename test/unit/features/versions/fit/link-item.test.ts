import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { itemPriors, linkItem } from "../../../../../features/versions/fit/link-item.ts";

const random = createRandom("items");
const easy = Array.from({ length: 60 }, () => [1 + 0.2 * random.normal(), -2 + 0.5 * random.normal()]);
const hard = Array.from({ length: 60 }, () => [1 + 0.2 * random.normal(), 2 + 0.5 * random.normal()]);
const described = {
  dims: 1,
  parameters: Float64Array.from([...easy, ...hard].flat()),
  subscenarios: [...easy.map(() => "easy"), ...hard.map(() => "hard"), "easy", "hard", "new"],
  coordinates: null,
};

describe("what is known of items before models answer them", () => {
  const prior = itemPriors(described, random.fork("none"));

  test("they lie about their subscenario's items", () => {
    expect(prior(120).mean[1]).toBeGreaterThan(-2.2);
    expect(prior(120).mean[1]).toBeLessThan(-1.6);
    expect(prior(121).mean[1]).toBeGreaterThan(1.6);
    expect(1 / Math.sqrt(prior(120).precision[3]!)).toBeLessThan(0.8); // as they lie, not as the scenario's do
  });

  test("those of a new subscenario about the scenario's", () => {
    expect(Math.abs(prior(122).mean[1]!)).toBeLessThan(0.3);
  });

  test("texts that tell difficulties bring the prior nearer, and narrow it", () => {
    const all = [...easy, ...hard, [1, -2.9], [1, 2.9], [1, 0]];
    const coordinates = Float64Array.from(all.flatMap(([, b]) => [b! + 0.05 * random.normal(), random.normal()]));
    const told = itemPriors({ ...described, coordinates }, random.fork("texts"));
    expect(told(120).mean[1]).toBeLessThan(-2.6);
    expect(told(121).mean[1]).toBeGreaterThan(2.6);
    expect(told(120).precision[3]).toBeGreaterThan(4 * prior(120).precision[3]!);
  });

  test("texts that tell nothing change nothing much", () => {
    const coordinates = Float64Array.from({ length: 2 * described.subscenarios.length }, () => random.normal());
    const told = itemPriors({ ...described, coordinates }, random.fork("noise"));
    expect(Math.abs(told(120).mean[1]! - prior(120).mean[1]!)).toBeLessThan(0.25);
  });
});

const wide: AbilityPrior = { mean: Float64Array.of(1, 0), precision: Float64Array.of(0.01, 0, 0, 0.01) };

function abilities(models: number): Float64Array {
  const random = createRandom("abilities");
  return Float64Array.from({ length: models }, () => random.normal());
}

function answers(theta: Float64Array, a: number, b: number, seed: number): Float64Array {
  const random = createRandom(seed);
  return theta.map((own) => Number(random.next() < 1 / (1 + Math.exp(b - a * own))));
}

describe("an item placed among known abilities", () => {
  test("without answers it is what its prior says", () => {
    const prior = { mean: Float64Array.of(0.7, -0.4), precision: Float64Array.of(4, 1, 1, 2) };
    const { a, b, covariance } = linkItem(abilities(10), new Float64Array(10).fill(NaN), prior);
    expect([a[0], b]).toEqual([0.7, -0.4]);
    expect(covariance[0]).toBeCloseTo(2 / 7, 12); // inverse of the precision
    expect(covariance[1]).toBeCloseTo(-1 / 7, 12);
  });

  test("its mode is where the log-posterior's slope is 0", () => {
    const theta = abilities(40);
    const given = answers(theta, 1.2, 0.5, 1);
    const prior = { mean: Float64Array.of(0.8, 0.1), precision: Float64Array.of(2, 0, 0, 0.5) };
    const { a, b } = linkItem(theta, given, prior);
    let [slopeA, slopeB] = [-2 * (a[0]! - 0.8), -0.5 * (b - 0.1)];
    theta.forEach((own, m) => {
      const residual = given[m]! - 1 / (1 + Math.exp(b - a[0]! * own));
      slopeA += residual * own;
      slopeB -= residual;
    });
    expect(Math.abs(slopeA)).toBeLessThan(1e-6);
    expect(Math.abs(slopeB)).toBeLessThan(1e-6);
  });

  test("many answers tell its parameters, within what its covariance says", () => {
    const theta = abilities(5000);
    const { a, b, covariance } = linkItem(theta, answers(theta, 1.3, -0.6, 2), wide);
    expect(Math.abs(a[0]! - 1.3)).toBeLessThan(4 * Math.sqrt(covariance[0]!));
    expect(Math.abs(b + 0.6)).toBeLessThan(4 * Math.sqrt(covariance[3]!));
    expect(Math.sqrt(covariance[3]!)).toBeLessThan(0.06);
  });

  test("answers that are all right have a finite place", () => {
    const { a, b } = linkItem(abilities(20), new Float64Array(20).fill(1), wide);
    expect(Number.isFinite(a[0]!) && Number.isFinite(b)).toBe(true);
    expect(b).toBeLessThan(-2);
  });

  test("missing answers are none: not wrong ones", () => {
    const theta = abilities(30);
    const some = answers(theta, 1, 0, 3).map((own, m) => (m % 3 === 0 ? NaN : own));
    const kept = Array.from(theta.keys()).filter((m) => m % 3 !== 0);
    const alone = linkItem(
      Float64Array.from(kept, (m) => theta[m]!),
      Float64Array.from(kept, (m) => some[m]!),
      wide,
    );
    expect(linkItem(theta, some, wide).b).toBeCloseTo(alone.b, 9);
  });
});
