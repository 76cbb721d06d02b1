import { counted } from "anchoreval/words";
import { element } from "../dom.ts";

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
  const more = element(
    "button",
    {
      type: "button",
      class: "quiet",
      onclick: () => {
        body.append(...list.slice(most).map(make));
        more.remove();
      },
    },
    `Show all ${counted(list.length, noun)}`,
  );
  return element("div", {}, body, more);
}
