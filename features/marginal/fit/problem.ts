import type { CodedResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";

/** Response models by the parameters of an item: `1pl` b, with one a common to all; `2pl` a and b; `3pl` a lower asymptote too, `4pl` both. */
export const MARGINAL_MODELS = ["1pl", "2pl", "3pl", "4pl"] as const;
export type MarginalModel = (typeof MARGINAL_MODELS)[number];

const SLOTS = { "1pl": [1], "2pl": [0, 1], "3pl": [0, 1, 2], "4pl": [0, 1, 2, 3] } as const;

/**
 * Lays out responses for the passes over them, and the vector that is searched: of every item to estimate its parameters
 * in the order a, b, log g, log k as far as the model has them, then the 1PL's common slope.
 */
export function prepareProblem(responses: CodedResponses, model: MarginalModel) {
  const { subjects, items, signs } = responses;
  const answerSums = new Float64Array(items);
  const signSums = new Float64Array(items);
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      answerSums[i]! += Math.abs(sign);
      signSums[i]! += sign;
    }
  const free = Int32Array.from(answerSums.keys()).filter((i) => answerSums[i]! > 0);
  const slots: readonly number[] = SLOTS[model];
  const curved = slots.length > 2 ? free : new Int32Array(0);
  const curvedRow = new Int32Array(items).fill(-1);
  curved.forEach((i, row) => (curvedRow[i] = row));
  const tail = free.length * slots.length;
  const slope = model === "1pl" ? tail : -1;
  return {
    ...responses,
    /** Items to estimate: those with any answer. */
    free,
    /** Of them, those with asymptotes; `curvedRow[i]` is an item's place among them, or −1. */
    curved,
    curvedRow,
    ...missingCells(responses, free),
    /** Σ_m s of every item, right minus wrong, and Σ_m |s|, all answers. */
    signSums,
    answerSums,
    /** Which of the four (a, b, log g, log k) an item has in the vector, and how many. */
    slots,
    perItem: slots.length,
    /** Where the items' parameters end in the vector, and where that does. */
    tail,
    size: slope < 0 ? tail : tail + 1,
    /** Where the common slope stands, or −1 where each item has its own. */
    slope,
  };
}

export type Problem = ReturnType<typeof prepareProblem>;

function missingCells({ subjects, items, signs }: CodedResponses, free: Int32Array) {
  const from = new Float64Array(subjects + 1);
  const cells: number[] = [];
  const missingRow = new Int32Array(items).fill(-1);
  let missingRows = 0;
  for (let m = 0; m < subjects; m++) {
    for (const i of free) {
      if (signs[m * items + i] !== 0) continue;
      cells.push(i);
      if (missingRow[i]! < 0) missingRow[i] = missingRows++;
    }
    from[m + 1] = cells.length;
  }
  return {
    /** Missing cells of free items, model by model: those of model m are `missing.items[missing.from[m] … missing.from[m+1])`. */
    missing: { from, items: new Int32Array(cells) },
    /** An item's place among those that miss any answer, or −1; and how many those are. */
    missingRow,
    missingRows,
  };
}

/**
 * Working form of all items' parameters, N each: P = (g + σ(z))/(1 + g + k) and
 * Q = (k + σ(−z))/(1 + g + k) with z = a·θ − b, g = lower/(upper − lower), k = (1 − upper)/(upper − lower). Every
 * g, k ≥ 0 is a curve, so that their logarithms are free; right and wrong change places with (a,b,g,k) → (−a,−b,k,g).
 */
export interface Curves {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly g: Float64Array;
  readonly k: Float64Array;
}

/** The curves of a vector; all 0 for items that aren't estimated. */
export function curvesAt(x: Float64Array, problem: Problem): Curves {
  const zeros = (): Float64Array => new Float64Array(problem.items);
  const curves = { a: zeros(), b: zeros(), g: zeros(), k: zeros() };
  unpack(x, problem, curves);
  return curves;
}

/** Writes a vector into the items' curves. */
export function unpack(x: Float64Array, { free, perItem, slope }: Problem, curves: Curves): void {
  const b = slope < 0 ? 1 : 0;
  for (let f = 0, at = 0; f < free.length; f++, at += perItem) {
    const i = free[f]!;
    curves.a[i] = x[slope < 0 ? at : slope]!;
    curves.b[i] = x[at + b]!;
    if (perItem > 2) curves.g[i] = Math.exp(x[at + 2]!);
    if (perItem > 3) curves.k[i] = Math.exp(x[at + 3]!);
  }
}

/** A prior that is flat about its mean and falls off beyond: its log density is −½·((|x − mean| − flat)₊/sd)². */
interface WeakPrior {
  readonly mean: number;
  /** Half-width of the flat part, ≥ 0; 0 makes a normal prior. */
  readonly flat: number;
  /** Of the fall beyond, > 0; Infinity is no prior. */
  readonly sd: number;
}

/**
 * Of a, b, log(lower/(upper − lower)) and log((1 − upper)/(upper − lower)): weak, so that what the answers leave open
 * stays finite. a's is about 0: turning over the scale, or right and wrong of an item, turns the estimates over and does
 * no more.
 *
 * a and b: none at all on an item with |a| ≤ 4 and |b| ≤ 5, and so none on the scale. An item that all of 400 models have
 * right comes to b near −7, P = .999 for a middling model. A normal prior, however wide, acts on all items together
 * instead: N of them pull at the one scale of θ, which M models hold (docs/decisions/calibration.md).
 *
 * Asymptotes: `lower` about .2 (.03 to .65 within two standard deviations), as much as 6 answers of models that can only
 * guess; `upper` about .95 (.73 to .99), as much as 22 answers of models that know. Where no model is that weak, or that
 * strong, they are what the prior says.
 */
export const PRIORS: readonly WeakPrior[] = [
  { mean: 0, flat: 4, sd: 1 },
  { mean: 0, flat: 5, sd: 2 },
  { mean: -1.4, flat: 0, sd: 1 },
  { mean: -3, flat: 0, sd: 1 },
];

export function priorValue(x: number, prior: WeakPrior): number {
  return -0.5 * (excess(x, prior) / prior.sd) ** 2;
}

/** d log density/dx. */
export function priorSlope(x: number, prior: WeakPrior): number {
  return -excess(x, prior) / prior.sd ** 2;
}

/** −d² log density/dx². */
export function priorCurvature(x: number, prior: WeakPrior): number {
  return excess(x, prior) === 0 && prior.flat > 0 ? 0 : prior.sd ** -2;
}

/** How far beyond the flat part, with its sign; 0 within. */
function excess(x: number, { mean, flat }: WeakPrior): number {
  const gap = x - mean;
  return gap > flat ? gap - flat : gap < -flat ? gap + flat : 0;
}
