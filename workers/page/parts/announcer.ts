import { element } from "../dom.ts";

/** A line that is only heard: what came out, in a sentence, where the whole result would be too long to be read aloud. */
export function announcer(): { readonly content: HTMLElement; readonly say: (words: string) => void } {
  const content = element("p", { class: "unseen", role: "status", "aria-live": "polite" });
  return {
    content,
    say: (words) => {
      content.textContent = words;
    },
  };
}
