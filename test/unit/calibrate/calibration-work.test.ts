import { describe, expect, test, vi } from "vitest";
import { predictedSeconds } from "../../../offline-trainer/src/calibrate/calibration-work.ts";
import { resolveBackend } from "../../../offline-trainer/src/backends/resolve-backend.ts";

const once = { scenarios: 1, calibrations: 1 };

describe("calibrations are predicted within a factor of what was measured", () => {
  // docs/gpu.md: one calibration with 16 cores, on an H200; a card's seconds without its start. Of the 21.5 s on cores 10
  // were spent before the first evaluation, .4 now.
  test.each([
    [{ models: 400, items: 28_659, dims: 10 }, 4.7, 0.4],
    [{ models: 6349, items: 28_659, dims: 2 }, 12, 0.62],
    [{ models: 83, items: 3504, dims: 5 }, null, 0.18],
  ])("%o", (size, cpu, cuda) => {
    const predicted = predictedSeconds({ ...size, ...once }, 16);
    if (cpu !== null) expect(predicted.cpu / cpu).toBeGreaterThan(1 / 3);
    if (cpu !== null) expect(predicted.cpu / cpu).toBeLessThan(3);
    const started =
      predicted.cuda - predictedSeconds({ models: 0, items: 0, dims: 1, ...once, calibrations: 0 }, 16).cuda;
    expect(started / cuda).toBeGreaterThan(1 / 2);
    expect(started / cuda).toBeLessThan(2);
  });
});

test("a card pays from some size on, the sooner the fewer cores there are", () => {
  const pays = (models: number, threads: number): boolean => {
    const { cpu, cuda } = predictedSeconds({ models, items: 10_000, dims: 8, scenarios: 6, calibrations: 11 }, threads);
    return cuda < cpu;
  };
  const sizes = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000];
  for (const threads of [1, 2, 16]) {
    const found = sizes.map((models) => pays(models, threads));
    expect([found[0], found.at(-1)]).toEqual([false, true]);
    expect(found).toEqual([...found].sort()); // no size above one that pays doesn't
  }
  expect(sizes.filter((models) => pays(models, 1)).length).toBeGreaterThanOrEqual(
    sizes.filter((models) => pays(models, 16)).length,
  );
});

test("auto weighs the work before it looks for a card", async () => {
  const load = vi.fn(() => import("../../../offline-trainer/src/backends/node/onnx-node-backend.ts"));
  const small = { models: 40, items: 300, dims: 2, scenarios: 3, calibrations: 11 };
  const { provider, reason } = await resolveBackend("auto", { threads: 2, work: small, load });
  expect(provider).toBe("cpu");
  expect(reason).toMatch(
    /^ONNX Runtime on the CPU: calibrations take about a second here, \d+ s on a card with its start$/,
  );
});
