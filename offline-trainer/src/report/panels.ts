import { html, idText, type Html } from "./html.ts";

/** One of several small charts side by side. */
export interface Panel {
  readonly title: string;
  readonly note?: string;
  readonly chart: Html;
}

/** Small multiples: one column on a phone, as many as fit elsewhere. */
export function panels(list: readonly Panel[]): Html {
  return html`<div class="panels">
    ${list.map(
      ({ title, note, chart }) =>
        html`<div class="panel">
          <p class="name">${idText(title)}${note === undefined ? null : html` <small>${note}</small>`}</p>
          ${chart}
        </div>`,
    )}
  </div>`;
}

/** A figure: its caption says what is drawn and how to read it. */
export function figure(caption: Html, ...content: readonly (Html | null)[]): Html {
  return html`<figure>
    <figcaption>${caption}</figcaption>
    ${content}
  </figure>`;
}

/** A section of the page. */
export function section(id: string, title: string, ...content: readonly (Html | null)[]): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${content}
  </section> `;
}
