import {
  answeredSample,
  clamp,
  knownBounds,
  LEAST_ANSWERED_SHARE,
} from "anchoreval/internal/core/estimators/answered-sample";
import { anchorMean } from "anchoreval/internal/core/estimators/predicted-means";
import type { AdditiveMap, AnswerFeatures, FeatureName, MapTerm } from "anchoreval/internal/core/estimators/score-maps";
import { bankAbility } from "anchoreval/internal/core/scoring/bank-ability";
import { expectedScore } from "anchoreval/internal/core/scoring/predicted-scores";
import type { AnchoredScenario } from "../method.ts";
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
export type MappedScenario = ReturnType<typeof mappedScenario>;

/**
 * Ability estimates: `map`, the posterior mode given all answers; `eap-sum`, the posterior mean given the number of correct
 * ones, whose smooth curve is one of the anchors' mean.
 */
export const ABILITY_SCORES = ["map", "eap-sum"] as const;
export type AbilityScore = (typeof ABILITY_SCORES)[number];

/** The ability that a searched design estimates; the posterior mode where nothing was searched. */
export function abilityScore(design: unknown): AbilityScore {
  return (design as { readonly score?: AbilityScore } | null | undefined)?.score ?? "map";
}

/** Kind of a map, and the ability estimate that it reads. */
export interface MapChoice {
  readonly kind: "mean" | "additive";
  readonly score: AbilityScore;
}

/** Whether a map reads the score that the ability predicts; `eap-sum` adds nothing to the anchors' mean. */
export function readsAbility({ kind, score }: MapChoice): boolean {
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

export interface FeatureColumn extends FeatureName {
  readonly values: Float64Array;
}

/** A map of one feature: a penalised spline by GCV ({@link smoothMap}). */
function curveMap({ values, ...name }: FeatureColumn, full: Float64Array): AdditiveMap {
  return { intercept: 0, terms: [compiledTerm(name, smoothMap(values, full))] };
}

/** A map of several features: {@link additiveModel}. A constant one has a flat curve. */
export function additiveMap(columns: readonly FeatureColumn[], full: Float64Array): AdditiveMap {
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
