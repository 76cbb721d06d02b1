import { createRandom, factorScores, factorSolver, type AnchorFactors } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { largestDifference } from "../../support/fixture.ts";

const RANK = 3;
const random = createRandom("factored form");

function factors(anchors: number): AnchorFactors {
  const normals = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  return {
    rank: RANK,
    mean: normals(anchors),
    loadings: normals(anchors * RANK),
    noise: Float64Array.from({ length: anchors }, () => 0.2 + random.next()),
    total: { mean: 0, loadings: normals(RANK) },
  };
}

/** Two banks, the first with two scenarios. */
const sets = [[{ factors: factors(5) }, { factors: factors(8) }], [{ factors: factors(6) }]];

describe.each([
  ["every anchor", 0],
  ["most anchors", 0.3],
])("of a model that answered %s", (_, missing) => {
  const scores = sets.map((own) =>
    own.map(({ factors: { mean } }) => Float64Array.from(mean, () => (random.next() < missing ? NaN : random.next()))),
  );
  const answers = sets.map((own, b) => own.map(({ factors }, s) => ({ factors, scores: scores[b]![s]! })));

  test("each scenario's factors are those of its answers", () => {
    answers.forEach((own, b) => {
      own.forEach((part, s) => {
        expect(largestDifference(factorSolver([part.factors])([scores[b]![s]!]), factorScores([part]))).toBeLessThan(
          1e-13,
        );
      });
    });
  });

  test("all scenarios' factors together are those of all answers", () => {
    expect(
      largestDifference(
        factorSolver(sets.flat().map(({ factors }) => factors))(scores.flat()),
        factorScores(answers.flat()),
      ),
    ).toBeLessThan(1e-13);
  });
});
