import {
  type AdditiveMap,
  type AnswerFeatures,
  type FeatureName,
  pooledFeatures,
  type ScoreMaps,
  type MapTerm,
} from "anchoreval/internal/core/estimators/score-maps";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { answerFeatures } from "anchoreval/internal/core/scoring/scenario-estimate";
import type { AnchoredScenario, ScoreMapFitter } from "../method.ts";
import {
  answeredSample,
  clamp,
  knownBounds,
  LEAST_ANSWERED_SHARE,
} from "anchoreval/internal/core/estimators/answered-sample";
import { anchorMean } from "anchoreval/internal/core/estimators/predicted-means";
import { bankAbility } from "anchoreval/internal/core/scoring/bank-ability";
import { expectedScore } from "anchoreval/internal/core/scoring/predicted-scores";
import { scoreAt } from "../../matrix/response-matrix.ts";
import { fullScores } from "../../matrix/scenarios.ts";
import { additiveModel } from "./additive-model.ts";
import { curveAt, type SmoothCurve } from "./b-splines.ts";
import { smoothMap } from "./penalised-spline.ts";

/** Map features of one model's answers to a scenario, and the score bounds that they prove. */
interface MappedAnswers {
  readonly features: Omit<AnswerFeatures, "score">;
  readonly bounds: { readonly low: number; readonly high: number };
}

/** A scenario with the map features of the models that answered enough of its anchors, by row. */
type MappedScenario = ReturnType<typeof mappedScenario>;

/**
 * Ability estimates: `map`, the posterior mode given all answers; `eap-sum`, the posterior mean given the number of correct
 * ones, whose smooth curve is one of the anchors' mean.
 */
export const ABILITY_SCORES = ["map", "eap-sum"] as const;
export type AbilityScore = (typeof ABILITY_SCORES)[number];

/** The ability that a searched design estimates; the posterior mode where nothing was searched. */
function abilityScore(design: unknown): AbilityScore {
  return (design as { readonly score?: AbilityScore } | null | undefined)?.score ?? "map";
}

/** Kind of a map, and the ability estimate that it reads. */
interface MapChoice {
  readonly kind: "mean" | "additive";
  readonly score: AbilityScore;
}

/** Whether a map reads the score that the ability predicts; `eap-sum` adds nothing to the anchors' mean. */
function readsAbility({ kind, score }: MapChoice): boolean {
  return kind === "additive" && score === "map";
}

/**
 * Map features of the answers of some models to a scenario.
 * @param rows - models, sources of its calibration or others
 */
export function mappedScenario(
  { scenario, trained: { bank, scoreMap }, prior, anchors }: Omit<AnchoredScenario, "design">,
  rows: ArrayLike<number>,
  choice: MapChoice,
) {
  const { id, matrix, weights } = scenario;
  const { items: full } = fullScores(matrix, scenario);
  const answers = new Map<number, MappedAnswers>();
  for (const row of Array.from(rows)) {
    const scores = Float64Array.from(anchors.items, (item) => scoreAt(matrix, row, item));
    const sample = answeredSample(anchors, scores);
    if (sample === null || sample.share < LEAST_ANSWERED_SHARE || Number.isNaN(full[row]!)) continue;
    const ability = readsAbility(choice) ? bankAbility({ bank, items: anchors.items, scores }, prior) : null;
    const bounds = knownBounds(weights, sample);
    const expected = ability === null ? NaN : expectedScore(ability.theta, bank, weights, scoreMap).score; // NaN: not read
    answers.set(row, { features: { mean: clamp(anchorMean(sample), bounds), expected }, bounds });
  }
  return { id, full, answers };
}

/**
 * Fits the map of a scenario's own answers on the models that have them: of the mean alone by GCV, or an additive one by
 * restricted likelihood, even where it reads the mean alone.
 */
export function fitOwnMap({ id, full, answers }: MappedScenario, choice: MapChoice): AdditiveMap {
  const rows = [...answers.keys()];
  const truth = Float64Array.from(rows, (row) => full[row]!);
  const column = (feature: "mean" | "expected"): FeatureColumn => ({
    feature,
    scenario: id,
    values: Float64Array.from(rows, (row) => answers.get(row)!.features[feature]),
  });
  if (choice.kind === "mean") return curveMap(column("mean"), truth);
  return additiveMap(readsAbility(choice) ? [column("mean"), column("expected")] : [column("mean")], truth);
}

interface FeatureColumn extends FeatureName {
  readonly values: Float64Array;
}

/** A map of one feature: a penalised spline by GCV ({@link smoothMap}). */
function curveMap({ values, ...name }: FeatureColumn, full: Float64Array): AdditiveMap {
  return { intercept: 0, terms: [compiledTerm(name, smoothMap(values, full))] };
}

/** A map of several features: {@link additiveModel}. A constant one has a flat curve. */
function additiveMap(columns: readonly FeatureColumn[], full: Float64Array): AdditiveMap {
  const values = columns.map((column) => column.values);
  const { intercept, curves } = additiveModel(values, full);
  const flat = (x: number): SmoothCurve => ({
    x: Float64Array.of(x),
    y: new Float64Array(1),
    bending: new Float64Array(1),
  });
  const terms = columns.map(({ values: [first], ...name }, j) => compiledTerm(name, curves[j] ?? flat(first!)));
  return { intercept: Math.fround(intercept), terms };
}

/** Values of a curve; between them it is a line, off by less than a hundredth of a point. */
const POINTS = 65;

/** A curve as a bundle keeps it: values at evenly spaced points over its breaks, as float32. */
function compiledTerm(name: FeatureName, curve: SmoothCurve): MapTerm {
  const begin = Math.fround(curve.x[0]!);
  const last = Math.fround(curve.x.at(-1)!);
  const end = last > begin ? last : Math.fround(begin + 1); // of a single break: a constant
  const step = (end - begin) / (POINTS - 1);
  return {
    ...name,
    begin,
    end,
    values: Float32Array.from({ length: POINTS }, (_, k) => curveAt(curve, begin + k * step)),
  };
}

/** Fewest source models with answers to all scenarios for maps that read all scenarios. */
const LEAST_MODELS = 20;

/** Folds of the source models' families for cross-fitted predictions of the scenarios' own maps. */
const FOLDS = 5;

export const meanMaps: ScoreMapFitter = {
  source: { module: import.meta.url, name: "meanMaps" },
  fit: (scenarios, random) => formScoreMaps(scenarios, "mean", random),
};

/** Maps of the anchors' means and the scores that the abilities predict, of all scenarios. */
export const additiveMaps: ScoreMapFitter = {
  source: { module: import.meta.url, name: "additiveMaps" },
  fit: (scenarios, random) => formScoreMaps(scenarios, "additive", random),
};

/**
 * Fits the score maps of one form on the source models. `mean` maps the anchors' mean. `additive` maps it and the score that
 * the ability predicts; with several scenarios, a second map reads all scenarios: this one's mean, the mean of all, and, where
 * abilities are read, the predictions of the scenarios' own maps. Those predictions are cross-fitted by family, since
 * in-sample fits would be trusted too much (stacking).
 * @returns by scenario @param random - its streams are forked: the same for all forms
 * @see Kipnis et al. (2025), metabench, ICLR; Wolpert (1992), Neural Networks 5, 241–259 (stacked generalisation)
 */
export function formScoreMaps(
  scenarios: readonly AnchoredScenario[],
  kind: MapChoice["kind"],
  random: RandomSource,
): readonly ScoreMaps[] {
  const all = scenarios.map((scenario) => {
    const choice: MapChoice = { kind, score: abilityScore(scenario.design) };
    const part = mappedScenario(scenario, scenario.trained.rows, choice);
    return { part, choice, alone: fitOwnMap(part, choice) };
  });
  const common = Array.from(all[0]!.part.answers.keys()).filter((row) =>
    all.every(({ part }) => part.answers.has(row)),
  );
  if (kind === "mean" || scenarios.length < 2 || common.length < LEAST_MODELS)
    return all.map(({ alone }) => ({ alone, together: null }));
  const { families } = scenarios[0]!.scenario;
  const rows = [...new Set(all.flatMap(({ part }) => [...part.answers.keys()]))].sort((x, y) => x - y);
  const ofRow = rows.map((row) => families[row]!);
  const folds = familyFolds(ofRow, FOLDS, random.fork("families"));
  const fold = new Map(rows.map((row, at) => [row, folds[at]!]));
  const maps = all.map(({ part, choice }) => foldOutMaps(part, choice, fold));
  const featuresOf = (row: number): [string, AnswerFeatures][] =>
    all.map(({ part: { id, answers } }, k) => {
      const { features, bounds } = answers.get(row)!;
      return [id, answerFeatures({ alone: maps[k]![fold.get(row)!]! }, features.mean, features.expected, bounds)];
    });
  const read = common.map((row) => pooledFeatures(new Map(featuresOf(row))));
  const column = (feature: FeatureName["feature"], scenario: string | null): FeatureColumn => ({
    feature,
    scenario,
    values: Float64Array.from(read, (valueOf) => valueOf({ feature, scenario })),
  });
  const shared = [
    ...(all.some(({ choice }) => readsAbility(choice)) ? [column("score", null)] : []),
    column("mean", null),
  ];
  return all.map(({ part: { id, full }, choice, alone }) => ({
    alone,
    together: additiveMap(
      [...(readsAbility(choice) ? [column("score", id)] : []), column("mean", id), ...shared],
      Float64Array.from(common, (row) => full[row]!),
    ),
  }));
}

/** A scenario's own map without the models of each fold; with all models where none would be left. */
function foldOutMaps(part: MappedScenario, choice: MapChoice, fold: ReadonlyMap<number, number>): AdditiveMap[] {
  return Array.from({ length: FOLDS }, (_, held) => {
    const left = new Map([...part.answers].filter(([row]) => fold.get(row) !== held));
    return fitOwnMap(left.size > 0 ? { ...part, answers: left } : part, choice);
  });
}

/**
 * Folds of whole families, the largest dealt first, each to the smallest fold; of single models where all are one family.
 * @returns fold of every model, from 0
 */
export function familyFolds(families: ArrayLike<number>, folds: number, random: RandomSource): Int32Array {
  const all = Array.from(families);
  const groups = new Set(all).size > 1 ? all : all.map((_, m) => m);
  const members = new Map<number, number[]>();
  groups.forEach((group, m) => members.set(group, [...(members.get(group) ?? []), m]));
  const ordered = random.shuffle([...members.values()]).sort((x, y) => y.length - x.length);
  const counts = new Array<number>(Math.min(folds, ordered.length)).fill(0);
  const out = new Int32Array(all.length);
  for (const group of ordered) {
    const fold = counts.indexOf(Math.min(...counts));
    counts[fold]! += group.length;
    for (const m of group) out[m] = fold;
  }
  return out;
}
