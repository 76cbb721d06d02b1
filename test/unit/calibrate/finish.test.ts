import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type Calibration, type CalibrationStep } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { simulatedResponses } from "./simulated-responses.ts";

const { responses } = simulatedResponses({ subjects: 60, items: 150, dims: 2 });

/** The reference with values and slopes of 16 bits: coarser than float32, so that a small problem shows it. */
function coarse(finish?: CalibrationBackend): CalibrationBackend & { open16: number } {
  const round = (value: number): number => {
    const unit = 2 ** (Math.floor(Math.log2(Math.abs(value))) - 15);
    return value === 0 ? 0 : unit * Math.round(value / unit);
  };
  const backend = {
    ...typescriptBackend,
    name: "coarse",
    precision: "float32" as const,
    ...(finish && { finish }),
    open16: 0,
    open: async (...given: Parameters<CalibrationBackend["open"]>) => {
      const exact = await typescriptBackend.open(...given);
      backend.open16++;
      return {
        evaluate: async (...[at, gradient]: Parameters<typeof exact.evaluate>) => {
          const value = round(await exact.evaluate(at, gradient));
          for (const part of [gradient.theta, gradient.a, gradient.b]) part.set(part.map(round));
          return value;
        },
        dispose: () => {
          backend.open16--;
          return exact.dispose();
        },
      };
    },
  };
  return backend;
}

// One round: the scales stay at where they begin, and the optimum is one.
const fitted = (backend: CalibrationBackend, onStep?: (step: CalibrationStep) => void): Promise<Calibration> =>
  calibrate(responses, { dims: 2, backend, random: createRandom(1), rounds: 1, ...(onStep && { onStep }) });

const optimum = await calibrate(responses, {
  dims: 2,
  backend: typescriptBackend,
  random: createRandom(1),
  rounds: 1,
  tolerance: 1e-14,
  maxEvaluations: 2000,
});
const gap = ({ value }: Calibration): number => value / optimum.value - 1;

test("a coarse device's end is finished in float64, thirty evaluations at most", async () => {
  const alone = await fitted(coarse());
  const finished = await fitted(coarse(typescriptBackend));
  expect(Math.abs(gap(alone))).toBeGreaterThan(1e-6);
  expect(gap(finished)).toBeGreaterThan(-1e-12);
  expect(gap(finished)).toBeLessThan(1e-7);
  expect(finished.evaluations).toBeGreaterThan(alone.evaluations);
  expect(finished.evaluations).toBeLessThanOrEqual(alone.evaluations + 30);
  expect(finished.converged).toBe(alone.converged);
});

test("its value and gradient are the finishing backend's, at the point that is returned", async () => {
  const steps: CalibrationStep[] = [];
  const finished = await fitted(coarse(typescriptBackend), (step) => steps.push(step));
  expect(finished.value).toBe(steps.at(-1)!.value);
  expect(finished.gradientNorm).toBeLessThan((await fitted(coarse())).gradientNorm / 2);
  // Progress counts on, and its share is of all evaluations.
  for (let k = 1; k < steps.length; k++) {
    expect(steps[k]!.evaluations).toBeGreaterThan(steps[k - 1]!.evaluations);
    expect(steps[k]!.share).toBeGreaterThan(steps[k - 1]!.share);
  }
  expect(steps.at(-1)!.share).toBeLessThanOrEqual(1);
});

test("devices that round otherwise end closer together", async () => {
  const distance = (one: Calibration, other: Calibration): number =>
    Math.sqrt(one.b.reduce((sum, value, i) => sum + (value - other.b[i]!) ** 2, 0) / one.b.length);
  const alone = distance(await fitted(coarse()), await fitted(typescriptBackend));
  const finished = distance(
    await fitted(coarse(typescriptBackend)),
    await fitted({ ...typescriptBackend, finish: typescriptBackend }),
  );
  expect(finished).toBeLessThan(alone / 3);
});

test("the device is given back before the finish, and where that doesn't start", async () => {
  const open: number[] = [];
  const device = coarse({
    ...typescriptBackend,
    open: async (...given) => {
      const objective = await typescriptBackend.open(...given);
      return { ...objective, evaluate: (...at) => (open.push(device.open16), objective.evaluate(...at)) };
    },
  });
  await fitted(device);
  expect(open.length).toBeGreaterThan(1);
  expect(new Set(open)).toEqual(new Set([0]));

  const stuck = coarse({ ...typescriptBackend, open: () => Promise.reject(new Error("out of memory")) });
  await expect(fitted(stuck)).rejects.toThrow("out of memory");
  expect(stuck.open16).toBe(0);
});
