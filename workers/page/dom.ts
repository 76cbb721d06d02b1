/** What may stand in an element: null is nothing, lists are flattened. */
export type Child = Node | string | number | null | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | null | EventListener>>;

/**
 * An element. Text is text, never markup; functions listen to the event that their name (`onclick`) says; true and false
 * are attributes that are there or not, null is none.
 * @example element("button", { type: "button", onclick: run }, "Estimate")
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : String(value));
  }
  append(made, children);
  return made;
}

/** Puts something in the place of all that an element holds. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null) continue;
    if (child instanceof Node) parent.append(child);
    else if (typeof child === "object") append(parent, child);
    else parent.append(String(child));
  }
}

/** An id: set apart from the direction of the text around it, so that it can't reorder that. */
export function idText(id: string): HTMLElement {
  return element("bdi", { class: "id" }, id);
}

let made = 0;

/** A name for `id` and `for` that no other element of the page has. */
export function freshId(stem: string): string {
  return `${stem}-${++made}`;
}
