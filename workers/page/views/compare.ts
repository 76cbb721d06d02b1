import { compareFromAnchors, type Bundle, type Comparison } from "anchoreval";
import {
  differenceWords,
  INTERVAL_MEANING,
  LEANS_ON_LIKE,
  leansOnLike,
  mcNemarWords,
  scoreWords,
  signedPoints,
  verdictWords,
} from "anchoreval/words";
import { exampleAnswers, freshSeed } from "../bundle/example-answers.ts";
import { drawn, figure, wideChart } from "../charts/chart.ts";
import { differenceChart } from "../charts/difference.ts";
import { element, fill, freshId, idText, type Child } from "../dom.ts";
import { announcer } from "../parts/announcer.ts";
import { answersInput, type GivenAnswers } from "../parts/answers-input.ts";
import { formSelect } from "../parts/form-select.ts";
import { problem } from "../parts/problem.ts";
import { table } from "../parts/table.ts";
import { warningsContent } from "../parts/warnings.ts";
import type { BundlePage } from "../view.ts";

/** Two models' answers in, which of them is better out. */
export function compareTab({ bundle, route }: BundlePage): Child {
  const results = element("div", { class: "results" });
  const heard = announcer();
  const form = formSelect(bundle, route.form, { infer: true, onChange: () => void run() });
  const [a, b] = [answersInput("Model A", () => void run()), answersInput("Model B", () => void run())];
  const id = freshId("margin");
  const margin = element("input", {
    id,
    type: "number",
    min: 0,
    max: 100,
    step: "any",
    value: 0,
    "aria-describedby": `${id}-hint`,
  });
  const run = async (): Promise<void> => {
    const [first, second] = await Promise.all([a.read(), b.read()]);
    if (first === null || second === null) {
      fill(results);
      return;
    }
    try {
      const comparison = compare(bundle, [first, second], form.value(), Number(margin.value) / 100);
      fill(results, comparisonContent(comparison));
      heard.say(sentence(verdictWords(comparison)[0]!, comparison.names));
    } catch (error) {
      fill(results, problem(error));
    }
  };
  const example = async (): Promise<void> => {
    const asked = form.value() ?? bundle.manifest.defaultForm;
    a.write(exampleAnswers(bundle, asked, freshSeed(), 0), "model A");
    b.write(exampleAnswers(bundle, asked, freshSeed(), 0.5), "model B");
    await run();
  };
  return [
    element("p", { class: "lead" }, "Answers of two models to the same form. Only items that both answered count."),
    element(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          void run();
        },
      },
      element("div", { class: "pair" }, a.content, b.content),
      form.content,
      element(
        "div",
        { class: "field" },
        element("label", { for: id }, "Margin, in points"),
        margin,
        element("p", { class: "hint", id: `${id}-hint` }, "The largest difference that doesn’t matter to you."),
      ),
      element(
        "p",
        { class: "actions" },
        element("button", { type: "submit" }, "Compare"),
        element(
          "button",
          { type: "button", class: "quiet", onclick: () => void example() },
          "Try with made-up answers",
        ),
      ),
    ),
    heard.content,
    results,
  ];
}

function compare(
  bundle: Bundle,
  [a, b]: readonly [GivenAnswers, GivenAnswers],
  form: string | null,
  margin: number,
): Comparison {
  const side = ({ answers, hashes, name }: GivenAnswers, fallback: string) => ({
    responses: answers,
    hashes,
    name: name || fallback,
  });
  const names: [string, string] = a.name === b.name ? [`${a.name} (A)`, `${b.name} (B)`] : [a.name, b.name];
  return compareFromAnchors(
    bundle,
    { ...side(a, "A"), name: names[0] },
    { ...side(b, "B"), name: names[1] },
    { margin, ...(form !== null && { form }) },
  );
}

function comparisonContent(comparison: Comparison): Child {
  const { names, scenarios, margin } = comparison;
  const results = Object.entries(scenarios);
  const all = [...(results.length > 1 ? [["overall", comparison] as const] : []), ...results];
  const [verdict, confidence] = verdictWords(comparison);
  const chart = differenceChart(all, { names, margin, width: wideChart() });
  return [
    element("h2", {}, "Verdict"),
    element("p", { class: `verdict ${comparison.verdict ?? "none"}` }, sentence(verdict!, names)),
    confidence === undefined ? null : element("p", {}, sentence(confidence, names)),
    warningsContent(comparison.warnings),
    chart &&
      figure(
        [
          "Difference of the scores on all items, ",
          idText(names.b),
          " minus ",
          idText(names.a),
          `, with its 95 % interval. An interval that ${margin > 0 ? "leaves the grey band of the margin" : "doesn’t touch zero"} decides.`,
        ],
        drawn(chart),
      ),
    table(
      "Scores and differences, in points",
      [
        { title: "scenario" },
        { title: idText(names.a), number: true },
        { title: idText(names.b), number: true },
        { title: "difference", number: true },
        { title: "interval", number: true },
        { title: "answered by both", number: true },
      ],
      all.map(([id, own]) => [
        idText(id),
        scoreWords(own.scores.a.score),
        scoreWords(own.scores.b.score),
        own.difference === null ? "–" : signedPoints(own.difference),
        differenceWords(own.interval),
        `${own.answered} of ${own.of}`,
      ]),
    ),
    leansOnLike(comparison) ? element("p", { class: "hint" }, LEANS_ON_LIKE) : null,
    comparison.interval === null ? null : element("p", { class: "meaning" }, INTERVAL_MEANING),
    element(
      "details",
      {},
      element("summary", {}, "Details"),
      element("p", {}, sentence(mcNemarWords(comparison, names), names)),
    ),
  ];
}

/** With a capital and a full stop; a model's name at the beginning stays as it is. */
function sentence(words: string, { a, b }: Comparison["names"]): string {
  const named = [a, b].some((name) => words.startsWith(`${name} `));
  return `${named ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`}.`;
}
