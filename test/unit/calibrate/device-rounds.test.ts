import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { aroundBackend } from "../../../offline-trainer/src/backends/interruptible.ts";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import {
  calibrate,
  type CalibrateOptions,
  type CalibrationState,
  type CalibrationStep,
} from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { rejection } from "../../support/refusal.ts";
import { simulatedResponses } from "./simulated-responses.ts";

const { responses } = simulatedResponses({ subjects: 20, items: 30, dims: 2 });
const backend = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });
const options = (): CalibrateOptions => ({ dims: 2, backend, random: createRandom(1) });

test("a device's rounds each tell how far the calibration is", async () => {
  const steps: CalibrationStep[] = [];
  const { evaluations, value } = await calibrate(responses, { ...options(), onStep: (step) => steps.push(step) });
  expect(steps.map(({ round }) => round)).toEqual([0, 1, 2, 3]);
  expect(steps.at(-1)).toMatchObject({ evaluations, value });
  const shares = steps.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((x, y) => x - y));
  expect(shares.every((share) => share > 0 && share <= 1)).toBe(true);
});

test("goes on from any round to the same end, bit for bit", async () => {
  const states: CalibrationState[] = [];
  const whole = await calibrate(responses, {
    ...options(),
    onRound: (state) => {
      states.push(structuredClone(state));
      return Promise.resolve();
    },
  });
  expect(states).toHaveLength(3);
  for (const resume of states) expect(await calibrate(responses, { ...options(), resume })).toEqual(whole);
});

test("a signal is heard between rounds, and the device is let go", async () => {
  const controller = new AbortController();
  let [opened, rounds] = [0, 0];
  const counting = {
    ...backend,
    openOptimizer: async (...input: Parameters<NonNullable<typeof backend.openOptimizer>>) => {
      const device = await backend.openOptimizer!(...input);
      opened++;
      return {
        ...device,
        dispose: () => {
          opened--;
          return device.dispose();
        },
      };
    },
  };
  const { code } = await rejection(
    calibrate(responses, {
      ...options(),
      backend: counting,
      signal: controller.signal,
      onStep: () => {
        if (++rounds === 2) controller.abort();
      },
    }),
  );
  expect({ code, rounds, opened }).toEqual({ code: "aborted", rounds: 2, opened: 0 });
});

test("a backend with something around its calls has it around rounds, of some models too", async () => {
  let calls = 0;
  const around = aroundBackend(backend, (call) => {
    calls++;
    return call();
  });
  expect(await calibrate(responses, { ...options(), backend: around })).toEqual(await calibrate(responses, options()));
  expect(calls).toBe(6); // opened, four rounds, let go
  const device = await around.openOptimizer!(responses, 2);
  await device.among([0, 1]).dispose();
  await device.dispose();
  expect(calls).toBe(9);
});

test("a matrix that doesn't fit the device is refused in words", async () => {
  const small = onnxNodeBackend({ provider: "cpu", rounds: "loop", memory: 2 ** 10 });
  const { code, message } = await rejection(calibrate(responses, { ...options(), backend: small }));
  expect(code).toBe("unavailable");
  expect(message).toContain("20 models × 30 items in 2 dimensions take ");
});
