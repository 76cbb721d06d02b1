import type { EstimateWarning } from "anchoreval";
import { counted } from "anchoreval/words";
import { type Child, element, button } from "../dom.ts";

/** Names and what belongs to them. */
export function facts(entries: readonly (readonly [name: string, value: Child])[]): HTMLElement {
  return element(
    "dl",
    { class: "facts" },
    entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
  );
}

/** A few large figures. */
export function tiles(entries: readonly (readonly [label: string, figure: string, unit: string])[]): HTMLElement {
  return element(
    "dl",
    { class: "tiles" },
    entries.map(([label, figure, unit]) =>
      element("div", {}, element("dt", {}, label), element("dd", {}, figure, element("small", {}, ` ${unit}`))),
    ),
  );
}

/** A part of a view. */
export function section(title: string, ...content: readonly Child[]): HTMLElement {
  return element("section", {}, element("h2", {}, title), content);
}

/** A column: numbers are aligned to the right. */
interface Column {
  readonly title: Child;
  readonly number?: boolean;
}

/** Rows that are shown at once; longer tables scroll. */
const MOST_ROWS = 20;

/** A table that scrolls sideways where it is wider than the screen, by keyboard too. The first cell of a row names it. */
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

/** What may be wider than the screen, or where it is `tall` longer. */
export function scrolling(label: string, content: Node, shape: "wide" | "tall" = "wide"): HTMLElement {
  return element("div", { class: `scroll ${shape}`, role: "region", "aria-label": label, tabindex: "0" }, content);
}

/**
 * Parts of a list that may be long: the first ones, and a button that makes the others too.
 * @param noun - what they are, for the button
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

/** What a reader of the score should know. */
export function warningsContent(warnings: readonly EstimateWarning[]): Child {
  if (warnings.length === 0) return null;
  return element(
    "ul",
    { class: "warnings" },
    warnings.map(({ message }) => element("li", {}, message)),
  );
}

/** A file's size. */
export function bytesText(bytes: number): string {
  return bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${(bytes / 1e3).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;
}
