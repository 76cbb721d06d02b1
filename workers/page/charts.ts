import * as Plot from "@observablehq/plot";
import type { BundleScenario } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import {
  type Chart,
  chartMark,
  extent,
  type MarkName,
  PANEL_WIDTH,
  placeAxis,
  plotMarks,
  valueAxis,
} from "anchoreval/internal/charts/chart";
import { coverageChart, coverageKinds, coverageSeries, lowestCoverage } from "anchoreval/internal/charts/coverage";
import { errorBySizeChart, type ErrorLine } from "anchoreval/internal/charts/error-by-size";
import { itemMapChart, shownParameters } from "anchoreval/internal/charts/item-map";
import { comparableForms, type MeasuredScenario } from "anchoreval/internal/charts/measured-forms";
import { estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { counted } from "anchoreval/internal/words/figures";
import { type Child, element, idText, paragraph } from "./dom.ts";
import { firstFew } from "./parts/content.ts";

/** Width of a chart on its own: the room on the page, at most 720. */
export function wideChart(): number {
  return Math.max(PANEL_WIDTH, Math.min(720, document.querySelector("main")!.clientWidth - 32));
}

/** The marks of Plot that charts use; the others are not bundled. */
const MARKS: Readonly<Record<MarkName, unknown>> = {
  axisX: Plot.axisX,
  axisY: Plot.axisY,
  dot: Plot.dot,
  gridX: Plot.gridX,
  gridY: Plot.gridY,
  line: Plot.line,
  link: Plot.link,
  rect: Plot.rect,
  ruleX: Plot.ruleX,
  ruleY: Plot.ruleY,
  text: Plot.text,
};

/**
 * Draws a chart as SVG that scales with its column. Its colours are the page's variables (`var(--accent)`), for light and
 * dark alike. Plot's style element is removed: the page's content policy forbids it, and page.css replaces it.
 */
export function drawn({ label, marks, ...options }: Chart): SVGElement {
  const plot: Plot.PlotOptions = { className: "plot", ...options, marks: plotMarks(marks, MARKS) };
  const made = Plot.plot(plot) as SVGElement;
  made.querySelector("style")?.remove();
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  made.removeAttribute("width");
  made.removeAttribute("height");
  for (const part of made.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  return made;
}

/** A figure with a caption that explains how to read it. */
export function figure(caption: Child, ...content: readonly Child[]): HTMLElement {
  return element("figure", {}, element("figcaption", {}, caption), content);
}

/** One of several small charts side by side, drawn when it is shown. */
interface Panel {
  readonly title: Child;
  readonly note?: Child;
  readonly draw: () => Node;
}

/** Small multiples in as many columns as fit; a long list shows only the first ones at first. */
export function panels(list: readonly Panel[]): HTMLElement {
  return firstFew(list, { most: 12, noun: "scenario", kind: "panels" }, ({ title, note, draw }) =>
    element(
      "div",
      { class: "panel" },
      paragraph("name", title, note === undefined ? null : element("small", {}, " ", note)),
      draw(),
    ),
  );
}

/** The key of a chart's colours and shapes. */
function key(entries: readonly { readonly mark: string; readonly label: Child }[]): HTMLElement {
  return element(
    "ul",
    { class: "key" },
    entries.map(({ mark, label }) =>
      element("li", {}, element("span", { class: `mark ${mark}`, "aria-hidden": "true" }), label),
    ),
  );
}

/** A line over the full score, of an item or a form. */
interface Curve {
  readonly label: string;
  readonly values: readonly number[];
  /** Drawn with emphasis. */
  readonly strong: boolean;
}

interface CurvesOptions {
  /** The chart in words, for screen readers. */
  readonly description: string;
  readonly label: string;
  /** Range of the vertical axis. */
  readonly domain: readonly [number, number];
  readonly tickFormat?: (value: number) => string;
  readonly width: number;
}

/** Curves over a model's expected full score, in points, from weak models to strong ones. */
export function curvesChart(scores: readonly number[], list: readonly Curve[], options: CurvesOptions): Chart {
  const marks = list.flatMap(({ label, values, strong }) => {
    const line = values.map((value, k) => ({ x: 100 * scores[k]!, y: value, label }));
    const top = line.reduce((best, point) => (point.y > best.y ? point : best));
    const name = { x: "x", y: "y", text: "label", dy: -8, fill: strong ? "var(--accent)" : "var(--muted)" };
    return [
      chartMark("line", line, {
        x: "x",
        y: "y",
        stroke: strong ? "var(--accent)" : "var(--item)",
        strokeWidth: strong ? 2.4 : 1.4,
        title: "label",
      }),
      ...(list.length > 1 ? [chartMark("text", [top], name)] : []),
    ];
  });
  return {
    label: options.description,
    width: options.width,
    height: Math.round(Math.min(300, 0.62 * options.width)),
    marginLeft: 44,
    marginRight: 14,
    marginTop: 24,
    marginBottom: 38,
    x: { domain: [0, 100] },
    y: { domain: options.domain },
    marks: [
      ...valueAxis(options.label, options.tickFormat ? { tickFormat: options.tickFormat } : {}),
      placeAxis("full score of a model, points"),
      ...marks,
    ],
  };
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
  return figure(
    [
      element("strong", {}, idText(id)),
      `: each dot is one of the ${counted(bank.count, "item")}. Further right is harder, further up tells strong models from weak ones more sharply${bank.dims > 1 ? ` (over all ${bank.dims} abilities)` : "; below zero, stronger models do worse on it"}.`,
      parameters.beyond > 0
        ? ` ${counted(parameters.beyond, "item")} with a difficulty beyond the axis ${parameters.beyond === 1 ? "is" : "are"} drawn at its edge.`
        : null,
    ],
    key([
      { mark: "dot accent", label: `asked in form ${form}` },
      { mark: "dot item", label: "other items" },
    ]),
    drawn(
      itemMapChart({
        title: id,
        parameters,
        anchors: anchors.items,
        nameOf: (item) => names.get(item)!,
        most: MOST_DOTS,
        width: wideChart(),
        domain: [low - room, high + room],
      }),
    ),
  );
}

/** Typical error by the number of items asked, beside that of as many random items, by scenario. Null if none is measured. */
export function errorBySize(scenarios: readonly MeasuredScenario[]): HTMLElement | null {
  const measured = scenarios.flatMap((scenario) => {
    const forms = comparableForms(scenario);
    if (forms.length === 0) return [];
    return [{ id: scenario.id, models: forms[0]!.measured!.interpolation!.models, lines: linesOf(scenario) }];
  });
  if (measured.length === 0) return null;
  const highest = Math.max(
    ...measured.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ error }) => error))),
  );
  return figure(
    "Typical (mean absolute) error of the score on held-out models, by the number of items asked. Lower is better; below the dashed line is better than as many random items.",
    key([
      { mark: "line accent", label: "like the source models" },
      { mark: "line stronger", label: "stronger than any source model" },
      { mark: "line dashed", label: "as many random items" },
    ]),
    panels(
      measured.map(({ id, models, lines }) => ({
        title: idText(id),
        note: `${models} models`,
        draw: () => drawn(errorBySizeChart(id, lines, highest)),
      })),
    ),
  );
}

function linesOf(scenario: MeasuredScenario): ErrorLine[] {
  const mae = (split: "interpolation" | "extrapolation"): ErrorLine["points"] =>
    comparableForms(scenario, split).map(({ items, form, measured }) => ({
      items,
      error: estimatorFigure(measured![split]!.estimators, form.estimator).mae,
    }));
  return [
    {
      label: "as many random items",
      points: comparableForms(scenario).map(({ items, measured }) => ({
        items,
        error: measured!.interpolation!.randomMae,
      })),
      colour: "muted",
      symbol: null,
      kind: "dashed",
    },
    {
      label: "stronger than any source model",
      points: mae("extrapolation"),
      colour: "stronger",
      symbol: "diamond",
      kind: "plain",
    },
    {
      label: "like the source models",
      points: mae("interpolation"),
      colour: "accent",
      symbol: "circle",
      kind: "strong",
    },
  ];
}

/** Coverage of the 95 % intervals by the number of items. Null if it isn't measured. */
export function coverage(manifest: Manifest): HTMLElement | null {
  const series = coverageSeries(manifest).map((own) => ({
    ...own,
    points: own.points.filter(({ evidence }) => evidence === "served"),
  }));
  if (series.length === 0) return null;
  const from = lowestCoverage(series);
  return figure(
    "Share of 95 % intervals that contain the true score of held-out models. Marks should lie near the dashed line. Bars show the uncertainty of the share itself, since held-out models are few.",
    key([
      ...coverageKinds(series.flatMap(({ points }) => points)).map(({ colour, label }) => ({
        mark: `dot ${colour}`,
        label,
      })),
      { mark: "line dashed", label: "95 %, the nominal share" },
    ]),
    panels(series.map((own) => ({ title: idText(own.id), draw: () => drawn(coverageChart(own, from)) }))),
  );
}
