import { figureOf } from "anchoreval/core";
import { ERROR_LEVELS, type SplitErrors } from "anchoreval/bundle";
import { formTotals, itemTotal } from "anchoreval/charts";
import { baseWords, count, counted, listed, points, wholePercent } from "anchoreval/words";
import { closingWords } from "../closing-words.ts";
import { html, idText, type Html } from "../html.ts";
import type { ReportData } from "../report-data.ts";

const LEVEL_95 = ERROR_LEVELS.indexOf(0.95);

/** What the bundle is, what it is worth, and what its interval means. */
export function summary(data: ReportData): Html {
  return html`<section id="summary" aria-labelledby="summary-title">
    <h2 id="summary-title" class="unseen">In short</h2>
    ${sentences(data)} ${standsOn(data)} ${tiles(data)} ${words(data)}
    <p class="meaning">
      <strong>What an interval means:</strong> it is for the score that this run would have got on all items of this
      benchmark version; it says nothing of sampling noise, other prompts or other items.
    </p>
  </section> `;
}

function sentences({ manifest, defaultForm }: ReportData): Html {
  const { benchmark, benchmarkVersion, forms, scenarios, sources } = manifest;
  const others = forms.filter(({ id }) => id !== defaultForm.id).map(({ id }) => id);
  const own = benchmarkVersion === null ? null : html` (version ${benchmarkVersion} of the benchmark)`;
  const where = scenarios.length > 1 ? html` in ${counted(scenarios.length, "scenario")}` : null;
  const are = others.length === 1 ? "is a form" : "are forms";
  const also = others.length === 0 ? null : html`; there ${are} of ${listed(others)} too`;
  const measured = forms.some(({ scenarios: parts }) =>
    Object.values(parts).some((part) => part.measured.interpolation !== null),
  );
  return html`<p class="lead">
    This bundle estimates what a language model would score on all ${counted(itemTotal(manifest), "item")} of
    <strong>${idText(benchmark)}</strong>${own}${where} from its answers to ${count(formTotals(defaultForm).items)} of
    them (form ${idText(defaultForm.id)}${also}). It has learned from the answers of ${counted(sources.models, "model")}
    how hard the items are, how well each tells strong models from weak ones, and what those that are asked stand for.
    ${
      measured
        ? "Every error on this page is measured, on models that were kept out of all of that, against their true scores on all items."
        : "How large its errors are is not known: the models are too few to keep any of them out and try."
    }
  </p>`;
}

/** What of it is an earlier version's, and how far its true scores are known. */
function standsOn({ manifest }: ReportData): Html | null {
  return manifest.base ? html`<p>${baseWords(manifest).join(" ")}</p>` : null;
}

/** The default form in a few figures: of the overall score, or of the only scenario's. */
function tiles({ manifest, defaultForm }: ReportData): Html {
  const parts = Object.values(defaultForm.scenarios);
  const { items, whole } = formTotals(defaultForm);
  const measured = parts.length > 1 ? (defaultForm.overall?.measured ?? null) : parts[0]!.measured;
  const errors = measured?.interpolation ?? null;
  const which = parts.length > 1 ? " of the overall score" : "";
  const asked = tile("items asked", count(items), ` of ${count(itemTotal(manifest))}`);
  if (whole) return html`<dl class="tiles">${asked} ${tile(`error${which}`, "none", ": every item is asked")}</dl>`;
  const told = (error: number | null | undefined): string =>
    error === null || error === undefined ? "–" : points(error);
  return html`<dl class="tiles">
      ${asked}
      ${tile(`typical error${which}`, told(errors && figureOf(errors.estimators, defaultForm.estimator).mae), " points")}
      ${tile("95 % within", told(errors?.absoluteError[LEVEL_95]), " points")}
      ${tile("typical error of as many random items", told(errors?.randomMae), " points")}
    </dl>
    <p class="aside">Form ${idText(defaultForm.id)}. ${behind(errors)}</p>`;
}

function tile(label: string, figure: string, unit: string): Html {
  return html`<div>
    <dt>${label}</dt>
    <dd>${figure}<small>${unit}</small></dd>
  </div>`;
}

/** What stands behind the figures. */
function behind(errors: SplitErrors | null): string {
  if (errors === null) return "The errors are not measured: there are too few models to hold any out.";
  const models = `${counted(errors.models, "model")} like the models seen, each held out`;
  if (errors.coverage95 === null) return `${models}.`;
  return `${models}; ${wholePercent(errors.coverage95)} of their 95 % intervals hold the true score.`;
}

/** The words that the fit ended with: the default form's, and all others on demand. */
function words({ manifest, defaultForm }: ReportData): Html {
  const told = (forms: ReportData["manifest"]["forms"]): string[] =>
    closingWords({ ...manifest, files: [], forms: forms.map((form) => ({ ...form, digest: "" })) });
  const others = manifest.forms.filter(({ id }) => id !== defaultForm.id);
  const list = (lines: readonly string[]): Html =>
    html`<ul class="words">
      ${lines.map((line) => html`<li>${line}</li> `)}
    </ul>`;
  return html`${list(told([defaultForm]))}
  ${
    others.length === 0
      ? null
      : html`<details>
          <summary>The same of ${others.length === 1 ? "the other form" : "the other forms"}</summary>
          ${list(told(others))}
        </details>`
  }`;
}
