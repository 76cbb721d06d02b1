import type { AbilityEstimate } from "../core/ability/map.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { BankManifest } from "../core/bundle/manifest.ts";
import { bankAbilities, bankAbility } from "../core/estimate/bank-abilities.ts";
import type { AnsweredPart } from "../core/estimate/gather-items.ts";
import { withJointScoreMap } from "../core/estimate/joint-score-map.ts";
import { estimateScenario, type ScenarioEstimate } from "../core/estimate/scenario-estimate.ts";
import type { AnswerFeatures } from "../core/estimators/additive-map.ts";
import { answeredSample, LEAST_ANSWERED_SHARE } from "../core/estimators/answered-sample.ts";
import { linkedPrior, ownPrior } from "./bank-prior.ts";
import { jointFactorSolver } from "./form-solvers.ts";
import { scenarioModel } from "./scenario-model.ts";

/** What a model's answers say, before any scenario's score. */
export interface AnswerEvidence {
  /** By bank id; null for a bank without an answer. */
  readonly abilities: ReadonlyMap<string, AbilityEstimate | null>;
}

/** The same where the answers to all scenarios count in each. */
export interface JointEvidence extends AnswerEvidence {
  /** What every scenario's score, and the model's place over all of them, rest on: made once for both. */
  readonly estimates: ReadonlyMap<string, ScenarioEstimate>;
}

/**
 * Abilities of the loaded banks, each from the answers to its own anchors.
 * @param scores - per scenario, aligned with the form's anchors; NaN = no answer
 */
export function evidenceAlone(bundle: Bundle, form: string, scores: ReadonlyMap<string, Float64Array>): AnswerEvidence {
  const abilities = bundle.manifest.banks.map((bank): [string, AbilityEstimate | null] => {
    const parts = answeredParts(bundle, bank, form, scores);
    return [bank.id, parts.length > 0 ? bankAbility({ parts, prior: ownPrior(bank) }) : null];
  });
  return { abilities: new Map(abilities) };
}

/**
 * Abilities of all banks and estimates of all scenarios, each from the answers to all of them.
 * @param alone - each bank's own, near which those from all answers are looked for
 * @returns null where the bundle's banks aren't linked, or a scenario isn't loaded or hardly answered
 */
export function evidenceTogether(
  bundle: Bundle,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
  alone: AnswerEvidence,
): JointEvidence | null {
  const { banks, scenarios } = bundle.manifest;
  const answered = scenarios.every(({ id }) => {
    const scenario = bundle.scenarios.get(id);
    const sample = scenario && answeredSample(scenario.forms.get(form)!.anchors, scores.get(id)!);
    return sample && sample.share >= LEAST_ANSWERED_SHARE;
  });
  const linked = banks.flatMap((bank) => {
    const prior = linkedPrior(bank);
    if (prior === null) return [];
    return [{ parts: answeredParts(bundle, bank, form, scores), prior, own: alone.abilities.get(bank.id) ?? null }];
  });
  if (!answered || linked.length < banks.length) return null;
  const modes = bankAbilities(linked);
  const abilities = new Map(banks.map(({ id }, b) => [id, modes[b] ?? null]));
  const answers = new Map(
    scenarios.map(({ id }) => {
      const own = scores.get(id)!;
      return [id, { model: scenarioModel(bundle.scenarios.get(id)!, form, own), scores: own }];
    }),
  );
  const factors = jointFactorSolver(scenarios.map(({ id }) => bundle.scenarios.get(id)!.forms.get(form)!))(
    scenarios.map(({ id }) => scores.get(id)!),
  );
  const features = new Map<string, AnswerFeatures>();
  for (const bank of banks)
    for (const id of bank.scenarios) {
      const { model, scores: own } = answers.get(id)!;
      if (model.maps) features.set(id, estimateScenario(model, own, alone.abilities.get(bank.id)!)!.features!);
    }
  const estimates = new Map<string, ScenarioEstimate>();
  for (const bank of banks)
    for (const id of bank.scenarios) {
      const { model, scores: own } = answers.get(id)!;
      const estimate = estimateScenario(model, own, abilities.get(bank.id)!, factors)!; // each is answered
      estimates.set(id, withJointScoreMap(estimate, model.maps ?? null, features));
    }
  return { abilities, estimates };
}

function answeredParts(
  bundle: Bundle,
  { scenarios }: BankManifest,
  form: string,
  scores: ReadonlyMap<string, Float64Array>,
): AnsweredPart[] {
  return scenarios.flatMap((id) => {
    const scenario = bundle.scenarios.get(id);
    if (scenario === undefined) return [];
    return [{ bank: scenario.bank, items: scenario.forms.get(form)!.anchors.items, scores: scores.get(id)! }];
  });
}
