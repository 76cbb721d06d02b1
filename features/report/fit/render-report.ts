import type { Fit } from "../../../offline-trainer/src/fit/fit.ts";
import { coverage, errorBySize, errorsTable } from "./errors.ts";
import { itemMap, predictedAgainstTrue, sourceModels } from "./items-and-models.ts";
import { html, section } from "./html.ts";
import {
  type AddedSection,
  reportData,
  type ReportData,
  type ReportOptions,
  type ReportOfFeatures,
} from "./report-data.ts";
import { settings, summary } from "./summary.ts";

/** The page's style: two themes by the reader's preference, light on paper. No font, no image, no script. */
const STYLE_SHEET = `
:root {
  color-scheme: light dark;
  --page: #fdfdfc; --raised: #f4f5f3; --ink: #1b1d21; --muted: #5b626c; --grid: #e4e6e4; --rule: #c9cdcc;
  --accent: #1f62b8; --stronger: #b8500b; --miss: #c2185b; --item: #7d8590; --band: #e9ebea;
  --p-irt-dr: #1f62b8; --gp-irt: #a05f00; --p-irt: #8d3fa3; --anchor-mean: #0b7a5e; --gaussian: #b3364a; --gate: #5b6b1a; --stack: #5b6b1a; --score-map: #00697f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181b; --raised: #1f2226; --ink: #e7e9ec; --muted: #a3aab4; --grid: #2b2f34; --rule: #434950;
    --accent: #76aef5; --stronger: #f3a25f; --miss: #ff7fab; --item: #8b939e; --band: #292d32;
    --p-irt-dr: #76aef5; --gp-irt: #e2b04a; --p-irt: #d29ae2; --anchor-mean: #56c7a4; --gaussian: #f08a99; --gate: #bccb6a; --stack: #bccb6a; --score-map: #5cc8de;
  }
}
* { box-sizing: border-box; }
html { background: var(--page); color: var(--ink); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0 auto; max-width: 70rem; padding: 2.5rem 1rem 4rem; overflow-wrap: break-word;
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1, h2, h3 { line-height: 1.2; text-wrap: balance; }
h1 { margin: 0; font-size: clamp(1.7rem, 5vw, 2.4rem); font-weight: 650; letter-spacing: -0.015em; overflow-wrap: anywhere; }
h1 span { color: var(--muted); font-weight: 400; }
h2 { margin: 3.5rem 0 0.75rem; padding-top: 1rem; border-top: 1px solid var(--rule); font-size: 1.35rem; font-weight: 620; }
h3 { margin: 1.75rem 0 0.15rem; font-size: 1.05rem; font-weight: 620; }
.name { margin: 0 0 0.1rem; font-size: 0.92rem; font-weight: 600; line-height: 1.25; overflow-wrap: anywhere; }
.name small, .group small { color: var(--muted); font-weight: 400; font-size: 0.82rem; }
p, ul { max-width: 46rem; }
p { margin: 0.6rem 0; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 0.86em; color: var(--muted); }
a { color: var(--accent); }
a:focus-visible, summary:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header p { margin: 0.35rem 0 0; color: var(--muted); }
nav ul { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; max-width: none; margin: 1rem 0 0; padding: 0; list-style: none; font-size: 0.92rem; }
.lead { font-size: 1.12rem; line-height: 1.55; margin-top: 1.75rem; }
.aside, .missing, figcaption { color: var(--muted); font-size: 0.92rem; }
.aside strong { color: var(--ink); font-weight: 600; }
.missing { padding: 0.75rem 1rem; background: var(--raised); border-radius: 6px; }
.meaning { margin: 1.5rem 0 0; padding: 0.8rem 1rem; border-left: 3px solid var(--accent); background: var(--raised); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1px; margin: 1.5rem 0 0.5rem; background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; }
.tiles div { display: flex; flex-direction: column; justify-content: space-between; padding: 0.8rem 1rem; background: var(--page); }
.tiles dt { color: var(--muted); font-size: 0.88rem; line-height: 1.3; }
.tiles dd { margin: 0.25rem 0 0; font-size: 1.9rem; font-weight: 620; line-height: 1.15; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.tiles dd small { font-size: 0.9rem; font-weight: 400; letter-spacing: 0; color: var(--muted); }
ul.words { margin: 1rem 0 0.5rem; padding-left: 1.1rem; }
.words li { margin: 0.2rem 0; }
figure { margin: 0; }
figcaption { max-width: 46rem; margin: 0 0 0.75rem; }
.key { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; max-width: none; margin: 0.75rem 0; padding: 0; list-style: none; font-size: 0.88rem; }
.key li { display: flex; align-items: center; gap: 0.4rem; }
.key li > svg { flex: none; }
.swatch { width: 28px; height: 14px; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18.5rem), 1fr)); gap: 1.5rem 1.75rem; margin: 0.75rem 0 1rem; }
.panel { min-width: 0; max-width: 27rem; }
.plot { display: block; width: 100%; height: auto; overflow: visible; font: 11px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; font-variant-numeric: tabular-nums; }
.plot text { white-space: pre; }
.scroll { position: relative; overflow-x: auto; margin: 0.75rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; min-width: 100%; }
th, td { padding: 0.32rem 0.6rem; text-align: right; vertical-align: baseline; font-weight: 400; white-space: nowrap; }
thead th { color: var(--muted); font-size: 0.84rem; line-height: 1.25; vertical-align: bottom; white-space: normal; border-bottom: 1px solid var(--rule); }
tbody { border-bottom: 1px solid var(--grid); }
tbody tr:hover { background: var(--raised); }
.text { text-align: left; }
.group { vertical-align: top; font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 7.5rem; max-width: 14rem; background: var(--page); }
.group small { display: block; }
.grounds, .reasons { white-space: normal; min-width: 15rem; overflow-wrap: anywhere; }
.grounds { color: var(--muted); }
.reasons ul { margin: 0; padding: 0; list-style: none; }
.id { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; max-width: 24rem; }
.default td, .default th[scope="row"] { font-weight: 620; }
td.words, .default td.words { text-align: left; color: var(--muted); font-weight: 400; }
.kind { text-align: center; border-bottom: 0; font-weight: 620; }
.kind.like { color: var(--accent); }
.kind.stronger { color: var(--stronger); }
colgroup.apart { border-left: 1px solid var(--rule); }
.whole { white-space: nowrap; }
.none { color: var(--muted); font-weight: 400; }
details { margin: 0.5rem 0; }
summary { cursor: pointer; padding: 0.2rem 0; }
summary h3 { display: inline; margin: 0 0.5rem 0 0; }
summary span { color: var(--muted); font-size: 0.92rem; }
.facts { display: grid; grid-template-columns: minmax(0, 1fr); margin: 0; max-width: 46rem; }
.facts div { display: grid; grid-template-columns: minmax(7rem, 11rem) 1fr; gap: 0 1rem; padding: 0.35rem 0; border-bottom: 1px solid var(--grid); }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
footer { margin-top: 3rem; color: var(--muted); font-size: 0.88rem; }
@media screen and (max-width: 44rem) {
  th, td { padding: 0.32rem 0.45rem; }
  .group, .first { position: sticky; left: 0; z-index: 1; width: 5.5rem; min-width: 5.5rem; max-width: 5.5rem; background: var(--page); }
  .second { position: sticky; left: 5.5rem; z-index: 1; background: var(--page); }
}
@media print {
  :root {
    color-scheme: light;
    --page: #fff; --raised: #f4f5f3; --ink: #000; --muted: #4b515a; --grid: #e0e2e0; --rule: #b5b9b8;
    --accent: #1f62b8; --stronger: #b8500b; --miss: #c2185b; --item: #7d8590; --band: #e9ebea;
    --p-irt-dr: #1f62b8; --gp-irt: #a05f00; --p-irt: #8d3fa3; --anchor-mean: #0b7a5e; --gaussian: #b3364a; --gate: #5b6b1a; --stack: #5b6b1a; --score-map: #00697f;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  h2 { margin-top: 1.5rem; }
  h2, h3, .name, figcaption, .key { break-after: avoid; }
  .panel, tbody, .tiles, .meaning { break-inside: avoid; }
  .panels { grid-template-columns: repeat(3, 1fr); gap: 1rem; }
  .scroll { overflow: visible; }
  th, td { padding: 0.2rem 0.4rem; }
  details::details-content { display: block; content-visibility: visible; block-size: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

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
 */
export function reportWith(features: ReportOfFeatures): (result: Fit, options?: ReportOptions) => Promise<Uint8Array> {
  return (result, options = {}) => renderReport(result, options, features);
}

/** @throws AnchorEvalError `aborted` */
async function renderReport(
  result: Fit,
  options: ReportOptions,
  { sections: parts, words }: ReportOfFeatures,
): Promise<Uint8Array> {
  const data = reportData(result);
  const shown = sections(data, await Promise.all(parts.map((part) => part(data, options))));
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
        <main>${summary(data, words)} ${shown.map(({ id, title, content }) => section(id, title, content))}</main>
        <footer>Made by anchoreval. Everything on this page is in it: it loads nothing.</footer>
      </body>
    </html> `;
  return new TextEncoder().encode(page.markup.replace(/\n\s+/g, "\n"));
}
