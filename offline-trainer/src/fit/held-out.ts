import {
  anchorFactors,
  BASE_ESTIMATORS,
  samplingVariance,
  scaledPrior,
  type AnswerPattern,
  type BaseEstimatorId,
  type RandomSource,
  type SamplingVariance,
} from "anchoreval/core";
import type { Selection } from "../anchors/types.ts";
import { fullScores } from "../prepare/full-scores.ts";
import type { Split } from "../splits/types.ts";
import type { DimensionOptions } from "./choose-dimension.ts";
import { drawForms, prepareForms } from "./draw-forms.ts";
import { estimateTarget } from "./estimate-target.ts";
import { resolveModel, type WantedModel } from "./resolve-model.ts";
import { trainBank, type BankTask, type TrainedBank } from "./train-bank.ts";

export interface HeldOutOptions extends Omit<DimensionOptions, "link" | "shrinkage">, WantedModel {
  readonly selection: Selection;
  readonly sizes: readonly number[];
}

/** One held-out model, one form: what was estimated without it, and the truth. Scores are fractions. */
export interface HeldOutEstimate {
  /** Row of the model. */
  readonly model: number;
  /** Which of the forms that were drawn on the fit. */
  readonly draw: number;
  /** Fold that held the model out. */
  readonly fold: number;
  readonly truth: number;
  /** Before blending ({@link heldOutScore}). */
  readonly base: Readonly<Record<BaseEstimatorId, number>>;
  /** Full scores of the worst and the best model of the fold's sources. */
  readonly seen: { readonly worst: number; readonly best: number };
  /** What the answers alone prove. */
  readonly bounds: { readonly low: number; readonly high: number };
  /** What the draw of the anchors makes of p-irt-dr's error; null where there is no design-based interval. */
  readonly sampling: SamplingVariance | null;
  /** How its answers lie against what its ability lets expect; null where the estimate failed. */
  readonly pattern: AnswerPattern | null;
  /** The estimate failed: it stands as the anchor mean, or the sources' mean where no anchor was answered. */
  readonly failed: boolean;
}

/** Estimates by scenario of the task, by size. */
export type HeldOutTable = readonly ReadonlyMap<number, readonly HeldOutEstimate[]>[];

/** A split with what was learned from its sources alone. */
export interface TrainedFold {
  readonly split: Split;
  readonly fold: number;
  readonly trained: TrainedBank;
  /** Stream of the forms that are drawn on it. */
  readonly random: RandomSource;
}

/** Repeats binarisation, choice of the model and calibration on the sources of a split alone. */
export async function trainFold(
  task: BankTask,
  split: Split,
  fold: number,
  options: HeldOutOptions,
): Promise<TrainedFold> {
  const { model } = await resolveModel(task, split.sources, options, options);
  const trained = await trainBank(task, split.sources, { ...options, ...model });
  return { split, fold, trained, random: options.random };
}

/**
 * Chooses anchors on the sources of a fold and estimates its targets. The targets' answers are read only to be
 * estimated from and compared with.
 * @param priorScale - k of the ability prior N(μ, k²Σ)
 * @param draws - forms drawn
 */
export async function estimateFold(
  task: BankTask,
  { split, fold, trained, random }: TrainedFold,
  { selection, sizes, backend }: Pick<HeldOutOptions, "selection" | "sizes" | "backend">,
  priorScale: number,
  draws: number,
): Promise<HeldOutTable> {
  const { sources, targets } = split;
  const prior = scaledPrior(trained.abilities.mean, trained.abilities.covariance, priorScale);
  const full = task.scenarios.map((slice) => fullScores(task.matrix, slice).score);
  const sourceScores = full.map((scores) => sources.map((m) => scores[m]!).filter((score) => !Number.isNaN(score)));
  const seen = sourceScores.map((own) => ({ worst: Math.min(...own), best: Math.max(...own) }));
  const table = task.scenarios.map(() => new Map<number, HeldOutEstimate[]>(sizes.map((size) => [size, []])));
  const prepared = prepareForms(task, sources, trained, { selection, sizes, backend, random });
  for (let draw = 0; draw < draws; draw++) {
    const forms = await drawForms(prepared, drawStream(random, draw));
    for (const size of sizes) {
      const sets = forms.map((bySize, s) => {
        const anchors = bySize.get(size)!;
        const factors = anchorFactors(trained.scenarios[s]!.factors, anchors.items);
        return { anchors, factors, worst: seen[s]!.worst };
      });
      for (const model of targets)
        estimateTarget(task, model, trained, prior, sets).forEach((estimate, s) => {
          const shared = { model, draw, fold, truth: full[s]![model]!, seen: seen[s]! };
          if (Number.isNaN(shared.truth)) return;
          const finite = estimate !== null && BASE_ESTIMATORS.every((id) => Number.isFinite(estimate.base[id]));
          if (!finite) {
            const score = estimate?.base["anchor-mean"] ?? meanOf(sourceScores[s]!);
            const base = { "anchor-mean": score, "p-irt": score, "p-irt-dr": score, gaussian: score };
            table[s]!.get(size)!.push({
              ...shared,
              base,
              bounds: { low: 0, high: 1 },
              sampling: null,
              pattern: null,
              failed: true,
            });
            return;
          }
          const { bounds, base, sample, residuals, pattern } = estimate;
          const sampling = samplingVariance(base["p-irt-dr"], sample, residuals);
          table[s]!.get(size)!.push({
            ...shared,
            base,
            bounds,
            sampling,
            pattern,
            failed: false,
          });
        });
    }
  }
  return table;
}

/** The stream that draw number `draw` of the forms reads: the first is the one that a bundle is made with. */
export function drawStream(random: RandomSource, draw: number): RandomSource {
  return random.fork(`form ${draw}`);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
