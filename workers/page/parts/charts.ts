import {
  axisX,
  axisY,
  dot,
  gridX,
  gridY,
  line,
  link,
  plot,
  type PlotOptions,
  rect,
  ruleX,
  ruleY,
  text,
} from "@observablehq/plot";
import type { BundleScenario } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import {
  type Chart,
  type ErrorLine,
  PANEL_WIDTH,
  chartMark,
  coverageChart,
  coverageKinds,
  coverageSeries,
  errorBySizeChart,
  extent,
  itemMapChart,
  lowestCoverage,
  margins,
  placeAxis,
  plotMarks,
  shownParameters,
  valueAxis,
} from "anchoreval/internal/features/sdk-page";
import { comparableForms, type MeasuredScenario, typicalError } from "anchoreval/internal/words/measured-forms";
import type { MeasuredErrors } from "anchoreval/internal/core/bundle/manifest";
import { counted } from "anchoreval/internal/words/figures";
import { bullets, type Child, element, idText } from "./dom.ts";
import { firstFew } from "./content.ts";

export function wideChart(): number {
  return Math.max(PANEL_WIDTH, Math.min(720, document.querySelector("main")!.clientWidth - 32));
}

export function sideChart(): number {
  return Math.min(480, wideChart());
}

/** The marks of Plot that charts use; the others are not bundled. */
const MARKS = { axisX, axisY, dot, gridX, gridY, line, link, rect, ruleX, ruleY, text };

/**
 * Draws a chart as SVG that scales with its column. Its colours are the page's variables (`var(--accent)`), for light and
 * dark alike. Plot's style element is removed: the page's content policy forbids it, and page.css replaces it.
 */
export function drawn({ label, marks, ...options }: Chart): SVGElement {
  const described: PlotOptions = { className: "plot", ...options, marks: plotMarks(marks, MARKS) };
  const made = plot(described) as SVGElement;
  made.querySelector("style")?.remove();
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  made.removeAttribute("width");
  made.removeAttribute("height");
  for (const part of made.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  return made;
}

export function figure(caption: Child, ...content: readonly Child[]): HTMLElement {
  return element("figure", element("figcaption", caption), content);
}

/** One of several small charts side by side, drawn when it is shown. */
interface Panel {
  readonly title: Child;
  readonly note?: string;
  readonly draw: () => Node;
}

/** Small multiples in as many columns as fit; a long list shows only the first ones at first. */
export function panels(list: readonly Panel[]): HTMLElement {
  return firstFew(list, { most: 12, noun: "scenario", kind: "panels" }, ({ title, note, draw }) => {
    const small = note === undefined ? null : element("small", ` ${note}`);
    return element("div.panel", element("p.name", title, small), draw());
  });
}

function key(...entries: readonly (readonly [mark: string, label: string])[]): HTMLElement {
  return bullets(
    entries.map(([mark, label]) => [element("span", { class: `mark ${mark}`, "aria-hidden": "true" }), label]),
    "ul.key",
  );
}

/** A line over the full score, of an item or a form. */
export interface Curve {
  readonly label: string;
  readonly values: readonly number[];
  readonly strong: boolean;
}

interface CurvesOptions {
  /** The chart in words, for screen readers. */
  readonly description: string;
  readonly label: string;
  readonly highest: number;
  readonly width: number;
}

/** Curves over a model's expected full score, in points, from weak models to strong ones. */
export function curvesChart(
  scores: readonly number[],
  list: readonly Curve[],
  { description, label: axis, highest, width }: CurvesOptions,
): SVGElement {
  const at = { x: "x", y: "y" };
  const marks = list.flatMap(({ label, values, strong }) => {
    const line = values.map((value, k) => ({ x: 100 * scores[k]!, y: value, label }));
    const top = line.reduce((best, point) => (point.y > best.y ? point : best));
    const [stroke, strokeWidth, fill] = strong
      ? ["var(--accent)", 2.4, "var(--accent)"]
      : ["var(--item)", 1.4, "var(--muted)"];
    const curve = chartMark("line", line, { ...at, stroke, strokeWidth, title: "label" });
    return list.length > 1 ? [curve, chartMark("text", [top], { ...at, text: "label", dy: -8, fill })] : [curve];
  });
  return drawn({
    label: description,
    width,
    height: Math.round(Math.min(300, 0.62 * width)),
    ...margins(24, 14, 38, 44),
    x: { domain: [0, 100] },
    y: { domain: [0, highest] },
    marks: [...valueAxis(axis), placeAxis("full score of a model, points"), ...marks],
  });
}

/** Most dots that are drawn, besides anchors. */
const MOST_DOTS = 3000;

/** The item map of a scenario with its caption. Pointing at an anchor names it. */
export function itemMapFigure({ id, bank, forms }: BundleScenario, form: string): HTMLElement {
  const parameters = shownParameters(bank);
  const { anchors, itemIds } = forms.get(form)!;
  const names = new Map(Array.from(anchors.items, (item, k) => [item, itemIds[k]!]));
  const [low, high] = extent(parameters.discrimination);
  const room = Math.max(0.05, 0.08 * (high - low));
  const chart = itemMapChart({
    title: id,
    parameters,
    anchors: anchors.items,
    nameOf: (item) => names.get(item)!,
    most: MOST_DOTS,
    width: sideChart(),
    domain: [low - room, high + room],
  });
  const { beyond } = parameters;
  const above = bank.dims > 1 ? ` (over all ${bank.dims} abilities)` : "; below zero, stronger models do worse on it";
  return figure(
    [
      element("strong", idText(id)),
      `: each dot is one of the ${counted(bank.count, "item")}. Further right is harder, further up tells strong models from weak ones more sharply${above}.`,
      beyond > 0
        ? ` ${counted(beyond, "item")} with a difficulty beyond the axis ${beyond === 1 ? "is" : "are"} drawn at its edge.`
        : null,
    ],
    key(["dot accent", `asked in form ${form}`], ["dot item", "other items"]),
    drawn(chart),
  );
}

/** Typical error by the number of items asked, beside that of as many random items, by scenario. Null if none is measured. */
export function errorBySize(scenarios: readonly MeasuredScenario[]): HTMLElement | null {
  const measured = scenarios.filter((scenario) => comparableForms(scenario).length > 0);
  if (measured.length === 0) return null;
  const charts = measured.map((scenario) => ({ scenario, lines: linesOf(scenario) }));
  const highest = Math.max(
    ...charts.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map((point) => point.error))),
  );
  return figure(
    "Typical (mean absolute) error of the score on held-out models, by the number of items asked. Lower is better; below the dashed line is better than as many random items.",
    key(
      ["line accent", "like the source models"],
      ["line stronger", "stronger than any source model"],
      ["line dashed", "as many random items"],
    ),
    panels(
      charts.map(({ scenario, lines }) => ({
        title: idText(scenario.id),
        note: `${comparableForms(scenario)[0]!.measured!.interpolation!.models} models`,
        draw: () => drawn(errorBySizeChart(scenario.id, lines, highest)),
      })),
    ),
  );
}

function linesOf(scenario: MeasuredScenario): ErrorLine[] {
  const like = comparableForms(scenario);
  const random = like.map(({ items, measured }) => ({ items, error: measured!.interpolation!.randomMae }));
  const served = (split: keyof MeasuredErrors): ErrorLine["points"] =>
    comparableForms(scenario, split).map((form) => ({ items: form.items, error: typicalError(form, split)! }));
  const stronger = { points: served("extrapolation"), colour: "stronger", symbol: "diamond", kind: "plain" } as const;
  const similar = { points: served("interpolation"), colour: "accent", symbol: "circle", kind: "strong" } as const;
  return [
    { label: "as many random items", points: random, colour: "muted", symbol: null, kind: "dashed" },
    { label: "stronger than any source model", ...stronger },
    { label: "like the source models", ...similar },
  ];
}

/** Coverage of the 95 % intervals by the number of items. Null if it isn't measured. */
export function coverage(manifest: Manifest): HTMLElement | null {
  const series = coverageSeries(manifest).map((scenario) => ({
    ...scenario,
    points: scenario.points.filter(({ evidence }) => evidence === "served"),
  }));
  if (series.length === 0) return null;
  const from = lowestCoverage(series);
  return figure(
    "Share of 95 % intervals that contain the true score of held-out models. Marks should lie near the dashed line. Bars show the uncertainty of the share itself, since held-out models are few.",
    key(
      ...coverageKinds(series.flatMap(({ points }) => points)).map(
        ({ colour, label }) => [`dot ${colour}`, label] as const,
      ),
      ["line dashed", "95 %, the nominal share"],
    ),
    panels(
      series.map((scenario) => ({ title: idText(scenario.id), draw: () => drawn(coverageChart(scenario, from)) })),
    ),
  );
}
