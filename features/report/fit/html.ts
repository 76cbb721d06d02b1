import * as Plot from "@observablehq/plot";
import { type Chart, plotMarks } from "anchoreval/internal/features/charts/sdk/chart";
import { parseHTML } from "linkedom";

/** Markup that is safe in a page: made by {@link html}, which escapes its values. */
export interface Html {
  readonly markup: string;
}

export type Child = Html | string | number | null | readonly Child[];

/**
 * A template of markup: texts and numbers are escaped, {@link Html} is inserted unchanged, lists are joined, null is empty.
 * @example html`<td title="${id}">${points(0.024)}</td>`
 */
export function html(literals: TemplateStringsArray, ...children: readonly Child[]): Html {
  return { markup: literals.reduce((text, literal, k) => text + render(children[k - 1] ?? null) + literal) };
}

/** Escapes text for an element's content and for a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** An id in a page, isolated from the direction of the surrounding text. */
export function idText(id: string): Html {
  return html`<bdi>${id}</bdi>`;
}

function render(child: Child): string {
  if (child === null) return "";
  if (typeof child === "string") return escapeText(child);
  if (typeof child === "number") return String(child);
  if ("markup" in child) return child.markup;
  return child.map(render).join("");
}

/** A table that scrolls sideways where it is wider than the screen, also by keyboard. */
export function scrollingTable(caption: string, content: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      ${content}
    </table>
  </div>`;
}

/** One of several small charts side by side. */
interface Panel {
  readonly title: string;
  readonly note?: string;
  readonly chart: Html;
}

/** Small multiples: one column on a phone, as many as fit elsewhere. */
export function panels(list: readonly Panel[]): Html {
  return html`<div class="panels">
    ${list.map(
      ({ title, note, chart }) =>
        html`<div class="panel">
          <p class="name">${idText(title)}${note === undefined ? null : html` <small>${note}</small>`}</p>
          ${chart}
        </div>`,
    )}
  </div>`;
}

export function figure(caption: Html, ...content: readonly (Html | null)[]): Html {
  return html`<figure>
    <figcaption>${caption}</figcaption>
    ${content}
  </figure>`;
}

export function section(id: string, title: string, ...content: readonly (Html | null)[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section> `;
}

/** An entry of a figure's key. Colours are names of the page's variables. */
export interface KeyEntry {
  readonly label: Child;
  readonly colour: string;
  readonly mark:
    "circle" | "ring" | "square" | "diamond" | "solid-diamond" | "triangle" | "cross" | "star" | "wye" | "bar" | "none";
  readonly line?: "solid" | "strong" | "dashed";
}

const SHAPES: Readonly<Record<KeyEntry["mark"], Html | null>> = {
  circle: html`<circle cx="14" cy="7" r="3.2" />`,
  ring: html`<circle cx="14" cy="7" r="3" fill="none" />`,
  square: html`<rect x="11.4" y="4.4" width="5.2" height="5.2" fill="var(--page)" />`,
  diamond: html`<path d="M14 3.2 17.6 7 14 10.8 10.4 7Z" fill="var(--page)" />`,
  "solid-diamond": html`<path d="M14 3.2 17.6 7 14 10.8 10.4 7Z" />`,
  triangle: html`<path d="M14 3.2 17.4 9.6H10.6Z" fill="var(--page)" />`,
  cross: html`<path d="M11 4 17 10M17 4 11 10" />`,
  star: html`<path d="M14 3.4 14.9 6 17.6 6 15.5 7.7 16.2 10.3 14 8.8 11.8 10.3 12.5 7.7 10.4 6 13.1 6Z" />`,
  wye: html`<path d="M14 7V11M14 7 10.6 4.6M14 7 17.4 4.6" stroke-width="2" />`,
  bar: html`<path d="M14 0V14" stroke-width="2" />`,
  none: null,
};

const LINES = {
  solid: html`<path d="M1 7H27" stroke-width="1.2" />`,
  strong: html`<path d="M1 7H27" stroke-width="2.6" />`,
  dashed: html`<path d="M1 7H27" stroke-width="1.6" stroke-dasharray="4 3" />`,
};

export function legend(entries: readonly KeyEntry[]): Html {
  return html`<ul class="key">
    ${entries.map(
      ({ label, colour, mark, line }) =>
        html`<li>
          <svg
            class="swatch"
            viewBox="0 0 28 14"
            aria-hidden="true"
            fill="var(--${colour})"
            stroke="var(--${colour})"
            stroke-width="1.4"
          >
            ${line ? LINES[line] : null}${SHAPES[mark]}</svg
          ><span>${label}</span>
        </li>`,
    )}
  </ul>`;
}

/**
 * A chart as inline SVG. Colours are the page's variables (`var(--accent)`), so that one drawing serves light and dark.
 * Options with which Plot numbers ids (clip, markers) aren't used: they would make the bytes depend on earlier drawings.
 */
export function drawChart({ label, marks, ...options }: Chart): Html {
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const plot: Plot.PlotOptions = { ...options, marks: plotMarks(marks, Plot), document };
  const made = Plot.plot(plot);
  const attributes = `class="plot" role="img" aria-label="${escapeText(label)}" viewBox="${made.getAttribute("viewBox")!}"`;
  return { markup: `<svg ${attributes} fill="currentColor" text-anchor="middle">${children(made)}</svg>` };
}

/** Coordinates, for which a tenth of a pixel is enough. */
const COORDINATES = new Set(["cx", "cy", "d", "height", "r", "transform", "width", "x", "x1", "x2", "y", "y1", "y2"]);

/** Attributes made redundant by the label of the whole or the style sheet. */
const LEFT_OUT = new Set(["aria-hidden", "aria-label", "class", "font-variant"]);

function children(parent: Element): string {
  return Array.from(parent.childNodes, (child) => {
    if (child.nodeType === child.TEXT_NODE) return escapeText(child.textContent ?? "");
    return "localName" in child && child.localName !== "style" ? markup(child as Element) : "";
  }).join("");
}

function markup(element: Element): string {
  const attributes = Array.from(element.attributes, ({ name, value }) => {
    if (LEFT_OUT.has(name)) return "";
    const short = COORDINATES.has(name) ? value.replace(/-?\d+\.\d+(?!\d|em)/g, rounded) : value;
    return ` ${name}="${escapeText(short)}"`;
  });
  const opening = `<${element.localName}${attributes.join("")}`;
  const content = children(element);
  return content === "" ? `${opening}/>` : `${opening}>${content}</${element.localName}>`;
}

function rounded(number: string): string {
  return String(Math.round(10 * Number(number)) / 10);
}
