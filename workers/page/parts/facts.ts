import { element, type Child } from "../dom.ts";

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
