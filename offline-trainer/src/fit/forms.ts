import { anchorFactors } from "anchoreval/internal/core/estimators/factor-scores";
import type { ScoreMaps } from "anchoreval/internal/core/estimators/score-maps";
import type { AnchorFactors, AnchorSet } from "anchoreval/internal/core/estimators/types";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { scoringModel, type ModelEstimate, type ScoringModel } from "anchoreval/internal/core/scoring/scoring-model";
import type { CalibratedScenario, FitBankOptions } from "../calibrate/bank.ts";
import type { DimensionError } from "../calibrate/choose-dimension.ts";
import { formAnswerFactors, sourceAnswers } from "../calibrate/factors.ts";
import { fullScoreLine } from "../calibrate/full-score-line.ts";
import { abilityPriors, type LinkedScenarios } from "../calibrate/linking.ts";
import type { Scenario, SourceScores } from "../matrix/benchmark.ts";
import type { FoundDesign, Method } from "../methods/method.ts";
import type { FormAnchors } from "./form-anchors.ts";
import type { FormPlan } from "./form-plans.ts";
import { scenarioParts } from "./scenario-part.ts";

/** The response model of a scenario, as it was asked for or chosen on its sources. */
export interface ModelChoice extends Pick<FitBankOptions, "dims" | "shrinkage" | "irtModel"> {
  /** Of a search; null without. */
  readonly foundDesign: FoundDesign | null;
  /** Errors of the candidates, where the dimension was chosen. */
  readonly dimensionErrors: readonly DimensionError[];
}

/** One scenario with what was learned of it. */
export interface LearnedScenario {
  readonly scenario: Scenario;
  readonly choice: ModelChoice;
  readonly trained: CalibratedScenario;
  /** Of all items. */
  readonly factors: AnchorFactors;
  /** Loadings of its abilities on those that it shares with other scenarios (D×G); null where they aren't linked. */
  readonly loadings: Float64Array | null;
}

/** All scenarios, linked, with what was learned of them. */
export interface LearnedScenarios {
  readonly scenarios: readonly LearnedScenario[];
  readonly linked: LinkedScenarios;
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
   * Estimates a model's scores over parts of scenarios ({@link scenarioParts}).
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
  { scenarios, linked, seen }: LearnedScenarios,
  method: Method,
  plans: readonly FormPlan[],
  prepared: ReadonlyMap<string, FormAnchors>,
  random: RandomSource,
): (k: number) => Promise<readonly Form[]> {
  const priors = abilityPriors(linked, method.settings.priorScale);
  const answers = scenarios.map(({ scenario, trained }) => sourceAnswers(scenario.matrix, trained.rows, trained));
  const partOf = scenarios.map(scenarioParts);
  const lines = scenarios.map(({ scenario }) => fullScoreLine(scenario.matrix, scenario));
  const mapsOf = rememberedMaps((anchors) => {
    if (!method.scoreMaps) return null;
    const inputs = scenarios.map(({ scenario, trained, choice: { foundDesign } }, s) => ({
      scenario,
      trained,
      prior: priors.separate[s]!,
      design: foundDesign && foundDesign.design,
      anchors: anchors.get(scenario.id)!,
    }));
    const maps = method.scoreMaps.fit(inputs, random.fork("score maps"));
    return new Map(scenarios.map(({ scenario }, s) => [scenario.id, maps[s]!]));
  });
  return async (k) => {
    const stream = random.fork(`form ${k}`);
    const sets = new Map<string, ReadonlyMap<string, AnchorSet>>();
    for (const [id, { draw }] of prepared) sets.set(id, await draw(stream.fork(id)));
    const answered = scenarios.map(({ scenario: { id } }, s) => formAnswerFactors(answers[s]!, sets.get(id)!));
    return plans.map((plan): Form => {
      const anchors = new Map(Array.from(sets, ([id, byForm]) => [id, byForm.get(plan.id)!]));
      const maps = mapsOf(anchors);
      const scored = scenarios.map(({ scenario: { id }, trained: { bank, weights, scoreMap }, factors }, s) => ({
        id,
        bank,
        weights,
        scoreMap,
        prior: priors.separate[s]!,
        pooledPrior: priors.pooled && priors.pooled[s]!,
        anchors: anchors.get(id)!,
        factors: anchorFactors(factors, anchors.get(id)!.items),
        answerFactors: answered[s]!.get(plan.id)!,
        maps: maps && maps.get(id)!,
        fullScore: lines[s]!,
        worst: lines[s]?.worst ?? seen.get(id)!.worst,
      }));
      const estimateParts: Form["estimateParts"] = (scores, parts) => {
        const answered = new Map(scores);
        const partly = scored.map((whole, s) => {
          const weights = parts.get(whole.id);
          const part = weights && partOf[s]!(whole, scores.get(whole.id)!, weights);
          if (!part) return whole;
          answered.set(whole.id, part.scores);
          return part.scenario;
        });
        return scoringModel(partly).estimate(answered);
      };
      const scenarioOf = (id: string): FormScenario => ({ anchors: anchors.get(id)!, maps: maps && maps.get(id)! });
      return {
        id: plan.id,
        scenarios: new Map(Array.from(anchors.keys(), (id) => [id, scenarioOf(id)])),
        scoring: scoringModel(scored),
        estimateParts,
      };
    });
  };
}

type Maps = ReadonlyMap<string, ScoreMaps> | null;

/** Maps of a form, made once for anchors that are the same in every draw. */
function rememberedMaps(make: (anchors: ReadonlyMap<string, AnchorSet>) => Maps): typeof make {
  const made: { readonly anchors: ReadonlyMap<string, AnchorSet>; readonly maps: Maps }[] = [];
  return (anchors) => {
    const earlier = made.find((other) => Array.from(other.anchors).every(([id, set]) => set === anchors.get(id)));
    if (earlier) return earlier.maps;
    const maps = make(anchors);
    made.push({ anchors, maps });
    return maps;
  };
}
