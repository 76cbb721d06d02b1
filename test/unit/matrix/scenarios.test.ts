import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { itemStatistics } from "../../../features/audit/fit/item-statistics.ts";
import { sourceAnswers } from "../../../offline-trainer/src/calibrate/factors.ts";
import { randomBaseline } from "../../../offline-trainer/src/fit/errors.ts";
import { withoutCopies } from "../../../offline-trainer/src/matrix/alike/copies.ts";
import { replicateGroups } from "../../../offline-trainer/src/matrix/alike/replicates.ts";
import { matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { binarizeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { dataDigests } from "../../../offline-trainer/src/matrix/data-digests.ts";
import {
  type ItemInfo,
  responseMatrix,
  scoreAt,
  sharedMatrix,
  submatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices, sliceColumns } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { wideCsvLines } from "../../../offline-trainer/src/matrix/write-tables.ts";
import { expectRefusal, refusal } from "../../support/refusal.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const items = (...places: string[]): ItemInfo[] =>
  places.map((place, i) => {
    const [scenario, subscenario] = place.split("/");
    return { item_id: `i${i}`, scenario: scenario!, ...(subscenario !== undefined && { subscenario }) };
  });

describe("slices", () => {
  test("are the runs of columns, with their subscenarios in order", () => {
    const slices = scenarioSlices(items("a", "a", "b/p", "b/q", "b/q", "b/q", "b", "b"), "subscenarios");
    expect(slices.map(({ id, begin, count, subscenarios }) => ({ id, begin, count, subscenarios }))).toEqual([
      { id: "a", begin: 0, count: 2, subscenarios: [{ id: null, items: 2 }] },
      {
        id: "b",
        begin: 2,
        count: 6,
        subscenarios: [
          { id: "p", items: 1 },
          { id: "q", items: 3 },
          { id: null, items: 2 },
        ],
      },
    ]);
    // Each subscenario counts the same: 1/3, over one, three and two items.
    [1 / 3, 1 / 9, 1 / 9, 1 / 9, 1 / 6, 1 / 6].forEach((weight, i) =>
      expect(slices[1]!.weights[i]).toBeCloseTo(weight, 14),
    );
  });

  test("by items: each item counts the same", () => {
    const [slice] = scenarioSlices(items("b/p", "b/q", "b/q", "b/q"), "items");
    expect(Array.from(slice!.weights)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  test("of items that aren't grouped are refused", () => {
    expectRefusal(
      refusal(() => scenarioSlices(items("a", "b", "a"), "items")),
      "invalid_data",
      "the items are not grouped by scenario",
    );
    expectRefusal(
      refusal(() => scenarioSlices(items("a/p", "a/q", "a/p"), "items")),
      "invalid_data",
      "the items of a are not grouped by subscenario",
    );
  });
});

test("sliceColumns takes a scenario's columns as a matrix of its own, cells where they are", () => {
  const all = items("a", "b", "b", "c");
  const matrix = responseMatrix(["x", "y"], all, Float64Array.of(0, 1, NaN, 1, 1, 0, 1, 0));
  const slices = scenarioSlices(all, "items").map((slice) => sliceColumns(matrix, slice));
  const part = slices[1]!;
  expect(part.items.map((item) => item.item_id)).toEqual(["i1", "i2"]);
  expect(part.subjects).toEqual(["x", "y"]);
  expect(slices.map(({ observed }) => observed === null)).toEqual([true, false, true]);
  expect([0, 1].map((m) => [0, 1].map((i) => scoreAt(part, m, i)))).toEqual([[1, NaN], [0, 1]]); // prettier-ignore
  expect(part.scores.buffer).toBe(matrix.scores.buffer);
});

test("a slice of cells that threads don't share is copied alone, others not at all", () => {
  const all = items("a", "b", "b", "c");
  const matrix = responseMatrix(["x", "y"], all, Float64Array.of(0, 1, NaN, 1, 1, 0, 1, 0));
  const slice = scenarioSlices(all, "items")[1]!;
  expect(sharedMatrix(sliceColumns(matrix, slice)).scores.buffer).toBe(matrix.scores.buffer);
  const apart = sliceColumns(submatrix(matrix, [0, 1], [0, 1, 2, 3]), slice);
  const shared = sharedMatrix(apart);
  expect([shared.stride, shared.scores.length, shared.observed!.length]).toEqual([2, 4, 4]);
  expect(shared.scores.buffer).toBeInstanceOf(SharedArrayBuffer);
  for (const m of [0, 1]) for (const i of [0, 1]) expect(scoreAt(shared, m, i)).toBe(scoreAt(apart, m, i));
});

test("nothing reads a slice but by its stride: a compact copy of it tells the same", () => {
  const board = smallLeaderboard({ models: 30, items: [12, 20, 9], missing: 0.1 });
  const rows = [...board.subjects.keys()];
  const compact = ({ matrix, ...slice }: Scenario) => ({
    ...slice,
    matrix: submatrix(matrix, rows, [...matrix.items.keys()]),
  });
  const accuracy = new Float64Array(20).fill(0.5);
  const read = (scenario: Omit<Scenario, "families">) => {
    const { matrix, weights } = scenario;
    const answers = sourceAnswers(matrix, rows.slice(3), { weights, accuracy });
    return [
      fullScores(matrix, scenario),
      binarizeResponses(matrix, rows.slice(5)),
      itemStatistics(matrix, scenario),
      replicateGroups(matrix),
      [...wideCsvLines(matrix)],
      dataDigests(matrix),
      randomBaseline(scenario, rows, new Array<number>(30).fill(0.5), 4, createRandom("random")),
      [answers.ahead, answers.column(7)],
      withoutCopies(matrix).copies,
    ];
  };
  for (const scenario of matrixScenarios(board, { weighting: "items" })) {
    expect(scenario.matrix.stride).toBe(41);
    expect(read(scenario)).toEqual(read(compact(scenario)));
  }
});

const random = createRandom("full scores");
const itemsOfFullScores = Array.from({ length: 30 }, (_, i) => ({
  item_id: `i${i}`,
  scenario: i < 12 ? "a" : "b",
  ...(i >= 12 && { subscenario: i < 17 ? "p" : "q" }),
}));

test.each([0, 0.3])("are weighted means of the observed items, %d missing", (missing) => {
  const scores = Float64Array.from({ length: 8 * 30 }, (_, k) =>
    random.next() < missing || (missing > 0 && k < 12) ? NaN : random.below(3) / 2,
  );
  const matrix = responseMatrix(
    Array.from({ length: 8 }, (_, m) => `m${m}`),
    itemsOfFullScores,
    scores,
  );
  for (const weighting of ["items", "subscenarios"] as const)
    for (const slice of scenarioSlices(itemsOfFullScores, weighting)) {
      const { score, observed } = fullScores(matrix, slice);
      for (let m = 0; m < 8; m++) {
        let [sum, mass] = [0, 0];
        for (let i = 0; i < slice.count; i++) {
          const value = scoreAt(matrix, m, slice.begin + i);
          const weight =
            slice.id === "a" || weighting === "items" ? 1 / slice.count : i < 5 ? 1 / (2 * 5) : 1 / (2 * 13);
          if (!Number.isNaN(value)) [sum, mass] = [sum + weight * value, mass + weight];
        }
        if (mass === 0) expect(score[m]).toBeNaN();
        else expect(score[m]).toBeCloseTo(sum / mass, 14);
        expect(observed[m]).toBeCloseTo(mass, 12);
      }
      // The first model has answered nothing of "a" where answers are missing.
      if (missing > 0 && slice.id === "a") expect([score[0], observed[0]]).toEqual([NaN, 0]);
    }
});

test("a model that answered everything is observed to the last digit", () => {
  const matrix = responseMatrix(["x"], itemsOfFullScores, new Float64Array(30).fill(1));
  for (const slice of scenarioSlices(itemsOfFullScores, "subscenarios")) {
    const { score, observed } = fullScores(matrix, slice);
    expect(score[0]).toBeCloseTo(1, 14);
    expect(observed[0]).toBe(1);
  }
});
