import { itemTotal } from "anchoreval/charts";
import { count, counted, listed } from "anchoreval/words";
import { ESTIMATOR_NAMES } from "../estimator-names.ts";
import { html, idText, type Child, type Html } from "../html.ts";
import type { ReportData } from "../report-data.ts";

const WEIGHTINGS = {
  subscenarios: "each subscenario counts the same in its scenario",
  items: "each item counts the same in its scenario",
};

const INTERVALS = {
  design: "from the random draw of the anchors, whatever the response model is",
  "cross-validated": "from the errors on held-out models; it holds for models like the models seen",
};

/** What the bundle was made from and how: enough to make it again. */
export function settings({ manifest, defaultForm }: ReportData): Html {
  const { banks, created, data, fit, forms, protocol, scenarios, sources, weighting } = manifest;
  const dims = [...new Set(banks.map((bank) => bank.dims))];
  const facts: [string, Child][] = [
    ["data", `${counted(sources.models, "model")}, ${counted(itemTotal(manifest), "item")}`],
    [
      "scenarios",
      scenarios.map(
        ({ id, items, subscenarios }, k) =>
          html`${k > 0 ? ", " : null}${idText(id)}
          (${count(items)}${subscenarios.length > 1 ? ` in ${counted(subscenarios.length, "subscenario")}` : null})`,
      ),
    ],
    ["weighting", WEIGHTINGS[weighting]],
    ["forms", listed(forms.map(({ id }) => id))],
    ["anchors", defaultForm.selection],
    ["score", html`${ESTIMATOR_NAMES[defaultForm.estimator]} <code>${defaultForm.estimator}</code>`],
    ["interval", INTERVALS[defaultForm.interval]],
    [
      "response model",
      `2PL, ${listed(dims.map(String))} ${dims.at(-1) === 1 ? "dimension" : "dimensions"}, ${banks.length === 1 && scenarios.length > 1 ? "one ability for all scenarios" : "one ability for each scenario"}`,
    ],
    ["seed", setting(fit["seed"])],
    ["calibrated by", setting(fit["backend"])],
    [
      "protocol",
      Object.entries(protocol).map(([key, value], k) => html`${k > 0 ? ", " : null}${key}: ${String(value)}`),
    ],
    ["source of the data", data.source],
    ["licence of the data", data.licence],
    ["created", created.split("T")[0]!],
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
