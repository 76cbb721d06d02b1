import * as Plot from "@observablehq/plot";
import { PANEL_WIDTH, plotMarks, type Chart, type MarkName } from "anchoreval/charts";
import { element, type Child, paragraph } from "../dom.ts";
import { firstFew } from "../parts/content.ts";

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
export function key(entries: readonly { readonly mark: string; readonly label: Child }[]): HTMLElement {
  return element(
    "ul",
    { class: "key" },
    entries.map(({ mark, label }) =>
      element("li", {}, element("span", { class: `mark ${mark}`, "aria-hidden": "true" }), label),
    ),
  );
}
