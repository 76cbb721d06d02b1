import {
  answerPattern,
  bankAbilities,
  bankAbility,
  estimateScenario,
  factorScores,
  LEAST_ANSWERED_SHARE,
  type AbilityEstimate,
  type AnchorFactors,
  type AnswerPattern,
  type AnswerRegressions,
  type AnchorSet,
  type ScenarioEstimate,
} from "anchoreval/core";
import { scoreAt } from "../matrix/response-matrix.ts";
import type { BankPriors, LinkedBanks } from "./link-banks.ts";
import type { BankTask } from "./train-bank.ts";

/** Whose answers an estimate rests on: the bank's own, or all banks'. */
export const EVIDENCE = ["alone", "together"] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** An anchor set with its factors, and the sources' lowest score. */
export interface FactoredAnchors {
  readonly anchors: AnchorSet;
  readonly factors: AnchorFactors;
  readonly answerFactors: AnchorFactors;
  /** Those of a model that answered them all. @default solved for each */
  readonly regressions?: AnswerRegressions;
  readonly worst: number;
}

/** A scenario's estimate, and how its answers lie against what the ability of its own bank lets expect. */
export type PatternedEstimate = ScenarioEstimate & { readonly pattern: AnswerPattern };

/** Estimates by bank and scenario; null for a scenario where the model answered none of the anchors. */
export type BankEstimates = readonly (readonly (PatternedEstimate | null)[])[];

/**
 * Estimates of one model in every scenario of some banks from its answers to the anchors, by the code that serves;
 * blended afterwards, when what blends them is known.
 * @param sets - by bank and scenario
 * @returns by evidence; nothing together where banks aren't linked, or a scenario was hardly answered
 */
export function estimateTarget(
  tasks: readonly BankTask[],
  row: number,
  { banks }: LinkedBanks,
  priors: BankPriors,
  sets: readonly (readonly FactoredAnchors[])[],
): { readonly alone: BankEstimates; readonly together: BankEstimates | null } {
  const scores = banks.map(({ scenarios }, b) =>
    scenarios.map(({ slice }, s) =>
      Float64Array.from(sets[b]![s]!.anchors.items, (item) => scoreAt(tasks[b]!.matrix, row, slice.begin + item)),
    ),
  );
  const parts = banks.map(({ scenarios }, b) =>
    scenarios.map(({ bank }, s) => ({ bank, items: sets[b]![s]!.anchors.items, scores: scores[b]![s]! })),
  );
  const own = banks.map((_, b) => bankAbility({ parts: parts[b]!, prior: priors.alone[b]! }));
  const estimates = (
    abilities: readonly (AbilityEstimate | null)[],
    factors?: Float64Array,
  ): (ScenarioEstimate | null)[][] =>
    banks.map(({ scenarios }, b) =>
      scenarios.map(({ bank, slice, scoreMap }, s) => {
        const ability = abilities[b] ?? null;
        const model = { bank, weights: slice.weights, scoreMap, ...sets[b]![s]! };
        return ability && estimateScenario(model, scores[b]![s]!, ability, factors);
      }),
    );
  const patterned = (found: readonly (readonly (ScenarioEstimate | null)[])[]): BankEstimates =>
    found.map((bySet, b) => bySet.map((estimate, s) => estimate && { ...estimate, pattern: patterns[b]![s]! }));
  const apart = estimates(own);
  const patterns = banks.map(({ scenarios }, b) =>
    scenarios.map(({ bank }, s) => {
      const [estimate, ability] = [apart[b]![s] ?? null, own[b] ?? null];
      return estimate && ability && answerPattern(bank, ability, estimate.sample, sets[b]![s]!.worst);
    }),
  );
  const alone = patterned(apart);
  const { together } = priors;
  const answered = alone.flat().every((found) => found !== null && found.sample.share >= LEAST_ANSWERED_SHARE);
  if (together === null || !answered) return { alone, together: null };
  const all = sets.flatMap((bySet, b) => bySet.map(({ factors }, s) => ({ factors, scores: scores[b]![s]! })));
  const abilities = bankAbilities(banks.map((_, b) => ({ parts: parts[b]!, prior: together[b]! })));
  return { alone, together: patterned(estimates(abilities, factorScores(all))) };
}
