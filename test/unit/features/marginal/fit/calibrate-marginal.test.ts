import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { describe, expect, test } from "vitest";
import { calibrateMarginal } from "../../../../../features/marginal/fit/calibrate-marginal.ts";
import type { MarginalStep } from "../../../../../features/marginal/fit/ascend.ts";
import { MARGINAL_MODELS } from "../../../../../features/marginal/fit/problem.ts";
import { largestDifference } from "../../../../support/fixture.ts";
import { gridPosterior } from "../../../../support/grid-posterior.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { correlation } from "../../../calibrate/simulated-responses.ts";
import { drawnResponses } from "./drawn-responses.ts";

describe.each(MARGINAL_MODELS)("%s", (model) => {
  const { responses, bank, theta } = drawnResponses({ model, subjects: 400, items: 40, seed: 2 });

  test("every step gains, and the result is the last", async () => {
    const steps: MarginalStep[] = [];
    const fit = await calibrateMarginal(responses, { model, onStep: (step) => steps.push(step) });
    expect(steps[0]!.iteration).toBe(0);
    for (let k = 1; k < steps.length; k++) {
      const [before, after] = [steps[k - 1]!, steps[k]!];
      if (after.points === before.points) expect(after.logPosterior).toBeGreaterThanOrEqual(before.logPosterior);
    }
    expect(steps.at(-1)!.logPosterior).toBe(fit.logPosterior);
    expect(fit.converged).toBe(true);
    expect(fit.gradientNorm).toBeLessThan(0.05);
    expect(fit.evaluations).toBeGreaterThan(steps.at(-1)!.iteration);
    expect(fit.evaluations).toBeLessThan(60);
  });

  test("the truth is found: abilities, and intercepts", async () => {
    const fit = await calibrateMarginal(responses, { model });
    expect(correlation(fit.theta, theta)).toBeGreaterThan(0.88); // the reliability of 40 such items, and what guessing takes
    // Asymptotes and intercepts trade off against each other.
    expect(correlation(fit.b, bank.b)).toBeGreaterThan(model === "1pl" || model === "2pl" ? 0.95 : 0.8);
    if (model === "1pl") expect(new Set(fit.a).size).toBe(1);
  });

  test("abilities are EAP at the items found", async () => {
    const fit = await calibrateMarginal(responses, { model });
    const found = itemBank(fit.a, fit.b, { lower: fit.lower, upper: fit.upper });
    const items = Array.from({ length: bank.count }, (_, i) => i);
    for (const m of [0, 100, 399]) {
      const scores = items.map((i) => (responses.signs[m * bank.count + i]! > 0 ? 1 : 0));
      const posterior = gridPosterior(found, { items, scores }, { mean: 0, sd: 1 });
      expect(fit.theta[m]).toBeCloseTo(posterior.mean, 6);
    }
  });

  test("items that all or none have right, and models that have all or nothing right, stay finite", async () => {
    const { subjects, items } = responses;
    const signs = responses.signs.map((sign, k) => {
      const [m, i] = [Math.floor(k / items), k % items];
      return i === 0 ? 1 : i === 1 ? -1 : m === 0 ? 1 : m === 1 ? -1 : sign;
    });
    const fit = await calibrateMarginal({ subjects, items, signs }, { model });
    expect(fit.converged).toBe(true);
    for (const name of ["a", "b", "lower", "upper", "theta"] as const)
      expect(fit[name].every(Number.isFinite)).toBe(true);
    expect(fit.b[0]!).toBeLessThan(-5);
    expect(fit.b[1]!).toBeGreaterThan(4);
    expect(Math.max(...fit.theta)).toBe(fit.theta[0]);
    expect(Math.min(...fit.theta)).toBe(fit.theta[1]);
    expect(Math.max(...fit.a, ...fit.b.map(Math.abs))).toBeLessThan(10);
  });
});

test.each(["2pl", "3pl", "4pl"] as const)("items whose key is wrong are found by their sign: %s", async (model) => {
  const { responses } = drawnResponses({ model, subjects: 400, items: 50, seed: 9 });
  const signs = responses.signs.map((sign, k) => ([4, 17, 33].includes(k % 50) ? -sign : sign));
  const { a } = await calibrateMarginal({ ...responses, signs }, { model });
  expect([...a.keys()].filter((i) => a[i]! < 0)).toEqual([4, 17, 33]);
});

test("the scale's sign makes the discriminations' sum positive", async () => {
  // All keys but a few are wrong: the search begins on the other side.
  const { responses } = drawnResponses({ model: "2pl", subjects: 300, items: 20, seed: 9 });
  const signs = responses.signs.map((sign, k) => (k % 20 < 4 ? sign : -sign));
  const fit = await calibrateMarginal({ ...responses, signs }, { model: "2pl" });
  expect(fit.a.reduce((sum, value) => sum + value, 0)).toBeGreaterThan(0);
  expect(fit.a.subarray(0, 4).every((a) => a < 0)).toBe(true);
  const straight = await calibrateMarginal(responses, { model: "2pl" });
  expect(fit.logLikelihood).toBeCloseTo(straight.logLikelihood, 4);
  expect(
    largestDifference(
      fit.theta,
      straight.theta.map((theta) => -theta),
    ),
  ).toBeLessThan(1e-2);
});

test("ordinary items feel no prior", async () => {
  const { responses } = drawnResponses({ model: "2pl", subjects: 400, items: 60 });
  const weak = await calibrateMarginal(responses, { model: "2pl" });
  expect(weak.logPosterior).toBe(weak.logLikelihood);
});

describe("stopping", () => {
  const { responses } = drawnResponses({ model: "3pl", subjects: 100, items: 10 });

  test("by signal is the error `aborted`, at once", async () => {
    const controller = new AbortController();
    let steps = 0;
    const run = calibrateMarginal(responses, {
      model: "3pl",
      signal: controller.signal,
      onStep: () => {
        if (++steps === 2) controller.abort();
      },
    });
    expectRefusal(await rejection(run), "aborted", "stopped");
    expect(steps).toBe(2);
    const signal = AbortSignal.abort();
    expectRefusal(await rejection(calibrateMarginal(responses, { model: "2pl", signal })), "aborted", "stopped");
  });

  test("a signal from elsewhere is heard while it runs", async () => {
    const controller = new AbortController();
    const timer = setImmediate(() => {
      controller.abort();
    });
    const run = calibrateMarginal(responses, { model: "3pl", tolerance: 1e-300, signal: controller.signal });
    expectRefusal(await rejection(run), "aborted", "stopped");
    clearImmediate(timer);
  });
});
