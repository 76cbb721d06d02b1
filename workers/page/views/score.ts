import { estimateFromAnchors, type Bundle, type Estimate, type ScenarioResult } from "anchoreval";
import { sourceStripChart } from "anchoreval/internal/charts/source-strip";
import { decimals, percent, points } from "anchoreval/internal/words/figures";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { drawn, figure, panels, wideChart } from "../charts.ts";
import { button, type Child, details, download, element, idText } from "../dom.ts";
import { answersForm } from "../parts/fields.ts";
import { numbers, section, table, warningsContent } from "../parts/content.ts";
import type { BundlePage } from "../session.ts";

/** Estimates one model's score from its answers, in the browser. */
export function scoreTab(page: BundlePage): Child {
  return answersForm(page, {
    models: [{ title: "Answers of your model", example: ["a made-up model", 0.5] }],
    action: "Estimate the score",
    evaluate: ([given], form) => {
      const { answers, hashes, name } = given!;
      const result = estimateFromAnchors(page.bundle, answers, { hashes, ...form });
      const words = `Score ${scoreWords(result.score)} points, interval ${intervalWords(result.interval)}.`;
      return [estimateContent(page.bundle, result, name), words];
    },
  });
}

function estimateContent(bundle: Bundle, result: Estimate, name: string): Child {
  const { interval } = result;
  const scenarios = Object.entries(result.scenarios);
  const several = scenarios.length > 1;
  const row = (title: Child, own: Estimate | ScenarioResult, place: string): Child[] => [
    title,
    scoreWords(own.score),
    intervalWords(own.interval),
    `${own.answered} of ${own.of}`,
    place,
  ];
  const rows = scenarios.map(([id, own]) => row(idText(id), own, own.reason ?? placeWords(own)));
  const partly = result.predicted ? "partly predicted" : "";
  const intervalText =
    interval &&
    (interval.method === "exact"
      ? "exact: every item was answered"
      : `${percent(interval.level)} interval ${intervalWords(interval)}${partly && `, ${partly}`}`);
  const file = `${result.benchmark}-${name}-estimate.json`;
  return [
    element("h2", "Score of ", idText(name)),
    element("p.figure", [
      element("span.score", scoreWords(result.score)),
      element("small", " points"),
      intervalText && element("span.interval", intervalText),
    ]),
    result.reason === null ? null : element("p.warning", result.reason),
    interval === null ? null : element("p.meaning", INTERVAL_MEANING),
    warningsContent(result.warnings),
    strips(bundle, scenarios),
    section(several ? "Scenario by scenario" : "The figures", [
      table(
        "Scores by scenario, in points",
        ["scenario", numbers("score"), numbers("interval"), numbers("answered"), "among the source models"],
        several ? [row(element("strong", "overall"), result, partly), ...rows] : rows,
      ),
      element(
        "p.hint",
        `Form ${result.form} of ${result.benchmark} ${result.version}, ${result.answered} of ${result.of} items answered; in points.`,
      ),
    ]),
    details("Details: abilities, λ and every estimator", scenarios.map(scenarioDetails)),
    element(
      "p.actions",
      button("quiet", "Download as JSON", () => download(new Blob([JSON.stringify(result, null, 2)]), file)),
    ),
  ];
}

/** The model among the source models, one strip per scenario. */
function strips(bundle: Bundle, scenarios: readonly (readonly [string, ScenarioResult])[]): Child {
  const estimated = scenarios.filter(([, { score }]) => score !== null);
  if (estimated.length === 0) return null;
  const size = estimated.length === 1 ? { width: Math.min(480, wideChart()) } : {};
  const above = (percentile: number): string => `above ${Math.round(100 * percentile)} % of the source models`;
  return figure(
    "This model (coloured, with its interval) among the source models of the bundle, at their scores on all items. The tinted part on the right is stronger than any of them.",
    panels(
      estimated.map(([id, own]) => ({
        title: idText(id),
        note: own.percentile === null || own.predicted ? placeWords(own) : above(own.percentile),
        draw: () => {
          const shown = { score: own.score!, interval: own.interval };
          return drawn(sourceStripChart(id, bundle.scenarios.get(id)!.sourceScores, { shown, ...size }));
        },
      })),
    ),
  );
}

function scenarioDetails([id, { details: own, interval, answeredShare }]: readonly [string, ScenarioResult]): Child {
  if (own === null) return null;
  const theta = own.theta.map((value, d) => `${decimals(value)} ± ${decimals(own.thetaStandardError[d]!)}`).join(", ");
  const method = interval ? `; interval ${interval.method}` : "";
  return [
    element("h3", idText(id)),
    element(
      "p",
      `θ ${theta} (${own.thetaStatus}); λ ${decimals(own.lambda)}; answered share of the weight ${percent(answeredShare)}${method}. Probability that the full score is above every source model ${percent(own.outside.above)}, below ${percent(own.outside.below)}.`,
    ),
    table(
      `Estimators of ${id}, in points`,
      ["estimator", numbers("points")],
      Object.entries(own.estimators).map(([name, value]) => [
        name === own.estimator ? element("strong", `${name} (the score)`) : name,
        points(value),
      ]),
    ),
  ];
}
