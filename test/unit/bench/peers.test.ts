import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, it } from "vitest";

interface Source {
  models: number;
  items: number;
  scores: Float64Array;
  full: Float64Array;
  itemMeans: Float64Array;
}
interface Fitted {
  items: Int32Array;
  predict: (answers: Float64Array) => number;
}
interface Method {
  name: string;
  fit: (source: Source, n: number, random: ReturnType<typeof createRandom>) => Fitted;
}
interface Ridge {
  weights: Float64Array;
  intercept: number;
  alpha: number;
}

/** The bench is plain JavaScript, without declarations. */
const { peerMethods, ridgeCv } = (await import(new URL("../../../bench/peers/methods.js", import.meta.url).href)) as {
  peerMethods: () => Method[];
  ridgeCv: (x: Float64Array, y: Float64Array, columns: number, alphas?: number[]) => Ridge;
};
/** Answers by a Rasch model. */
function sourceModels(models: number, items: number, seed: number): Source {
  const random = createRandom(seed);
  const difficulty = Float64Array.from({ length: items }, () => random.normal());
  const scores = new Float64Array(models * items);
  for (let m = 0; m < models; m++) {
    const ability = random.normal();
    for (let i = 0; i < items; i++)
      scores[m * items + i] = random.next() < 1 / (1 + Math.exp(difficulty[i]! - ability)) ? 1 : 0;
  }
  const full = Float64Array.from(
    { length: models },
    (_, m) => scores.subarray(m * items, (m + 1) * items).reduce((sum, score) => sum + score, 0) / items,
  );
  const itemMeans = Float64Array.from({ length: items }, (_, i) => {
    let sum = 0;
    for (let m = 0; m < models; m++) sum += scores[m * items + i]!;
    return sum / models;
  });
  return { models, items, scores, full, itemMeans };
}

describe("the peers' methods", () => {
  it.each(peerMethods())("$name asks at most n different items, and tells strong from weak", (method) => {
    const source = sourceModels(40, 120, 1);
    const { items, predict } = method.fit(source, 30, createRandom(2));
    expect(items.length).toBeLessThanOrEqual(30);
    expect(new Set(items).size).toBe(items.length);
    const answers = (value: number): Float64Array => new Float64Array(items.length).fill(value);
    expect(predict(answers(1))).toBeGreaterThan(predict(answers(0)) + 0.3);
    const again = method.fit(sourceModels(40, 120, 1), 30, createRandom(2));
    expect([...again.items]).toEqual([...items]);
    expect(again.predict(answers(1))).toBe(predict(answers(1)));
  });

  it.each([
    ["fewer models than items", 20, 30],
    ["more models than items", 60, 15],
  ])("ridge takes the penalty of the least leave-one-out error: %s", (_, models, items) => {
    const { scores, full } = sourceModels(models, items, 3);
    const alphas = [0.1, 1, 10];
    const errors = alphas.map((alpha) => {
      let error = 0;
      for (let out = 0; out < models; out++) {
        const x = scores.filter((_, at) => Math.floor(at / items) !== out);
        const y = full.filter((_, m) => m !== out);
        const { weights, intercept } = ridgeCv(x, y, items, [alpha]);
        const own = scores.subarray(out * items, (out + 1) * items);
        error += (own.reduce((sum, score, i) => sum + score * weights[i]!, intercept) - full[out]!) ** 2;
      }
      return error;
    });
    expect(ridgeCv(scores, full, items).alpha).toBe(alphas[errors.indexOf(Math.min(...errors))]);
  });
});
