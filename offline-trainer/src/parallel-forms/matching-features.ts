import { itemInformation, predictedScores } from "anchoreval/core";
import type { AnsweredItems, PoolDifficulty } from "./difficulty.ts";
import type { ItemFeatures } from "./refine-forms.ts";

/** Abilities at which expected scores and information are matched, in standard deviations about the models' mean. */
const MATCHED_AT = [-3, -2, -1, 0, 1, 2, 3];

/**
 * What forms of these items are matched in: mean and spread of the difficulty and, where models answered the items, the
 * expected score over the models and the leading components of the response curves in several dimensions, and, in one,
 * expected scores and information at seven abilities. Each of these four groups varies by 1 within strata, so that each counts the same. Null where no difficulty is known.
 * @param strataOf - stratum of every item
 */
export function matchingFeatures(
  { values, answered }: PoolDifficulty,
  strataOf: ArrayLike<number>,
): ItemFeatures | null {
  if (values === null) return null;
  const groups: Float64Array[][] = [difficultyMoments(values)];
  if (answered !== null)
    groups.push(...[expectedScores, oneDimensionalScores, information].map((group) => group(answered, values.length)));
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

/** Difficulty and its square, standardised. */
function difficultyMoments(values: Float64Array): Float64Array[] {
  const first = standardised(values);
  return [first, standardised(first.map((value) => value * value))];
}

function expectedScores({ items, curves }: AnsweredItems, count: number): Float64Array[] {
  const { width, loadings, expected } = curves;
  return [
    spread(items, count, (k) => expected[k]!),
    ...Array.from({ length: width }, (_, r) => spread(items, count, (k) => loadings[k * width + r]!)),
  ];
}

function oneDimensionalScores(answered: AnsweredItems, count: number): Float64Array[] {
  const { items, bank, scoreMap } = answered;
  return matchedAbilities(answered).map((theta) => {
    const predicted = predictedScores(theta, bank, scoreMap);
    return spread(items, count, (k) => predicted[k]!);
  });
}

function matchedAbilities({ abilities: { mean, sd } }: AnsweredItems): Float64Array[] {
  return MATCHED_AT.map((z) => Float64Array.of(mean + z * sd));
}

/** Information relative to the items' mean at that ability. */
function information(answered: AnsweredItems, count: number): Float64Array[] {
  const { items, bank } = answered;
  return matchedAbilities(answered).map((theta) => {
    const own = Float64Array.from({ length: bank.count }, (_, k) => itemInformation(theta, bank, k));
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
    return spread(items, count, (k) => own[k]! / mean);
  });
}

/** Numbers of some items as a centred column of all, NaN for the others. */
function spread(items: Uint32Array, count: number, of: (k: number) => number): Float64Array {
  const column = new Float64Array(count).fill(NaN);
  items.forEach((item, k) => (column[item] = of(k)));
  return centred(column);
}

function meanOf(column: Float64Array): number {
  const known = column.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function centred(column: Float64Array): Float64Array {
  const mean = meanOf(column);
  return column.map((value) => value - mean);
}

function standardised(values: Float64Array): Float64Array {
  const own = centred(values);
  const deviation = Math.sqrt(meanOf(own.map((value) => value * value)));
  return deviation > 0 ? own.map((value) => value / deviation) : own;
}

/** Mean squared difference of known values from the mean of their stratum. */
function varianceWithin(column: Float64Array, strataOf: ArrayLike<number>): number {
  const sums: number[] = [];
  const counts: number[] = [];
  column.forEach((value, item) => {
    if (Number.isNaN(value)) return;
    const stratum = strataOf[item]!;
    sums[stratum] = (sums[stratum] ?? 0) + value;
    counts[stratum] = (counts[stratum] ?? 0) + 1;
  });
  let squares = 0;
  let known = 0;
  column.forEach((value, item) => {
    if (Number.isNaN(value)) return;
    const stratum = strataOf[item]!;
    squares += (value - sums[stratum]! / counts[stratum]!) ** 2;
    known++;
  });
  return squares / known;
}
