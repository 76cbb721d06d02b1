import { type ComparedModel, compareFromAnchors, type Comparison, type Difference } from "anchoreval";
import {
  type Chart,
  chartMark,
  differenceWords,
  intervalBar,
  margins,
  mcNemarWords,
  OVER_MEANING,
  placeAxis,
  verdictWords,
} from "anchoreval/internal/features/sdk-page";
import { signedPoints } from "anchoreval/internal/words/figures";
import { scoreWords } from "anchoreval/internal/words/result-words";
import { drawn, figure, wideChart } from "../parts/charts.ts";
import { type Child, details, element, idText, labelled } from "../parts/dom.ts";
import { numbers, table, warningsContent } from "../parts/content.ts";
import { answersForm, type GivenAnswers } from "../parts/fields.ts";
import type { BundlePage } from "../parts/session.ts";

export function compareTab(page: BundlePage): Child {
  const margin = element("input", { type: "number", min: 0, max: 100, step: "any", value: 0 });
  const hint = "The largest difference that doesn’t matter to you.";
  return [
    element("p.lead", "Answers of two models to the same form. Only items that both answered count."),
    answersForm(page, {
      models: [
        { title: "Model A", name: "model A", example: ["model A", 0] },
        { title: "Model B", name: "model B", example: ["model B", 0.5] },
      ],
      more: element("div.field", labelled("Margin, in points", margin, hint)),
      action: "Compare",
      evaluate: (models, form) => {
        const [a, b] = sides(models);
        const comparison = compareFromAnchors(page.bundle, a!, b!, { margin: Number(margin.value) / 100, ...form });
        return [comparisonContent(comparison), sentence(verdictWords(comparison)[0]!, comparison.names)];
      },
    }),
  ];
}

function sides(models: readonly GivenAnswers[]): ComparedModel[] {
  const same = models[0]!.name === models[1]!.name;
  return models.map(({ answers, hashes, name }, k) => ({
    responses: answers,
    hashes,
    name: same ? `${name} (${"AB"[k]!})` : name,
  }));
}

function comparisonContent(comparison: Comparison): Child {
  const { names, scenarios, margin } = comparison;
  const results = Object.entries(scenarios);
  const all = [...(results.length > 1 ? [["overall", comparison] as const] : []), ...results];
  const [verdict, confidence] = verdictWords(comparison);
  const chart = differenceChart(all, comparison);
  const decides = margin > 0 ? "leaves the grey band of the margin" : "doesn’t touch zero";
  const caption = [
    "Difference of the scores on all items, ",
    idText(names.b),
    " minus ",
    idText(names.a),
    `, with its 95 % interval. An interval that ${decides} decides.`,
  ];
  const columns = [idText(names.a), idText(names.b), "difference", "interval", "answered by both"];
  const rows = all.map(([id, { scores, difference, interval, answered, of }]) => [
    idText(id),
    scoreWords(scores.a.score),
    scoreWords(scores.b.score),
    difference === null ? "–" : signedPoints(difference),
    differenceWords(interval),
    `${answered} of ${of}`,
  ]);
  return [
    element("h2", "Verdict"),
    element("p", { class: `verdict ${comparison.verdict ?? "none"}` }, sentence(verdict!, names)),
    confidence === undefined ? null : element("p", sentence(confidence, names)),
    warningsContent(comparison.warnings),
    chart && figure(caption, drawn(chart)),
    table("Scores and differences, in points", ["scenario", ...columns.map(numbers)], rows),
    comparison.interval === null ? null : element("p.meaning", OVER_MEANING[comparison.over]),
    details("Details", element("p", sentence(mcNemarWords(comparison, names), names))),
  ];
}

/** Adds a capital and a full stop; a model's name at the beginning keeps its case. */
function sentence(words: string, { a, b }: Comparison["names"]): string {
  const named = [a, b].some((name) => words.startsWith(`${name} `));
  return `${named ? words : `${words.charAt(0).toUpperCase()}${words.slice(1)}`}.`;
}

/** The overall and every scenario's difference with its interval, and the margin as a band. Null if there is none. */
function differenceChart(
  list: readonly (readonly [label: string, difference: Difference])[],
  { names, margin }: Pick<Comparison, "names" | "margin">,
): Chart | null {
  const rows = list.flatMap(([label, { difference, interval }]) => {
    if (difference === null) return [];
    const { low, high } = interval ?? { low: difference, high: difference };
    return [{ label, difference: 100 * difference, low: 100 * low, high: 100 * high }];
  });
  if (rows.length === 0) return null;
  const reach = 1.12 * Math.max(1, 200 * margin, ...rows.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]));
  const longest = Math.max(...rows.map(({ label }) => label.length));
  const width = wideChart();
  const spoken = list.map(
    ([label, difference]) =>
      `${label}: ${difference.difference === null ? "none" : signedPoints(difference.difference)}, interval ${differenceWords(difference.interval)}`,
  );
  const band = { x1: -100 * margin, x2: 100 * margin, fill: "var(--muted)", fillOpacity: 0.16 };
  return {
    label: `${names.b} minus ${names.a}, in points. ${spoken.join("; ")}.`,
    width,
    height: 66 + 34 * rows.length,
    ...margins(26, 16, 38, Math.min(0.36 * width, 14 + 6.6 * longest)),
    x: { domain: [-reach, reach] },
    y: { domain: rows.map(({ label }) => label), label: null },
    marks: [
      ...(margin > 0 ? [chartMark("rect", [0], band)] : []),
      chartMark("gridX", null, { ticks: 6, stroke: "var(--grid)", strokeOpacity: 1 }),
      chartMark("axisY", null, { tickSize: 0, label: null, color: "var(--ink)" }),
      placeAxis("difference, points", { tickFormat: (x: number) => (x > 0 ? `+${x}` : String(x).replace("-", "−")) }),
      chartMark("ruleX", [0], { stroke: "var(--muted)", strokeWidth: 1.4 }),
      chartMark("text", [`← ${names.a} better`], { frameAnchor: "top-left", dy: -20, fill: "var(--muted)" }),
      chartMark("text", [`${names.b} better →`], { frameAnchor: "top-right", dy: -20, fill: "var(--muted)" }),
      intervalBar(rows, "label"),
      chartMark("dot", rows, { x: "difference", y: "label", r: 5, fill: "var(--accent)" }),
    ],
  };
}
