import * as Plot from "@observablehq/plot";
import { element, type Child } from "../dom.ts";
import { firstFew } from "../parts/first-few.ts";

/** Width of one of several panels side by side: a phone's column. */
export const PANEL_WIDTH = 320;

/** Width of a chart that stands alone: what the page has room for, 720 at most. */
export function wideChart(): number {
  return Math.max(PANEL_WIDTH, Math.min(720, document.querySelector("main")!.clientWidth - 32));
}

/**
 * A chart as SVG that scales with its column. Colours are the page's variables (`var(--accent)`), so that one drawing
 * serves light and dark. Plot's own style element is left out: the page's policy forbids it, and page.css has what it says.
 * @param label - what a reader who doesn't see it is told
 */
export function chart(label: string, options: Plot.PlotOptions): SVGElement {
  const drawn = Plot.plot({ width: PANEL_WIDTH, className: "plot", ...options }) as SVGElement;
  drawn.querySelector("style")?.remove();
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", label);
  drawn.removeAttribute("width");
  drawn.removeAttribute("height");
  for (const part of drawn.querySelectorAll("[aria-label]")) part.removeAttribute("aria-label");
  return drawn;
}

/** Grid lines and an axis of values, each with its words. */
export function valueAxis(label: string, options: Plot.AxisYOptions = {}): Plot.Markish[] {
  return [
    Plot.gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
    Plot.axisY({
      ticks: 5,
      tickSize: 0,
      label,
      labelArrow: "none",
      labelAnchor: "top",
      color: "var(--muted)",
      ...options,
    }),
  ];
}

export function placeAxis(label: string, options: Plot.AxisXOptions = {}): Plot.Markish {
  return Plot.axisX({
    ticks: 6,
    tickSize: 3,
    label,
    labelAnchor: "center",
    labelArrow: "none",
    labelOffset: 32,
    color: "var(--muted)",
    ...options,
  });
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
      element("p", { class: "name" }, title, note === undefined ? null : element("small", {}, " ", note)),
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
