/** Content of an element: null is nothing, lists are flattened. */
export type Child = Node | string | number | null | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | null | EventListener>>;

/**
 * Creates an element. Text is never markup; functions listen to the event of their name (`onclick`); true and false add
 * or omit an attribute, null omits it.
 * @example element("input", { type: "search", oninput: search })
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) created.setAttribute(key, value === true ? "" : String(value));
  }
  append(created, children);
  return created;
}

/** Replaces the content of an element. */
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

/** A paragraph of one of page.css's kinds, such as `hint`, `lead` or `actions`. */
export function paragraph(kind: string, ...children: readonly Child[]): HTMLElement {
  return element("p", { class: kind }, children);
}

/** Text in a fixed-width font. */
export function code(text: string): HTMLElement {
  return element("code", {}, text);
}

/** A button that acts on the page. `quiet` ones are secondary, `link` ones look like text. */
export function button(
  kind: "quiet" | "link" | "sort",
  onclick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  return element("button", { type: "button", class: kind, onclick }, children);
}

/** A form that acts on the page and sends nothing. */
export function submitForm(submit: () => Promise<void>, ...children: readonly Child[]): HTMLElement {
  const onsubmit = (event: Event): void => {
    event.preventDefault();
    void submit();
  };
  return element("form", { onsubmit }, children);
}

/** An id, isolated from the direction of the text around it. */
export function idText(id: string): HTMLElement {
  return element("bdi", { class: "id" }, id);
}

let ids = 0;

/** A value for `id` and `for` that is unique on the page. */
export function freshId(stem: string): string {
  return `${stem}-${++ids}`;
}

/** A line for screen readers only: a result in one sentence, where reading all of it aloud would take too long. */
export function announcer(): { readonly content: HTMLElement; readonly say: (words: string) => void } {
  const content = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  return { content, say: (words) => void (content.textContent = words) };
}

/** Offers a file to be saved. */
export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
