import { higherOrderAbilities } from "../ability/higher-order.ts";
import type { AbilityEstimate } from "../ability/map.ts";
import type { AbilityPrior, HigherOrderPrior } from "../ability/prior.ts";
import { answeredSample, LEAST_ANSWERED_SHARE } from "../estimators/answered-sample.ts";
import { factorSolver } from "../estimators/factor-scores.ts";
import type { AnswerFeatures } from "../estimators/score-maps.ts";
import { answerPattern, type AnswerPattern } from "../person-fit/answer-pattern.ts";
import { answerCurves } from "../person-fit/statistics.ts";
import { bankAbility, gatherItems } from "./bank-ability.ts";
import { fullScoreEstimate, type FullScoreLine } from "./full-score.ts";
import {
  answeredAnchors,
  estimateScenario,
  scenarioAnswers,
  withPooledScoreMap,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
} from "./scenario-estimate.ts";

/** Whose answers an estimate rests on: those to its scenario alone, or those to all scenarios. */
export const POOLINGS = ["separate", "pooled"] as const;

/** Whose answers an estimate rests on. */
export type Pooling = (typeof POOLINGS)[number];

/** One scenario of a form, with an ability of its own. */
export interface ScoringScenario extends ScenarioModel {
  readonly id: string;
  /** N(μ, k²Σ), of its ability by itself. */
  readonly prior: AbilityPrior;
  /** The prior that ties its ability to the other scenarios'; null where they aren't linked. */
  readonly pooledPrior: HigherOrderPrior | null;
  /** Lowest mean over the items of the source models. */
  readonly worst: number;
  /** To the full score, where that is on more items than the scenario has. */
  readonly fullScore?: FullScoreLine | null;
}

/** Estimates of models from their answers to one form: the only way from answers to scores, in a fit and where it is served. */
export interface ScoringModel {
  /**
   * @param scores - of one model by scenario, aligned with the scenario's anchors; NaN = no answer
   * @returns estimates that are computed when they are asked for, each once
   */
  readonly estimate: (scores: ReadonlyMap<string, Float64Array>) => ModelEstimate;
}

/** One model's estimates before they are blended. */
export interface ModelEstimate {
  /**
   * Whether the answers to all scenarios can be pooled: they are linked, and every scenario is answered by
   * {@link LEAST_ANSWERED_SHARE} of its anchors' mass at least.
   */
  readonly pooled: boolean;
  /** @returns null for a scenario without an answer, and for `pooled` where there is no pooled estimate */
  readonly ability: (id: string, pooling: Pooling) => AbilityEstimate | null;
  /** @returns null for a scenario without an answer, and for `pooled` where there is no pooled estimate */
  readonly scenario: (id: string, pooling: Pooling) => ScenarioEstimate | null;
  /** How a scenario's answers lie against what its own ability predicts; null without an answer. */
  readonly pattern: (id: string) => AnswerPattern | null;
}

/**
 * The scoring model of one form. What follows from the anchors alone is solved once, with the first model that needs it.
 * @param scenarios - that estimates are wanted of; pooled estimates need all of the benchmark's
 * @example
 * const { scenario } = scoringModel(scenarios).estimate(new Map([["gsm", Float64Array.of(1, 0, NaN)]]));
 * scenario("gsm", "separate")?.base.gaussian;
 */
export function scoringModel(scenarios: readonly ScoringScenario[]): ScoringModel {
  const parts = scenarios.map(scoredPart);
  const place = new Map(parts.map((part) => [part.scenario.id, part]));
  const pooledPriors = scenarios.flatMap(({ pooledPrior }) => pooledPrior ?? []);
  const linked = pooledPriors.length === scenarios.length && scenarios.length > 0;
  const pooledFactors = factorSolver(scenarios.map(({ factors }) => factors));

  const estimate = (scores: ReadonlyMap<string, Float64Array>): ModelEstimate => {
    const answers = remembered((id: string) => place.get(id)!.answers(scores.get(id)!));
    const answered = ({ id, bank, anchors }: ScoringScenario) => ({
      bank,
      items: anchors.items,
      scores: scores.get(id)!,
    });
    const separateAbility = remembered((id: string) => {
      const { scenario } = place.get(id)!;
      return bankAbility(answered(scenario), scenario.prior);
    });
    const curves = remembered((id: string) =>
      answerCurves(place.get(id)!.scenario.bank, separateAbility(id)!.theta, answers(id)!.sample),
    );
    const separate = remembered((id: string) => {
      const { scenario, factors } = place.get(id)!;
      const [ability, prepared] = [separateAbility(id), answers(id)];
      const scenarioScores = scores.get(id)!;
      return (
        ability &&
        prepared &&
        estimateScenario(scenario, scenarioScores, ability, {
          factors: factors([scenarioScores]),
          answers: prepared,
          curves: curves(id),
        })
      );
    });
    const isPooled = linked && scenarios.every(({ id }) => (answers(id)?.sample.share ?? 0) >= LEAST_ANSWERED_SHARE);
    const pooled = remembered(() => {
      if (!isPooled) return null;
      const modes = higherOrderAbilities(
        scenarios.map((scenario, s) => {
          const { bank, ...answers } = gatherItems(answered(scenario))!;
          return { bank, answers, prior: pooledPriors[s]!, start: separateAbility(scenario.id)!.theta };
        }),
      );
      const abilities = new Map(scenarios.map(({ id }, s) => [id, modes[s]!]));
      const factors = pooledFactors(scenarios.map(({ id }) => scores.get(id)!));
      const features = new Map(
        scenarios.flatMap(({ id, maps }): [string, AnswerFeatures][] => (maps ? [[id, separate(id)!.features!]] : [])),
      );
      const estimates = remembered((id: string) => {
        const { scenario } = place.get(id)!;
        const withAll = estimateScenario(scenario, scores.get(id)!, abilities.get(id)!, {
          factors,
          answers: answers(id),
        })!;
        return withPooledScoreMap(withAll, scenario.maps, features);
      });
      return { abilities, estimates };
    });
    return {
      pooled: isPooled,
      ability: (id, pooling) => (pooling === "separate" ? separateAbility(id) : (pooled()?.abilities.get(id) ?? null)),
      scenario: (id, pooling) => {
        const estimate = pooling === "separate" ? separate(id) : pooled()?.estimates(id);
        return estimate ? fullScoreEstimate(estimate, place.get(id)!.scenario.fullScore) : null;
      },
      pattern: (id) => {
        const { scenario } = place.get(id)!;
        const [ability, prepared] = [separateAbility(id), answers(id)];
        return (
          ability && prepared && answerPattern(scenario.bank, ability, prepared.sample, scenario.worst, curves(id))
        );
      },
    };
  };
  return { estimate };
}

/** A scenario with what its anchors alone decide. */
function scoredPart(scenario: ScoringScenario) {
  const factors = factorSolver([scenario.factors]);
  const whole = remembered(() => {
    const sample = answeredSample(scenario.anchors, new Float64Array(scenario.anchors.items.length))!; // none is missing
    return answeredAnchors(scenario, sample);
  });
  const answers = (scores: Float64Array): ScenarioAnswers | null =>
    scenarioAnswers(scenario, scores, scores.includes(NaN) ? undefined : whole());
  return { scenario, factors, answers };
}

/** A function's results, each computed once a key. */
export function remembered<T, K = void>(make: (key: K) => T): (key: K) => T {
  const values = new Map<K, T>();
  return (key) => {
    if (!values.has(key)) values.set(key, make(key));
    return values.get(key)!;
  };
}
