import { REPORT_PARTS } from "../../../features/fit-report.ts";
import type { Fit } from "../fit/fit.ts";
import { coverage, errorBySize, errorsTable } from "./errors.ts";
import { itemMap } from "./items.ts";
import { predictedAgainstTrue, sourceModels } from "./models.ts";
import { html, section } from "./html.ts";
import { type AddedSection, reportData, type ReportData, type ReportOptions } from "./report-data.ts";
import { settings, summary } from "./summary.ts";
import { STYLE_SHEET } from "./style-sheet.ts";

/** The sections after the summary, in the order of the page. */
function sections(data: ReportData, added: readonly AddedSection[]): Pick<AddedSection, "id" | "title" | "content">[] {
  return [
    { id: "errors", title: "Errors, form by form", content: errorsTable(data) },
    { id: "error-by-size", title: "How the error falls with more items", content: errorBySize(data) },
    { id: "predicted", title: "Estimated against true scores", content: predictedAgainstTrue(data) },
    { id: "coverage", title: "Do the intervals hold?", content: coverage(data) },
    { id: "items", title: "The items", content: itemMap(data, added) },
    { id: "models", title: "The models behind it", content: sourceModels(data) },
    ...added,
    { id: "settings", title: "How it was made", content: settings(data) },
  ];
}

/**
 * report.html of a fit: one self-contained page that needs no network and runs no script. The same fit gives the same
 * bytes.
 * @throws AnchorEvalError `aborted`
 */
export async function renderReport(result: Fit, options: ReportOptions = {}): Promise<Uint8Array> {
  const data = reportData(result);
  const shown = sections(data, await Promise.all(REPORT_PARTS.map((part) => part(data, options))));
  const { benchmark, version, description } = data.manifest;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${benchmark}@${version}: how good its estimates are</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        />
        <link rel="icon" href="data:," />
        <style>
          ${{ markup: STYLE_SHEET }}
        </style>
      </head>
      <body>
        <header>
          <h1>${benchmark}<span>@${version}</span></h1>
          <p>How good its estimates are${description === null ? null : html`. ${description}`}</p>
          <nav aria-label="On this page">
            <ul>
              ${shown.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li> `)}
            </ul>
          </nav>
        </header>
        <main>${summary(data)} ${shown.map(({ id, title, content }) => section(id, title, content))}</main>
        <footer>Made by anchoreval. Everything on this page is in it: it loads nothing.</footer>
      </body>
    </html> `;
  return new TextEncoder().encode(page.markup.replace(/\n\s+/g, "\n"));
}
