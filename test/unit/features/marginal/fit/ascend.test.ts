import { describe, expect, test } from "vitest";
import { blockStep } from "../../../../../features/marginal/fit/item-derivatives.ts";
import { MARGINAL_MODELS } from "../../../../../features/marginal/fit/problem.ts";
import { drawnResponses } from "./drawn-responses.ts";
import { smallObjective } from "./small-objective.ts";

const cases = MARGINAL_MODELS.flatMap((model) => [
  { name: model, model, missing: 0 },
  { name: `${model} with missing answers`, model, missing: 0.3 },
]);

describe.each(cases)("$name", ({ model, missing }) => {
  const { responses } = drawnResponses({ model, subjects: 40, items: 7, missing, seed: 8 });
  const { objective, x } = smallObjective(responses, model);
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

  test("the curvature that the search goes by is positive", () => {
    objective.evaluate(x, at);
    const step = new Float64Array(x.length);
    blockStep(at.curvature, objective.problem, at.gradient, step);
    expect(step.reduce((sum, value, k) => sum + value * at.gradient[k]!, 0)).toBeGreaterThan(0);
  });
});
