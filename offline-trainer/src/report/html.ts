/** Markup that is safe to stand in a page: made by {@link html}, which escapes what it takes in. */
export interface Html {
  readonly markup: string;
}

export type Child = Html | string | number | null | readonly Child[];

/**
 * A template of markup: texts and numbers that are put in are escaped, {@link Html} is taken as it is, lists are
 * joined, null is nothing.
 * @example html`<td title="${id}">${points(0.024)}</td>`
 */
export function html(literals: TemplateStringsArray, ...children: readonly Child[]): Html {
  return { markup: literals.reduce((text, literal, k) => text + render(children[k - 1] ?? null) + literal) };
}

/** Text in markup: as an element's content and between quotes of an attribute it is nothing but text. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** An id in a page: set apart from the direction of the text around it, so that it can't reorder that. */
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
