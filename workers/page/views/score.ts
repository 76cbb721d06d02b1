import { estimateFromAnchors, type Bundle, type Estimate, type ScenarioResult } from "anchoreval";
import { sourceStripChart } from "anchoreval/internal/features/sdk-page";
import { decimals, percent, points } from "anchoreval/internal/words/figures";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { drawn, figure, panels, sideChart } from "../parts/charts.ts";
import { button, type Child, details, download, element, idText } from "../parts/dom.ts";
import { answersForm } from "../parts/fields.ts";
import { numbers, section, table, warningsContent } from "../parts/content.ts";
import { bundleHref } from "../parts/route.ts";
import type { BundlePage } from "../parts/session.ts";
import { parseSharedScore, type SharedFigure, type SharedScore, shareScore } from "./shared-score.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** Estimates one model's score from its answers, in the browser; above, a result that the address carries. */
export function scoreTab(page: BundlePage): Child {
  const { bundle, route } = page;
  const shared = route.result === null ? null : parseSharedScore(route.result, bundle.scenarios);
  const form = answersForm(page, {
    models: [{ title: "Answers of your model", name: "your model", example: ["a made-up model", 0.5] }],
    action: "Estimate the score",
    evaluate: ([model], form) => {
      const { answers, hashes, name } = model!;
      const result = estimateFromAnchors(bundle, answers, { hashes, ...form });
      const words = `Score ${scoreWords(result.score)} points, interval ${intervalWords(result.interval)}.`;
      return [estimateContent(page, result, name), words];
    },
  });
  if (route.result === null) return form;
  const content = shared
    ? sharedContent(page, shared)
    : element("p.problem", "The address carries no result of this bundle.");
  return [content, section("Score another model", form)];
}

/** A result from an address: its figures alone, since the answers aren't in it. */
function sharedContent({ bundle, route }: BundlePage, { model, overall, scenarios }: SharedScore): Child {
  const entries = [...scenarios];
  const row = (title: Child, { score, interval }: SharedFigure): Child[] => [
    title,
    points(score),
    interval === null ? "none" : rangeWords(interval),
  ];
  const main = overall ?? entries[0]![1];
  return [
    element("h2", "Score of ", idText(model)),
    figureLine(points(main.score), main.interval && `95 % interval ${rangeWords(main.interval)}`),
    element(
      "p.hint",
      `As somebody shared it${route.form === null ? "" : `, by form ${route.form}`}: this page hasn’t seen the answers, so that it can’t vouch for the figures.`,
    ),
    strips(bundle, entries, () => undefined),
    entries.length === 1
      ? null
      : table(
          "Scores by scenario, in points",
          ["scenario", numbers("score"), numbers("interval")],
          [
            ...(overall ? [row(element("strong", "overall"), overall)] : []),
            ...entries.map(([id, estimate]) => row(idText(id), estimate)),
          ],
        ),
  ];
}

function rangeWords({ low, high }: NonNullable<SharedFigure["interval"]>): string {
  return `${points(low)} to ${points(high)}`;
}

function figureLine(score: string, interval: string | null): HTMLElement {
  return element("p.figure", [
    element("span.score", score),
    element("small", " points"),
    interval === null ? null : element("span.interval", interval),
  ]);
}

function estimateContent({ bundle, route }: BundlePage, result: Estimate, name: string): Child {
  const { interval } = result;
  const scenarios = Object.entries(result.scenarios);
  const several = scenarios.length > 1;
  const row = (title: Child, estimate: Estimate | ScenarioResult, place: string): Child[] => [
    title,
    scoreWords(estimate.score),
    intervalWords(estimate.interval),
    `${estimate.answered} of ${estimate.of}`,
    place,
  ];
  const rows = scenarios.map(([id, estimate]) => row(idText(id), estimate, estimate.reason ?? placeWords(estimate)));
  const partly = result.predicted ? "partly predicted" : "";
  const intervalText =
    interval &&
    (interval.method === "exact"
      ? "exact: every item was answered"
      : `${percent(interval.level)} interval ${intervalWords(interval)}${partly && `, ${partly}`}`);
  const file = `${result.benchmark}-${name}-estimate.json`;
  return [
    element("h2", "Score of ", idText(name)),
    figureLine(scoreWords(result.score), intervalText),
    result.reason === null ? null : element("p.warning", result.reason),
    interval === null ? null : element("p.meaning", INTERVAL_MEANING),
    warningsContent(result.warnings),
    strips(
      bundle,
      scenarios.flatMap(([id, { score, interval }]) => (score === null ? [] : [[id, { score, interval }] as const])),
      (id) => stripNote(lookUp(result.scenarios, id)!),
    ),
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
      route.place === "given"
        ? null
        : element(
            "a.button.quiet",
            {
              href: bundleHref(
                { benchmark: result.benchmark, version: result.version },
                "score",
                result.form,
                shareScore(result, name),
              ),
            },
            "Link to this result",
          ),
    ),
  ];
}

function stripNote(result: ScenarioResult): string {
  if (result.percentile === null || result.predicted) return placeWords(result);
  return `above ${Math.round(100 * result.percentile)} % of the source models`;
}

/** The model among the source models, one strip per scenario that has a score. */
function strips(
  bundle: Bundle,
  scenarios: readonly (readonly [string, SharedFigure])[],
  noteOf: (id: string) => string | undefined,
): Child {
  if (scenarios.length === 0) return null;
  const size = scenarios.length === 1 ? { width: sideChart() } : {};
  return figure(
    "This model (coloured, with its interval) among the source models of the bundle, at their scores on all items. The tinted part on the right is stronger than any of them.",
    panels(
      scenarios.map(([id, shown]) => {
        const note = noteOf(id);
        return {
          title: idText(id),
          ...(note !== undefined && { note }),
          draw: () => drawn(sourceStripChart(id, bundle.scenarios.get(id)!.sourceScores, { shown, ...size })),
        };
      }),
    ),
  );
}

function scenarioDetails([id, { details: estimate, interval, answeredShare }]: readonly [
  string,
  ScenarioResult,
]): Child {
  if (estimate === null) return null;
  const theta = estimate.theta
    .map((value, d) => `${decimals(value)} ± ${decimals(estimate.thetaStandardError[d]!)}`)
    .join(", ");
  const method = interval ? `; interval ${interval.method}` : "";
  return [
    element("h3", idText(id)),
    element(
      "p",
      `θ ${theta} (${estimate.thetaStatus}); λ ${decimals(estimate.lambda)}; answered share of the weight ${percent(answeredShare)}${method}. Probability that the full score is above every source model ${percent(estimate.outside.above)}, below ${percent(estimate.outside.below)}.`,
    ),
    table(
      `Estimators of ${id}, in points`,
      ["estimator", numbers("points")],
      Object.entries(estimate.estimators).map(([name, value]) => [
        name === estimate.estimator ? element("strong", `${name} (the score)`) : name,
        points(value),
      ]),
    ),
  ];
}
