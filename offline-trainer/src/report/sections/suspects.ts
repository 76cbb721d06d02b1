import { count, counted, decimals, percent } from "../format.ts";
import { html, idText, type Html } from "../html.ts";
import type { ReportData, ReportScenario } from "../report-data.ts";
import { LEAST_MODELS_FOR_AUDIT, LISTED_SUSPECTS, suspectItems, type Suspect } from "../../audit/suspect-items.ts";
import { scrolling } from "../table.ts";

/** Items worth a look by a person: those that don't go with the rest of their scenario. */
export function suspects({ manifest, scenarios }: ReportData): Html {
  if (manifest.sources.models < LEAST_MODELS_FOR_AUDIT)
    return html`<p class="missing">
      Not listed: with fewer than ${LEAST_MODELS_FOR_AUDIT} models an item can't be told from bad luck.
    </p>`;
  return html`<p>
      A right answer to a good item goes with a higher score on the others. Listed are the items for which it doesn't:
      the correlation r of an item's scores with the models' scores on all other items of the scenario is below 2/√M for
      the M models that answered it, which is twice what chance does where there is no relation. Below −2/√M
      <em>strong models miss it more than weak ones</em>: often a wrong key, an ambiguous question or a parser that
      fails. The others <em>hardly tell strong from weak models</em>. A list of suspects, not a verdict: chance alone
      puts one unrelated item in forty below −2/√M, more where models are related. <code>anchoreval audit</code> has
      probabilities of a wrong key, copies and item fit.
    </p>
    ${scenarios.map((scenario) => list(scenario))}`;
}

function list({ id, statistics, content }: ReportScenario): Html {
  const found = suspectItems(statistics);
  const all = statistics.filter(({ mean }) => mean === 1).length;
  const none = statistics.filter(({ mean }) => mean === 0).length;
  const remarks = [
    all > 0 ? `every model gets ${counted(all, "item")}` : [],
    none > 0 ? `no model gets ${counted(none, "item")}` : [],
  ].flat();
  return html`<details ${found.some(({ reversed }) => reversed) ? html`open` : null}>
    <summary>
      <h3>${idText(id)}</h3>
      <span>${summary(found)}</span>
    </summary>
    ${found.length === 0 ? null : table(id, found.slice(0, LISTED_SUSPECTS), content.items)}
    ${remarks.length === 0 ? null : html`<p class="aside">Besides, ${remarks.join(", ")}.</p>`}
  </details> `;
}

function summary(found: readonly Suspect[]): string {
  const reversed = found.filter((suspect) => suspect.reversed).length;
  if (found.length === 0) return "none";
  const listed =
    found.length > LISTED_SUSPECTS
      ? `the ${LISTED_SUSPECTS} lowest of ${count(found.length)}`
      : counted(found.length, "item");
  return reversed === 0 ? listed : `${listed}; ${count(reversed)} missed more by strong models than by weak ones`;
}

function table(scenario: string, found: readonly Suspect[], items: readonly { readonly item_id: string }[]): Html {
  const share = (value: number): string => (Number.isNaN(value) ? "–" : percent(value));
  return scrolling(
    `Items worth auditing in ${scenario}`,
    html`<thead>
        <tr>
          <th scope="col" class="text">item</th>
          <th scope="col">r</th>
          <th scope="col">all models</th>
          <th scope="col">weakest quarter</th>
          <th scope="col">strongest quarter</th>
          <th scope="col" class="text">why</th>
        </tr>
      </thead>
      <tbody>
        ${found.map(
          ({ item, statistics: { correlation, mean, weakest, strongest }, reversed }) =>
            html`<tr>
              <th scope="row" class="text id">${idText(items[item]!.item_id)}</th>
              <td>${decimals(correlation)}</td>
              <td>${share(mean)}</td>
              <td>${share(weakest)}</td>
              <td>${share(strongest)}</td>
              <td class="text">${reversed ? "strong models miss it more" : "hardly tells them apart"}</td>
            </tr> `,
        )}
      </tbody>`,
  );
}
