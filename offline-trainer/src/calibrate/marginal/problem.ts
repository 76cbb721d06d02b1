import type { CodedResponses } from "../types.ts";
import type { FixedItems, MarginalModel } from "./types.ts";

/** Responses laid out for the passes over them: who counts how much, which items are estimated, where answers miss. */
export interface Problem extends CodedResponses {
  readonly model: MarginalModel;
  /** M, ≥ 0. */
  readonly modelWeights: Float64Array;
  /** N, ≥ 0; 0 where no model that counts has answered. */
  readonly itemWeights: Float64Array;
  /** Items to estimate, and fixed ones; those of weight 0 are in neither. */
  readonly free: Int32Array;
  readonly known: Int32Array;
  /** Of both, those with asymptotes; `curvedRow[i]` is an item's place among them, or −1. */
  readonly curved: Int32Array;
  readonly curvedRow: Int32Array;
  /** Missing cells of both, model by model: those of model m are `missing.items[missing.from[m] … missing.from[m+1])`. */
  readonly missing: { readonly from: Float64Array; readonly items: Int32Array };
  /** An item's place among those that miss any answer, or −1; and how many those are. */
  readonly missingRow: Int32Array;
  readonly missingRows: number;
  /** Σ_m w·s of every item, right minus wrong, and Σ_m w·|s|, both together. */
  readonly signSums: Float64Array;
  readonly answerSums: Float64Array;
}

/** Lays out responses and options that are already checked. */
export function prepareProblem(
  responses: CodedResponses,
  model: MarginalModel,
  modelWeights: Float64Array,
  weights: Float64Array,
  fixed: FixedItems | undefined,
): Problem {
  const { subjects, items, signs } = responses;
  const answerSums = new Float64Array(items);
  const signSums = new Float64Array(items);
  for (let m = 0; m < subjects; m++)
    for (let i = 0; i < items; i++) {
      const sign = signs[m * items + i]!;
      answerSums[i] = answerSums[i]! + Math.abs(sign) * modelWeights[m]!;
      signSums[i] = signSums[i]! + sign * modelWeights[m]!;
    }
  const itemWeights = weights.map((weight, i) => (answerSums[i]! > 0 ? weight : 0));
  const isFixed = new Uint8Array(items);
  const isCurved = new Uint8Array(items).fill(model === "3pl" || model === "4pl" ? 1 : 0);
  if (fixed)
    for (let k = 0; k < fixed.items.length; k++) {
      const i = fixed.items[k]!;
      isFixed[i] = 1;
      isCurved[i] = (fixed.bank.lower?.[k] ?? 0) > 0 || (fixed.bank.upper?.[k] ?? 1) < 1 ? 1 : 0;
    }
  const present = Int32Array.from(itemWeights.keys()).filter((i) => itemWeights[i]! > 0);
  const curved = present.filter((i) => isCurved[i] === 1);
  return {
    subjects,
    items,
    signs,
    model,
    modelWeights,
    itemWeights,
    free: present.filter((i) => isFixed[i] === 0),
    known: present.filter((i) => isFixed[i] === 1),
    curved,
    curvedRow: placesAmong(curved, items),
    ...missingCells(responses, present),
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
  present: Int32Array,
): Pick<Problem, "missing" | "missingRow" | "missingRows"> {
  const from = new Float64Array(subjects + 1);
  for (let m = 0; m < subjects; m++) {
    let count = 0;
    for (const i of present) if (signs[m * items + i] === 0) count++;
    from[m + 1] = from[m]! + count;
  }
  const cells = new Int32Array(from[subjects]!);
  const missingRow = new Int32Array(items).fill(-1);
  let missingRows = 0;
  for (let m = 0, at = 0; m < subjects; m++)
    for (const i of present)
      if (signs[m * items + i] === 0) {
        cells[at++] = i;
        if (missingRow[i]! < 0) missingRow[i] = missingRows++;
      }
  return { missing: { from, items: cells }, missingRow, missingRows };
}
