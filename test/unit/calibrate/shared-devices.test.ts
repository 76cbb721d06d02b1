import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { onnxNodeBackend } from "../../../offline-trainer/src/backends/node/onnx-node-backend.ts";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { calibrate, type Calibration } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { sharedDevices } from "../../../offline-trainer/src/calibrate/shared-devices.ts";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import { codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { type ResponseMatrix, submatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 20, items: [30] });
const models = [...matrix.subjects.keys()].filter((m) => m !== 4);
const folds = [0, 1, 2].map((fold) => models.filter((_, k) => k % 3 !== fold));
const graph = onnxNodeBackend({ provider: "cpu", precision: "float64", rounds: "loop" });

/** The graph on the CPU, and how often matrices of so many models were opened. */
function counted() {
  const backend = {
    ...graph,
    opened: [] as number[],
    left: 0,
    openOptimizer: async (...input: Parameters<NonNullable<CalibrationBackend["openOptimizer"]>>) => {
      const device = await graph.openOptimizer!(...input);
      backend.opened.push(input[0].subjects);
      backend.left++;
      return {
        ...device,
        dispose: () => {
          backend.left--;
          return device.dispose();
        },
      };
    },
  };
  return backend;
}

/** As a fold does: from a matrix of its models alone. */
const fitted = (from: ResponseMatrix, rows: readonly number[], backend: CalibrationBackend): Promise<Calibration> => {
  const fold = submatrix(from, rows, [...from.items.keys()]);
  const responses = codeResponses(fold, [...fold.subjects.keys()], null);
  return calibrate(responses, { dims: 2, backend, random: createRandom(1) });
};

test("folds of a matrix are calibrated where it lies, as they would be alone", async () => {
  const backend = counted();
  const devices = sharedDevices(backend, [matrix], models);
  for (const rows of folds) {
    const shared = await fitted(matrix, rows, devices.among(rows));
    const alone = await fitted(matrix, rows, typescriptBackend);
    expect(shared.evaluations).toBe(alone.evaluations);
    expect(Math.abs(shared.value / alone.value - 1)).toBeLessThan(1e-12);
    for (const part of ["theta", "a", "b"] as const)
      shared[part].forEach((value, k) => expect(Math.abs(value - alone[part][k]!)).toBeLessThan(1e-9));
  }
  expect(backend).toMatchObject({ opened: [models.length], left: 1 });
  await devices.dispose();
  expect(backend.left).toBe(0);
});

test("what the held-out models answered doesn't change a bit", async () => {
  const [rows] = folds;
  const found: Calibration[] = [];
  for (const change of [(score: number) => score, (score: number) => 1 - score, () => 1, () => 0.37]) {
    const scores = Float32Array.from(matrix.scores, (score, k) =>
      rows!.includes(Math.floor(k / matrix.items.length)) ? score : change(score),
    );
    const devices = sharedDevices(graph, [{ ...matrix, scores }], models);
    found.push(await fitted(matrix, rows!, devices.among(rows!)));
    await devices.dispose();
  }
  for (const other of found.slice(1)) expect(other).toEqual(found[0]);
});

test("answers that aren't here, and graded ones cut elsewhere, cross on their own", async () => {
  const backend = counted();
  const other = { ...matrix, scores: matrix.scores.map((score) => 1 - score) };
  const graded = {
    ...matrix,
    scores: Float32Array.from(matrix.scores, (score) => 0.1 + 0.3 * score),
  };
  for (const here of [other, graded]) {
    const devices = sharedDevices(backend, [here], models);
    await fitted(matrix, folds[0]!, devices.among(folds[0]!));
    await devices.dispose();
  }
  expect(backend).toMatchObject({ opened: [folds[0]!.length, folds[0]!.length], left: 0 });
});

test("a backend without a device is left alone", () => {
  expect(sharedDevices(typescriptBackend, [matrix], models).among([0, 1])).toBe(typescriptBackend);
});
