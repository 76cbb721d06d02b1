import type { EstimateWarning } from "anchoreval";
import { counted } from "anchoreval/internal/words/figures";
import { bullets, button, type Child, element } from "./dom.ts";

export function section(title: string, ...content: readonly Child[]): HTMLElement {
  return element("section", element("h2", title), content);
}

type Column = string | { readonly numbers: Child };

export function numbers(title: Child): Column {
  return { numbers: title };
}

/**
 * A table that scrolls sideways if it is wider than its room, by keyboard too. The first cell of a row is its header. On a
 * phone each row is a list of its cells beside their columns' titles.
 */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Child[])[]): HTMLElement {
  const kindOf = (column: Column | undefined): string | null => (typeof column === "object" ? "number" : null);
  const head = columns.map((column) =>
    element(
      "th",
      { scope: "col", role: "columnheader", class: kindOf(column) },
      typeof column === "object" ? column.numbers : column,
    ),
  );
  const cells = ([first, ...others]: readonly Child[]): Child => [
    element("th", { scope: "row", role: "rowheader" }, first ?? null),
    others.map((cell, k) =>
      element("td", { class: kindOf(columns[k + 1]), role: "cell", "data-title": head[k + 1]!.textContent }, cell),
    ),
  ];
  const body = rows.map((row) => element("tr", { role: "row" }, cells(row)));
  return scrolling(caption, caption, head, element("tbody", body));
}

/** Columns of a table that fits on a phone as it is. */
const MOST_NARROW = 2;

/** A table in a region that scrolls sideways. Roles are said, since a phone's style takes the elements' own away. */
export function scrolling(
  label: string,
  caption: string,
  head: readonly HTMLElement[],
  body: HTMLElement,
): HTMLElement {
  body.setAttribute("role", "rowgroup");
  const kind = head.length > MOST_NARROW ? "div.scroll" : "div.scroll.narrow";
  return element(kind, { role: "region", "aria-label": label, tabindex: "0" }, [
    element("table", { role: "table" }, [
      element("caption.unseen", caption),
      element("thead", { role: "rowgroup" }, element("tr", { role: "row" }, head)),
      body,
    ]),
  ]);
}

/** The first entries of a long list, and a button that adds the others. @param noun - names an entry on the button */
export function firstFew<T>(
  list: readonly T[],
  { most, noun, kind = "few" }: { most: number; noun: string; kind?: string },
  make: (entry: T) => Node,
): HTMLElement {
  const body = element("div", { class: kind }, list.slice(0, most).map(make));
  if (list.length <= most) return body;
  const more = button("quiet", `Show all ${counted(list.length, noun)}`, () => {
    body.append(...list.slice(most).map(make));
    more.remove();
  });
  return element("div", body, more);
}

export function warningsContent(warnings: readonly EstimateWarning[]): Child {
  if (warnings.length === 0) return null;
  return bullets(
    warnings.map(({ message }) => message),
    "ul.warnings",
  );
}

export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
