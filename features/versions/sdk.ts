import type { Manifest } from "../../sdk/core/bundle/manifest.ts";
import { partOf, type PartedManifest } from "../../sdk/core/bundle/part.ts";
import { basePart, type BridgeManifest } from "./core.ts";
import { normalQuantile } from "../../sdk/core/numeric/distributions.ts";
import type { Remark } from "../../sdk/estimate/door.ts";
import type { Estimate, PassInterval } from "../../sdk/estimate/types.ts";
import { lookUp } from "../../sdk/core/bundle/names.ts";
import type { BundleFact } from "../../sdk/words/bundle-words.ts";
import { counted, listed, points } from "../../sdk/words/figures.ts";

/** A score on the scale of the earlier version that its version stands on. Fractions in [0,1]. */
export interface BridgedScore {
  readonly benchmark: string;
  /** The earlier version. */
  readonly version: string;
  /** Null where the overall score, or the line that it goes by, is missing, or the score counts predicted scenarios. */
  readonly overall: BridgedValue | null;
  readonly scenarios: Readonly<Record<string, BridgedValue | null>>;
}

/** A score as the earlier version would have given it. */
interface BridgedValue {
  readonly score: number;
  /** Of the estimate, wider by the line's own error; null where the estimate has none. */
  readonly interval: PassInterval | null;
}

/**
 * A score on the scale of the earlier version that its bundle stands on (`fit --base`): intercept + slope·score, by the
 * line through the source models' scores in both. Half-widths are √((slope·h)² + (z·error)²), clipped to [0,1].
 * It is what an old score can be put beside; it is no score of the new version.
 * @returns null for a bundle that stands on no other
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §2.4
 * @example bridgedScore(bundle.manifest, estimateFromAnchors(bundle, responses))?.overall?.score
 */
export function bridgedScore(manifest: PartedManifest, estimate: Estimate): BridgedScore | null {
  const base = partOf(manifest, basePart);
  if (!base) return null;
  const { benchmark, version, bridge } = base;
  return {
    benchmark,
    version,
    overall: bridged(bridge.overall, estimate),
    scenarios: Object.fromEntries(
      Object.entries(estimate.scenarios).map(([id, result]) => [
        id,
        bridged(lookUp(bridge.scenarios, id) ?? null, result),
      ]),
    ),
  };
}

/** The score on the scale of the earlier version that the bundle stands on, of an estimate of means. */
export const bridgeRemark: Remark<object, object, { readonly bridged: BridgedScore }> = {
  options: {},
  beside: ({ manifest }, _, result) => {
    const bridged = "metric" in result ? null : bridgedScore(manifest, result as Estimate);
    return bridged && { bridged };
  },
};

function bridged(
  line: BridgeManifest | null,
  { score, predicted, interval }: Pick<Estimate, "score" | "predicted" | "interval">,
): BridgedValue | null {
  if (line === null || score === null || predicted) return null;
  const center = line.intercept + line.slope * score;
  const within = (value: number): number => Math.min(1, Math.max(0, value));
  if (interval === null) return { score: within(center), interval: null };
  const error = normalQuantile(0.5 + interval.level / 2) * line.error;
  const half = (end: number): number => Math.hypot(line.slope * (end - score), error);
  return {
    score: within(center),
    interval: {
      low: within(center - half(interval.low)),
      high: within(center + half(interval.high)),
      level: interval.level,
    },
  };
}

/** Share of a version's answers that may be drawn before its measured errors mostly repeat the response model: chosen, not measured. */
const MOST_DRAWN = 0.1;

/** The version that a bundle stands on, and how. */
export function baseFacts(manifest: Manifest): BundleFact[] {
  const base = partOf(manifest, basePart);
  if (!base) return [];
  const { benchmark, version, items, rerun, drawn, texts, anchors, bridge } = base;
  const count = manifest.scenarios.reduce((sum, scenario) => sum + scenario.items, 0);
  const all = (drawn * items.placed) / count;
  const by = [...(rerun > 0 ? [`the answers of ${counted(rerun, "model")}`] : []), texts ? "texts" : "the other items"];
  const line = bridge.overall;
  const kept = Object.entries(anchors).map(([form, { kept: same, of }]) => `${same} of ${of} in form ${form}`);
  const facts: [string, string | null][] = [
    ["base", `${benchmark} ${version}`],
    ["fixed items", `${items.standing} of ${count}`],
    ["new scenarios", items.calibrated === undefined ? null : `${items.calibrated} items`],
    ["linked items", items.placed > 0 ? `${items.placed}, by ${listed(by)}` : null],
    [
      "drawn answers",
      drawn > 0
        ? `${points(drawn)} % of those to linked items, ${points(all)} % of all${all > MOST_DRAWN ? ": run more models on the new items" : ""}`
        : null,
    ],
    ["kept anchors", kept.join(", ")],
    [
      "linking",
      line
        ? `${points(line.intercept)} + ${line.slope.toFixed(3)} × score, ± ${points(1.96 * line.error)} (95 %, ${counted(line.models, "model")})`
        : `none: too few models have scores in ${version}`,
    ],
  ];
  return facts.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
}

/** The earlier version that a bundle stands on, in words: what is the same, what was linked by what, how scores go over. */
export function baseWords(manifest: PartedManifest & Pick<Manifest, "scenarios" | "sources">): string[] {
  const base = partOf(manifest, basePart);
  if (!base) return [];
  const { scenarios, sources } = manifest;
  const { benchmark, version, items, rerun, drawn, texts, anchors, bridge } = base;
  const count = scenarios.reduce((sum, scenario) => sum + scenario.items, 0);
  const all = drawn * items.placed;
  const by = [
    ...(rerun > 0 ? [`the answers of ${rerun} ${rerun === 1 ? "model" : "models"}`] : []),
    texts ? "their texts" : "the other items of their scenario",
  ].join(" and ");
  return [
    `${items.standing} of ${count} items keep their parameters of ${benchmark} ${version}${items.placed === 0 ? "." : `, ${items.placed} are linked by ${by}.`}`,
    ...(items.calibrated === undefined
      ? []
      : [`${items.calibrated} are of scenarios that ${version} hasn't, calibrated by the models that answered them.`]),
    ...(drawn > 0
      ? [
          `${Math.round(100 * drawn)} % of the ${sources.models} models' answers to linked items are drawn from their chances: full scores, and measured errors, rest on them for ${((100 * all) / count).toFixed(1)} % of the answers.${all > MOST_DRAWN * count ? " That is much: run more models on the new items." : ""}`,
        ]
      : []),
    ...Object.entries(anchors).map(
      ([form, { kept, of }]) => `form ${form}: ${kept} of its ${of} anchors are those of ${version}.`,
    ),
    bridge.overall
      ? `A score s is ${points(bridge.overall.intercept)} + ${bridge.overall.slope.toFixed(3)}·s points in ${version}, give or take ${points(1.96 * bridge.overall.error)} (95 %, ${bridge.overall.models} models).`
      : `Too few models have scores in ${version} for a line from these to those.`,
  ];
}
