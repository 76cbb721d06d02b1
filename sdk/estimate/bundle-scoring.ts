import { type AbilityPrior, higherOrderPrior, type HigherOrderPrior, scaledPrior } from "../core/ability/prior.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import type { BankManifest, FormManifest } from "../core/bundle/manifest.ts";
import { remembered, scoringModel, type ScoringBank, type ScoringModel } from "../core/scoring/scoring-model.ts";

/** Scoring models of a bundle's forms, kept as long as the bundle. */
const known = new WeakMap<Bundle, (form: string) => ScoringModel>();

/** The scoring model of a form of a loaded bundle, made when it is first asked for. */
export function bundleScoring(bundle: Bundle, form: string): ScoringModel {
  const scoringOf = known.get(bundle) ?? remembered((id) => scoringModel(scoringBanks(bundle, id)));
  known.set(bundle, scoringOf);
  return scoringOf(form);
}

/** Banks with their loaded scenarios. They are linked where all are loaded, and the form reads any score from all of them. */
function scoringBanks({ manifest, scenarios }: Bundle, form: string): ScoringBank[] {
  const described = manifest.forms.find(({ id }) => id === form)!;
  const linked = manifest.scenarios.every(({ id }) => scenarios.has(id)) && readsJointly(described);
  return manifest.banks.map((bank) => ({
    id: bank.id,
    scenarios: bank.scenarios.flatMap((id) => {
      const scenario = scenarios.get(id);
      if (scenario === undefined) return [];
      const { bank: items, weights, scoreMap, fullScore, forms, sourceScores } = scenario;
      const worst = fullScore?.worst ?? sourceScores[0]!;
      return [{ id, bank: items, weights, scoreMap, fullScore, ...forms.get(form)!, worst }];
    }),
    prior: ownPrior(bank),
    linkedPrior: linked ? linkedPrior(bank) : null,
  }));
}

/** Whether the answers to all scenarios count in any: in a scenario's score, or in where the model stands. */
function readsJointly({ overall, scenarios }: FormManifest): boolean {
  return overall?.seen != null || Object.values(scenarios).some(({ together }) => together !== null);
}

/** The prior of a bank's ability by itself. */
export function ownPrior({ prior: { mean, covariance, scale } }: BankManifest): AbilityPrior {
  return scaledPrior(Float64Array.from(mean), Float64Array.from(covariance), scale);
}

/** The prior that links it to other banks'; null for a bank that isn't linked. */
export function linkedPrior({ prior: { mean, covariance, scale, loadings } }: BankManifest): HigherOrderPrior | null {
  if (loadings === undefined) return null;
  return higherOrderPrior(
    Float64Array.from(mean),
    Float64Array.from(covariance),
    scale,
    Float64Array.from(loadings),
    loadings.length / mean.length,
  );
}
