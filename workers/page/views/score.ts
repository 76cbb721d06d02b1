import { estimateFromAnchors, type Bundle, type Estimate, type ScenarioResult } from "anchoreval";
import { sourceStripChart } from "anchoreval/internal/charts/source-strip";
import { decimals, percent, points } from "anchoreval/internal/words/figures";
import { INTERVAL_MEANING, intervalWords, placeWords, scoreWords } from "anchoreval/internal/words/result-words";
import { exampleAnswers, freshSeed } from "../examples.ts";
import { drawn, figure, panels, wideChart } from "../charts.ts";
import { announcer, type Child, download, element, fill, idText, button, paragraph, submitForm } from "../dom.ts";
import { answersInput, formSelect, type GivenAnswers } from "../parts/fields.ts";
import { section, table, warningsContent } from "../parts/content.ts";
import { problem } from "../parts/problem.ts";
import type { BundlePage } from "../session.ts";

/** Estimates one model's score from its answers, in the browser. */
export function scoreTab({ bundle, route }: BundlePage): Child {
  const results = element("div", { class: "results" });
  const heard = announcer();
  const form = formSelect(bundle, route.form, { infer: true, onChange: () => void run() });
  const answers = answersInput("Answers of your model", () => void run());
  const run = async (): Promise<void> => {
    const given = await answers.read();
    if (given === null) {
      fill(results);
      return;
    }
    try {
      const result = estimate(bundle, given, form.value());
      fill(results, estimateContent(bundle, result, given.name));
      heard.say(`Score ${scoreWords(result.score)} points, interval ${intervalWords(result.interval)}.`);
    } catch (error) {
      fill(results, problem(error));
    }
  };
  const example = async (): Promise<void> => {
    const id = form.value() ?? bundle.manifest.defaultForm;
    answers.write(exampleAnswers(bundle, id, freshSeed(), 0.5), "a made-up model");
    await run();
  };
  return [
    submitForm(
      run,
      answers.content,
      form.content,
      paragraph(
        "actions",
        element("button", { type: "submit" }, "Estimate the score"),
        button("quiet", () => void example(), "Try with made-up answers"),
      ),
    ),
    heard.content,
    results,
  ];
}

function estimate(bundle: Bundle, { answers, hashes }: GivenAnswers, form: string | null): Estimate {
  return estimateFromAnchors(bundle, answers, { hashes, ...(form !== null && { form }) });
}

function estimateContent(bundle: Bundle, result: Estimate, name: string): Child {
  const scenarios = Object.entries(result.scenarios);
  const several = scenarios.length > 1;
  const interval = result.interval;
  return [
    element("h2", {}, "Score of ", idText(name)),
    paragraph(
      "figure",
      element("span", { class: "score" }, scoreWords(result.score)),
      element("small", {}, " points"),
      interval === null
        ? null
        : element(
            "span",
            { class: "interval" },
            interval.method === "exact"
              ? "exact: every item was answered"
              : `${percent(interval.level)} interval ${intervalWords(interval)}`,
          ),
    ),
    result.reason === null ? null : paragraph("warning", result.reason),
    interval === null ? null : paragraph("meaning", INTERVAL_MEANING),
    warningsContent(result.warnings),
    strips(bundle, scenarios),
    section(
      several ? "Scenario by scenario" : "The figures",
      table(
        "Scores by scenario, in points",
        [
          { title: "scenario" },
          { title: "score", number: true },
          { title: "interval", number: true },
          { title: "answered", number: true },
          { title: "among the source models" },
        ],
        [
          ...(several
            ? [
                [
                  element("strong", {}, "overall"),
                  scoreWords(result.score),
                  intervalWords(interval),
                  `${result.answered} of ${result.of}`,
                  "",
                ],
              ]
            : []),
          ...scenarios.map(([id, own]) => [
            idText(id),
            scoreWords(own.score),
            intervalWords(own.interval),
            `${own.answered} of ${own.of}`,
            own.reason ?? placeWords(own),
          ]),
        ],
      ),
      paragraph(
        "hint",
        `Form ${result.form} of ${result.benchmark} ${result.version}, ${result.answered} of ${result.of} items answered; in points.`,
      ),
    ),
    element(
      "details",
      {},
      element("summary", {}, "Details: abilities, λ and every estimator"),
      scenarios.map(([id, own]) => details(id, own)),
    ),
    paragraph(
      "actions",
      button(
        "quiet",
        () => download(new Blob([JSON.stringify(result, null, 2)]), `${result.benchmark}-${name}-estimate.json`),
        "Download as JSON",
      ),
    ),
  ];
}

/** The model among the source models, one strip per scenario. */
function strips(bundle: Bundle, scenarios: readonly (readonly [string, ScenarioResult])[]): Child {
  const estimated = scenarios.flatMap(([id, own]) => (own.score === null ? [] : [{ id, own, score: own.score }]));
  if (estimated.length === 0) return null;
  const single = estimated.length === 1;
  return figure(
    "This model (coloured, with its interval) among the source models of the bundle, at their scores on all items. The tinted part on the right is stronger than any of them.",
    panels(
      estimated.map(({ id, own, score }) => ({
        title: idText(id),
        note:
          own.percentile === null
            ? placeWords(own)
            : `above ${Math.round(100 * own.percentile)} % of the source models`,
        draw: () =>
          drawn(
            sourceStripChart(id, bundle.scenarios.get(id)!.sourceScores, {
              shown: { score, interval: own.interval },
              ...(single && { width: Math.min(480, wideChart()) }),
            }),
          ),
      })),
    ),
  );
}

function details(id: string, { details: own, interval, answeredShare }: ScenarioResult): Child {
  if (own === null) return null;
  return [
    element("h3", {}, idText(id)),
    element(
      "p",
      {},
      `θ ${own.theta.map((value, d) => `${decimals(value)} ± ${decimals(own.thetaStandardError[d]!)}`).join(", ")} (${own.thetaStatus}); λ ${decimals(own.lambda)}; answered share of the weight ${percent(answeredShare)}${interval ? `; interval ${interval.method}` : ""}. Probability that the full score is above every source model ${percent(own.outside.above)}, below ${percent(own.outside.below)}.`,
    ),
    table(
      `Estimators of ${id}, in points`,
      [{ title: "estimator" }, { title: "points", number: true }],
      Object.entries(own.estimators).map(([name, value]) => [
        name === own.estimator ? element("strong", {}, `${name} (the score)`) : name,
        points(value),
      ]),
    ),
  ];
}
