import type { FormManifest, Manifest } from "../../../sdk/core/bundle/manifest.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { type UnaskedManifest, unaskedPlace } from "../core.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import { estimatorFigure } from "../../../sdk/core/estimators/types.ts";
import { normalQuantile, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import { type KnownScore, logitScore, partlyPredictedVariance, predictLogits } from "./predict-scenarios.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/** Scenarios to ask by one form; the others are predicted. */
export interface ScenarioChoice {
  readonly form: string;
  /** In the manifest's order. */
  readonly scenarios: readonly string[];
  /** Of all their anchors, in the prices' unit. */
  readonly cost: number;
  /** Expected half-width of the overall score's interval, a fraction. */
  readonly halfWidth: number;
}

/** Scenarios whose choices are looked through one by one. */
const MOST_SCENARIOS = 16;

/**
 * Which scenarios to ask: the choices that no other one undercuts, by cost and by the half-width of the overall score, for a
 * model whose scores are the source models' means. Cheapest first.
 * @param pricesOf - of a form's anchors, by scenario, in any unit (`formPrices`)
 * @throws AnchorEvalError `invalid_option` for a bundle that predicts no scenarios, or has more than 16
 * @example scenarioChoices(bundle.manifest, (form) => formPrices(bundle, prices, form), 0.95)[0].cost
 */
export function scenarioChoices(
  manifest: Manifest,
  pricesOf: (form: string) => ReadonlyMap<string, number>,
  level: number,
): ScenarioChoice[] {
  const shares = scenarioShares(manifest);
  const ids = shares.map(({ id }) => id);
  const unasked = partOf(manifest, unaskedPlace);
  if (!unasked)
    throw invalidOption("this bundle predicts no scenarios from others: all must be asked, whatever they cost");
  if (ids.length > MOST_SCENARIOS)
    throw invalidOption(
      `choices of ${MOST_SCENARIOS} scenarios at most are looked through, this bundle has ${ids.length}`,
    );
  const choices = manifest.forms
    .filter(({ disjointFrom }) => disjointFrom === undefined)
    .flatMap((form) => {
      const prices = pricesOf(form.id);
      return Array.from({ length: 2 ** ids.length - 1 }, (_, k) => ids.map((_, s) => ((k + 1) >> s) % 2 === 1)).flatMap(
        (asked): ScenarioChoice[] => {
          const halfWidth = expectedHalfWidth({ manifest, unasked }, form, asked, level);
          if (halfWidth === null) return [];
          const scenarios = ids.filter((_, s) => asked[s]);
          const cost = scenarios.reduce((sum, id) => sum + prices.get(id)!, 0);
          return [{ form: form.id, scenarios, cost, halfWidth }];
        },
      );
    });
  return undercut(choices);
}

/** Whether some scenarios of a bundle may be left to prediction. */
export function predictsScenarios(manifest: Manifest): boolean {
  return partOf(manifest, unaskedPlace) !== null && manifest.scenarios.length <= MOST_SCENARIOS;
}

/** The choices that no cheaper one is as narrow as, the cheapest first. */
export function undercut(choices: readonly ScenarioChoice[]): ScenarioChoice[] {
  let least = Infinity;
  return [...choices]
    .sort((one, other) => one.cost - other.cost || one.halfWidth - other.halfWidth)
    .filter(({ halfWidth }) => halfWidth < least && (least = halfWidth) >= 0);
}

/** Of the overall score; null where something that it needs wasn't measured. */
function expectedHalfWidth(
  { manifest: { scenarios }, unasked }: { readonly manifest: Manifest; readonly unasked: UnaskedManifest },
  form: FormManifest,
  asked: readonly boolean[],
  level: number,
): number | null {
  const { models, mean } = unasked;
  const ratio = normalQuantile(0.5 + level / 2) / normalQuantile(0.975);
  if (asked.every(Boolean)) {
    const measured = form.overall?.measured.interpolation?.halfWidth95 ?? null;
    return measured === null ? null : ratio * measured;
  }
  const shares = scenarioShares({ scenarios });
  const scores = shares.map(({ id }, s): KnownScore | null => {
    const split = lookUp(form.scenarios, id)!.measured.interpolation;
    if (!asked[s] || split === null) return null;
    const error =
      split.halfWidth95 === null
        ? estimatorFigure(split.estimators, form.estimator).rmse
        : split.halfWidth95 / normalQuantile(0.975);
    return { score: logitScore(mean[s]!), variance: error ** 2 };
  });
  const factors = shares.map(({ id }, s) => (scores[s] ? 1 : lookUp(lookUp(unasked.forms, form.id), id)?.factor));
  if (scores.some((part, s) => asked[s] && part === null) || factors.includes(undefined)) return null;
  const parts = shares.map(({ share }, s) => ({ share, score: logitScore(mean[s]!), factor: factors[s]! }));
  const { covariance } = predictLogits(unasked, scores);
  const variance = partlyPredictedVariance(parts, scores, covariance, form.overall?.inflation ?? 1);
  return studentTQuantile(0.5 + level / 2, models - 1) * Math.sqrt(variance);
}
