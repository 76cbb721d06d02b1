import type { Manifest } from "anchoreval/bundle";
import type { ErrorSummary, SplitErrors } from "anchoreval/internal/core/bundle/manifest";
import { type EstimatorId, ESTIMATORS } from "anchoreval/internal/core/estimators/types";
import { sampleContent } from "./sample-bundle.ts";
import { stackOf } from "./stack-of.ts";

/** A form of one scenario, as far as a test cares. */
export interface MeasuredCase {
  readonly items?: number;
  readonly whole?: boolean;
  readonly interpolation?: Partial<SplitErrors> | null;
  readonly extrapolation?: Partial<SplitErrors> | null;
  readonly estimator?: EstimatorId;
}

/** Errors by estimator: .9 where no other is given. */
export const errors = (maes: Partial<Record<EstimatorId, number>>): Record<EstimatorId, ErrorSummary> =>
  Object.fromEntries(ESTIMATORS.map((id) => [id, { mae: maes[id] ?? 0.9, rmse: 0.9, bias: 0.9 }])) as Record<
    EstimatorId,
    ErrorSummary
  >;

/** Errors on 60 held-out models. */
export const measured: SplitErrors = {
  models: 60,
  estimators: errors({ "p-irt-dr": 0.024 }),
  randomMae: 0.039,
  coverage95: 0.95,
  halfWidth95: 0.05,
  absoluteError: [0.02, 0.03, 0.04, 0.056, null],
};
const stronger = { models: 18, estimators: errors({ "p-irt-dr": 0.033 }) };

/** A manifest of one form a list entry, each of one scenario a key. */
export function manifestOf(forms: readonly Readonly<Record<string, MeasuredCase>>[], models = 60): Manifest {
  const { manifest } = sampleContent();
  const scenarios = Object.keys(forms[0]!);
  return {
    ...manifest,
    files: [],
    sources: { ...manifest.sources, models },
    scenarios: scenarios.map((id) => ({ ...manifest.scenarios[0]!, id })),
    forms: forms.map((own, index) => ({
      id: String(index),
      selection: "stratified",
      digest: "",
      estimator: Object.values(own)[0]!.estimator ?? "p-irt-dr",
      interval: "design",
      overall: null,
      scenarios: Object.fromEntries(
        Object.entries(own).map(([id, { items = 50, whole = false, interpolation = {}, extrapolation = stronger }]) => [
          id,
          {
            items,
            whole,
            lambda: 0.5,
            stack: stackOf({ gaussian: 1 }),
            rmse: 0.05,
            overallRmse: null,
            tightening: { inside: 1, outside: 1 },
            measured: {
              interpolation: interpolation && { ...measured, ...interpolation },
              extrapolation: extrapolation && { ...measured, ...extrapolation },
            },
            together: null,
          },
        ]),
      ),
    })),
  };
}
