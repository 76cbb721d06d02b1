import { formFigures, formTotals, itemTotal, measuredScenarios } from "anchoreval/internal/words/measured-forms";
import type { SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { answeredWords, bundleFacts, headlineFacts, noiseWords } from "anchoreval/internal/words/bundle-words";
import { count, counted, listed, wholePercent } from "anchoreval/internal/words/figures";
import { closingWords } from "../../../offline-trainer/src/fit/closing-words.ts";
import { type Child, html, type Html, idText } from "./html.ts";
import { ESTIMATOR_NAMES, type ReportData, type ReportOfFeatures } from "./report-data.ts";

/** A summary of the bundle, its errors and the meaning of its interval. */
export function summary(data: ReportData, featureWords: ReportOfFeatures["words"]): Html {
  return html`<section id="summary" aria-labelledby="summary-title">
    <h2 id="summary-title" class="unseen">In short</h2>
    ${sentences(data)} ${featureWords.map((words, k) => html`${k > 0 ? " " : null}${note(words(data.manifest))}`)}
    ${note(
      noiseWords(
        data.manifest,
        data.scenarios.map(({ content }) => content),
      ),
    )}
    ${tiles(data)} ${words(data)}
    <p class="meaning">
      <strong>What an interval means:</strong> it is for the score that this run would have got on all items of this
      benchmark version; it doesn't cover sampling noise, other prompts or other items.
    </p>
  </section> `;
}

function sentences({ manifest, defaultForm }: ReportData): Html {
  const { benchmark, benchmarkVersion, forms, scenarios, sources } = manifest;
  const others = forms.filter(({ id }) => id !== defaultForm.id).map(({ id }) => id);
  const edition = benchmarkVersion === null ? null : html` (version ${benchmarkVersion} of the benchmark)`;
  const where = scenarios.length > 1 ? html` in ${counted(scenarios.length, "scenario")}` : null;
  const items = counted(itemTotal(manifest), "item");
  const on = scenarios.some(({ fullScore }) => fullScore) ? `more than the ${items} that it has of` : `all ${items} of`;
  const are = others.length === 1 ? "is a form" : "are forms";
  const also = others.length === 0 ? null : html`; there ${are} of ${listed(others)}, too`;
  const measured = forms.some(({ scenarios: parts }) =>
    Object.values(parts).some((part) => part.measured.interpolation !== null),
  );
  return html`<p class="lead">
    This bundle estimates what a language model would score on ${on}
    <strong>${idText(benchmark)}</strong>${edition}${where} from its answers to ${count(formTotals(defaultForm).items)}
    of them (form ${idText(defaultForm.id)}${also}). It has learned from the answers of
    ${counted(sources.models, "model")} how hard the items are, how well each distinguishes strong from weak models, and
    what the ones asked represent.
    ${
      measured
        ? "Every error on this page is measured on models that were kept out of all of this, against their true scores on all items."
        : "The size of its errors isn't known: there are too few models to keep any out."
    }
  </p>`;
}

/** A paragraph on an addition to the bundle; null without one. */
function note(words: readonly string[]): Html | null {
  return words.length > 0 ? html`<p>${words.join(" ")}</p>` : null;
}

/** The default form in a few figures: of the overall score, or of the only scenario's. */
function tiles({ manifest, defaultForm }: ReportData): Html {
  const shown = measuredScenarios(manifest)[0]!.forms.find(({ form }) => form.id === defaultForm.id)!;
  const score = manifest.scenarios.length > 1 ? " of the overall score" : "";
  const facts = headlineFacts(formFigures(shown), itemTotal(manifest), score);
  return html`<dl class="tiles">
      ${facts.map(
        ({ label, value, unit }) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${value}<small> ${unit!}</small></dd>
          </div> `,
      )}
    </dl>
    ${shown.whole ? null : html`<p class="aside">Form ${idText(defaultForm.id)}. ${evidenceNote(shown.measured?.interpolation ?? null)}</p>`}`;
}

/** The evidence behind the figures. */
function evidenceNote(errors: SplitErrors | null): string {
  if (errors === null) return "The errors aren't measured: there are too few models to hold any out.";
  const models = `${counted(errors.models, "model")} like the models seen${answeredWords(errors)}, each held out`;
  if (errors.coverage95 === null) return `${models}.`;
  return `${models}; ${wholePercent(errors.coverage95)} of their 95 % intervals contain the true score.`;
}

/** The fit's closing lines: the default form's, and all others on demand. */
function words({ manifest, defaultForm }: ReportData): Html {
  const others = manifest.forms.filter(({ id }) => id !== defaultForm.id);
  const list = (forms: ReportData["manifest"]["forms"]): Html =>
    html`<ul class="words">
      ${closingWords({ ...manifest, forms }).map((line) => html`<li>${line}</li> `)}
    </ul>`;
  return html`${list([defaultForm])}
  ${
    others.length === 0
      ? null
      : html`<details>
          <summary>The same of ${others.length === 1 ? "the other form" : "the other forms"}</summary>
          ${list(others)}
        </details>`
  }`;
}

const INTERVALS = {
  design: "from the random draw of the anchors, independent of the response model",
  "cross-validated": "from the errors on held-out models; valid for models like the models seen",
};

/** The bundle's data and settings: enough to make it again. */
export function settings({ manifest, defaultForm }: ReportData): Html {
  const { banks, fit, forms, protocol, scenarios } = manifest;
  const dims = [...new Set(banks.map((bank) => bank.dims))];
  const facts: [string, Child][] = [
    ...bundleFacts(manifest).map(({ label, value }): [string, Child] => [label, value]),
    [
      "scenarios",
      scenarios.map(
        ({ id, items, subscenarios }, k) =>
          html`${k > 0 ? ", " : null}${idText(id)}
          (${count(items)}${subscenarios.length > 1 ? ` in ${counted(subscenarios.length, "subscenario")}` : null})`,
      ),
    ],
    ["forms", listed(forms.map(({ id }) => id))],
    ["anchors", defaultForm.selection],
    ["score", html`${ESTIMATOR_NAMES[defaultForm.estimator]} <code>${defaultForm.estimator}</code>`],
    ["interval", INTERVALS[defaultForm.interval]],
    [
      "response model",
      `2PL, ${listed(dims.map(String))} ${dims.at(-1) === 1 ? "dimension" : "dimensions"}, one ability for each scenario`,
    ],
    ["seed", setting(fit["seed"])],
    ["calibrated by", setting(fit["backend"])],
    [
      "protocol of a part",
      Object.entries(protocol)
        .filter(([key]) => key.includes("/"))
        .map(([key, value], k) => html`${k > 0 ? ", " : null}${key} ${String(value)}`),
    ],
  ];
  return html`<dl class="facts">
    ${facts
      .filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0))
      .map(
        ([term, value]) =>
          html`<div>
            <dt>${term}</dt>
            <dd>${value}</dd>
          </div> `,
      )}
  </dl>`;
}

function setting(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
