import { createRandom, ESTIMATORS, type EstimatorId, type SamplingVariance } from "anchoreval/core";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { headlineEstimator, intervalKind, type FitConfiguration } from "../fit/configuration.ts";
import { crossValidate } from "../fit/cross-validate.ts";
import { errorQuantile, heldOutInterval, heldOutSampling, heldOutScore } from "../fit/held-out-score.ts";
import { estimateFold, trainFold } from "../fit/held-out.ts";
import { learnBlends } from "../fit/learn-blends.ts";
import { randomErrors } from "../fit/random-baseline.ts";
import type { BankTask } from "../fit/train-bank.ts";
import type { Split } from "../splits/types.ts";

/** Forms drawn on each fit: one form's luck is most of a back-test's noise, and a form costs little beside a fit. */
export const FORMS_PER_SEED = 10;

/** One bank, one split, one seed: the unit of a back-test. */
export interface CellInput {
  readonly task: BankTask;
  /** Replicate group of every model. */
  readonly groups: ArrayLike<number>;
  readonly split: Split;
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly configuration: FitConfiguration;
}

/** What came out for one target, scenario, size and form. Scores are fractions. */
export interface CellEstimate {
  /** Row of the target. */
  readonly model: number;
  /** Which of the forms drawn on the fit. */
  readonly draw: number;
  readonly truth: number;
  readonly estimators: Readonly<Record<EstimatorId, number>>;
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** What the draw of the anchors makes of the headline's error; null for anchors chosen on purpose. */
  readonly sampling: SamplingVariance | null;
  /** 95 % interval of the headline estimator. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Mean absolute error of as many random items. */
  readonly randomError: number;
  /** The estimate failed and stands as the anchor mean. */
  readonly failed: boolean;
}

export interface CellResult {
  readonly scenario: string;
  readonly n: number;
  readonly dims: number;
  /** λ of gp-irt; null for overall scores. */
  readonly lambda: number | null;
  readonly estimates: readonly CellEstimate[];
}

/** Repeats the whole fit on the sources of one split, λ and error quantiles included, and estimates its targets. */
export async function backtestCell(
  { task, groups, split, sizes, seed, configuration }: CellInput,
  backend: CalibrationBackend,
): Promise<CellResult[]> {
  const { selection, priorScale, lambda: rule } = configuration;
  const random = createRandom(seed).fork(task.id);
  const options = { ...configuration, backend, groups, sizes, random };
  const validation = await crossValidate(task, split.sources, groups, {
    ...options,
    random: random.fork("cross-validation"),
  });
  const blends = learnBlends(task, split.sources, sizes, validation, rule);
  const trained = await trainFold(task, split, 0, options);
  const table = await estimateFold(task, trained, options, priorScale, FORMS_PER_SEED);
  const { dims } = trained.trained;
  const headline = headlineEstimator(selection);
  return task.scenarios.flatMap((slice, s) =>
    sizes.map((n): CellResult => {
      const held = table[s]!.get(n)!;
      const blend = blends[s]!.get(n)!.served;
      const truths = new Map(held.map(({ model, truth }) => [model, truth]));
      const models = [...truths.keys()];
      const errors = randomErrors(
        task.matrix,
        slice,
        models,
        [...truths.values()],
        n,
        random.fork(`random ${slice.id} ${n}`),
      );
      const baseline = new Map(models.map((model, t) => [model, errors[t]!]));
      const quantile =
        intervalKind(selection) === "design"
          ? null
          : errorQuantile(validation.interpolation[s]!.get(n)!, headline, () => blend, 0.95);
      const estimates = held.map((estimate): CellEstimate => {
        const { model, draw, truth, bounds, failed } = estimate;
        const estimators = Object.fromEntries(
          ESTIMATORS.map((id) => [id, heldOutScore(estimate, id, blend)]),
        ) as Record<EstimatorId, number>;
        const score = estimators[headline];
        const interval =
          intervalKind(selection) === "design"
            ? heldOutInterval(estimate, headline, blend)
            : quantile === null
              ? null
              : { low: Math.max(bounds.low, score - quantile), high: Math.min(bounds.high, score + quantile) };
        const randomError = baseline.get(model)!;
        const sampling = heldOutSampling(estimate, headline, blend);
        return { model, draw, truth, estimators, bounds, sampling, interval, randomError, failed };
      });
      return { scenario: slice.id, n, dims, lambda: blend.lambda, estimates };
    }),
  );
}
