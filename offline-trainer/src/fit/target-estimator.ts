import {
  answerPattern,
  bankAbilities,
  bankAbility,
  estimateScenario,
  LEAST_ANSWERED_SHARE,
  scenarioAnswers,
  type AbilityEstimate,
  type AnchorFactors,
  type AnswerFeatures,
  type AnswerPattern,
  type AnswerRegressions,
  type AnchorSet,
  type ScenarioAnswers,
  type ScenarioEstimate,
  type ScenarioModel,
  type ScoreMaps,
  withJointScoreMap,
} from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import { factoredForm } from "./factored-form.ts";
import type { BankPriors, LinkedBanks } from "./link-banks.ts";
import type { BankTask } from "./train-bank.ts";

/** An anchor set with its factors, and the sources' lowest score. */
export interface FactoredAnchors {
  readonly anchors: AnchorSet;
  readonly factors: AnchorFactors;
  readonly answerFactors: AnchorFactors;
  /** Those of a model that answered them all. */
  readonly regressions: AnswerRegressions;
  /** Null where no score map is fitted. */
  readonly maps: ScoreMaps | null;
  readonly worst: number;
}

/** A scenario's estimate, and how its answers lie against what the ability of its own bank lets expect. */
export type PatternedEstimate = ScenarioEstimate & { readonly pattern: AnswerPattern };

/** Estimates by bank and scenario; null for a scenario where the model answered none of the anchors. */
export type BankEstimates = readonly (readonly (PatternedEstimate | null)[])[];

/** By evidence; nothing together where banks aren't linked, or a scenario was hardly answered. */
export interface TargetEstimates {
  readonly alone: BankEstimates;
  readonly together: BankEstimates | null;
}

/**
 * What estimates models in every scenario of some banks from their answers to one form's anchors, by the code that
 * serves; blended afterwards, when what blends them is known.
 * @param sets - by bank and scenario
 * @returns a function of a model's row
 */
export function targetEstimator(
  tasks: readonly BankTask[],
  { banks }: LinkedBanks,
  { alone: ownPriors, together: commonPriors }: BankPriors,
  sets: readonly (readonly FactoredAnchors[])[],
): (row: number) => TargetEstimates {
  const factored = factoredForm(sets);
  const models = banks.map(({ scenarios }, b) =>
    scenarios.map(({ bank, slice: { weights }, scoreMap }, s) => ({ bank, weights, scoreMap, ...sets[b]![s]! })),
  );
  return (row) => {
    const scores = banks.map(({ scenarios }, b) =>
      scenarios.map(({ slice }, s) => {
        const { items } = sets[b]![s]!.anchors;
        const own = new Float64Array(items.length);
        for (let j = 0; j < own.length; j++) own[j] = scoreAt(tasks[b]!.matrix, row, slice.begin + items[j]!);
        return own;
      }),
    );
    const parts = banks.map(({ scenarios }, b) =>
      scenarios.map(({ bank }, s) => ({ bank, items: sets[b]![s]!.anchors.items, scores: scores[b]![s]! })),
    );
    const answered = models.map((own, b) => own.map((model, s) => answersTo(model, scores[b]![s]!)));
    const estimates = (
      abilities: readonly (AbilityEstimate | null)[],
      factors: (b: number, s: number) => Float64Array,
    ): (ScenarioEstimate | null)[][] =>
      models.map((own, b) =>
        own.map((model, s) => {
          const ability = abilities[b] ?? null;
          return ability && estimateScenario(model, scores[b]![s]!, ability, factors(b, s), answered[b]![s]);
        }),
      );
    const patterned = (found: readonly (readonly (ScenarioEstimate | null)[])[]): BankEstimates =>
      found.map((bySet, b) => bySet.map((estimate, s) => estimate && { ...estimate, pattern: patterns[b]![s]! }));
    const own = banks.map((_, b) => bankAbility({ parts: parts[b]!, prior: ownPriors[b]! }));
    const apart = estimates(own, (b, s) => factored.alone(b, s, scores[b]![s]!));
    const patterns = banks.map(({ scenarios }, b) =>
      scenarios.map(({ bank }, s) => {
        const [estimate, ability] = [apart[b]![s] ?? null, own[b] ?? null];
        return estimate && ability && answerPattern(bank, ability, estimate.sample, sets[b]![s]!.worst);
      }),
    );
    const alone = patterned(apart);
    const enough = alone.flat().every((found) => found !== null && found.sample.share >= LEAST_ANSWERED_SHARE);
    if (commonPriors === null || !enough) return { alone, together: null };
    const abilities = bankAbilities(banks.map((_, b) => ({ parts: parts[b]!, prior: commonPriors[b]!, own: own[b]! })));
    const common = factored.together(scores);
    const features = new Map(
      apart.flatMap((bySet, b) =>
        bySet.flatMap((estimate, s): [string, AnswerFeatures][] =>
          estimate?.features ? [[tasks[b]!.scenarios[s]!.id, estimate.features]] : [],
        ),
      ),
    );
    const joint = estimates(abilities, () => common).map((bySet, b) =>
      bySet.map((estimate, s) => estimate && withJointScoreMap(estimate, sets[b]![s]!.maps, features)),
    );
    return { alone, together: patterned(joint) };
  };
}

/** The regressions are solved once for all models that answered every anchor, else for the anchors that were. */
function answersTo(
  { regressions, ...model }: ScenarioModel & FactoredAnchors,
  scores: Float64Array,
): ScenarioAnswers | null {
  return scenarioAnswers(scores.includes(NaN) ? model : { ...model, regressions }, scores);
}
