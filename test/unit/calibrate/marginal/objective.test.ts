import { itemBank } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { unwhiten, whiten } from "../../../../offline-trainer/src/calibrate/marginal/curvature.ts";
import { MARGINAL_MODELS } from "../../../../offline-trainer/src/calibrate/marginal/types.ts";
import { drawnResponses } from "./drawn-responses.ts";
import { smallObjective } from "./small-objective.ts";

const cases = MARGINAL_MODELS.flatMap((model) => [
  { name: model, model, options: {}, missing: 0 },
  {
    name: `${model} with missing answers and weights`,
    model,
    options: {
      modelWeights: Float64Array.from({ length: 40 }, (_, m) => (m % 5) / 2),
      itemWeights: Float64Array.from({ length: 7 }, (_, i) => 0.4 + i / 4),
    },
    missing: 0.3,
  },
  {
    name: `${model} beside fixed items`,
    model,
    options: { fixed: { items: [1, 4], bank: itemBank(Float64Array.of(1.2, 1.2), Float64Array.of(-0.5, 0.8)) } },
    missing: 0.1,
  },
]);

describe.each(cases)("$name", ({ model, options, missing }) => {
  const { responses } = drawnResponses({ model, subjects: 40, items: 7, missing, seed: 8 });
  const { objective, x } = smallObjective(responses, model, options);
  // Some parameters beyond the flat part of their priors.
  x[0] = x[0]! + 6;
  x[x.length - 1] = x[x.length - 1]! + 3;
  const at = objective.evaluation();
  const numeric = (k: number, read: () => number, step = 1e-5): number => {
    const beside = x.slice();
    beside[k] = x[k]! + step;
    objective.evaluate(beside, at);
    const above = read();
    beside[k] = x[k]! - step;
    objective.evaluate(beside, at);
    return (above - read()) / (2 * step);
  };

  test("the gradient is the value's", () => {
    objective.evaluate(x, at);
    const gradient = at.gradient.slice();
    for (let k = 0; k < x.length; k++)
      expect(Math.abs(gradient[k]! - numeric(k, () => at.logPosterior))).toBeLessThan(
        1e-6 * (1 + Math.abs(gradient[k]!)),
      );
  });

  test("the items' observed information is the gradient's slope", () => {
    objective.evaluate(x, at);
    const blocks = objective.observedBlocks(x);
    const { perItem, tail } = objective.layout;
    for (let k = 0; k < tail; k++) {
      const from = k - (k % perItem);
      for (let r = 0; r < perItem; r++)
        expect(blocks[from * perItem + (k % perItem) * perItem + r]!).toBeCloseTo(
          -numeric(k, () => at.gradient[from + r]!),
          5,
        );
    }
  });

  test("the curvature that the search goes by is positive, and its factor's halves fit together", () => {
    objective.evaluate(x, at);
    const once = new Float64Array(x.length);
    const twice = new Float64Array(x.length);
    whiten(at.curvature, objective.layout, at.gradient, once);
    unwhiten(at.curvature, objective.layout, once, twice);
    const dot = (left: Float64Array, right: Float64Array): number =>
      left.reduce((sum, value, k) => sum + value * right[k]!, 0);
    expect(dot(twice, at.gradient)).toBeCloseTo(dot(once, once), 8);
    expect(dot(once, once)).toBeGreaterThan(0);
  });
});
