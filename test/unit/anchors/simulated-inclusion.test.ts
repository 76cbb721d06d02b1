import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { inclusionProbabilities, pivotalSample } from "../../../sdk/core/numeric/sampling.ts";
import { simulatedInclusion, tiltVariance } from "../../../offline-trainer/src/anchors/simulated-inclusion.ts";

const COUNT = 200;
const random = createRandom("inclusion");
const weights = Float64Array.from({ length: COUNT }, (_, i) => (i === 7 ? 20 : 0.5 + random.next()));
const proposed = inclusionProbabilities(weights, 30);
const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
/** The proposals' probabilities with their log-odds tilted, brought to the same sum. */
const tilted = (tilt: number): Float64Array => {
  const odds = proposed.map((own) => (own / (1 - own)) * Math.exp(tilt * random.normal()));
  const at = (factor: number): Float64Array =>
    odds.map((own, i) => (i === 7 ? 1 : (factor * own) / (1 + factor * own)));
  let [low, high] = [0.01, 100];
  for (let k = 0; k < 100; k++) {
    const middle = Math.sqrt(low * high);
    if (sum(at(middle)) < 30) low = middle;
    else high = middle;
  }
  return at(low);
};
function hitsOf(truth: Float64Array, samples: number, seed: string): Float64Array {
  const stream = createRandom(seed);
  const hits = new Float64Array(COUNT);
  // In a random order, so that a sample's items are nearly independent.
  for (let k = 0; k < samples; k++) {
    const order = stream.shuffle(Array.from({ length: COUNT }, (_, i) => i));
    for (const at of pivotalSample(
      Float64Array.from(order, (i) => truth[i]!),
      stream,
    ))
      hits[order[at]!]! += 1;
  }
  return hits;
}
const error = (values: Float64Array, truth: Float64Array): number =>
  Math.sqrt(values.reduce((total, value, i) => total + (value - truth[i]!) ** 2, 0) / COUNT);

describe("simulatedInclusion", () => {
  test.each([
    ["without a tilt", 0],
    ["with a slight one", 0.2],
    ["with a strong one", 1],
  ])("%s: sums to the size, lies in (0,1], leaves what is certain", (_, tilt) => {
    for (const samples of [2, 40, 2000]) {
      const result = simulatedInclusion(hitsOf(tilted(tilt), samples, `${tilt} ${samples}`), samples, proposed);
      expect(sum(result)).toBeCloseTo(30, 9);
      expect(result.every((value) => value > 0 && value <= 1)).toBe(true);
      expect(result[7]).toBe(1);
    }
  });

  test("is π of the proposals where counts scatter no more than binomial ones", () => {
    const hits = proposed.map((own) => 100 * own);
    expect(tiltVariance(hits, 100, proposed)).toBe(0);
    simulatedInclusion(hits, 100, proposed).forEach((value, i) => expect(value).toBeCloseTo(proposed[i]!, 12));
  });

  test("finds the tilt that there is", () => {
    for (const tilt of [0.2, 0.5]) {
      const truth = tilted(tilt);
      const found = Math.sqrt(tiltVariance(hitsOf(truth, 4000, `tilt ${tilt}`), 4000, proposed));
      expect(found).toBeGreaterThan(0.8 * tilt);
      expect(found).toBeLessThan(1.2 * tilt);
    }
  });

  test("is nearer the truth than the counts and than the proposals' π, with few samples and many", () => {
    const truth = tilted(0.5);
    for (const samples of [30, 100, 1000]) {
      const hits = hitsOf(truth, samples, `near ${samples}`);
      const result = error(simulatedInclusion(hits, samples, proposed), truth);
      expect(result).toBeLessThan(
        error(
          hits.map((count) => count / samples),
          truth,
        ),
      );
      expect(result).toBeLessThan(error(proposed, truth));
    }
    const many = simulatedInclusion(hitsOf(truth, 20_000, "many"), 20_000, proposed);
    expect(error(many, truth)).toBeLessThan(0.05 * error(proposed, truth));
  });

  test("never exceeds 1 where the scaling would", () => {
    const near = Float64Array.of(0.97, 0.97, 0.97, 0.09);
    const result = simulatedInclusion(Float64Array.of(1000, 1000, 1000, 0), 1000, near);
    expect(sum(result)).toBeCloseTo(3, 12);
    expect(result.every((value) => value > 0 && value <= 1)).toBe(true);
  });
});
