import {
  comparableForms,
  itemTotal,
  listedForm,
  type MeasuredForm,
  measuredScenarios,
  typicalError,
} from "../../../sdk/words/measured-forms.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import type { Manifest, MeasuredErrors } from "../../../sdk/core/bundle/manifest.ts";
import { answerCheckWords, bundleFacts, NOT_STATED, sizeWords } from "../../../sdk/words/bundle-words.ts";
import { count, listed, partWords, points } from "../../../sdk/words/figures.ts";
import { formCosts, knownPrices } from "../../prices/sdk/bundle-prices.ts";

const SPLITS: Readonly<Record<keyof MeasuredErrors, string>> = {
  interpolation: "models like those seen",
  extrapolation: "stronger than any seen",
};

/** Facts that a card has in its first lines or in longer words, and the date, which its publication has. */
const SAID_OTHERWISE = ["created", "source models", "items", "protocol", "answer check"];

/**
 * The card of a bundle that has none of its own, in Markdown, of what it knows of itself: items and models, where its data
 * come from, protocol, what an item id is, how models above the best seen fare, and its measured errors. What isn't known
 * isn't said.
 * @example await publishBundle(store, files, { card: new TextEncoder().encode(bundleCard(bundle)) })
 */
export function bundleCard(bundle: Bundle): string {
  const { manifest } = bundle;
  const { benchmark, version, description } = manifest;
  const lines = [
    ...shortLines(bundle),
    ...bundleFacts(manifest)
      .filter(({ label, value }) => value !== NOT_STATED && !SAID_OTHERWISE.includes(label))
      .map(({ label, value }) => `**${label[0]!.toUpperCase()}${label.slice(1)}:** ${value}.`),
    ...protocolLines(manifest),
    ...idLines(bundle),
    ...answerCheckLines(manifest),
    `**Above the best seen**, ${bestScores(bundle)}, a new model may well be. Estimates warn of it${strongerWords(manifest)}.`,
  ];
  return [
    `# ${benchmark} ${version}`,
    `${description === null ? "" : `${description.replace(/\.?$/, ".")} `}${sizeWords(manifest)}.`,
    lines.map((line) => `- ${line}`).join("\n"),
    "## Measured errors",
    ...errorParts(manifest),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The use of a bundle in a line: how sure its items are, and what they cost of the whole, where prices are known. */
export function shortLines(bundle: Pick<Bundle, "manifest" | "scenarios">): string[] {
  const { form, items, whole, measured } = listedForm(bundle.manifest);
  const halfWidth = measured?.interpolation?.halfWidth95 ?? null;
  if (whole || halfWidth === null) return [];
  const prices = knownPrices(bundle);
  const costs = (prices === null ? [] : formCosts(bundle, prices, form.id)).map(
    ({ unit, cost, whole: all }) => `, ${partWords(cost, all, unit)}`,
  );
  return [
    `**In short:** ${count(items)} of ${count(itemTotal(bundle.manifest))} items: ± ${points(halfWidth)} points for a model like those seen${costs.join("")}.`,
  ];
}

/** The protocol of a bundle, and how far its figures go: a line, or none where it isn't known. */
export function protocolLines({ protocol }: Pick<Manifest, "protocol">): string[] {
  const entries = Object.entries(protocol).filter(([key]) => !/^ids(\/|$)/.test(key));
  if (entries.length === 0) return [];
  const settings = entries.map(([key, value]) => `${key} ${String(value)}`).join(", ");
  return [
    `**Protocol:** ${settings}. A score is on all these items under the protocol of your own run; where that differs much from this one, items may be hard in another way, and intervals may be too narrow.`,
  ];
}

/** How answers are checked where that is less than usual: a line, or none. */
export function answerCheckLines(manifest: Parameters<typeof answerCheckWords>[0]): string[] {
  const words = answerCheckWords(manifest);
  return words === null ? [] : [`**Check of answers:** ${words}.`];
}

/** The meaning of an item id, where the protocol says it or all anchors have a document of a task. */
function idLines({ manifest: { protocol }, scenarios }: Bundle): string[] {
  const anchors = [...scenarios.values()].flatMap((scenario) => [...scenario.anchors.values()]);
  const documents = anchors.every(({ task, doc_id }) => task !== undefined && doc_id !== undefined);
  const kinds = Object.entries(protocol).filter(([key]) => /^ids(\/|$)/.test(key));
  const words = [...new Set(kinds.map(([, kind]) => kind))].map((kind) => {
    const of = kinds.filter(([key, other]) => other === kind && key !== "ids").map(([key]) => key.slice("ids/".length));
    const scenario = of.length === 0 ? "" : `${listed(of)}: `;
    if (kind === "doc_id") return `${scenario}the document \`doc_id\` of the harness's task`;
    if (kind === "source") return `${scenario}the source's own, which no harness can be asked for`;
    return `${scenario}the field \`${String(kind)}\` of a document`;
  });
  if (words.length > 0) return [`**Ids:** ${words.join("; ")}.`];
  return documents ? ["**Ids:** the document `doc_id` of the harness's task, both in anchors.jsonl."] : [];
}

function bestScores({ scenarios }: Bundle): string {
  return listed(
    [...scenarios.values()].map(({ id, sourceScores }) => `${points(Math.max(...sourceScores))} points in ${id}`),
  );
}

/** How models stronger than any seen fare, beside those like the seen; empty where it wasn't measured. */
function strongerWords(manifest: Manifest): string {
  const form = listedForm(manifest);
  const [like, stronger] = [typicalError(form), typicalError(form, "extrapolation")];
  if (form.whole || like === null || stronger === null) return "";
  return `, and of ${count(form.items)} items err by ${points(stronger)} points where models are ${SPLITS.extrapolation}, by ${points(like)} where they are like those seen`;
}

/** A table of all sizes for the overall score, and one of every scenario in the default form. */
function errorParts(manifest: Manifest): string[] {
  const scenarios = measuredScenarios(manifest);
  const [first, ...single] = scenarios;
  const splits = Object.keys(SPLITS) as (keyof MeasuredErrors)[];
  const sizes = splits.flatMap((split) =>
    comparableForms(first!, split).map((form) => [SPLITS[split], form.form.id, ...figures(form, split)]),
  );
  if (sizes.length === 0) return ["Errors were not measured: the models are too few, or answered too little."];
  const shown = manifest.defaultForm;
  const rows = splits.flatMap((split) =>
    single.flatMap(({ id, forms }) =>
      forms
        .filter(({ form, whole, measured }) => form.id === shown && !whole && measured?.[split])
        .map((form) => [SPLITS[split], id, ...figures(form, split)]),
    ),
  );
  return [
    "In points: models were held out, and the whole fit was repeated without them.",
    markdownTable(["held out", "form", ...HEADINGS], sizes),
    ...(rows.length === 0
      ? []
      : [`By scenario, form ${shown}:`, markdownTable(["held out", "scenario", ...HEADINGS], rows)]),
  ];
}

const HEADINGS = ["items", "models", "error", "as many random items", "95 % intervals that hold", "half-width"];

function figures(form: MeasuredForm, split: keyof MeasuredErrors): string[] {
  const { models, randomMae, coverage95, halfWidth95 } = form.measured![split]!;
  const error = typicalError(form, split)!;
  const interval = [
    coverage95 === null ? "" : `${points(coverage95)} %`,
    halfWidth95 === null ? "" : points(halfWidth95),
  ];
  return [String(form.items), String(models), points(error), randomMae === 0 ? "" : points(randomMae), ...interval];
}

function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(headings), line(headings.map((_, k) => (k < 2 ? "---" : "--:"))), ...rows.map(line)].join("\n");
}
