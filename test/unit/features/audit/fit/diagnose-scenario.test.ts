import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import { calibrate } from "../../../../../offline-trainer/src/calibrate/calibrate.ts";
import { matrixScenarios } from "../../../../../offline-trainer/src/matrix/benchmark.ts";
import { codeResponses } from "../../../../../offline-trainer/src/matrix/code-responses.ts";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { smallLeaderboard } from "../../../fit/small-leaderboard.ts";

// Threads run what is built.
const { diagnoseScenarios } = (await import(
  new URL("../../../../../offline-trainer/dist/features/audit/fit/diagnose-scenario.js", import.meta.url).href
)) as typeof import("../../../../../features/audit/fit/diagnose-scenario.ts");

const board = smallLeaderboard({ models: 40, items: [30, 12, 20], missing: 0.05 });
const rows = [...board.subjects.keys()].slice(2);
const scenarios = await Promise.all(
  matrixScenarios(board, { weighting: "items" }).map(async ({ matrix, families }) => {
    const random = createRandom(matrix.items[0]!.scenario);
    const coded = codeResponses(matrix, rows, null);
    const calibration = await calibrate(coded, { dims: 1, backend: typescriptBackend, random });
    return { matrix, rows, threshold: null, calibration, families, pairWork: 1e9 };
  }),
);

test("on threads the diagnoses are the same, in the order of the scenarios, and every item is counted", async () => {
  const counts: number[] = [];
  const alone = await diagnoseScenarios(scenarios, 1, {});
  const threaded = await diagnoseScenarios(scenarios, 2, { onItems: (items) => void counts.push(items) });
  expect(threaded).toEqual(alone);
  expect(alone.map(({ p }) => p.length)).toEqual([30, 12, 20]);
  expect(counts).toEqual([...counts].sort((x, y) => x - y));
  expect(counts.at(-1)).toBe(62);
});

test.each([1, 2])("can be stopped on %d threads", async (threads) => {
  const controller = new AbortController();
  const stopped = diagnoseScenarios(scenarios, threads, {
    signal: controller.signal,
    onItems: () => controller.abort(),
  });
  expectRefusal(await rejection(stopped), "aborted", threads === 1 ? "the audit of the items was stopped" : "");
});
