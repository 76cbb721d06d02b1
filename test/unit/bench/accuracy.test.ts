import { describe, expect, test } from "vitest";

interface Row {
  scenario: string;
  n: number;
  estimator: string;
  ratioToRandom: number | null;
  mae: number;
  bias: number;
  coverage95: number | null;
  coverageSe: number | null;
  halfWidth95: number | null;
  winkler95: number | null;
  randomHalfWidth95: number | null;
  randomWinkler95: number | null;
}
type BySize = (number | null)[];
interface Figures {
  estimator: string;
  scenarios: number;
  ratioToRandom: BySize;
  worstRatioToRandom: BySize;
  bias: BySize;
  worstBiasToError: BySize;
  coverage95: BySize;
  worstCoverage95: BySize;
  worstCoverageSe: BySize;
  worstScenario: (string | null)[];
  halfWidth95: BySize;
  halfWidthToRandom: BySize;
  winklerToRandom: BySize;
  overall: { ratioToRandom: number | null; bias: number | null; coverage95: number | null }[];
}

/** The bench is plain JavaScript, without declarations. */
const { accuracyFigures, relativeChange } = (await import(
  new URL("../../../bench/accuracy/figures.js", import.meta.url).href
)) as {
  accuracyFigures: (rows: Row[], sizes: number[]) => Figures[];
  relativeChange: (own: Pick<Figures, "ratioToRandom">, other: Pick<Figures, "ratioToRandom">) => BySize;
};

const NONE = { coverage95: null, coverageSe: null, halfWidth95: null, winkler95: null };

function row(scenario: string, n: number, change: Partial<Row> = {}): Row {
  const interval = { coverage95: 0.95, coverageSe: 0.01, halfWidth95: 8, winkler95: 20 };
  const random = { randomHalfWidth95: 10, randomWinkler95: 25 };
  return { scenario, n, estimator: "gate", ratioToRandom: 0.5, mae: 4, bias: 1, ...interval, ...random, ...change };
}

describe("accuracyFigures", () => {
  test("overall scores by size, over sets, and none where a set has no overall score", () => {
    const whole = { ratioToRandom: 0.9, bias: -2, coverage95: 1 };
    const [gate] = accuracyFigures(
      [row("a", 10), row("overall", 10, { ...whole, ratioToRandom: 0.4 }), row("overall", 10, whole), row("a", 30)],
      [10, 30],
    );
    expect(gate!.overall[0]!.ratioToRandom).toBeCloseTo(0.6, 12);
    expect(gate!.overall[0]).toMatchObject({ bias: -2, coverage95: 1 });
    expect(gate!.overall[1]).toEqual({ ratioToRandom: null, bias: null, coverage95: null });
  });

  test("means over scenarios by size, geometric for the ratio; overall rows are no scenario", () => {
    const [gate] = accuracyFigures(
      [
        row("a", 10, {
          ratioToRandom: 0.2,
          mae: 5,
          bias: -3,
          coverage95: 0.9,
          halfWidth95: 4,
          winkler95: 12,
          coverageSe: 0.02,
        }),
        row("b", 10, { ratioToRandom: 0.8, coverage95: 0.98, halfWidth95: 12, winkler95: 30, randomHalfWidth95: 30 }),
        row("overall", 10, { ratioToRandom: 9, bias: 7, coverage95: 0.1 }),
        row("a", 30, { ratioToRandom: 0.7 }),
        row("b", 30, { ratioToRandom: 0.7, coverage95: 0.93, coverageSe: 0.03 }),
      ],
      [10, 30],
    );
    expect(gate).toMatchObject({ estimator: "gate", scenarios: 2, worstScenario: ["a", "b"] });
    const close = (figures: BySize, expected: number[]): void =>
      expected.forEach((value, k) => expect(figures[k]).toBeCloseTo(value, 12));
    close(gate!.ratioToRandom, [Math.sqrt(0.2 * 0.8), 0.7]);
    close(gate!.worstRatioToRandom, [0.8, 0.7]);
    close(gate!.bias, [-1, 1]);
    close(gate!.worstBiasToError, [0.6, 0.25]);
    close(gate!.coverage95, [0.94, 0.94]);
    close(gate!.worstCoverage95, [0.9, 0.93]);
    close(gate!.worstCoverageSe, [0.02, 0.03]);
    close(gate!.halfWidth95, [8, 8]);
    close(gate!.halfWidthToRandom, [8 / 20, 0.8]);
    close(gate!.winklerToRandom, [21 / 25, 0.8]);
  });

  test("whatever estimators the rows have, in their order; no interval, no figures of one", () => {
    const rows = [row("a", 10, { estimator: "stack" }), row("a", 10, { estimator: "new", ...NONE }), row("a", 10)];
    const figures = accuracyFigures(rows, [10]);
    expect(figures.map(({ estimator }) => estimator)).toEqual(["stack", "new", "gate"]);
    expect(figures[1]).toMatchObject({
      ratioToRandom: [0.5],
      coverage95: [null],
      worstCoverage95: [null],
      worstCoverageSe: [null],
      worstScenario: [null],
      halfWidth95: [null],
      halfWidthToRandom: [null],
      winklerToRandom: [null],
    });
  });

  test("a scenario asked whole counts in no comparison with random items, and a size without any is null", () => {
    const whole = {
      ratioToRandom: null,
      mae: 0,
      bias: 0,
      randomHalfWidth95: null,
      randomWinkler95: null,
      halfWidth95: 0,
      winkler95: 0,
    };
    const [gate] = accuracyFigures([row("a", 10), row("b", 10, whole), row("a", 30, whole)], [10, 30]);
    expect(gate!.ratioToRandom).toEqual([0.5, null]);
    expect(gate!.worstRatioToRandom).toEqual([0.5, null]);
    expect(gate!.worstBiasToError).toEqual([0.25, null]);
    expect(gate!.halfWidth95).toEqual([4, 0]);
    expect(gate!.halfWidthToRandom).toEqual([0.8, null]);
    expect(gate!.winklerToRandom).toEqual([0.8, null]);
  });
});

test("relativeChange: a fraction by size, null where either has no ratio", () => {
  const change = relativeChange({ ratioToRandom: [0.4, 0.6, null, 1] }, { ratioToRandom: [0.5, 0.5, 1, null] });
  expect(change[0]).toBeCloseTo(-0.2, 12);
  expect(change[1]).toBeCloseTo(0.2, 12);
  expect(change.slice(2)).toEqual([null, null]);
});
