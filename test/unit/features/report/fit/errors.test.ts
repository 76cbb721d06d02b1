import { coverageInterval, coverageSeries } from "anchoreval/internal/features/charts/sdk/coverage";
import type { MeasuredErrors, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { parseHTML } from "linkedom";
import { beforeAll, describe, expect, test } from "vitest";
import { coverage } from "../../../../../features/report/fit/errors.ts";
import { reportData, type ReportData, type ReportManifest } from "../../../../../features/report/fit/report-data.ts";
import { sampleFit } from "./sample-fit.ts";

/** A manifest with the coverage that the tests want: two forms; `one` rests on all answers with 10 items alone. */
function withCoverage(manifest: ReportManifest): ReportManifest {
  const measured = (like: number | null, stronger: number | null): MeasuredErrors => {
    const of = (models: number, coverage95: number | null): SplitErrors => ({
      ...manifest.forms[0]!.scenarios["one"]!.measured.interpolation!,
      models,
      coverage95,
      coverageSe: coverage95 === null ? null : 0.02,
    });
    return { interpolation: of(60, like), extrapolation: stronger === null ? null : of(21, stronger) };
  };
  const [small, large] = manifest.forms;
  const part = small!.scenarios["one"]!;
  const alone = { ...part, whole: false, together: null };
  return {
    ...manifest,
    forms: [
      {
        ...small!,
        overall: { inflation: 1, seen: null, measured: measured(0.93, null) },
        scenarios: {
          one: {
            ...alone,
            items: 10,
            measured: measured(0.9, 0.7),
            together: { ...part, measured: measured(0.96, 0.88) },
          },
          two: { ...alone, items: 10, measured: measured(null, null) },
        },
      },
      {
        ...large!,
        overall: null,
        scenarios: {
          one: { ...alone, items: 20, measured: measured(0.97, null) },
          two: { ...alone, items: 12, whole: true, measured: measured(1, 1) },
        },
      },
    ],
  };
}

describe("coverage", () => {
  let data: ReportData;
  let page: Document;
  beforeAll(async () => {
    const fitted = reportData(await sampleFit({ models: 30, scenarios: { one: 40, two: 40 }, sizes: [10, 20] }));
    data = { ...fitted, manifest: withCoverage(fitted.manifest) };
    page = parseHTML(`<body>${coverage(data).markup}</body>`).document;
  });
  const told = (id: string): string[][] => {
    const { items, points } = coverageSeries(data.manifest).find((own) => own.id === id)!;
    return points.map((p) => [String(items[p.place]!), p.split, p.evidence, p.coverage.toFixed(2), String(p.models)]);
  };
  const panelOf = (id: string): Element =>
    [...page.querySelectorAll(".panel")].find((own) => own.querySelector("bdi")!.textContent === id)!;

  test("by split, form and evidence: what a score rests on, and its own answers where that is all scenarios'", () => {
    expect(coverageSeries(data.manifest).map(({ id }) => id)).toEqual(["overall", "one"]);
    expect(told("overall")).toEqual([["20", "interpolation", "served", "0.93", "60"]]);
    expect(told("one")).toEqual([
      ["10", "interpolation", "served", "0.96", "60"],
      ["10", "extrapolation", "served", "0.88", "21"],
      ["10", "interpolation", "alone", "0.90", "60"],
      ["10", "extrapolation", "alone", "0.70", "21"],
      ["20", "interpolation", "served", "0.97", "60"],
    ]);
  });

  test("every point stands at its coverage on the panel's scale, with a bar over where that may lie", () => {
    const chart = panelOf("one").querySelector("svg.plot")!;
    const grid = [...chart.querySelectorAll("line")].map((line) => ({
      x: [line.getAttribute("x1"), line.getAttribute("x2")].map(Number),
      y: [line.getAttribute("y1"), line.getAttribute("y2")].map(Number),
    }));
    const [nominal] = [...chart.querySelectorAll("g, line")]
      .filter((own) => own.getAttribute("stroke-dasharray") !== null)
      .map((own) => Number((own.localName === "line" ? own : own.querySelector("line")!).getAttribute("y1")));
    const bars = grid.filter(({ x, y }) => x[0] === x[1] && y[0] !== y[1]);
    const { points } = coverageSeries(data.manifest).find(({ id }) => id === "one")!;
    expect(bars).toHaveLength(points.length);
    // One pixel a point is read off two bars; all else must lie on that scale.
    const pixels = bars.map(({ y }) => [Math.min(...y), Math.max(...y)] as const).sort((p, q) => p[1] - q[1]);
    const shares = points.map(({ low, high }) => [high, low] as const).sort((p, q) => q[1] - p[1]);
    const scale = (pixels.at(-1)![1] - pixels[0]![1]) / (shares[0]![1] - shares.at(-1)![1]);
    const at = (share: number): number => pixels[0]![1] + scale * (shares[0]![1] - share);
    pixels.forEach(([top, bottom], k) => {
      expect(Math.abs(top - at(shares[k]![0]))).toBeLessThan(0.3);
      expect(Math.abs(bottom - at(shares[k]![1]))).toBeLessThan(0.3);
    });
    expect(Math.abs(nominal! - at(0.95))).toBeLessThan(0.3);
    // No two series share a place.
    expect(new Set(bars.map(({ x }) => x[0])).size).toBe(points.length);
  });

  test("tells each figure on hovering, and to who doesn't see it", () => {
    const { low, high } = coverageInterval({ models: 21, coverage95: 0.88, coverageSe: 0.02 })!;
    const words = `88 % (${Math.round(100 * low)} % to ${Math.round(100 * high)} %) of 21 models`;
    const titles = [...panelOf("one").querySelectorAll("title")].map((title) => title.textContent);
    expect(titles).toContain(`10 items: ${words}`);
    expect(titles).toHaveLength(5);
    expect(panelOf("one").querySelector("svg.plot")!.getAttribute("aria-label")).toContain(
      `10 items, stronger than any seen: ${words}`,
    );
  });

  test("the key names what is drawn, no more: hollow marks only where there are any", () => {
    const key = (manifest: ReportManifest): number =>
      parseHTML(coverage({ ...data, manifest }).markup).document.querySelectorAll(".key li").length;
    expect(key(data.manifest)).toBe(4 + 1);
    const forms = data.manifest.forms.slice(1); // interpolation alone, by one evidence
    expect(key({ ...data.manifest, forms })).toBe(1 + 1);
  });

  test("nothing measured: said, not drawn", () => {
    const { markup } = coverage({ ...data, manifest: { ...data.manifest, forms: [] } });
    expect(markup).toContain("Not measured");
    expect(markup).not.toContain("<svg");
  });
});
