import { type Bundle, compareFromAnchors, type Comparison, type Difference } from "anchoreval";
import { type Chart, chartMark, placeAxis } from "anchoreval/internal/charts/chart";
import { signedPoints } from "anchoreval/internal/words/figures";
import {
  differenceWords,
  INTERVAL_MEANING,
  LEANS_ON_LIKE,
  leansOnLike,
  mcNemarWords,
  scoreWords,
  verdictWords,
} from "anchoreval/internal/words/result-words";
import { exampleAnswers, freshSeed } from "../examples.ts";
import { drawn, figure, wideChart } from "../charts.ts";
import { announcer, type Child, element, fill, freshId, idText, paragraph, button, submitForm } from "../dom.ts";
import { table, warningsContent } from "../parts/content.ts";
import { answersInput, formSelect, type GivenAnswers } from "../parts/fields.ts";
import { problem } from "../parts/problem.ts";
import type { BundlePage } from "../session.ts";

/** Compares two models by their answers. */
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
    paragraph("lead", "Answers of two models to the same form. Only items that both answered count."),
    submitForm(
      run,
      element("div", { class: "pair" }, a.content, b.content),
      form.content,
      element(
        "div",
        { class: "field" },
        element("label", { for: id }, "Margin, in points"),
        margin,
        element("p", { class: "hint", id: `${id}-hint` }, "The largest difference that doesn’t matter to you."),
      ),
      paragraph(
        "actions",
        element("button", { type: "submit" }, "Compare"),
        button("quiet", () => void example(), "Try with made-up answers"),
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
    paragraph(`verdict ${comparison.verdict ?? "none"}`, sentence(verdict!, names)),
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
    leansOnLike(comparison) ? paragraph("hint", LEANS_ON_LIKE) : null,
    comparison.interval === null ? null : paragraph("meaning", INTERVAL_MEANING),
    element(
      "details",
      {},
      element("summary", {}, "Details"),
      element("p", {}, sentence(mcNemarWords(comparison, names), names)),
    ),
  ];
}

/** Adds a capital and a full stop; a model's name at the beginning keeps its case. */
function sentence(words: string, { a, b }: Comparison["names"]): string {
  const named = [a, b].some((name) => words.startsWith(`${name} `));
  return `${named ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`}.`;
}

interface Row {
  readonly label: string;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** The overall and every scenario's difference with its interval, and the margin as a band. Null if there is none. */
function differenceChart(
  list: readonly (readonly [label: string, difference: Difference])[],
  { names, margin, width }: { names: { a: string; b: string }; margin: number; width: number },
): Chart | null {
  const rows = list.flatMap(([label, { difference, interval }]): Row[] =>
    difference === null
      ? []
      : [
          {
            label,
            difference: 100 * difference,
            low: 100 * (interval?.low ?? difference),
            high: 100 * (interval?.high ?? difference),
          },
        ],
  );
  if (rows.length === 0) return null;
  const reach = 1.12 * Math.max(1, 200 * margin, ...rows.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  const longest = Math.max(...rows.map(({ label }) => label.length));
  return {
    label: `${names.b} minus ${names.a}, in points. ${list.map(([label, own]) => `${label}: ${own.difference === null ? "none" : signedPoints(own.difference)}, interval ${differenceWords(own.interval)}`).join("; ")}.`,
    width,
    height: 66 + 34 * rows.length,
    marginLeft: Math.min(0.36 * width, 14 + 6.6 * longest),
    marginRight: 16,
    marginTop: 26,
    marginBottom: 38,
    x: { domain: [-reach, reach] },
    y: { domain: rows.map(({ label }) => label), label: null },
    marks: [
      ...(margin > 0
        ? [chartMark("rect", [0], { x1: -100 * margin, x2: 100 * margin, fill: "var(--muted)", fillOpacity: 0.16 })]
        : []),
      chartMark("gridX", null, { ticks: 6, stroke: "var(--grid)", strokeOpacity: 1 }),
      chartMark("axisY", null, { tickSize: 0, label: null, color: "var(--ink)" }),
      placeAxis("difference, points", { tickFormat: (x: number) => (x > 0 ? `+${x}` : String(x).replace("-", "−")) }),
      chartMark("ruleX", [0], { stroke: "var(--muted)", strokeWidth: 1.4 }),
      chartMark("text", [`← ${names.a} better`], { frameAnchor: "top-left", dy: -20, fill: "var(--muted)" }),
      chartMark("text", [`${names.b} better →`], { frameAnchor: "top-right", dy: -20, fill: "var(--muted)" }),
      chartMark("link", rows, {
        x1: "low",
        x2: "high",
        y1: "label",
        y2: "label",
        stroke: "var(--accent)",
        strokeWidth: 5,
        strokeOpacity: 0.45,
        strokeLinecap: "round",
      }),
      chartMark("dot", rows, { x: "difference", y: "label", r: 5, fill: "var(--accent)" }),
    ],
  };
}
