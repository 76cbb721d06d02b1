import { html, type Html } from "./html.ts";

/** A table that scrolls sideways where it is wider than the screen, by keyboard too. */
export function scrolling(caption: string, content: Html): Html {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      ${content}
    </table>
  </div>`;
}
