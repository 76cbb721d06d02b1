import { extent, sourceStripChart } from "anchoreval/charts";
import { points } from "anchoreval/words";
import { html, type Html } from "../html.ts";
import { figure, panels } from "../panels.ts";
import type { ReportData } from "../report-data.ts";
import { drawn } from "../svg.ts";

/** The models that the bundle was fitted on along their full scores, one strip a scenario. */
export function sourceModels({ manifest, scenarios }: ReportData): Html {
  return figure(
    html`Each dot is one of the ${manifest.sources.models} models that this bundle was fitted on, at its score on all
    items of the scenario, in points. The tinted part on the right is for models stronger than any seen: for them, go by
    the errors of such models above. The grey part on the left is weaker than any seen.`,
    panels(
      scenarios.map(({ id, content: { sourceScores } }) => ({
        title: id,
        note: `${extent(sourceScores).map(points).join(" to ")} points`,
        chart: drawn(sourceStripChart(id, sourceScores)),
      })),
    ),
  );
}
