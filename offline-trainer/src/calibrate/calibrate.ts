import type { AbilityPrior } from "anchoreval/internal/core/ability/prior";
import { invalidOption } from "anchoreval/internal/core/errors";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { symmetricEigen } from "../numeric/eigen.ts";
import { curvature, initialScales, itemWeights, shares, updateScales, startingValues } from "./scales.ts";
import type { LbfgsOptions, LbfgsResult } from "./lbfgs.ts";
import { steppedOptimizer, stopped } from "./stepped-optimizer.ts";
import type { CalibrationBackend, Optimizer, Parameters, Scales } from "./types.ts";
import type { CodedResponses } from "../matrix/code-responses.ts";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";

/** Evaluations of the last round on the backend that finishes it: docs/gpu.md has what they cost and gain. */
const FINISH_EVALUATIONS = 30;

/** How answers are calibrated. */
export interface CalibrateOptions {
  /** Latent dimensions D. */
  readonly dims: number;
  readonly backend: CalibrationBackend;
  readonly random: RandomSource;
  /** Rounds of optimisation, the scales learned between them. @default 4 */
  readonly rounds?: number;
  /** Gradient evaluations of one round at most. @default 60 */
  readonly maxEvaluations?: number;
  /** @default 1e-6 */
  readonly tolerance?: number;
  /** Share of the learned variance of discriminations that is kept. @default 0.5 */
  readonly shrinkage?: number;
  /** Items on whose scale the others and all models are put. */
  readonly fixed?: FixedItems;
  /** Goes on from a state that `onRound` was given, to the same end as without a break. */
  readonly resume?: CalibrationState;
  readonly onStep?: (step: CalibrationStep) => void;
  /** Called between rounds with what the next one begins from. */
  readonly onRound?: (state: CalibrationState) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** How far a calibration is. */
export interface CalibrationStep {
  readonly round: number;
  readonly evaluations: number;
  /** Share of all evaluations allowed, in [0,1]: a round that converges early makes it jump. */
  readonly share: number;
  /** Penalised negative log-likelihood, in nats. */
  readonly value: number;
}

/** Where a round begins. */
export interface CalibrationState extends Parameters {
  readonly round: number;
  readonly evaluations: number;
  readonly scales: Scales;
}

/** A calibration with its own diagnosis. */
export interface Calibration extends Omit<CalibrationState, "round"> {
  readonly dims: number;
  /** Penalised negative log-likelihood at the end, in nats. */
  readonly value: number;
  readonly gradientNorm: number;
  /** The last round got to the tolerance before its evaluations were spent. */
  readonly converged: boolean;
}

/**
 * Calibrates the multidimensional 2PL, logit P = a·θ − b, by penalised maximum likelihood with hierarchical Gaussian
 * priors: θ ~ N(0, I), a_d ~ N(μ_d, σ_d²), b ~ N(μ_b, σ_b²), whose means and scales are learned between rounds of
 * L-BFGS (empirical Bayes). A dimension that the data don't need loses its scale. Where the backend has one that finishes
 * it, that one goes on from the last round's end: to a relative 1e-9, with few evaluations.
 *
 * Without fixed items the result is rotated to the axes of the discriminations' second moments, largest first, so that
 * reruns agree; with them it is on their scale, θ has their prior, and they stay as they are to the last bit.
 * @throws AnchorEvalError `aborted`; `invalid_option` for fixed items that don't fit
 */
export async function calibrate(responses: CodedResponses, options: CalibrateOptions): Promise<Calibration> {
  const { dims, backend, random, rounds = 4, maxEvaluations = 60, tolerance = 1e-6 } = options;
  const { fixed, resume, onRound, signal } = options;
  const { subjects, items } = responses;
  const zeros = (): Parameters => ({
    theta: new Float64Array(subjects * dims),
    a: new Float64Array(items * dims),
    b: new Float64Array(items),
  });
  const at = zeros();
  const answered = shares(responses);
  const start = startingValues(answered, dims, random.fork("starting values"));
  if (fixed) startFromFixed(start, responses, dims, fixed);
  for (const name of ["theta", "a", "b"] as const) at[name].set((resume ?? start)[name]);
  const prior = fixed?.prior ?? standardPrior(dims);
  let scales = resume?.scales ?? initialScales(dims);
  let evaluations = resume?.evaluations ?? 0;
  const weight = itemWeights(answered);
  const early = { maxEvaluations: Math.ceil(maxEvaluations / 2), tolerance: 10 * tolerance };
  const finish = { maxEvaluations: backend.finish ? FINISH_EVALUATIONS : 0, tolerance: Math.min(tolerance, 1e-9) };
  const before = (rounds - 1) * early.maxEvaluations + maxEvaluations;
  let round = resume?.round ?? 0;
  let allowedBefore = 0;
  const onStep = (value: number, count: number): void => {
    const share = (allowedBefore + count) / (before + finish.maxEvaluations);
    options.onStep?.({ round, evaluations: evaluations + count, share, value });
  };
  const open = async (on: CalibrationBackend): Promise<Optimizer> => {
    if (!on.openOptimizer) return steppedOptimizer(await on.open(responses, dims), { signal, onStep });
    const device = await on.openOptimizer(responses, dims);
    return {
      optimize: async (...input) => {
        if (signal?.aborted) throw stopped();
        const result = await device.optimize(...input);
        onStep(result.value, result.evaluations);
        return result;
      },
      dispose: () => device.dispose(),
    };
  };
  let optimizer = await open(backend);
  const optimize = async (limits: Limits): Promise<LbfgsResult> => {
    const scaling = zeros();
    curvature(at, scales, prior, weight, scaling);
    const result = await optimizer.optimize(at, { ...limits, scales, prior, scaling, isFixed: fixed?.isFixed ?? null });
    evaluations += result.evaluations;
    return result;
  };
  try {
    for (; ; round++) {
      const last = round === rounds - 1;
      allowedBefore = round * early.maxEvaluations;
      let result = await optimize(last ? { maxEvaluations, tolerance } : early);
      if (last) {
        const { converged } = result;
        if (backend.finish) {
          const next = await open(backend.finish);
          await optimizer.dispose();
          optimizer = next;
          allowedBefore = before;
          result = await optimize(finish);
        }
        const { value, gradientNorm } = result;
        const end = fixed ? at : canonicalRotation(at, dims);
        return { ...end, dims, scales, value, gradientNorm, evaluations, converged };
      }
      scales = updateScales(at, dims, scales, weight, options.shrinkage);
      await onRound?.({ ...at, round: round + 1, evaluations, scales });
    }
  } finally {
    await optimizer.dispose();
  }
}

/** N(0, I): what holds the scale where no item is fixed. */
export function standardPrior(dims: number): AbilityPrior {
  const precision = new Float64Array(dims * dims);
  for (let d = 0; d < dims; d++) precision[d * (dims + 1)] = 1;
  return { mean: new Float64Array(dims), precision };
}

/** When a round ends. */
type Limits = Pick<LbfgsOptions, "maxEvaluations" | "tolerance">;

/**
 * Rotates abilities and discriminations to the axes of the discriminations' second moments AᵀA, largest first, each
 * with the sign that makes the sum of its discriminations positive. Every a·θ stays the same.
 */
export function canonicalRotation({ theta, a, b }: Parameters, dims: number): Parameters {
  const moments = new Float64Array(dims * dims);
  for (let at = 0; at < a.length; at += dims)
    for (let r = 0; r < dims; r++) for (let c = 0; c < dims; c++) moments[r * dims + c]! += a[at + r]! * a[at + c]!;
  const { vectors } = symmetricEigen(moments, dims);
  const sign = new Float64Array(dims).fill(1);
  const rotate = (rows: Float64Array): Float64Array => {
    const out = new Float64Array(rows.length);
    for (let at = 0; at < rows.length; at += dims)
      for (let k = 0; k < dims; k++) {
        let sum = 0;
        for (let d = 0; d < dims; d++) sum += rows[at + d]! * vectors[k * dims + d]!;
        out[at + k] = sign[k]! * sum;
      }
    return out;
  };
  const turned = rotate(a);
  for (let k = 0; k < dims; k++) {
    let sum = 0;
    for (let at = k; at < turned.length; at += dims) sum += turned[at]!;
    if (!(sum >= 0)) sign[k] = -1;
  }
  return { theta: rotate(theta), a: rotate(a), b: b.slice() };
}

/** Items that keep their parameters, for example a published bundle's: the others, and all models, are put on their scale. */
export interface FixedItems {
  /** 1 where an item is fixed, N numbers. */
  readonly isFixed: Uint8Array;
  /** Discriminations, N×D; read where fixed. */
  readonly a: Float64Array;
  /** Intercepts, N; read where fixed. */
  readonly b: Float64Array;
  /** Of abilities, on that scale. */
  readonly prior: AbilityPrior;
}

/**
 * Puts a start onto the fixed items' scale, in place: their parameters, and abilities by the models' answers to them
 * (MAP). New items begin along the fixed ones' mean discrimination.
 * @throws AnchorEvalError `invalid_option` where no item is fixed, or arrays don't fit
 */
function startFromFixed(start: Parameters, responses: CodedResponses, dims: number, items: FixedItems): void {
  const { isFixed, a, b, prior } = items;
  const { subjects, items: count } = responses;
  const fixed = Array.from(isFixed.keys()).filter((i) => isFixed[i] !== 0);
  if (fixed.length === 0 || isFixed.length !== count || a.length !== count * dims || b.length !== count)
    throw invalidOption(
      `fixed items: ${fixed.length} of ${isFixed.length} are fixed, with ${a.length} discriminations; ${count} items in ${dims} dimensions are calibrated`,
    );
  const direction = new Float64Array(dims);
  for (const i of fixed) for (let d = 0; d < dims; d++) direction[d]! += a[i * dims + d]! / fixed.length;
  for (let i = 0; i < count; i++) {
    for (let d = 0; d < dims; d++) start.a[i * dims + d] = isFixed[i] ? a[i * dims + d]! : direction[d]!;
    if (isFixed[i]) start.b[i] = b[i]!;
  }
  const bank = itemBank(
    Float64Array.from(fixed.flatMap((i) => Array.from(a.subarray(i * dims, (i + 1) * dims)))),
    Float64Array.from(fixed, (i) => b[i]!),
  );
  for (let m = 0; m < subjects; m++) {
    const all = fixed.map((i) => scoreOf(responses, m * count + i));
    const answered = [...all.keys()].filter((j) => !Number.isNaN(all[j]!));
    const { theta } = mapAbility(bank, { items: answered, scores: answered.map((j) => all[j]!) }, prior);
    start.theta.set(theta, m * dims);
  }
}

/** NaN = missing. */
function scoreOf(responses: CodedResponses, k: number): number {
  const sign = responses.signs[k]!;
  return sign === 0 ? NaN : sign > 0 ? 1 : 0;
}
