import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { ScoreMaps } from "anchoreval/internal/core/estimators/score-maps";
import type { AnchorFactors, AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { scoringModel, type ModelEstimate, type ScoringModel } from "anchoreval/internal/core/scoring/scoring-model";
import type { Bank, FitBankOptions } from "../calibrate/bank.ts";
import type { DimensionError } from "../calibrate/choose-dimension.ts";
import { formAnswerFactors, sourceAnswers } from "../calibrate/factors.ts";
import { fullScoreLine } from "../calibrate/full-score-line.ts";
import { bankPriors, type LinkedBanks } from "../calibrate/linking.ts";
import type { ScenarioGroup, SourceScores } from "../matrix/benchmark.ts";
import type { FoundDesign, Method } from "../methods/method.ts";
import type { FormAnchors } from "./form-anchors.ts";
import type { FormPlan } from "./form-plans.ts";
import { scenarioPart } from "./scenario-part.ts";

/** The response model of a bank, as it was asked for or chosen on its sources. */
export interface BankChoice extends Pick<FitBankOptions, "dims" | "shrinkage" | "irtModel"> {
  /** Of a search; null without. */
  readonly found: FoundDesign | null;
  /** Errors of the candidates, where the dimension was chosen. */
  readonly dimensionErrors: readonly DimensionError[];
}

/** One group with what was learned of it. */
export interface LearnedGroup {
  readonly group: ScenarioGroup;
  readonly choice: BankChoice;
  readonly bank: Bank;
  /** Factors of all items, by scenario. */
  readonly factors: readonly AnchorFactors[];
  /** Loadings of its abilities on those that it shares with other groups (D×G); null where they aren't linked. */
  readonly loadings: Float64Array | null;
}

/** All groups, linked, with what was learned of them. */
export interface LearnedGroups {
  readonly groups: readonly LearnedGroup[];
  readonly linked: LinkedBanks;
  /** By scenario. */
  readonly seen: ReadonlyMap<string, SourceScores>;
}

/** One scenario of a form. */
export interface FormScenario {
  readonly anchors: AnchorSet;
  /** Null where the form has none. */
  readonly maps: ScoreMaps | null;
}

/** A form that was drawn, with what scores answers to it. */
export interface Form {
  readonly id: string;
  readonly scenarios: ReadonlyMap<string, FormScenario>;
  readonly scoring: ScoringModel;
  /**
   * Estimates a model's scores over parts of scenarios ({@link scenarioPart}).
   * @param scores - aligned with the anchors; NaN = no answer
   * @param parts - item weights of those scenarios, summing to 1, 0 of items outside the part; others are estimated whole
   */
  readonly estimateParts: (
    scores: ReadonlyMap<string, Float64Array>,
    parts: ReadonlyMap<string, Float64Array>,
  ) => ModelEstimate;
}

/** Draws forms and makes their scoring models. @param prepared - anchors by scenario */
export function formDrawer(
  { groups, linked, seen }: LearnedGroups,
  method: Method,
  plans: readonly FormPlan[],
  prepared: ReadonlyMap<string, FormAnchors>,
  random: RandomSource,
): (k: number) => Promise<readonly Form[]> {
  const priors = bankPriors(linked, method.settings.priorScale);
  const answers = groups.map(({ group, bank }) =>
    bank.scenarios.map((scenario) => sourceAnswers(group.matrix, bank.rows, scenario)),
  );
  const lines = groups.map(({ group }) => group.scenarios.map((slice) => fullScoreLine(group.matrix, slice)));
  const mapsOf = rememberedMaps((anchors) => {
    if (!method.scoreMaps) return null;
    const banks = groups.map(({ group, bank, choice: { found } }, g) => ({
      group,
      bank,
      prior: priors.separate[g]!,
      design: found && found.design,
      anchors: group.scenarios.map(({ id }) => anchors.get(id)!),
    }));
    const maps = method.scoreMaps.fit(banks, random.fork("score maps"));
    return new Map(groups.flatMap(({ group }, g) => group.scenarios.map(({ id }, s) => [id, maps[g]![s]!] as const)));
  });
  return async (k) => {
    const stream = random.fork(`form ${k}`);
    const sets = new Map<string, ReadonlyMap<string, AnchorSet>>();
    for (const [id, { draw }] of prepared) sets.set(id, await draw(stream.fork(id)));
    const answered = groups.map(({ group }, g) =>
      group.scenarios.map(({ id }, s) => formAnswerFactors(answers[g]![s]!, sets.get(id)!)),
    );
    return plans.map((plan): Form => {
      const anchors = new Map(Array.from(sets, ([id, byForm]) => [id, byForm.get(plan.id)!]));
      const maps = mapsOf(anchors);
      const banks = groups.map(({ group, bank, factors }, g) => ({
        id: group.id,
        prior: priors.separate[g]!,
        linkedPrior: priors.joint && priors.joint[g]!,
        scenarios: bank.scenarios.map(({ bank: items, slice: { id, weights }, scoreMap }, s) => ({
          id,
          bank: items,
          weights,
          scoreMap,
          anchors: anchors.get(id)!,
          factors: anchorFactors(factors[s]!, anchors.get(id)!.items),
          answerFactors: answered[g]![s]!.get(plan.id)!,
          maps: maps && maps.get(id)!,
          fullScore: lines[g]![s]!,
          worst: lines[g]![s]?.worst ?? seen.get(id)!.worst,
        })),
      }));
      const estimateParts: Form["estimateParts"] = (scores, parts) => {
        const given = new Map(scores);
        const partly = banks.map((own, g) => ({
          ...own,
          scenarios: own.scenarios.map((scenario, s) => {
            const weights = parts.get(scenario.id);
            const part = weights && scenarioPart(scenario, groups[g]!, s, scores.get(scenario.id)!, weights);
            if (!part) return scenario;
            given.set(scenario.id, part.scores);
            return part.scenario;
          }),
        }));
        return scoringModel(partly).estimate(given);
      };
      const scenarioOf = (id: string): FormScenario => ({ anchors: anchors.get(id)!, maps: maps && maps.get(id)! });
      return {
        id: plan.id,
        scenarios: new Map(Array.from(anchors.keys(), (id) => [id, scenarioOf(id)])),
        scoring: scoringModel(banks),
        estimateParts,
      };
    });
  };
}

type Maps = ReadonlyMap<string, ScoreMaps> | null;

/** Maps of a form, made once for anchors that are the same in every draw. */
function rememberedMaps(make: (anchors: ReadonlyMap<string, AnchorSet>) => Maps): typeof make {
  const known: { readonly anchors: ReadonlyMap<string, AnchorSet>; readonly maps: Maps }[] = [];
  return (anchors) => {
    const found = known.find((other) => Array.from(other.anchors).every(([id, set]) => set === anchors.get(id)));
    if (found) return found.maps;
    const maps = make(anchors);
    known.push({ anchors, maps });
    return maps;
  };
}
