import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { minimizeLbfgs } from "./lbfgs.ts";
import { addPenalty } from "./scales.ts";
import type { Objective, Optimizer, Parameters } from "./types.ts";

export interface SteppedOptions {
  readonly signal?: AbortSignal | undefined;
  /** @param evaluations - of this round so far */
  readonly onStep: (value: number, evaluations: number) => void;
}

/**
 * Rounds of L-BFGS over an objective that is evaluated point by point, the priors' part and fixed items added here.
 * @throws AnchorEvalError `aborted`, before any evaluation
 */
export function steppedOptimizer(objective: Objective, { signal, onStep }: SteppedOptions): Optimizer {
  return {
    optimize: async (at, { scales, prior, scaling, isFixed, ...limits }) => {
      const x = joined(at);
      const view = (all: Float64Array): Parameters => parametersIn(all, at);
      /** Adds the penalty to a gradient that is filled already. @returns its value */
      const penalised = (point: Float64Array, gradient: Float64Array): number => {
        const slope = view(gradient);
        const penalty = addPenalty(view(point), slope, scales, prior);
        if (isFixed) holdFixed(slope, isFixed);
        return penalty;
      };
      const evaluate = async (point: Float64Array, gradient: Float64Array): Promise<number> => {
        if (signal?.aborted) throw stopped();
        const value = await objective.evaluate(view(point), view(gradient));
        return value + penalised(point, gradient);
      };
      const slopes = async (point: Float64Array, gradient: Float64Array): Promise<void> => {
        if (signal?.aborted) throw stopped();
        await objective.slopes!(view(point), view(gradient));
        penalised(point, gradient);
      };
      const result = await minimizeLbfgs(evaluate, x, {
        ...limits,
        scaling: joined(scaling),
        slopes: objective.slopes && slopes,
        onStep,
      });
      const end = view(x);
      for (const name of ["theta", "a", "b"] as const) at[name].set(end[name]);
      return result;
    },
    dispose: () => objective.dispose(),
  };
}

/** The end of a calibration that a signal stops. */
export function stopped(): AnchorEvalError {
  return new AnchorEvalError("aborted", "the calibration was stopped");
}

function joined({ theta, a, b }: Parameters): Float64Array {
  const all = new Float64Array(theta.length + a.length + b.length);
  all.set(theta);
  all.set(a, theta.length);
  all.set(b, theta.length + a.length);
  return all;
}

/** Views of one array, shaped as other parameters are. */
function parametersIn(all: Float64Array, { theta, a }: Parameters): Parameters {
  const items = theta.length + a.length;
  return { theta: all.subarray(0, theta.length), a: all.subarray(theta.length, items), b: all.subarray(items) };
}

/** Sets a fixed item's gradient to 0, so that it stays. */
function holdFixed(gradient: Parameters, isFixed: Uint8Array): void {
  const dims = gradient.a.length / gradient.b.length;
  for (let i = 0; i < isFixed.length; i++) {
    if (isFixed[i] === 0) continue;
    gradient.a.fill(0, i * dims, (i + 1) * dims);
    gradient.b[i] = 0;
  }
}
