import { type Blend, type ByEstimator, type EstimatorId } from "anchoreval/internal/core/estimators/types";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { CalibrationBackend } from "../../../offline-trainer/src/calibrate/types.ts";
import {
  learnBlends,
  heldOutKey,
  servedBlend,
  type FormBlend,
  type LearnedBlend,
} from "../../../offline-trainer/src/fit/blends.ts";
import { randomBaseline } from "../../../offline-trainer/src/fit/errors.ts";
import { crossValidate } from "../../../offline-trainer/src/fit/folds.ts";
import { anchorsIn, evenForm } from "../../../offline-trainer/src/fit/form-plans.ts";
import { errorQuantile, heldOutInterval, heldOutResult } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { estimateTargets, type HeldOutEstimate, type HeldOutForm } from "../../../offline-trainer/src/fit/held-out.ts";
import { learn } from "../../../offline-trainer/src/fit/learn.ts";
import { overallEstimates, overallInflation, overallParts } from "../../../offline-trainer/src/fit/overall.ts";
import { onlyModels, type Benchmark } from "../../../offline-trainer/src/matrix/benchmark.ts";
import {
  headlineEstimator,
  intervalKind,
  type Method,
  type SentMethod,
} from "../../../offline-trainer/src/methods/method.ts";
import type { BenchmarkSplit } from "../../../offline-trainer/src/matrix/splits.ts";

/** Forms drawn on each fit: one form's luck is most of a back-test's noise, and a form costs little beside a fit. */
export const FORMS_PER_SEED = 10;

/** Scenarios that are pooled, one split, one seed: the unit of a back-test. */
export interface CellInput {
  readonly benchmark: Benchmark;
  readonly split: BenchmarkSplit;
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly method: Method;
}

/** The same as a thread is sent it. */
export type SentCell = Omit<CellInput, "method"> & { readonly method: SentMethod };

/** The result for one target, scenario, size and form. Scores are fractions; `sampling` is the headline's. */
export interface CellEstimate extends Pick<
  HeldOutEstimate,
  "model" | "draw" | "truth" | "bounds" | "sampling" | "failed"
> {
  readonly estimators: ByEstimator<number>;
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Mean absolute error of as many random items. */
  readonly randomError: number;
  /** Their 95 % intervals; null where a scenario is asked whole, and for overall scores. */
  readonly randomInterval: { readonly coverage: number; readonly halfWidth: number; readonly winkler: number } | null;
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

/** Fits on the sources of one split, λ and error quantiles included, and estimates its targets. */
export async function backtestCell(
  { benchmark, split, sizes, seed, method }: CellInput,
  backend: CalibrationBackend,
): Promise<CellResult[]> {
  const estimator = headlineEstimator(method);
  const { scenarios } = benchmark;
  const random = createRandom(seed).fork(scenarios.length > 1 ? "all" : scenarios[0]!.id);
  const forms = [...sizes].sort((x, y) => x - y).map((size) => evenForm(size, scenarios));
  const plan = { benchmark, method, forms };
  const validation = await crossValidate(plan, split.sources, random.fork("cross-validation"), { backend });
  const learned = await learn(onlyModels(benchmark, split.sources), method, forms, random, { backend });
  const tables = await estimateTargets(benchmark, split.scenarios, learned, { fold: 0, draws: FORMS_PER_SEED });
  const blends = learnBlends(benchmark, split.sources, method, forms, validation);
  const inflations = new Map(
    forms.map(({ id }) => {
      const parts = overallParts([blends], id);
      return [id, parts.length > 1 ? overallInflation(overallEstimates(parts, estimator)) : 1];
    }),
  );
  return scenarios.flatMap((scenario, s) =>
    forms.map((form): CellResult => {
      const { id } = form;
      const n = anchorsIn(form, scenario.id);
      const blend = blends.get(scenario.id)!.get(id)!;
      const estimates = tables.get(scenario.id)?.get(id) ?? { separate: [], pooled: [] };
      const held = servedEstimates(blend, estimates, estimator);
      const truths = new Map(held.map(({ estimate: { model, truth } }) => [model, truth]));
      const models = [...truths.keys()];
      const stream = random.fork(`random ${scenario.id} ${n}`);
      const { errors, intervals } = randomBaseline(scenario, models, [...truths.values()], n, stream);
      const baselines = new Map(
        models.map((model, t) => {
          const randomInterval = intervals && {
            coverage: intervals.coverage[t]!,
            halfWidth: intervals.halfWidth[t]!,
            winkler: intervals.winkler[t]!,
          };
          return [model, { randomError: errors[t]!, randomInterval }];
        }),
      );
      return {
        scenario: scenario.id,
        n,
        dims: learned.scenarios[s]!.trained.bank.dims,
        lambda: servedBlend(blend).served.lambda,
        inflation: inflations.get(id)!,
        estimates: held.map((served) => cellEstimate(served, method, baselines.get(served.estimate.model)!)),
      };
    }),
  );
}

/** A held-out estimate with what blends it and, for anchors chosen on purpose, the error that covers 95 %. */
interface ServedEstimate {
  readonly estimate: HeldOutEstimate;
  readonly blend: Blend;
  readonly error: number | null;
}

/** Every model's estimate from the answers that serve: to all scenarios where that errs less and the model answered them. */
function servedEstimates(
  { separate, pooled }: FormBlend,
  estimates: HeldOutForm,
  headline: EstimatorId,
): ServedEstimate[] {
  const served = ({ served: blend, validation }: LearnedBlend): Omit<ServedEstimate, "estimate"> => ({
    blend,
    error: errorQuantile(validation.interpolation, headline, () => blend, 0.95),
  });
  const [plain, better] = [served(separate), pooled && served(pooled)];
  const joined = new Map(better && estimates.pooled.map((estimate) => [heldOutKey(estimate), estimate]));
  return estimates.separate.map((alone): ServedEstimate => {
    const estimate = joined.get(heldOutKey(alone));
    return estimate ? { estimate, ...better! } : { estimate: alone, ...plain };
  });
}

function cellEstimate(
  { estimate, blend, error }: ServedEstimate,
  method: Method,
  baseline: Pick<CellEstimate, "randomError" | "randomInterval">,
): CellEstimate {
  const { model, draw, truth, bounds, failed } = estimate;
  const headline = headlineEstimator(method);
  const result = heldOutResult(estimate, headline, blend);
  const { scores: estimators, score } = result;
  const around =
    error === null ? null : { low: Math.max(bounds.low, score - error), high: Math.min(bounds.high, score + error) };
  const drawn = intervalKind(method) === "design";
  const interval = drawn ? heldOutInterval(estimate, result) : around;
  const sampling = drawn ? result.sampling : null;
  return { model, draw, truth, estimators, bounds, sampling, interval, ...baseline, failed };
}
