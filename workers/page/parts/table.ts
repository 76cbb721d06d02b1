import { element, type Child } from "../dom.ts";

/** A column: numbers are aligned to the right. */
export interface Column {
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
