import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { responseMatrix, scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { fullScores, scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";

const random = createRandom("full scores");
const items = Array.from({ length: 30 }, (_, i) => ({
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
    items,
    scores,
  );
  for (const weighting of ["items", "subscenarios"] as const)
    for (const slice of scenarioSlices(items, weighting)) {
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
  const matrix = responseMatrix(["x"], items, new Float64Array(30).fill(1));
  for (const slice of scenarioSlices(items, "subscenarios")) {
    const { score, observed } = fullScores(matrix, slice);
    expect(score[0]).toBeCloseTo(1, 14);
    expect(observed[0]).toBe(1);
  }
});
