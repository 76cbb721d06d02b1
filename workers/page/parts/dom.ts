/** Content of an element: null is nothing, lists are flattened. */
export type Child = Node | string | number | null | readonly Child[];

type Attributes = Readonly<Record<string, string | number | boolean | null | EventListener>>;

/**
 * Creates an element. Text is never markup; functions listen to the event of their name (`onclick`); true and false add
 * or omit an attribute, null omits it.
 * @param selector - name and classes
 * @example element("p.hint", { id: "how" }, ["one row per ", element("code", "model")])
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  selector: Name | `${Name}.${string}`,
  ...content: readonly [Attributes, ...Child[]] | readonly Child[]
): HTMLElementTagNameMap[Name] {
  const [name, ...classes] = selector.split(".") as [Name, ...string[]];
  const created = document.createElement(name);
  created.classList.add(...classes);
  for (const part of content)
    if (isAttributes(part)) setAttributes(created, part);
    else append(created, part);
  return created;
}

function isAttributes(part: Child | Attributes): part is Attributes {
  return typeof part === "object" && part !== null && !(part instanceof Node) && !Array.isArray(part);
}

function setAttributes(created: Element, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") created.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) created.setAttribute(key, value === true ? "" : String(value));
  }
}

function append(parent: Element, child: Child): void {
  if (child === null) return;
  if (child instanceof Node) parent.append(child);
  else if (typeof child === "object") child.forEach((one) => append(parent, one));
  else parent.append(String(child));
}

export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

export function prose(text: string): Child {
  return text.split("`").map((part, k) => (k % 2 === 0 ? part : element("code", part)));
}

export function bullets(entries: readonly Child[], kind = "ul" as "ul" | `ul.${string}`): HTMLElement {
  return element(
    kind,
    entries.map((entry) => element("li", entry)),
  );
}

export function details(summary: string, ...content: readonly Child[]): HTMLElement {
  return element("details", element("summary", summary), content);
}

/** A button that acts on the page. `quiet` ones are secondary, `link` ones look like text. */
export function button(kind: "quiet" | "link" | "sort", label: Child, onclick: () => void): HTMLButtonElement {
  return element(`button.${kind}`, { type: "button", onclick }, label);
}

/** The listener of a form that acts on the page and sends nothing. */
export function submitting(act: () => void): EventListener {
  return (event) => {
    event.preventDefault();
    act();
  };
}

let ids = 0;

/** A field with its label, and a hint if there is one. @param shown - the field, or an element with the field in it */
export function labelled(label: Child, field: HTMLElement, hint: Child = null, shown: HTMLElement = field): Child {
  field.id = `field-${++ids}`;
  const described = `${field.id}-hint`;
  if (hint !== null) field.setAttribute("aria-describedby", described);
  const below = hint === null ? null : element("p.hint", { id: described }, hint);
  return [element("label", { for: field.id }, label), shown, below];
}

/** An id, isolated from the direction of the text around it. */
export function idText(id: string): HTMLElement {
  return element("bdi.id", id);
}

/** A line for screen readers only: a result in one sentence, where reading all of it aloud would take too long. */
export function announcer(): { readonly content: HTMLElement; readonly say: (words: string) => void } {
  const content = element("p.unseen", { role: "status", "aria-live": "polite" });
  return { content, say: (words) => void (content.textContent = words) };
}

export function download(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
