import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { sha256Text } from "anchoreval/internal/core/bundle/digest";
import type { ScoreMaps } from "anchoreval/internal/core/estimators/score-maps";
import type { AnchorSet, EstimatorId } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { AnchorMethod, ValueSource } from "../anchors/anchor-method.ts";
import { screened } from "../anchors/screened.ts";
import type { CalibratedScenario, FitBankOptions, ResponseModel } from "../calibrate/bank.ts";
import type { Benchmark, Scenario } from "../matrix/benchmark.ts";
import { DEFAULT_SETTINGS, type FitSettings, notedSettings, type ScoreMapKind } from "./settings.ts";

/** A way to fit: settings, how anchors are chosen, and what the main road calls without knowing whose it is. */
export interface Method {
  readonly name: string;
  /** One line of help. */
  readonly summary: string;
  readonly settings: FitSettings;
  readonly anchors: AnchorMethod;
  /** By scenario, what the items tell the anchors' method apart from answers (`withKnowledge`). */
  readonly knowledge?: ReadonlyMap<string, unknown>;
  /** Chooses the response model and a design of the anchors on the source models; where `settings.search` isn't 0. */
  readonly designSearch?: DesignSearch;
  /** Fits maps from answers to scores on the source models; where forms have score maps. */
  readonly scoreMaps?: ScoreMapFitter;
  /** Source models of its authors', where those are many times what leaderboards have. */
  readonly authorsModels?: number;
  /** Anchors a scenario where none are asked for. */
  readonly sizes?: readonly number[];
  /** Anchors of all scenarios together where none are asked for. @default those of `sizes` that every scenario can share */
  readonly totals?: readonly number[];
}

/** The method that this project recommends. */
export const recommended: Method = {
  name: "recommended",
  summary: "the default",
  settings: DEFAULT_SETTINGS,
  anchors: screened,
};

/** How a design is searched for. */
export interface DesignSearchOptions extends FitBankOptions {
  /** Replicate group of every model. */
  readonly replicates: ArrayLike<number>;
  readonly sizes: readonly number[];
  /** k of the ability prior N(μ, k²Σ). */
  readonly priorScale: number;
  /** Candidates that are judged, at least one. */
  readonly budget: number;
  /** {@link Method.knowledge} */
  readonly knowledge?: ReadonlyMap<string, unknown> | undefined;
}

/** The design that a search chose. */
export interface FoundDesign {
  readonly irtModel: ResponseModel["irtModel"];
  /** Plain data, given to the anchors ({@link AnchorInput.design}) and the score maps. */
  readonly design: unknown;
  /** Notes for the manifest's `fit.designs`. */
  readonly notes: Readonly<Record<string, unknown>>;
}

/** A search for the response model and the design of the anchors. */
export interface DesignSearch {
  readonly source: ValueSource;
  /** @param rows - the models that are learned from; no other's answers are there */
  readonly search: (scenario: Scenario, rows: readonly number[], options: DesignSearchOptions) => Promise<FoundDesign>;
}

/** One scenario with the anchors of a form, as its score maps are fitted. */
export interface AnchoredScenario {
  readonly scenario: Scenario;
  readonly trained: CalibratedScenario;
  readonly prior: AbilityPrior;
  /** Of the search, null without. */
  readonly design: unknown;
  readonly anchors: AnchorSet;
}

/** Fits score maps. */
export interface ScoreMapFitter {
  readonly source: ValueSource;
  /** @returns by scenario @param random - its streams are forked: the same for all forms */
  readonly fit: (scenarios: readonly AnchoredScenario[], random: RandomSource) => readonly ScoreMaps[];
}

/** The method with what its anchors' method tells from the items of a benchmark. */
export function withKnowledge(method: Method, { scenarios }: Pick<Benchmark, "scenarios">): Method {
  const { know } = method.anchors;
  if (know === undefined) return method;
  const knowledge = scenarios.map(({ id, matrix }) => [id, know(matrix.items, id)] as const);
  return { ...method, knowledge: new Map(knowledge) };
}

/** The settings that decide which estimate is the score, and where its intervals come from. */
type ScoreChoice = Pick<Method, "anchors"> & {
  readonly settings: Pick<FitSettings, "estimator" | "scoreMap">;
};

/** The estimator of `score`: the one asked for, or the one that reads the anchors best. */
export function headlineEstimator({ settings, anchors }: ScoreChoice): EstimatorId {
  return settings.estimator === "auto" ? anchors.estimator : settings.estimator;
}

/** The score map that is fitted: the one asked for, or the anchors' own, or an additive one where that is the score. */
export function scoreMapKind(choice: ScoreChoice): ScoreMapKind {
  if (choice.settings.scoreMap !== "auto") return choice.settings.scoreMap;
  return choice.anchors.scoreMap ?? (headlineEstimator(choice) === "score-map" ? "additive" : "none");
}

/** Corrected by the answers' residuals, which the design-based variance is of. */
const DRAW_CORRECTED: readonly EstimatorId[] = ["gate", "p-irt-dr"];

/** Where intervals come from: the draw of the anchors, of an estimate whose error the draw tells; or held-out models. */
export function intervalKind(choice: ScoreChoice): "design" | "cross-validated" {
  return choice.anchors.drawn && DRAW_CORRECTED.includes(headlineEstimator(choice)) ? "design" : "cross-validated";
}

/** The settings that define the method as given; where others are `auto`, their resolved values are added. */
const DEFINING = [
  "selection",
  "irtModel",
  "estimation",
  "link",
  "dims",
  "shrinkage",
  "search",
  "priorScale",
  "lambda",
  "joint",
  "linked",
  "folds",
  "draws",
] as const satisfies readonly (keyof ReturnType<typeof notedSettings>)[];

/** Digest of a method: equal where the same thing is fitted. The weighting is the estimand's, not the method's. */
export function methodDigest(method: Pick<Method, "anchors" | "settings">): string {
  const settings = notedSettings(method.settings);
  return sha256Text(
    JSON.stringify({
      ...Object.fromEntries(DEFINING.map((field) => [field, settings[field]])),
      estimator: headlineEstimator(method),
      scoreMap: scoreMapKind(method),
      interval: intervalKind(method),
    }),
  );
}

/** A method as a thread is sent it: its functions by where they are loaded from. */
export type SentMethod = Omit<Method, "anchors" | "designSearch" | "scoreMaps"> & {
  readonly anchors: ValueSource;
  readonly designSearch: ValueSource | undefined;
  readonly scoreMaps: ValueSource | undefined;
};

export function sentMethod(method: Method): SentMethod {
  const { anchors, designSearch, scoreMaps } = method;
  return { ...method, anchors: anchors.source, designSearch: designSearch?.source, scoreMaps: scoreMaps?.source };
}

/** The method of what {@link sentMethod} made. */
export async function receivedMethod({ anchors, designSearch, scoreMaps, ...method }: SentMethod): Promise<Method> {
  return {
    ...method,
    anchors: await loadValue(anchors),
    ...(designSearch && { designSearch: await loadValue(designSearch) }),
    ...(scoreMaps && { scoreMaps: await loadValue(scoreMaps) }),
  };
}

export async function loadValue<Value>({ module, name }: ValueSource): Promise<Value> {
  return ((await import(/* @vite-ignore */ module)) as Record<string, Value>)[name]!;
}
