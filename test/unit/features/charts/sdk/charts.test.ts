import * as Plot from "@observablehq/plot";
import { loadBundle } from "anchoreval";
import { type Chart, type ChartMark, thin } from "anchoreval/internal/features/charts/sdk/chart";
import { coverageChart, coverageSeries, lowestCoverage } from "anchoreval/internal/features/charts/sdk/coverage";
import { errorBySizeChart, type ErrorLine } from "anchoreval/internal/features/charts/sdk/error-by-size";
import { itemMapChart, shownParameters } from "anchoreval/internal/features/charts/sdk/item-map";
import { sourceStripChart } from "anchoreval/internal/features/charts/sdk/source-strip";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const marksOf = ({ marks }: Chart, name: ChartMark["mark"]): ChartMark[] => marks.filter(({ mark }) => mark === name);
const dataOf = ({ data }: ChartMark): Record<string, number>[] => data as Record<string, number>[];

const LINES: readonly ErrorLine[] = [
  {
    label: "random",
    points: [10, 100].map((items) => ({ items, error: 1 / items })),
    colour: "muted",
    symbol: null,
    kind: "dashed",
  },
  { label: "peer", points: [{ items: 10, error: 0.05 }], colour: "gaussian", symbol: "cross", kind: "faint" },
  {
    label: "served",
    points: [
      { items: 10, error: 0.04 },
      { items: 11, error: 0.038 },
      { items: 100, error: 0.0096 },
    ],
    colour: "accent",
    symbol: "circle",
    kind: "strong",
  },
];

describe("errors by size", () => {
  const chart = errorBySizeChart("overall", LINES, 0.1);

  test("tells each size's errors but the faint lines', in points", () => {
    expect(chart.label).toBe(
      "overall: typical error in points. 10 items: random 10.0, served 4.0; 11 items: served 3.8; 100 items: random 1.0, served 1.0.",
    );
  });

  test("draws what it was given, in points, in order; sizes without room have no label", () => {
    expect(marksOf(chart, "line").map((mark) => dataOf(mark).map(({ y }) => y))).toEqual([
      [10, 1],
      [5],
      [4, 3.8, 0.96],
    ]);
    expect(marksOf(chart, "dot")).toHaveLength(2);
    const [axis] = marksOf(chart, "axisX");
    expect(axis!.data!.map(axis!.options["tickFormat"] as (x: unknown) => string)).toEqual(["100", "11"]);
    expect(chart.y.domain).toEqual([0, 10.5]);
  });

  test("one size has an axis, too", () => {
    const [low, high] = errorBySizeChart("x", [LINES[1]!], 0.1).x.domain as [number, number];
    expect(low).toBeLessThan(Math.log(10));
    expect(high).toBeGreaterThan(Math.log(10));
  });
});

test("a coverage's bars hold its marks, no two kinds share a place, the scale holds all of them", () => {
  const points = (["interpolation", "extrapolation"] as const).flatMap((split) =>
    (["served", "alone"] as const).map((evidence) => ({
      ...{ split, evidence, place: 0, models: 30, coverage: 0.9, low: 0.73, high: 0.97 },
    })),
  );
  const series = { id: "one", items: [20], points };
  const from = lowestCoverage([series]);
  expect(from).toBe(70);
  const chart = coverageChart(series, from);
  expect(chart.y.domain).toEqual([70, 100]);
  const drawn = marksOf(chart, "dot").flatMap(dataOf);
  expect(new Set(drawn.map(({ x }) => x)).size).toBe(4);
  for (const { x, y, low, high } of drawn) {
    expect(Math.abs(x!)).toBeLessThan(0.5);
    expect(low! < y! && y! < high!).toBe(true);
  }
  expect(chart.label).toContain("20 items, stronger, a scenario’s own answers alone: 90 % (73 % to 97 %) of 30 models");
});

test("a strip has a dot for each model near its score, none on another, all on the chart", () => {
  const scores = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(scores, fc.constantFrom(320, 720), (sourceScores, width) => {
      const chart = sourceStripChart("one", sourceScores, { width });
      const [mark] = marksOf(chart, "dot");
      const dots = dataOf(mark!);
      const radius = (mark!.options["r"] as number) / 0.9;
      const wide = (200 * radius) / (width - 28);
      expect(dots).toHaveLength(sourceScores.length);
      expect(new Set(dots.map(({ x, y }) => `${x} ${y}`)).size).toBe(dots.length);
      const sorted = [...sourceScores].sort((x, y) => x - y);
      dots.forEach(({ x, y }, k) => {
        expect(Math.abs(x! - 100 * sorted[k]!)).toBeLessThanOrEqual(wide);
        expect(y!).toBeLessThan(chart.y.domain[1] as number);
      });
    }),
    { numRuns: 50 },
  );
});

test("a strip shows a model with its interval, and tells it", () => {
  const shown = { score: 0.5, interval: { low: 0.4, high: 0.7 } };
  const chart = sourceStripChart("one", [0.2, 0.9], { shown });
  expect(chart.label).toBe(
    "one: 2 models with scores from 20.0 to 90.0 points, median 20.0. This model: 50.0, interval 40.0 to 70.0.",
  );
  expect(dataOf(marksOf(chart, "link")[0]!)).toEqual([expect.objectContaining({ low: 40, high: 70 })]);
  const without = sourceStripChart("one", [0.2, 0.9], { shown: { ...shown, interval: null } });
  expect(without.label).toContain("This model: 50.0.");
});

describe("the item map", () => {
  const bank = itemBank(Float64Array.of(1, -0.5, 0, 1e-9, 2), Float64Array.of(1, 1, 0, 1, -3));
  const parameters = shownParameters(bank);

  test("shows difficulties within ±8: what has no meaning at 0, what lies beyond at the edge, counted", () => {
    expect([...parameters.difficulty]).toEqual([1, -2, 0, 8, -1.5]);
    expect([...parameters.discrimination]).toEqual([1, -0.5, 0, 1e-9, 2]);
    expect(parameters.beyond).toBe(2);
    const several = shownParameters(itemBank(Float64Array.of(3, 4), Float64Array.of(10), {}));
    expect(several.discrimination.length).toBe(1);
  });

  test("every item once: anchors and suspects whole and named, the others thinned", () => {
    const map = { title: "one", parameters, anchors: [1], suspects: [4], domain: [-1, 2] as const };
    const chart = itemMapChart({ ...map, nameOf: (item) => `item ${item}`, most: 2 });
    const [others, anchors, suspects] = marksOf(chart, "dot").map(dataOf);
    expect(others).toEqual([
      { x: 1, y: 1 },
      { x: 0, y: 0 },
    ]);
    expect(anchors).toEqual([{ x: -2, y: -0.5, title: "item 1" }]);
    expect(suspects).toEqual([{ x: -1.5, y: 2, title: "item 4" }]);
    expect(chart.label).toContain("5 items by difficulty, from −2.00 to 8.00");
    expect(dataOf(marksOf(itemMapChart({ ...map, most: 9 }), "dot")[0]!)).toHaveLength(3);
  });
});

test("Plot knows every mark that a chart of a bundle is made of", async () => {
  const { manifest, scenarios } = await loadBundle(memorySource(sampleBundle()));
  const [{ bank, sourceScores }] = [...scenarios.values()] as [
    typeof scenarios extends ReadonlyMap<string, infer S> ? S : never,
  ];
  const charts = [
    ...coverageSeries(manifest).map((series) => coverageChart(series, 0)),
    errorBySizeChart("overall", LINES, 0.1),
    itemMapChart({ title: "one", parameters: shownParameters(bank), anchors: [0], most: 5, domain: [0, 1] }),
    sourceStripChart("one", sourceScores),
  ];
  for (const { marks } of charts) for (const { mark } of marks) expect(Plot[mark]).toBeTypeOf("function");
});

test("thinning keeps an even spread, and short lists as they are", () => {
  expect(thin([0, 1, 2, 3, 4, 5], 3)).toEqual([0, 2, 4]);
  expect(thin([0, 1], 3)).toEqual([0, 1]);
  const kept = thin(
    Array.from({ length: 28659 }, (_, i) => i),
    1000,
  );
  expect(kept).toHaveLength(1000);
  expect(new Set(kept).size).toBe(1000);
  expect(Math.max(...kept.slice(1).map((item, k) => item - kept[k]!))).toBeLessThanOrEqual(29);
});
