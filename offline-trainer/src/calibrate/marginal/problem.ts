import type { CodedResponses } from "../../matrix/code-responses.ts";
import type { MarginalModel } from "./types.ts";

/** Responses laid out for the passes over them: which items are estimated, and where answers are missing. */
export interface Problem extends CodedResponses {
  readonly model: MarginalModel;
  /** Items to estimate: those with any answer. */
  readonly free: Int32Array;
  /** Of them, those with asymptotes; `curvedRow[i]` is an item's place among them, or −1. */
  readonly curved: Int32Array;
  readonly curvedRow: Int32Array;
  /** Missing cells of free items, model by model: those of model m are `missing.items[missing.from[m] … missing.from[m+1])`. */
  readonly missing: { readonly from: Float64Array; readonly items: Int32Array };
  /** An item's place among those that miss any answer, or −1; and how many those are. */
  readonly missingRow: Int32Array;
  readonly missingRows: number;
  /** Σ_m s of every item, right minus wrong, and Σ_m |s|, all answers. */
  readonly signSums: Float64Array;
  readonly answerSums: Float64Array;
}

/** Lays out responses and options that are already checked. */
export function prepareProblem(responses: CodedResponses, model: MarginalModel): Problem {
  const { subjects, items, signs } = responses;
  const answerSums = new Float64Array(items);
  const signSums = new Float64Array(items);
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      answerSums[i] = answerSums[i]! + Math.abs(sign);
      signSums[i] = signSums[i]! + sign;
    }
  const free = Int32Array.from(answerSums.keys()).filter((i) => answerSums[i]! > 0);
  const curved = model === "3pl" || model === "4pl" ? free : new Int32Array(0);
  return {
    subjects,
    items,
    signs,
    model,
    free,
    curved,
    curvedRow: placesAmong(curved, items),
    ...missingCells(responses, free),
    signSums,
    answerSums,
  };
}

/** Of every item its place in the list, or −1. */
function placesAmong(list: Int32Array, items: number): Int32Array {
  const places = new Int32Array(items).fill(-1);
  list.forEach((i, place) => (places[i] = place));
  return places;
}

function missingCells(
  { subjects, items, signs }: CodedResponses,
  free: Int32Array,
): Pick<Problem, "missing" | "missingRow" | "missingRows"> {
  const from = new Float64Array(subjects + 1);
  for (let m = 0; m < subjects; m++) {
    let count = 0;
    for (const i of free) if (signs[m * items + i] === 0) count++;
    from[m + 1] = from[m]! + count;
  }
  const cells = new Int32Array(from[subjects]!);
  const missingRow = new Int32Array(items).fill(-1);
  let missingRows = 0;
  for (let m = 0, at = 0; m < subjects; m++)
    for (const i of free)
      if (signs[m * items + i] === 0) {
        cells[at++] = i;
        if (missingRow[i]! < 0) missingRow[i] = missingRows++;
      }
  return { missing: { from, items: cells }, missingRow, missingRows };
}

/**
 * The vector that is searched: of every item to estimate its parameters in the order a, b, log g, log k as far as the
 * model has them, then the 1PL's common slope.
 */
export interface Layout {
  /** Parameters of an item. */
  readonly perItem: number;
  /** Which of the four (a, b, log g, log k) those are. */
  readonly slots: readonly number[];
  /** Where the common slope would begin: free items times `perItem`. */
  readonly tail: number;
  /** Where the slope stands, or −1 where each item has its own. */
  readonly slope: number;
  readonly size: number;
}

const SLOTS = { "1pl": [1], "2pl": [0, 1], "3pl": [0, 1, 2], "4pl": [0, 1, 2, 3] } as const;

export function parameterLayout({ model, free }: Problem): Layout {
  const slots = SLOTS[model];
  const tail = free.length * slots.length;
  const slope = model === "1pl" ? tail : -1;
  return {
    perItem: slots.length,
    slots,
    tail,
    slope,
    size: tail + (slope < 0 ? 0 : 1),
  };
}

/** Writes a vector into the items' curves. */
export function unpack(x: Float64Array, { free, model }: Problem, layout: Layout, curves: Curves): void {
  const { perItem, slope } = layout;
  for (let f = 0, at = 0; f < free.length; f++, at += perItem) {
    const i = free[f]!;
    if (model === "1pl") {
      curves.a[i] = x[slope]!;
      curves.b[i] = x[at]!;
      continue;
    }
    curves.a[i] = x[at]!;
    curves.b[i] = x[at + 1]!;
    if (perItem > 2) curves.g[i] = Math.exp(x[at + 2]!);
    if (perItem > 3) curves.k[i] = Math.exp(x[at + 3]!);
  }
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

/** lower = g/(1 + g + k). */
export function lowerAsymptote(g: number, k: number): number {
  return g / (1 + g + k);
}

/** upper = (1 + g)/(1 + g + k). */
export function upperAsymptote(g: number, k: number): number {
  return (1 + g) / (1 + g + k);
}
