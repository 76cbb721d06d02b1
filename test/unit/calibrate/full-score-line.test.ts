import { createRandom } from "anchoreval/internal/core/numeric/random";
import { openVariance } from "anchoreval/internal/core/scoring/full-score";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullScoreLine } from "../../../offline-trainer/src/calibrate/full-score-line.ts";
import { responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";

/** The line of models whose means over one item are `means`. */
function lineOf(means: readonly number[], full: readonly number[]) {
  const items = [{ item_id: "x/1", scenario: "x" }];
  const subjects = means.map((_, m) => `model ${m}`);
  const matrix = responseMatrix(subjects, items, Float64Array.from(means));
  const [slice] = scenarioSlices(items, "items");
  return fullScoreLine({ ...matrix, fullScores: new Map([["x", Float64Array.from(full)]]) }, slice!)!;
}

const MEANS = Array.from({ length: 16 }, (_, m) => m / 16); // exact in float32

test("there is none where no full scores were given", () => {
  const items = [{ item_id: "x/1", scenario: "x" }];
  const matrix = responseMatrix(["a", "b"], items, Float64Array.of(0, 1));
  expect(fullScoreLine(matrix, scenarioSlices(items, "items")[0]!)).toBeNull();
});

test("is the identity where the full scores are the means", () => {
  const line = lineOf(MEANS, MEANS);
  expect(line.slope).toBeCloseTo(1, 12);
  expect(line.level).toBeCloseTo(line.mean, 12);
  expect(line.error).toBeLessThan(1e-12);
  expect(line).toMatchObject({ models: 16, worst: 0 });
});

test("finds a line that all lie on", () => {
  const line = lineOf(
    MEANS,
    MEANS.map((s) => 0.25 + 0.5 * s),
  );
  expect(line.slope).toBeCloseTo(0.5, 12);
  expect(line.level).toBeCloseTo(0.25 + 0.5 * line.mean, 12);
});

test("never falls", () => {
  expect(
    lineOf(
      MEANS,
      MEANS.map((s) => 1 - s),
    ).slope,
  ).toBe(0);
});

test("a model without full score, or without answers, teaches nothing", () => {
  const known = lineOf(MEANS, MEANS.map(Math.sqrt));
  const more = lineOf([...MEANS, 0.5, NaN], [...MEANS.map(Math.sqrt), NaN, 0.25]);
  expect(more).toEqual(known);
});

test("means that tell nothing: slope 1, and what is left open grows fast away from them", () => {
  const line = lineOf(
    MEANS.map(() => 0.5),
    MEANS.map((_, m) => (m % 2 === 0 ? 0.25 : 0.75)),
  );
  expect(line).toMatchObject({ slope: 1, level: 0.5 });
  expect(openVariance(line, 1).variance).toBeGreaterThan(1.05 * openVariance(line, 0.5).variance);
});

const unit = fc.integer({ min: 0, max: 64 }).map((own) => own / 64);

describe("by the definition", () => {
  test("the slope lies between both regressions, as near to 1 as they allow", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(unit, unit), { minLength: 4, maxLength: 30 }), (pairs) => {
        const means = pairs.map(([s]) => Math.fround(s));
        const full = pairs.map(([, f]) => f);
        const { slope, spread, mean, level } = lineOf(means, full);
        const lambda = spread - means.reduce((sum, s) => sum + (s - mean) ** 2, 0);
        const best = (x: readonly number[], y: readonly number[], [mx, my]: readonly [number, number]): number =>
          (x.reduce((sum, own, m) => sum + (own - mx) * (y[m]! - my), 0) + lambda) /
          (x.reduce((sum, own) => sum + (own - mx) ** 2, 0) + lambda);
        const direct = best(means, full, [mean, level]);
        const reverse = 1 / best(full, means, [level, mean]);
        fc.pre(best(means, full, [mean, level]) * spread - lambda > 1e-9);
        expect(slope).toBeGreaterThanOrEqual(direct - 1e-9);
        expect(slope).toBeLessThanOrEqual(reverse + 1e-9 * (1 + reverse));
        if (direct <= 1 && reverse >= 1) expect(slope).toBe(1);
        else expect(Math.min(Math.abs(slope - direct), Math.abs(slope - reverse))).toBeLessThan(1e-9 * (1 + reverse));
      }),
    );
  });

  test("its error is that of every model by the line of the others", () => {
    const random = createRandom("full-score-line");
    const full = MEANS.map((s) => 0.2 + 0.6 * s + 0.05 * random.normal());
    const squares = MEANS.map((s, out) => {
      const [means, scores] = [MEANS, full].map((own) => own.filter((_, m) => m !== out)) as [number[], number[]];
      const { slope, mean, level } = lineOf(means, scores);
      return (full[out]! - level - slope * (s - mean)) ** 2;
    });
    expect(lineOf(MEANS, full).error ** 2).toBeCloseTo(squares.reduce((sum, own) => sum + own, 0) / MEANS.length, 12);
  });

  test("models beyond a narrow range of noisy means don't come back to the others'", () => {
    // S and F are the ability and noise of half as many, and of all, items: by F on S the slope would be ¾.
    const random = createRandom("narrow");
    const models = Array.from({ length: 400 }, () => {
      const [ability, seen, hidden] = [0.5, 0, 0].map((own) => own + 0.03 * random.normal()) as [
        number,
        number,
        number,
      ];
      return [Math.fround(ability + seen), ability + (seen + hidden) / 2] as const;
    });
    const { slope } = lineOf(
      models.map(([s]) => s),
      models.map(([, f]) => f),
    );
    expect(slope).toBeGreaterThan(0.95);
    expect(slope).toBeLessThanOrEqual(1);
  });

  test("an interval of it holds 95 % of new models", () => {
    const random = createRandom("new models");
    let [held, all] = [0, 0];
    for (let round = 0; round < 400; round++) {
      const draw = (): number => 0.5 + 0.1 * random.normal();
      const of = (s: number): number => 0.1 + 0.7 * s + 0.03 * random.normal();
      const means = MEANS.map(() => Math.fround(draw()));
      const line = lineOf(means, means.map(of));
      for (let k = 0; k < 5; k++, all++) {
        const s = draw();
        const { variance } = openVariance(line, s);
        held += Math.abs(of(s) - line.level - line.slope * (s - line.mean)) <= 2.145 * Math.sqrt(variance) ? 1 : 0; // t, 14 degrees
      }
    }
    expect(held / all).toBeGreaterThan(0.93);
    expect(held / all).toBeLessThan(0.975);
  });
});
