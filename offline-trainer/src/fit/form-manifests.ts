import type { FormManifest, FormScenarioManifest, MapManifest, MeasuredBlend } from "anchoreval/bundle";
import { BASE_ESTIMATORS, createRandom, type AdditiveMap, type Evidence, type SeenScores } from "anchoreval/core";
import { headlineEstimator, intervalKind, type FitConfiguration } from "./configuration.ts";
import { anchorsIn, type FormPlan } from "./form-plans.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { measureErrors } from "./measured-errors.ts";
import { patternThresholds } from "./pattern-thresholds.ts";
import { measureOverall } from "./measure-overall.ts";
import { overallScores, scoresSeen } from "./overall-place.ts";
import { fullScores } from "../prepare/full-scores.ts";
import { rounded } from "./rounded.ts";

/** What a bundle says of its forms: the estimator of each, λ, and the errors on models that were held out. */
export function formManifests(
  banks: readonly FittedBank[],
  forms: readonly FormPlan[],
  configuration: FitConfiguration,
  seed: number,
): Omit<FormManifest, "digest">[] {
  const estimator = headlineEstimator(configuration);
  const interval = intervalKind(configuration);
  const scenarios = banks.flatMap((bank) => bank.task.scenarios.map((slice, s) => ({ bank, slice, s })));
  const measuredBlend = (bank: FittedBank, s: number, form: FormPlan, evidence: Evidence): MeasuredBlend | null => {
    const { validation, blends } = bank.evidence[evidence];
    const blend = blends[s]!.get(form.id);
    if (blend === undefined) return null;
    const { lambda, stack, rmse, overallRmse, tightening } = blend.served;
    return {
      lambda: rounded(lambda),
      stack: Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, rounded(stack[id])])) as typeof stack,
      rmse: rounded(rmse),
      overallRmse: overallRmse === null ? null : rounded(overallRmse),
      tightening: { inside: rounded(tightening.inside), outside: rounded(tightening.outside) },
      measured: measureErrors({
        matrix: bank.task.matrix,
        slice: bank.task.scenarios[s]!,
        n: anchorsIn(form, bank.task.scenarios[s]!.id),
        estimator,
        interval,
        blend: blend.foldOut,
        interpolation: validation.interpolation[s]!.get(form.id)!,
        extrapolation: validation.extrapolation[s]!.get(form.id)!,
        random: createRandom(seed).fork("measured errors"),
      }),
    };
  };
  const seen = overallSeen(banks);
  return forms.map((form): Omit<FormManifest, "digest"> => {
    const { id } = form;
    const described = scenarios.map(({ bank, slice, s }): [string, FormScenarioManifest] => {
      const items = bank.forms[s]!.get(id)!.items.length;
      const alone = measuredBlend(bank, s, form, "alone")!; // every form has one
      const together = measuredBlend(bank, s, form, "together");
      const { interpolation, extrapolation } = bank.evidence.alone.validation;
      const pattern = patternThresholds(interpolation[s]!.get(id)!, extrapolation[s]!.get(id)!);
      const maps = bank.maps[s]!.get(id);
      const map = maps && { alone: mapManifest(maps.alone), together: maps.together && mapManifest(maps.together) };
      return [slice.id, { items, whole: items === slice.count, ...alone, together, pattern, ...(map && { map }) }];
    });
    return {
      id,
      selection: configuration.selection,
      estimator,
      interval,
      ...(form.disjointFrom !== undefined && { disjointFrom: form.disjointFrom }),
      scenarios: Object.fromEntries(described),
      overall:
        scenarios.length > 1
          ? measureOverall(
              banks,
              id,
              estimator,
              described.map(([, { measured }]) => measured.interpolation?.randomMae ?? 0),
              seen,
            )
          : null,
    };
  });
}

/** What a map reads; its curves are tensors. */
function mapManifest({ intercept, terms }: AdditiveMap): MapManifest {
  return { intercept, terms: terms.map(({ feature, scenario }) => ({ feature, scenario })) };
}

/** The range of the source models' overall scores; null where scenarios aren't estimated together. */
function overallSeen(banks: readonly FittedBank[]): SeenScores | null {
  if (banks.some(({ loadings }) => loadings === null)) return null;
  const scores = banks.flatMap(({ task }) => task.scenarios.map((slice) => fullScores(task.matrix, slice).score));
  const { worst, best } = scoresSeen(overallScores(scores));
  return { worst: rounded(worst), best: rounded(best) };
}
