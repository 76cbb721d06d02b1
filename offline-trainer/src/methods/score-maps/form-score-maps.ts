import {
  type AdditiveMap,
  type AnswerFeatures,
  type FeatureName,
  pooledFeatures,
  type ScoreMaps,
} from "anchoreval/internal/core/estimators/score-maps";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { answerFeatures } from "anchoreval/internal/core/scoring/scenario-estimate";
import type { AnchoredScenario, ScoreMapFitter } from "../method.ts";
import {
  abilityScore,
  additiveMap,
  type FeatureColumn,
  type MapChoice,
  type MappedScenario,
  mappedScenario,
  fitOwnMap,
  readsAbility,
} from "./mapped-answers.ts";

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
