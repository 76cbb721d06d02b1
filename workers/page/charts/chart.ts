import * as Plot from "@observablehq/plot";
import { PANEL_WIDTH, plotMarks, type Chart, type MarkName } from "anchoreval/charts";
import { element, type Child, paragraph } from "../dom.ts";
import { firstFew } from "../parts/content.ts";

/** Width of a chart that stands alone: what the page has room for, 720 at most. */
export function wideChart(): number {
  return Math.max(PANEL_WIDTH, Math.min(720, document.querySelector("main")!.clientWidth - 32));
}

/** Of Plot, what charts are made of: the page has no more of it. */
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
 * A chart as SVG that scales with its column. Colours are the page's variables (`var(--accent)`), so that one drawing
 * serves light and dark. Plot's own style element is left out: the page's policy forbids it, and page.css has what it says.
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

/** A figure: its caption says what is drawn and how to read it. */
export function figure(caption: Child, ...content: readonly Child[]): HTMLElement {
  return element("figure", {}, element("figcaption", {}, caption), content);
}

/** One of several small charts side by side; drawn when it is shown. */
export interface Panel {
  readonly title: Child;
  readonly note?: Child;
  readonly draw: () => Node;
}

/** Small multiples: one column on a phone, as many as fit elsewhere; of very many scenarios the first ones at first. */
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

/** What colours and shapes mean. */
export function key(entries: readonly { readonly mark: string; readonly label: Child }[]): HTMLElement {
  return element(
    "ul",
    { class: "key" },
    entries.map(({ mark, label }) =>
      element("li", {}, element("span", { class: `mark ${mark}`, "aria-hidden": "true" }), label),
    ),
  );
}
