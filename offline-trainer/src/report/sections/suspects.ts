import { count, counted, wholePercent } from "anchoreval/words";
import { REASONS, type Reason } from "../../audit/findings.ts";
import { LEAST_MODELS_FOR_AUDIT } from "../../audit/suspect-items.ts";
import { html, idText, type Html } from "../html.ts";
import { listedItems } from "../listed-items.ts";
import type { ReportData, ReportItem, ReportScenario } from "../report-data.ts";
import { scrolling } from "../table.ts";

/** What each reason rests on. */
const GROUNDS: Readonly<Partial<Record<Reason, Html>>> = {
  reversed: html`the correlation r of its scores with the models’ scores on all other items is at most −2/√M, for the M
  models that answered it: often a wrong key, an ambiguous question or a parser that fails`,
  "same-text": html`one of the two may be enough`,
  "answered-alike": html`by the correlation Q3 of what the fitted curves leave of two items’ answers; at most a fifth of
  such pairs are chance, by the estimate`,
  unrelated: html`r is below 2/√M, twice what chance does where there is no relation`,
  misfit: html`by a χ² test over models grouped by the chance that the curve gives them, at a false discovery rate q of
  5 %`,
  floor: html`impossible, or broken`,
  "few-answers": html`by fewer than ${LEAST_MODELS_FOR_AUDIT} models`,
  ceiling: html`it tells nothing apart`,
};

/** Items worth a look by a person, and why. */
export function suspects({ manifest, scenarios }: ReportData): Html {
  if (manifest.sources.models < LEAST_MODELS_FOR_AUDIT)
    return html`<p class="missing">
      Not listed: with fewer than ${LEAST_MODELS_FOR_AUDIT} models an item can't be told from bad luck.
    </p>`;
  const listed = listedItems(scenarios);
  return html`<p>
      A right answer to a good item goes with a higher score on the others, as far as its fitted curve says, and tells
      something that no other item does. Listed are the items that look otherwise, the most urgent first: suspects, not
      verdicts. <code>anchoreval audit</code> says more of them, among it the probability of a wrong key.
    </p>
    ${reasons(scenarios)} ${scenarios.map((scenario, s) => list(scenario, listed[s]!))}`;
}

/** How many items each reason speaks against, and what it rests on. */
function reasons(scenarios: readonly ReportScenario[]): Html | null {
  const found = scenarios.flatMap(({ audited }) => audited).flatMap(({ findings }) => findings);
  const rows = (Object.keys(REASONS) as Reason[]).flatMap((reason) => {
    const items = found.filter((finding) => finding.reason === reason).length;
    return items === 0 ? [] : [{ reason, items }];
  });
  if (rows.length === 0) return null;
  return scrolling(
    "Reasons to look at an item, and how many items there are for each",
    html`<thead>
        <tr>
          <th scope="col" class="text">reason</th>
          <th scope="col">items</th>
          <th scope="col" class="text">because</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ reason, items }) =>
            html`<tr>
              <th scope="row" class="text id">${REASONS[reason]}</th>
              <td>${count(items)}</td>
              <td class="text grounds">${GROUNDS[reason] ?? null}</td>
            </tr> `,
        )}
      </tbody>`,
  );
}

function list({ id, audited }: ReportScenario, listed: readonly ReportItem[]): Html {
  const urgent = listed.some(({ findings }) => findings.some(({ reason }) => reason === "reversed"));
  return html`<details ${urgent ? html`open` : null}>
    <summary>
      <h3>${idText(id)}</h3>
      <span>${summary(audited.filter(({ rank }) => rank !== null).length, listed.length)}</span>
    </summary>
    ${listed.length === 0 ? null : table(id, listed)}
  </details> `;
}

function summary(found: number, listed: number): string {
  if (found === 0) return "none";
  return found > listed ? `${listed} of ${count(found)}, of each reason the clearest` : counted(found, "item");
}

function table(scenario: string, listed: readonly ReportItem[]): Html {
  const share = (value: number): string => (Number.isNaN(value) ? "–" : wholePercent(value));
  return scrolling(
    `Items worth auditing in ${scenario}`,
    html`<thead>
        <tr>
          <th scope="col" class="text">item</th>
          <th scope="col" class="text">why</th>
          <th scope="col">all models</th>
          <th scope="col">weakest quarter</th>
          <th scope="col">strongest quarter</th>
        </tr>
      </thead>
      <tbody>
        ${listed.map(
          ({ info, findings, audit: { statistics } }) =>
            html`<tr>
              <th scope="row" class="text id">${idText(info.item_id)}</th>
              <td class="text reasons">
                <ul>
                  ${findings.map(({ words }) => html`<li>${words}</li>`)}
                </ul>
              </td>
              <td>${share(statistics.mean)}</td>
              <td>${share(statistics.weakest)}</td>
              <td>${share(statistics.strongest)}</td>
            </tr> `,
        )}
      </tbody>`,
  );
}
