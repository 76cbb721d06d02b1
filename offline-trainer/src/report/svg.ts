import * as Plot from "@observablehq/plot";
import { plotMarks, type Chart } from "anchoreval/charts";
import { parseHTML } from "linkedom";
import { escapeText, type Html } from "./html.ts";

/**
 * A chart as inline SVG. Colours are the page's variables (`var(--accent)`), so that one drawing serves light and dark.
 * Options that make Plot count ids up (clip, markers) would make the bytes depend on what was drawn before: not here.
 */
export function drawn({ label, marks, ...options }: Chart): Html {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const plot: Plot.PlotOptions = { ...options, marks: plotMarks(marks, Plot), document };
  const made = Plot.plot(plot);
  const attributes = `class="plot" role="img" aria-label="${escapeText(label)}" viewBox="${made.getAttribute("viewBox")!}"`;
  return { markup: `<svg ${attributes} fill="currentColor" text-anchor="middle">${children(made)}</svg>` };
}

/** Attributes that say where something is: a tenth of a pixel is enough. */
const COORDINATES = new Set(["cx", "cy", "d", "height", "r", "transform", "width", "x", "x1", "x2", "y", "y1", "y2"]);

/** Attributes that the whole's label or the style sheet make needless. */
const LEFT_OUT = new Set(["aria-hidden", "aria-label", "class", "font-variant"]);

function children(parent: Element): string {
  return Array.from(parent.childNodes, (child) => {
    if (child.nodeType === child.TEXT_NODE) return escapeText(child.textContent ?? "");
    return isElement(child) && child.localName !== "style" ? markup(child) : "";
  }).join("");
}

function markup(element: Element): string {
  const attributes = Array.from(element.attributes, ({ name, value }) => {
    if (LEFT_OUT.has(name)) return "";
    const told = COORDINATES.has(name) ? value.replace(/-?\d+\.\d+(?!\d|em)/g, rounded) : value;
    return ` ${name}="${escapeText(told)}"`;
  });
  const opening = `<${element.localName}${attributes.join("")}`;
  const content = children(element);
  return content === "" ? `${opening}/>` : `${opening}>${content}</${element.localName}>`;
}

function isElement(node: ChildNode): node is ChildNode & Element {
  return node.nodeType === node.ELEMENT_NODE;
}

function rounded(number: string): string {
  return String(Math.round(10 * Number(number)) / 10);
}
