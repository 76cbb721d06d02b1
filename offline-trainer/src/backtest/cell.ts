import {
  createRandom,
  figureOf,
  type Blend,
  type ByEstimator,
  type EstimatorId,
  type Evidence,
  type SamplingVariance,
} from "anchoreval/core";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { headlineEstimator, intervalKind, scoreMapKind, type FitConfiguration } from "../fit/configuration.ts";
import { anchorsIn, evenForm } from "../fit/forms.ts";
import { crossValidate } from "../fit/cross-validate.ts";
import { errorQuantile, heldOutInterval, heldOutSampling, heldOutScores } from "../fit/held-out-scores.ts";
import { estimateFold, trainFold, type HeldOutEstimate, type HeldOutTable } from "../fit/held-out.ts";
import { heldOutKey, learnEvidence, servedEvidence, type BankEvidence } from "../fit/learn-evidence.ts";
import { overallEstimates, overallInflation, overallParts } from "../fit/overall.ts";
import { randomBaseline } from "../fit/errors.ts";
import type { ScenarioGroup } from "../matrix/benchmark.ts";
import type { Split } from "../splits/types.ts";

/** Forms drawn on each fit: one form's luck is most of a back-test's noise, and a form costs little beside a fit. */
export const FORMS_PER_SEED = 10;

/** Some banks that are estimated together, one split, one seed: the unit of a back-test. */
export interface CellInput {
  readonly tasks: readonly ScenarioGroup[];
  /** Replicate group of every model. */
  readonly groups: ArrayLike<number>;
  readonly split: Split;
  /** Every bank's part of it. */
  readonly splits: readonly Split[];
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
  readonly estimators: ByEstimator<number>;
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** What the draw of the anchors makes of the headline's error; null for anchors chosen on purpose. */
  readonly sampling: SamplingVariance | null;
  /** 95 % interval of the headline estimator. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Mean absolute error of as many random items. */
  readonly randomError: number;
  /** What their 95 % intervals come to; null where a scenario is asked whole, and for overall scores. */
  readonly randomInterval: { readonly coverage: number; readonly halfWidth: number; readonly winkler: number } | null;
  /** The estimate failed and stands as the anchor mean. */
  readonly failed: boolean;
}

export interface CellResult {
  readonly scenario: string;
  readonly n: number;
  readonly dims: number;
  /** λ of gp-irt; null for overall scores. */
  readonly lambda: number | null;
  /** κ of the overall intervals of these scenarios together. */
  readonly inflation: number;
  readonly estimates: readonly CellEstimate[];
}

/** Repeats the whole fit on the sources of one split, λ and error quantiles included, and estimates its targets. */
export async function backtestCell(
  { tasks, groups, split, splits, sizes, seed, configuration }: CellInput,
  backend: CalibrationBackend,
): Promise<CellResult[]> {
  const { lambda } = configuration;
  const estimator = headlineEstimator(configuration);
  const random = createRandom(seed).fork(tasks.length > 1 ? "all" : tasks[0]!.id);
  const forms = [...sizes]
    .sort((x, y) => x - y)
    .map((size) =>
      evenForm(
        size,
        tasks.flatMap(({ scenarios }) => scenarios),
      ),
    );
  const options = { ...configuration, scoreMap: scoreMapKind(configuration), backend, groups, forms, random };
  const validation = await crossValidate(tasks, split.sources, groups, {
    ...options,
    random: random.fork("cross-validation"),
  });
  const trained = await trainFold(tasks, splits, 0, options);
  const tables = await estimateFold(tasks, trained, options, FORMS_PER_SEED);
  const learned = tasks.map((task, b) =>
    learnEvidence(task, splits[b]!.sources, forms, validation[b]!, { lambda, estimator }),
  );
  const inflations = new Map(
    forms.map(({ id }) => {
      const parts = overallParts(learned, id);
      return [id, parts.length > 1 ? overallInflation(overallEstimates(parts, estimator)) : 1];
    }),
  );
  return tasks.flatMap((task, b) => {
    const evidence = learned[b]!;
    const { dims } = trained.linked.banks[b]!;
    return task.scenarios.flatMap((slice, s) =>
      forms.map((form): CellResult => {
        const { id } = form;
        const n = anchorsIn(form, slice.id);
        const held = servedEstimates(
          evidence,
          { alone: tables.alone[b]!, together: tables.together[b]! },
          s,
          id,
          estimator,
        );
        const truths = new Map(held.map(({ estimate: { model, truth } }) => [model, truth]));
        const models = [...truths.keys()];
        const { errors, intervals } = randomBaseline(
          task.matrix,
          slice,
          models,
          [...truths.values()],
          n,
          random.fork(`random ${slice.id} ${n}`),
        );
        const baseline = new Map(
          models.map((model, t) => [
            model,
            {
              randomError: errors[t]!,
              randomInterval: intervals && {
                coverage: intervals.coverage[t]!,
                halfWidth: intervals.halfWidth[t]!,
                winkler: intervals.winkler[t]!,
              },
            },
          ]),
        );
        return {
          scenario: slice.id,
          n,
          dims,
          lambda: servedEvidence(evidence, s, id).blends[s]!.get(id)!.served.lambda,
          inflation: inflations.get(id)!,
          estimates: held.map((own) => cellEstimate(own, configuration, baseline.get(own.estimate.model)!)),
        };
      }),
    );
  });
}

/** A held-out estimate with what blends it and, for anchors chosen on purpose, the error that covers 95 %. */
interface ServedEstimate {
  readonly estimate: HeldOutEstimate;
  readonly blend: Blend;
  readonly error: number | null;
}

/** Every model's estimate from the evidence that serves: all banks' where that errs less and the model answered them. */
function servedEstimates(
  evidence: BankEvidence,
  tables: Readonly<Record<Evidence, HeldOutTable>>,
  s: number,
  form: string,
  headline: EstimatorId,
): ServedEstimate[] {
  const of = (id: Evidence): { blend: Blend; error: number | null } | null => {
    const { validation, blends } = evidence[id];
    const blend = blends[s]!.get(form)?.served;
    if (blend === undefined) return null;
    return { blend, error: errorQuantile(validation.interpolation[s]!.get(form)!, headline, () => blend, 0.95) };
  };
  const alone = of("alone")!; // every form has one
  const together = of("together");
  const better = new Map(
    together === null
      ? []
      : tables.together[s]!.get(form)!.map((estimate) => [heldOutKey(estimate), estimate] as const),
  );
  return tables.alone[s]!.get(form)!.map((own): ServedEstimate => {
    const estimate = better.get(heldOutKey(own));
    return estimate ? { estimate, ...together! } : { estimate: own, ...alone };
  });
}

function cellEstimate(
  { estimate, blend, error }: ServedEstimate,
  configuration: FitConfiguration,
  baseline: Pick<CellEstimate, "randomError" | "randomInterval">,
): CellEstimate {
  const { model, draw, truth, bounds, failed } = estimate;
  const headline = headlineEstimator(configuration);
  const estimators = heldOutScores(estimate, blend);
  const score = figureOf(estimators, headline);
  const around =
    error === null ? null : { low: Math.max(bounds.low, score - error), high: Math.min(bounds.high, score + error) };
  const drawn = intervalKind(configuration) === "design";
  const interval = drawn ? heldOutInterval(estimate, headline, blend) : around;
  const sampling = drawn ? heldOutSampling(estimate, headline, blend) : null;
  return { model, draw, truth, estimators, bounds, sampling, interval, ...baseline, failed };
}
