import { itemInformation } from "anchoreval/internal/core/irt/response";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { numbers, mean } from "../../../offline-trainer/src/numeric/statistics.ts";
import type { AnsweredItems, PoolDifficulty } from "./difficulty.ts";

/** Features that forms are matched on, in units in which differences are comparable. */
export interface ItemFeatures {
  readonly width: number;
  /** Items × width, item-major, each feature centred over the pool: 0 for items without data. */
  readonly values: Float64Array;
}

/** Most passes. */
const MOST_PASSES = 50;
/** Smallest share by which a pass must lower the mismatch to be followed by another. */
const LEAST_GAIN = 0.01;
/** Partners tried for an item in a pass, drawn anew each time. */
const PARTNERS = 64;

/**
 * Swaps items of the same stratum between forms, and with items that no form has, while that lowers
 *
 *   Σ_k |m_k|² + Σ_{k<l} |m_k − m_l|²,   m_k the mean features of form k (the pool's are 0).
 *
 * Pass by pass over all items of all forms in random order, for each the best of up to 64 partners is taken if it gains.
 * The mismatch never rises. Strata's counts stay as they are.
 * @param formOf - form of every item, −1 for none; changed in place
 * @param strata - items of each stratum
 * @returns the mismatch before and after, and why it stopped: a pass found no swap, gained next to nothing, or was the last
 */
export function refineForms(
  formOf: Int32Array,
  strata: readonly (readonly number[])[],
  { forms, size }: { readonly forms: number; readonly size: number },
  features: ItemFeatures,
  random: RandomSource,
) {
  const { width, values } = features;
  const means = new Float64Array(forms * width);
  const all = new Float64Array(width);
  /** Adds an item's share, with its sign, to the sums of features that begin at `at`. */
  const add = (sums: Float64Array, at: number, item: number, share: number): void => {
    for (let f = 0; f < width; f++) sums[at + f]! += share * values[item * width + f]!;
  };
  const slots: { item: number; stratum: readonly number[] }[] = [];
  for (const stratum of strata)
    for (const item of stratum) {
      if (formOf[item]! >= 0) {
        add(means, formOf[item]! * width, item, 1 / size);
        add(all, 0, item, 1 / size);
      }
      if (stratum.length > 1) slots.push({ item, stratum });
    }
  const squares = (sums: Float64Array): number => sums.reduce((sum, value) => sum + value * value, 0);
  const mismatch = (): number => (1 + forms) * squares(means) - squares(all);

  /** Change of the mismatch by swapping `item` of form `from` with `other`, of another form or of none. */
  const change = (item: number, from: number, other: number): number => {
    const form = formOf[other]!;
    let linear = 0;
    let square = 0;
    let joint = 0;
    for (let f = 0; f < width; f++) {
      const step = (values[other * width + f]! - values[item * width + f]!) / size;
      linear += step * (means[from * width + f]! - (form >= 0 ? means[form * width + f]! : 0));
      joint += step * all[f]!;
      square += step * step;
    }
    return form >= 0 ? (1 + forms) * 2 * (linear + square) : (1 + forms) * (2 * linear + square) - (2 * joint + square);
  };
  const replace = (sums: Float64Array, at: number, leaving: number, entering: number): void => {
    add(sums, at, entering, 1 / size);
    add(sums, at, leaving, -1 / size);
  };
  const swap = (item: number, other: number): void => {
    const [from, form] = [formOf[item]!, formOf[other]!];
    replace(means, from * width, item, other);
    if (form >= 0) replace(means, form * width, other, item);
    else replace(all, 0, item, other);
    [formOf[item], formOf[other]] = [form, from];
  };

  const before = mismatch();
  let now = before;
  let swaps = 0;
  for (let pass = 1; ; pass++) {
    const swapsBefore = swaps;
    for (const { item, stratum } of random.shuffle(slots)) {
      const from = formOf[item]!;
      if (from < 0) continue;
      let best = -1;
      let gain = -Number.EPSILON * before;
      for (const other of partners(stratum, random)) {
        if (formOf[other] === from) continue;
        const changed = change(item, from, other);
        if (changed < gain) [gain, best] = [changed, other];
      }
      if (best < 0) continue;
      swap(item, best);
      swaps++;
    }
    const after = mismatch();
    const ended = (stopped: "no swap" | "small gain" | "passes") => {
      return { passes: pass, swaps, before, after: Math.max(0, after), stopped };
    };
    if (swaps === swapsBefore) return ended("no swap");
    if (after > (1 - LEAST_GAIN) * now) return ended("small gain");
    if (pass === MOST_PASSES) return ended("passes");
    now = after;
  }
}

/** All items of a stratum if they are few, otherwise a random sample. */
function* partners(stratum: readonly number[], random: RandomSource): Generator<number> {
  if (stratum.length <= PARTNERS) yield* stratum;
  else for (let k = 0; k < PARTNERS; k++) yield stratum[random.below(stratum.length)]!;
}

/** Abilities at which expected scores and information are matched, in standard deviations about the models' mean. */
const MATCHED_AT = [-3, -2, -1, 0, 1, 2, 3];

/**
 * Features that forms of these items are matched on: mean and spread of the difficulty and, where models answered the items,
 * the expected score over the models and the leading components of the response curves in several dimensions, and, in one,
 * expected scores and information at seven abilities. Each of these four groups has variance 1 within strata, so that all
 * count the same. Null where no difficulty is known.
 * @param strataOf - stratum of every item
 */
export function matchingFeatures(
  { values, answered }: PoolDifficulty,
  strataOf: ArrayLike<number>,
): ItemFeatures | null {
  if (values === null) return null;
  const difficulty = standardised(values);
  const groups = [[difficulty, standardised(difficulty.map((value) => value * value))]];
  if (answered !== null) groups.push(...answerGroups(answered, values.length));
  const columns = groups.flatMap((group) => {
    const variance = group.reduce((sum, column) => sum + varianceWithin(centred(column), strataOf), 0);
    const scale = variance > 0 ? 1 / Math.sqrt(variance) : 0;
    return group.map((column) => column.map((value) => (Number.isNaN(value) ? 0 : scale * value)));
  });
  const width = columns.length;
  const out = new Float64Array(values.length * width);
  columns.forEach((column, f) => column.forEach((value, item) => (out[item * width + f] = value)));
  return { width, values: out };
}

/** Three groups of columns, NaN for items without answers: expected scores and components, scores and information. */
function answerGroups(answered: AnsweredItems, count: number): Float64Array[][] {
  const { items, bank, scoreMap, curves, abilities } = answered;
  const { width, loadings, expected } = curves;
  const column = (valueOf: (k: number) => number): Float64Array => {
    const values = new Float64Array(count).fill(NaN);
    items.forEach((item, k) => (values[item] = valueOf(k)));
    return centred(values);
  };
  const matched = MATCHED_AT.map((z) => Float64Array.of(abilities.mean + z * abilities.sd));
  return [
    [column((k) => expected[k]!), ...Array.from({ length: width }, (_, r) => column((k) => loadings[k * width + r]!))],
    matched.map((theta) => {
      const predicted = predictedScores(theta, bank, scoreMap);
      return column((k) => predicted[k]!);
    }),
    // Information relative to the items' mean at that ability.
    matched.map((theta) => {
      const information = Float64Array.from({ length: bank.count }, (_, k) => itemInformation(theta, bank, k));
      const average = mean(information);
      return column((k) => information[k]! / average);
    }),
  ];
}

function centred(column: Float64Array): Float64Array {
  const centre = mean(numbers(column));
  return column.map((value) => value - centre);
}

function standardised(values: Float64Array): Float64Array {
  const shifted = centred(values);
  const deviation = Math.sqrt(mean(numbers(shifted.map((value) => value * value))));
  return deviation > 0 ? shifted.map((value) => value / deviation) : shifted;
}

/** Mean squared difference of known values from the mean of their stratum. */
function varianceWithin(column: Float64Array, strataOf: ArrayLike<number>): number {
  const items = [...column.keys()].filter((item) => !Number.isNaN(column[item]!));
  const sums: number[] = [];
  const counts: number[] = [];
  for (const item of items) {
    const stratum = strataOf[item]!;
    sums[stratum] = (sums[stratum] ?? 0) + column[item]!;
    counts[stratum] = (counts[stratum] ?? 0) + 1;
  }
  const meanAt = (stratum: number): number => sums[stratum]! / counts[stratum]!;
  return mean(items.map((item) => (column[item]! - meanAt(strataOf[item]!)) ** 2));
}
