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
  withJointScoreMap,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
} from "./scenario-estimate.ts";

/** Whose answers an estimate rests on: those to its own bank, or those to all banks. */
export const POOLINGS = ["separate", "joint"] as const;

/** Whose answers an estimate rests on. */
export type Pooling = (typeof POOLINGS)[number];

/** One scenario of a form. */
interface ScoringScenario extends ScenarioModel {
  readonly id: string;
  /** Lowest mean over the items of the source models. */
  readonly worst: number;
  /** To the full score, where that is on more items than the scenario has. */
  readonly fullScore?: FullScoreLine | null;
}

/** Scenarios that share one ability. */
export interface ScoringBank {
  readonly id: string;
  readonly scenarios: readonly ScoringScenario[];
  /** N(μ, k²Σ), of the bank by itself. */
  readonly prior: AbilityPrior;
  /** The prior that ties its ability to other banks'; null where banks aren't linked. */
  readonly linkedPrior: HigherOrderPrior | null;
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
   * Whether the answers to all banks can be read together: the banks are linked, and every scenario is answered by
   * {@link LEAST_ANSWERED_SHARE} of its anchors' mass at least.
   */
  readonly joint: boolean;
  /** @returns null for a bank without an answer, and for `joint` where there is no joint estimate */
  readonly ability: (bank: string, pooling: Pooling) => AbilityEstimate | null;
  /** @returns null for a scenario without an answer, and for `joint` where there is no joint estimate */
  readonly scenario: (id: string, pooling: Pooling) => ScenarioEstimate | null;
  /** How a scenario's answers lie against what its own bank's ability predicts; null without an answer. */
  readonly pattern: (id: string) => AnswerPattern | null;
}

/**
 * The scoring model of one form. What follows from the anchors alone is solved once, with the first model that needs it.
 * @param banks - with the scenarios that estimates are wanted of; joint estimates need all of the benchmark's
 * @example
 * const { scenario } = scoringModel(banks).estimate(new Map([["gsm", Float64Array.of(1, 0, NaN)]]));
 * scenario("gsm", "separate")?.base.gaussian;
 */
export function scoringModel(banks: readonly ScoringBank[]): ScoringModel {
  const parts = banks.flatMap((bank) => bank.scenarios.map((scenario) => scoredPart(bank, scenario)));
  const place = new Map(parts.map((part) => [part.scenario.id, part]));
  const linkedPriors = banks.flatMap(({ linkedPrior }) => linkedPrior ?? []);
  const linked = linkedPriors.length === banks.length && banks.length > 0;
  const jointFactors = factorSolver(parts.map(({ scenario }) => scenario.factors));

  const estimate = (scores: ReadonlyMap<string, Float64Array>): ModelEstimate => {
    const answers = remembered((id: string) => place.get(id)!.answers(scores.get(id)!));
    const answered = banks.map(({ scenarios }) =>
      scenarios.map(({ id, bank, anchors }) => ({ bank, items: anchors.items, scores: scores.get(id)! })),
    );
    const separateAbility = remembered((id: string) => {
      const b = banks.findIndex((bank) => bank.id === id);
      return bankAbility(answered[b]!, banks[b]!.prior);
    });
    const curves = remembered((id: string) => {
      const { bank, scenario } = place.get(id)!;
      return answerCurves(scenario.bank, separateAbility(bank.id)!.theta, answers(id)!.sample);
    });
    const separate = remembered((id: string) => {
      const { bank, scenario, factors } = place.get(id)!;
      const [ability, own] = [separateAbility(bank.id), answers(id)];
      const given = scores.get(id)!;
      return ability && own && estimateScenario(scenario, given, ability, factors([given]), own, curves(id));
    });
    const isJoint =
      linked && parts.every(({ scenario: { id } }) => (answers(id)?.sample.share ?? 0) >= LEAST_ANSWERED_SHARE);
    const joint = remembered(() => {
      if (!isJoint) return null;
      const modes = higherOrderAbilities(
        linkedPriors.map((prior, b) => {
          const { bank, ...answers } = gatherItems(answered[b]!)!;
          return { bank, answers, prior, start: separateAbility(banks[b]!.id)!.theta };
        }),
      );
      const abilities = new Map(banks.map(({ id }, b) => [id, modes[b]!]));
      const factors = jointFactors(parts.map(({ scenario }) => scores.get(scenario.id)!));
      const features = new Map(
        parts.flatMap(({ scenario: { id, maps } }): [string, AnswerFeatures][] =>
          maps ? [[id, separate(id)!.features!]] : [],
        ),
      );
      const scenarios = remembered((id: string) => {
        const { bank, scenario } = place.get(id)!;
        const own = estimateScenario(scenario, scores.get(id)!, abilities.get(bank.id)!, factors, answers(id))!;
        return withJointScoreMap(own, scenario.maps, features);
      });
      return { abilities, scenarios };
    });
    return {
      joint: isJoint,
      ability: (bank, pooling) =>
        pooling === "separate" ? separateAbility(bank) : (joint()?.abilities.get(bank) ?? null),
      scenario: (id, pooling) => {
        const estimate = pooling === "separate" ? separate(id) : joint()?.scenarios(id);
        return estimate ? fullScoreEstimate(estimate, place.get(id)!.scenario.fullScore) : null;
      },
      pattern: (id) => {
        const { bank, scenario } = place.get(id)!;
        const [ability, own] = [separateAbility(bank.id), answers(id)];
        return ability && own && answerPattern(scenario.bank, ability, own.sample, scenario.worst, curves(id));
      },
    };
  };
  return { estimate };
}

/** A scenario with what its anchors alone decide. */
function scoredPart(bank: ScoringBank, scenario: ScoringScenario) {
  const factors = factorSolver([scenario.factors]);
  const whole = remembered(() => {
    const sample = answeredSample(scenario.anchors, new Float64Array(scenario.anchors.items.length))!; // none is missing
    return answeredAnchors(scenario, sample);
  });
  const answers = (scores: Float64Array): ScenarioAnswers | null =>
    scenarioAnswers(scenario, scores, scores.includes(NaN) ? undefined : whole());
  return { bank, scenario, factors, answers };
}

/** A function's results, each computed once a key. */
export function remembered<T, K = void>(make: (key: K) => T): (key: K) => T {
  const known = new Map<K, T>();
  return (key) => {
    if (!known.has(key)) known.set(key, make(key));
    return known.get(key)!;
  };
}
