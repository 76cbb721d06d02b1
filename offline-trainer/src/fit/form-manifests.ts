import type { FormManifest, FormScenarioManifest, MeasuredErrors } from "anchoreval/bundle";
import { BASE_ESTIMATORS, createRandom } from "anchoreval/core";
import { headlineEstimator, intervalKind, type FitConfiguration } from "./configuration.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { measureErrors, rounded } from "./measured-errors.ts";
import { measureOverall } from "./measure-overall.ts";
import { patternThresholds } from "./pattern-thresholds.ts";

/** What a bundle says of its forms: the estimator of each, λ, and the errors on models that were held out. */
export function formManifests(
  banks: readonly FittedBank[],
  sizes: readonly number[],
  configuration: FitConfiguration,
  seed: number,
): Omit<FormManifest, "digest">[] {
  const estimator = headlineEstimator(configuration.selection);
  const interval = intervalKind(configuration.selection);
  const scenarios = banks.flatMap((bank) => bank.task.scenarios.map((slice, s) => ({ bank, slice, s })));
  const measured = (n: number): Record<string, MeasuredErrors> =>
    Object.fromEntries(
      scenarios.map(({ bank, slice, s }) => [
        slice.id,
        measureErrors({
          matrix: bank.task.matrix,
          slice,
          n,
          estimator,
          interval,
          blend: bank.blends[s]!.get(n)!.foldOut,
          interpolation: bank.validation.interpolation[s]!.get(n)!,
          extrapolation: bank.validation.extrapolation[s]!.get(n)!,
          random: createRandom(seed).fork("measured errors"),
        }),
      ]),
    );
  return sizes.map((n): Omit<FormManifest, "digest"> => {
    const errors = measured(n);
    return {
      id: String(n),
      selection: configuration.selection,
      estimator,
      interval,
      scenarios: Object.fromEntries(
        scenarios.map(({ bank, slice, s }): [string, FormScenarioManifest] => {
          const items = bank.forms[s]!.get(n)!.items.length;
          const { lambda, stack, rmse, tightening } = bank.blends[s]!.get(n)!.served;
          return [
            slice.id,
            {
              items,
              whole: items === slice.count,
              lambda: rounded(lambda),
              stack: Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, rounded(stack[id])])) as typeof stack,
              rmse: rounded(rmse),
              tightening: rounded(tightening),
              measured: errors[slice.id]!,
              pattern: patternThresholds(
                bank.validation.interpolation[s]!.get(n)!,
                bank.validation.extrapolation[s]!.get(n)!,
              ),
            },
          ];
        }),
      ),
      overall: scenarios.length > 1 ? { measured: measureOverall(banks, n, estimator, randomMaes(errors)) } : null,
    };
  });
}

function randomMaes(errors: Readonly<Record<string, MeasuredErrors>>): number[] {
  return Object.values(errors).map(({ interpolation }) => interpolation?.randomMae ?? 0);
}
