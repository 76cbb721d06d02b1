import { createRandom } from "anchoreval/internal/core/numeric/random";
import { afterAll, describe, expect, test, vi } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { probeBackend } from "../../../offline-trainer/src/backends/probe-backend.ts";
import { objectiveGraph } from "../../../offline-trainer/src/backends/onnx/objective-graph.ts";
import { calibrate, type Calibration } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { describeCalibrationBackend } from "../../conformance/calibration-backend.suite.ts";
import { simulatedResponses } from "../../unit/calibrate/simulated-responses.ts";
import { NO_BROWSER } from "./support/open-browser.ts";
import { openPage } from "./support/open-page.ts";
import { pageBackend } from "./support/page-backend.ts";
import type { PageBackend } from "./support/calibration-page.ts";
import { WHOLE } from "../../support/whole.ts";

// A software device compiles its kernels for seconds, more of them where cores are busy.
vi.setConfig({ testTimeout: 60_000 });

const opened = NO_BROWSER === null ? await openPage("calibration-page.ts", "calibration") : null;
if (opened) afterAll(() => opened.close());

// Blocks so small that a software device computes several of them in time, and no problem too small for the device.
const small = { blockCells: 2048 };
const manyBlocks = [
  { subjects: 20, items: 200 },
  { subjects: 100, items: 40 },
];
const BACKENDS: readonly PageBackend[] = [
  { provider: "wasm", precision: "float32" },
  { provider: "wasm", precision: "float64" },
  { provider: "webgpu", precision: "float32" },
];

for (const options of BACKENDS) {
  const backend = pageBackend(() => opened!.page, { ...options, ...small });
  if (opened) await probeBackend(backend, { keep: true });
  describeCalibrationBackend(`${backend.name}, ${backend.precision}, in Chromium`, backend, {
    unavailable: NO_BROWSER,
    manyBlocks,
    calibration: false, // below
  });
}

describe.skipIf(NO_BROWSER !== null)(`calibrate() in Chromium${NO_BROWSER === null ? "" : ` (${NO_BROWSER})`}`, () => {
  const { responses } = simulatedResponses({ subjects: 24, items: 48, dims: 2, missing: 0.1 });
  // One round: the scales stay at where they begin, and all have the same optimum to find.
  const options = { dims: 2, rounds: 1, tolerance: 1e-13, maxEvaluations: 300 };
  const inPage = (backend: PageBackend): Promise<Calibration> =>
    opened!.page.evaluate(([own, data, given]) => window.calibration.calibrate(own, data, { ...given, seed: 1 }), [
      backend,
      responses,
      options,
    ] as const);
  const inNode = (precision: "float32" | "float64"): Promise<Calibration> =>
    calibrate(responses, {
      ...options,
      backend: onnxNodeBackend({ provider: "cpu", precision }),
      random: createRandom(1),
    });

  const finished = { provider: "webgpu", precision: "float32", finished: true } as const; // as the page has it
  test.each([...(WHOLE ? BACKENDS : BACKENDS.slice(0, 2)), finished])(
    "finds the optimum that ONNX Runtime finds in Node: %o",
    async (backend) => {
      const { value } = await inPage(backend);
      const tolerance = backend.precision === "float64" || backend.finished ? 1e-9 : 1e-5;
      expect(Math.abs(value / (await inNode("float64")).value - 1)).toBeLessThan(tolerance);
      expect(Math.abs(value / (await inNode("float32")).value - 1)).toBeLessThan(1e-5);
    },
  );

  test.each(["float32", "float64"] as const)("the graph is the same in %s, byte by byte", async (type) => {
    const shape = { rows: 3, columns: 64, dims: 2, type };
    expect(await opened!.page.evaluate((given) => window.calibration.graph(given), shape)).toEqual(
      objectiveGraph(shape),
    );
  });
});
