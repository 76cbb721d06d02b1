import { checkNames, invalidOption } from "anchoreval/internal/core/errors";
import type { AnchorMethod } from "../anchors/anchor-method.ts";
import { recommended, scoreMapKind, type Method, type ScoreMapFitter } from "./method.ts";
import { DEFAULT_SETTINGS, type FitSettings } from "./settings.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/** Methods by name, each loaded when it is asked for. */
const METHODS = {
  recommended: () => Promise.resolve(recommended),
  random: async () => (await import("./random-items.ts")).random,
  tinybenchmarks: async () => (await import("./kmeans/index.ts")).tinybenchmarks,
  essence: async () => (await import("./essence/anchors.ts")).essence,
  metabench: async () => (await import("./metabench/design-search.ts")).metabench,
  sublime: async () => (await import("./sublime/anchors.ts")).sublime,
} as const satisfies Readonly<Record<string, () => Promise<Method>>>;

/** Ways to choose anchors by name. */
const ANCHORS = {
  stratified: async () => (await import("../anchors/stratified.ts")).stratified,
  random: async () => (await import("./random-items.ts")).randomItems,
  screened: async () => (await import("../anchors/screened.ts")).screened,
  "greedy-variance": async () => (await import("./chosen-items.ts")).greedyVariance,
  essence: async () => (await import("./essence/anchors.ts")).essenceAnchors,
  "fisher-information": async () => (await import("./metabench/anchors.ts")).informationAnchors,
  sublime: async () => (await import("./sublime/anchors.ts")).sublimeAnchors,
  "irt-kmeans": async () => (await import("./kmeans/index.ts")).irtKmeans,
  "correctness-kmeans": async () => (await import("./kmeans/index.ts")).correctnessKmeans,
} as const satisfies Readonly<Record<string, () => Promise<AnchorMethod>>>;

/** A method that has a name: what this project recommends, a published one as it is done here, or a baseline. */
export type MethodName = keyof typeof METHODS;
/** All names that {@link loadMethod} knows. */
export const METHOD_NAMES = Object.keys(METHODS) as readonly MethodName[];

export type AnchorMethodName = keyof typeof ANCHORS;
export const ANCHOR_METHOD_NAMES = Object.keys(ANCHORS) as readonly AnchorMethodName[];

export function loadMethod(name: MethodName): Promise<Method> {
  return METHODS[name]();
}

/** The way to choose anchors of a name. @throws AnchorEvalError `invalid_option` for an unknown one */
export function loadAnchorMethod(name: string): Promise<AnchorMethod> {
  const load = lookUp(ANCHORS as Readonly<Record<string, () => Promise<AnchorMethod>>>, name);
  if (load === undefined)
    throw invalidOption(`there is no selection ${name}: there are ${ANCHOR_METHOD_NAMES.join(", ")}`);
  return load();
}

/**
 * A method with other settings, and what these need of other methods: anchors, a search, score maps.
 * @example await customised(await loadMethod("metabench"), { selection: "greedy-variance" })
 */
export async function customised(method: Method, changes: Partial<FitSettings>): Promise<Method> {
  checkNames<object>(changes, DEFAULT_SETTINGS);
  const settings = { ...method.settings, ...changes };
  const anchors =
    settings.selection === method.anchors.name ? method.anchors : await loadAnchorMethod(settings.selection);
  const changed: { -readonly [Key in keyof Method]: Method[Key] } = { ...method, settings, anchors };
  delete changed.designSearch;
  delete changed.scoreMaps;
  if (settings.search > 0) changed.designSearch = (await import("./metabench/design-search.ts")).informationDesign;
  const scoreMaps = await scoreMapsOf(changed);
  if (scoreMaps) changed.scoreMaps = scoreMaps;
  return changed;
}

async function scoreMapsOf(method: Pick<Method, "settings" | "anchors">): Promise<ScoreMapFitter | null> {
  const kind = scoreMapKind(method);
  if (kind === "none") return null;
  const { additiveMaps, meanMaps } = await import("./score-maps/form-score-maps.ts");
  return kind === "mean" ? meanMaps : additiveMaps;
}
