import { AnchorEvalError, type AbilityPrior } from "anchoreval/core";
import { curvature } from "./curvature.ts";
import { holdKnown, type KnownItems } from "./known-items.ts";
import { minimizeLbfgs, type LbfgsOptions, type LbfgsResult } from "./lbfgs.ts";
import { addPenalty } from "./penalty.ts";
import type { Scales } from "./scales.ts";
import type { Objective, Parameters } from "./types.ts";

/** When a round ends. */
export type Limits = Pick<LbfgsOptions, "maxEvaluations" | "tolerance">;

export interface RoundOptions extends Limits {
  readonly dims: number;
  readonly scales: Scales;
  readonly prior: AbilityPrior;
  /** Of every item, about: `itemWeights`. */
  readonly weight: Float64Array;
  readonly known?: KnownItems;
  readonly onStep: (value: number, evaluations: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Minimises the penalised negative log-likelihood at fixed scales.
 * @param x - θ, a, b: where it starts; overwritten with where it ends
 * @throws AnchorEvalError `aborted`
 */
export function optimizeRound(objective: Objective, x: Float64Array, options: RoundOptions): Promise<LbfgsResult> {
  const { dims, scales, prior, weight, known, signal, maxEvaluations, tolerance, onStep } = options;
  const items = weight.length;
  const view = (all: Float64Array): Parameters => parametersIn(all, (x.length - items) / dims - items, items, dims);
  const scaling = new Float64Array(x.length);
  curvature(view(x), scales, prior, weight, view(scaling));
  return minimizeLbfgs(
    async (point, gradient) => {
      if (signal?.aborted) throw new AnchorEvalError("aborted", "the calibration was stopped");
      const slope = view(gradient);
      const value = await objective.evaluate(view(point), slope);
      const penalty = addPenalty(view(point), slope, scales, prior);
      if (known) holdKnown(slope, known);
      return value + penalty;
    },
    x,
    { maxEvaluations, tolerance, scaling, onStep },
  );
}

/** θ, a and b as views of one array. */
export function parametersIn(all: Float64Array, subjects: number, items: number, dims: number): Parameters {
  return {
    theta: all.subarray(0, subjects * dims),
    a: all.subarray(subjects * dims, (subjects + items) * dims),
    b: all.subarray((subjects + items) * dims),
  };
}
