import type { EstimateWarning } from "anchoreval";
import { counted } from "anchoreval/internal/words/figures";
import { type Child, element, button } from "../dom.ts";

/** A list of names and values. */
export function facts(entries: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return element(
    "dl",
    { class: "facts" },
    entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

/** A few figures in large type. */
export function tiles(entries: readonly (readonly [label: string, figure: string, unit: string])[]): HTMLElement {
  return element(
    "dl",
    { class: "tiles" },
    entries.map(([label, figure, unit]) =>
      element("div", {}, element("dt", {}, label), element("dd", {}, figure, element("small", {}, ` ${unit}`))),
    ),
  );
}

/** A section with a heading. */
export function section(title: string, ...content: readonly Child[]): HTMLElement {
  return element("section", {}, element("h2", {}, title), content);
}

/** A column; numbers are right-aligned. */
interface Column {
  readonly title: Child;
  readonly number?: boolean;
}

/** Longer tables scroll. */
const MOST_ROWS = 20;

/** A table that scrolls sideways if it is wider than the screen, by keyboard too. The first cell of a row is its header. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Child[])[]): HTMLElement {
  return scrolling(
    caption,
    element(
      "table",
      {},
      element("caption", { class: "unseen" }, caption),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          columns.map(({ title, number }) => element("th", { scope: "col", class: number ? "number" : null }, title)),
        ),
      ),
      element(
        "tbody",
        {},
        rows.map((row) =>
          element(
            "tr",
            {},
            row.map((cell, k) =>
              k === 0
                ? element("th", { scope: "row" }, cell)
                : element("td", { class: columns[k]?.number ? "number" : null }, cell),
            ),
          ),
        ),
      ),
    ),
    rows.length > MOST_ROWS ? "tall" : "wide",
  );
}

/** A scrolling region for content that is wider than the screen, or also longer if `tall`. */
export function scrolling(label: string, content: Node, shape: "wide" | "tall" = "wide"): HTMLElement {
  return element("div", { class: `scroll ${shape}`, role: "region", "aria-label": label, tabindex: "0" }, content);
}

/**
 * The first entries of a long list, and a button that adds the others.
 * @param noun - names an entry on the button
 */
export function firstFew<T>(
  list: readonly T[],
  { most, noun, kind = "few" }: { most: number; noun: string; kind?: string },
  make: (entry: T) => Node,
): HTMLElement {
  const body = element("div", { class: kind }, list.slice(0, most).map(make));
  if (list.length <= most) return body;
  const more = button(
    "quiet",
    () => {
      body.append(...list.slice(most).map(make));
      more.remove();
    },
    `Show all ${counted(list.length, noun)}`,
  );
  return element("div", {}, body, more);
}

/** The warnings of a result. */
export function warningsContent(warnings: readonly EstimateWarning[]): Child {
  if (warnings.length === 0) return null;
  return element(
    "ul",
    { class: "warnings" },
    warnings.map(({ message }) => element("li", {}, message)),
  );
}

/** The size of a file in words. */
export function bytesText(bytes: number): string {
  return bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}
