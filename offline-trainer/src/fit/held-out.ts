import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import {
  BASE_ESTIMATORS,
  type BaseEstimatorId,
  type BaseScores,
  type LogitShift,
  type SeenModels,
  type SeenScores,
} from "anchoreval/internal/core/estimators/types";
import { answerResidual, type PairedAnswers } from "anchoreval/internal/core/inference/paired-difference";
import type { SamplingVariance } from "anchoreval/internal/core/inference/sampling-variance";
import type { AnswerPattern } from "anchoreval/internal/core/person-fit/answer-pattern";
import type { ScenarioEstimate } from "anchoreval/internal/core/scoring/scenario-estimate";
import { POOLINGS, type Pooling } from "anchoreval/internal/core/scoring/scoring-model";
import { useSimd } from "anchoreval/internal/estimate/simd-sums";
import { type Benchmark, overallScores, scoresOn } from "../matrix/benchmark.ts";
import { scoreAt } from "../matrix/response-matrix.ts";
import { fullScores, type FullScores } from "../matrix/scenarios.ts";
import { isWhole, type Split } from "../matrix/splits.ts";
import { numbers } from "../numeric/statistics.ts";
import type { Form } from "./forms.ts";
import type { Learned } from "./learn.ts";
import { observed, type Observers } from "./observer.ts";

/** One held-out model, one form: what was estimated without it, and the truth. Scores are fractions. */
export interface HeldOutEstimate {
  /** Position of the model in the benchmark. */
  readonly model: number;
  /** Which of the forms that were drawn on the fit. */
  readonly draw: number;
  /** Fold that held the model out. */
  readonly fold: number;
  readonly truth: number;
  /** Share of the anchors that it answered, where truth and estimates are of the items that it answered; null where of all. */
  readonly part: number | null;
  /** Before blending. */
  readonly base: BaseScores;
  /** The range of the fold's sources; over all scenarios with the true mean, NaN where a full score isn't known. */
  readonly seen: SeenScores & {
    readonly overall: (NonNullable<SeenModels["overall"]> & { readonly truth: number }) | null;
  };
  /** The range that the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** p-irt-dr's design-based variance, from the draw of the anchors; null where there is none. */
  readonly sampling: SamplingVariance | null;
  /** The shift of all logits that the answers tell of. */
  readonly shift: LogitShift;
  /** The evidence that its answers don't follow what its ability predicts. */
  readonly unlike: number;
  /** Its answers with what its own ability left of them, leverages made up for; null where they aren't kept, or `part` isn't. */
  readonly answers: PairedAnswers | null;
  /** How its answers lie against what its ability predicts; null where the estimate failed. */
  readonly pattern: AnswerPattern | null;
  /** The estimate failed: it stands as the anchor mean, or the sources' mean where no anchor was answered. */
  readonly failed: boolean;
  /** By stage, what parts of the fit noted of it; absent where there are none, and of a part of a scenario. */
  readonly observed?: Readonly<Record<string, unknown>>;
}

/** Held-out estimates of one scenario by one form, from its own answers and from those to all scenarios. */
export type HeldOutForm = Readonly<Record<Pooling, readonly HeldOutEstimate[]>>;

/** Held-out estimates by scenario and form id. */
export type HeldOutTable = ReadonlyMap<string, ReadonlyMap<string, HeldOutForm>>;

interface TargetOptions {
  /** Number of the fold. */
  readonly fold: number;
  /** Forms drawn. */
  readonly draws: number;
  /**
   * Of a scenario that a target hasn't answered nearly whole, the score is that of the items that it did answer: there it is
   * known ({@link scenarioParts}). @default false
   */
  readonly parts?: boolean;
  /** @default none */
  readonly observers?: Observers;
  /**
   * Estimates by each form, about, at which more tell little: of more models each is estimated by fewer of the draws, by
   * one at least. @default Infinity
   */
  readonly enough?: number;
  /** Answers are kept, for differences between models. @default true */
  readonly answers?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Estimates a fold's targets by what was learned from its sources. The targets' answers are read only to be estimated from
 * and compared with.
 * @param splits - by scenario, those of the models that weren't learned from that are well enough observed in it
 */
export async function estimateTargets(
  benchmark: Benchmark,
  splits: readonly Pick<Split, "targets">[],
  learned: Learned,
  {
    fold,
    draws,
    parts = false,
    observers = {},
    enough = Infinity,
    answers: keepsAnswers = true,
    signal,
  }: TargetOptions,
): Promise<HeldOutTable> {
  useSimd();
  const { scenarios } = benchmark;
  const full = new Map(scenarios.map((scenario) => [scenario.id, fullScores(scenario.matrix, scenario)]));
  const overall = overallScores(Array.from(full.values(), ({ score }) => score));
  const held = splits.map(({ targets }) => new Set(targets));
  const models = [...new Set(splits.flatMap(({ targets }) => targets))];
  const partsOf = new Map(
    models.map((model) => [
      model,
      parts ? answeredParts(benchmark, full, held, model) : new Map<string, Float64Array>(),
    ]),
  );
  const tables = new Map<string, Map<string, Record<Pooling, HeldOutEstimate[]>>>();
  const collect = (scenario: string, form: string, pooling: Pooling, estimate: HeldOutEstimate): void => {
    const byForm = tables.get(scenario) ?? new Map<string, Record<Pooling, HeldOutEstimate[]>>();
    const byPooling = byForm.get(form) ?? { separate: [], pooled: [] };
    byPooling[pooling].push(estimate);
    tables.set(scenario, byForm.set(form, byPooling));
  };
  const ofModel = drawsOfModel(draws, models.length, enough);
  for (let draw = 0; draw < draws; draw++) {
    const estimated = models.filter((_, k) => (draw + draws - (k % draws)) % draws < ofModel);
    for (const form of await learned.draw(draw)) {
      const answersTo = new Map(
        Array.from(form.scenarios, ([id, { anchors }]) => [id, keptAnswers(anchors.items.length)]),
      );
      for (const model of estimated) {
        await turn(); // other threads may wait for their next fold, or a signal to be heard
        if (signal?.aborted) throw new AnchorEvalError("aborted", "the cross-validation was interrupted");
        const answered = answersOf(benchmark, form, model);
        const partial = partsOf.get(model)!;
        const estimates = partial.size > 0 ? form.estimateParts(answered, partial) : form.scoring.estimate(answered);
        const place = learned.place(estimates);
        scenarios.forEach(({ id }, s) => {
          const truth = full.get(id)!.score[model]!;
          if (!held[s]!.has(model) || Number.isNaN(truth)) return;
          const { worst, best, average } = learned.seen.get(id)!;
          const seen = { worst, best, overall: place && { ...place, truth: overall[model]! } };
          const pattern = estimates.pattern(id);
          const mapped = form.scenarios.get(id)!.maps !== null;
          const part = partial.has(id) ? shareOf(answered.get(id)!) : null;
          const isKept = keepsAnswers && part === null;
          const answers = isKept ? answersTo.get(id)!(estimates.scenario(id, "separate")) : null;
          for (const pooling of POOLINGS) {
            if (pooling === "pooled" && !estimates.pooled) continue;
            const fromAnswers = estimates.scenario(id, pooling);
            const estimate = heldOut(fromAnswers, pattern, average, mapped);
            const view =
              part === null && !estimate.failed
                ? observed(observers, {
                    learned: learned.scenarios[s]!,
                    scenario: scenarios[s]!,
                    model,
                    ability: estimates.ability(id, pooling)!,
                    estimate: fromAnswers!,
                  })
                : {};
            collect(id, form.id, pooling, { model, draw, fold, truth, part, seen, answers, ...estimate, ...view });
          }
        });
      }
    }
  }
  return tables;
}

/** Draws by which each of some models is estimated, so that all estimates are no more than enough: one at least. */
export function drawsOfModel(draws: number, models: number, enough: number): number {
  return Math.max(1, Math.min(draws, Math.floor(enough / models)));
}

/**
 * Item weights of what a model answered of the scenarios that it is held out in but hasn't answered whole, each summing to 1.
 * Where full scores were given, truths are these: none.
 */
function answeredParts(
  { scenarios }: Benchmark,
  full: ReadonlyMap<string, FullScores>,
  held: readonly ReadonlySet<number>[],
  model: number,
): ReadonlyMap<string, Float64Array> {
  return new Map(
    scenarios.flatMap(({ id, matrix, weights }, s): [string, Float64Array][] => {
      const observed = full.get(id)!.observed[model]!;
      if (!held[s]!.has(model) || isWhole(observed) || matrix.fullScores) return [];
      return [[id, weights.map((weight, i) => (Number.isNaN(scoreAt(matrix, model, i)) ? 0 : weight / observed))]];
    }),
  );
}

/** Share of answers that are there. */
function shareOf(scores: Float64Array): number {
  return numbers(scores).length / scores.length;
}

/** A model's answers to a form, by scenario. */
function answersOf(benchmark: Benchmark, form: Form, model: number): Map<string, Float64Array> {
  return new Map(
    benchmark.scenarios.map((scenario) => [
      scenario.id,
      scoresOn(scenario, model, form.scenarios.get(scenario.id)!.anchors.items),
    ]),
  );
}

/** Numbers that lie in one piece of memory: many small ones take twice as much. Chosen, not measured. */
const KEPT_TOGETHER = 1 << 12;

/**
 * Keeps models' answers to a form, for differences between them: of what is as long as a form, scores and residuals alone
 * are a model's, and answers to all anchors share what these are.
 */
function keptAnswers(anchors: number): (estimate: ScenarioEstimate | null) => PairedAnswers | null {
  let whole: PairedAnswers["sample"] | undefined;
  let leverages = new Float64Array(0);
  let free = new Float64Array(0);
  const keep = (values: ArrayLike<number>): Float64Array => {
    if (values.length > free.length) free = new Float64Array(Math.max(KEPT_TOGETHER, values.length));
    const kept = free.subarray(0, values.length);
    free = free.subarray(values.length);
    kept.set(values);
    return kept;
  };
  return (estimate) => {
    if (estimate === null) return null;
    const { sample } = estimate;
    const residuals = keep(sample.scores.map((_, j) => answerResidual(estimate, j)));
    if (residuals.length > leverages.length) leverages = new Float64Array(residuals.length);
    if (sample.items.length < anchors) return { sample, residuals, leverages };
    whole ??= sample;
    return { sample: { ...whole, scores: keep(sample.scores) }, residuals, leverages };
  };
}

/** Of an estimate that failed. */
const NO_SHIFT: LogitShift = { step: 0, information: 0, spread: 0 };

/** An estimate as it is kept; one that failed stands as the anchor mean, or the sources' mean without any answer. */
function heldOut(
  estimate: ScenarioEstimate | null,
  pattern: AnswerPattern | null,
  average: number,
  mapped: boolean,
): Pick<HeldOutEstimate, "base" | "bounds" | "shift" | "unlike" | "sampling" | "pattern" | "failed"> {
  if (estimate === null || !Object.values(estimate.base).every((score) => Number.isFinite(score))) {
    const score = estimate?.base["anchor-mean"] ?? average;
    const base = {
      ...(Object.fromEntries(BASE_ESTIMATORS.map((id) => [id, score])) as Record<BaseEstimatorId, number>),
      ...(mapped && { "score-map": score }),
    };
    return {
      base,
      bounds: { low: 0, high: 1 },
      shift: NO_SHIFT,
      unlike: 0,
      sampling: null,
      pattern: null,
      failed: true,
    };
  }
  const { bounds, base, shift, unlike, sampling } = estimate;
  return { base, bounds, shift, unlike, sampling, pattern, failed: false };
}
