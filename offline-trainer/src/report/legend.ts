import { html, type Child, type Html } from "./html.ts";

/** What a mark looks like in a key. Colours are names of the page's variables. */
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

/** The key of a figure. */
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
