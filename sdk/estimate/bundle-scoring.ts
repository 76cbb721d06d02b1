import { type AbilityPrior, higherOrderPrior, type HigherOrderPrior, scaledPrior } from "../core/ability/prior.ts";
import { bankOf, type Bundle } from "../core/bundle/bundle.ts";
import type { BankManifest, FormManifest } from "../core/bundle/manifest.ts";
import { remembered, scoringModel, type ScoringModel, type ScoringScenario } from "../core/scoring/scoring-model.ts";

/** Scoring models of a bundle's forms, kept as long as the bundle. */
const scorings = new WeakMap<Bundle, (form: string) => ScoringModel>();

/** The scoring model of a form of a loaded bundle, made when it is first asked for. */
export function bundleScoring(bundle: Bundle, form: string): ScoringModel {
  const scoringOf = scorings.get(bundle) ?? remembered((id) => scoringModel(scoringScenarios(bundle, id)));
  scorings.set(bundle, scoringOf);
  return scoringOf(form);
}

/** The loaded scenarios. They are linked where all are loaded, and the form reads any score from all of them. */
function scoringScenarios({ manifest, scenarios }: Bundle, form: string): ScoringScenario[] {
  const described = manifest.forms.find(({ id }) => id === form)!;
  const linked = manifest.scenarios.every(({ id }) => scenarios.has(id)) && readsPooled(described);
  return Array.from(scenarios, ([id, { bank, weights, scoreMap, fullScore, forms, sourceScores }]) => {
    const calibrated = bankOf(manifest, id);
    return {
      id,
      bank,
      weights,
      scoreMap,
      fullScore,
      ...forms.get(form)!,
      worst: fullScore?.worst ?? sourceScores[0]!,
      prior: separatePrior(calibrated),
      pooledPrior: linked ? pooledPrior(calibrated) : null,
    };
  });
}

/** Whether the answers to all scenarios count in any: in a scenario's score, or in where the model stands. */
function readsPooled({ overall, scenarios }: FormManifest): boolean {
  return overall?.seen != null || Object.values(scenarios).some(({ together }) => together !== null);
}

/** The prior of a scenario's ability by itself. */
export function separatePrior({ prior: { mean, covariance, scale } }: BankManifest): AbilityPrior {
  return scaledPrior(Float64Array.from(mean), Float64Array.from(covariance), scale);
}

/** The prior that ties it to the other scenarios' abilities; null for one that isn't linked. */
export function pooledPrior({ prior: { mean, covariance, scale, loadings } }: BankManifest): HigherOrderPrior | null {
  if (loadings === undefined) return null;
  return higherOrderPrior(
    Float64Array.from(mean),
    Float64Array.from(covariance),
    scale,
    Float64Array.from(loadings),
    loadings.length / mean.length,
  );
}
