import { AnchorEvalError, applyMonotoneMap, itemBank, itemInformation, predictedScores } from "anchoreval/core";
import { rounded } from "../../fit/rounded.ts";
import type { CurvesSummary, EquatingSummary, PairSummary } from "./summarize-forms.ts";
import type { ParallelForms } from "./build-forms.ts";
import type { AnsweredItems } from "./difficulty.ts";
import { marginCounts, shareDistance } from "./quotas.ts";

/**
 * Expected score of some items as a function of ability: the mean predicted score of those that have a curve (the test
 * characteristic curve over their number); NaN where none has.
 * @param items - indices into the pool, ascending
 * @param abilities - on the scale of the one-dimensional bank
 */
export function expectedScores(
  answered: AnsweredItems,
  items: ArrayLike<number>,
  abilities: Float64Array,
): Float64Array {
  const known = answeredAmong(answered, items);
  if (known.length === 0) return abilities.map(() => NaN);
  const { a, b } = answered.bank;
  const own = itemBank(
    Float64Array.from(known, (k) => a[k]!),
    Float64Array.from(known, (k) => b[k]!),
  );
  return abilities.map((theta) => {
    const predicted = predictedScores(Float64Array.of(theta), own, answered.scoreMap);
    return predicted.reduce((sum, score) => sum + score, 0) / known.length;
  });
}

/** Mean Fisher information of those items that have a curve; times their number it is the test information. */
export function meanInformation(
  answered: AnsweredItems,
  items: ArrayLike<number>,
  abilities: Float64Array,
): Float64Array {
  const known = answeredAmong(answered, items);
  return abilities.map((theta) => {
    const at = Float64Array.of(theta);
    return meanOver(known, (k) => itemInformation(at, answered.bank, k));
  });
}

/**
 * Variance of a model's score on these items about what its abilities lead to expect, from the response model in all its
 * dimensions: Σ(P(1−P) + what the components leave of the curve)/n², on average over the models.
 */
function chanceVariance(answered: AnsweredItems, items: ArrayLike<number>): number {
  const known = answeredAmong(answered, items);
  return meanOver(known, (k) => answered.curves.noise[k]!) / known.length;
}

/** Places in the bank of those items that are in it. */
function answeredAmong({ items: answered }: AnsweredItems, items: ArrayLike<number>): Uint32Array {
  const known: number[] = [];
  for (let at = 0, k = 0; at < items.length; at++) {
    while (k < answered.length && answered[k]! < items[at]!) k++;
    if (k < answered.length && answered[k] === items[at]) known.push(k);
  }
  return Uint32Array.from(known);
}

function meanOver(known: Uint32Array, of: (k: number) => number): number {
  let sum = 0;
  for (const k of known) sum += of(k);
  return sum / known.length;
}

/** Half-width of the grid of abilities, in standard deviations of the models', and its points. */
const SPAN = 8;
const POINTS = 321;

/**
 * IRT true-score equating of a form to the pool: to every raw score 0 … n, the score that is expected on the whole pool
 * of whoever is expected to get that raw score, Pool(Form⁻¹(x/n)), both curves means of the items' predicted scores.
 * Beyond what the curves reach on eight standard deviations the line goes straight to 0 and to 1, so that no and all right
 * stay what they are. It never falls. Items without a curve count as the others do on average.
 * @param form - indices into the pool, ascending @param pool - likewise, all of them
 * @returns n + 1 scores in [0,1]
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §6.5
 */
export function equatedScores(answered: AnsweredItems, form: ArrayLike<number>, pool: ArrayLike<number>): Float64Array {
  const { mean, sd } = answered.abilities;
  const abilities = Float64Array.from({ length: POINTS }, (_, k) => mean + SPAN * sd * ((2 * k) / (POINTS - 1) - 1));
  const from = rising(expectedScores(answered, form, abilities));
  const to = rising(expectedScores(answered, pool, abilities));
  const map = { x: Float64Array.of(0, ...from, 1), y: Float64Array.of(0, ...to, 1) };
  return Float64Array.from({ length: form.length + 1 }, (_, raw) => applyMonotoneMap(map, raw / form.length));
}

/** Curves fall nowhere but for items that strong models miss: the largest value so far. */
function rising(curve: Float64Array): Float64Array {
  let largest = 0;
  return curve.map((value) => (largest = Math.max(largest, value)));
}

/** The grid: −3 to 3 standard deviations by halves. */
const GRID = Array.from({ length: 13 }, (_, k) => -3 + k / 2);

function gridOf({ abilities: { mean, sd } }: AnsweredItems): Float64Array {
  return Float64Array.from(GRID, (z) => mean + z * sd);
}

/**
 * Every two forms against each other.
 * @param drawn - items of every form in every stratum
 */
export function pairSummaries(built: ParallelForms, drawn: readonly Int32Array[]): PairSummary[] {
  const { forms, difficulty } = built;
  const { answered } = difficulty;
  const curves = answered && {
    models: forms.map(({ items }) => expectedScores(answered, items, answered.abilities.values)),
    grid: forms.map(({ items }) => expectedScores(answered, items, gridOf(answered))),
  };
  // Of graded scores the response model knows the binarised ones' chance alone.
  const chance = answered?.scoreMap === null ? forms.map(({ items }) => chanceVariance(answered, items)) : null;
  return forms.flatMap((_, one) =>
    forms.slice(one + 1).map((__, k): PairSummary => {
      const other = one + 1 + k;
      const apart = (axis: "subject" | "bucket"): number =>
        rounded(
          shareDistance(marginCounts(built.strata, axis, drawn[one]), marginCounts(built.strata, axis, drawn[other])),
        );
      const gaps = (values: readonly Float64Array[]): Float64Array =>
        values[one]!.map((value, at) => Math.abs(value - values[other]![at]!));
      return {
        forms: [one + 1, other + 1],
        distance: { subjects: apart("subject"), difficulty: apart("bucket") },
        expectedScoreDifference: curves && {
          mean: rounded(gaps(curves.models).reduce((sum, gap) => sum + gap, 0) / curves.models[one]!.length),
          largest: rounded(gaps(curves.grid).reduce((most, gap) => Math.max(most, gap), 0)),
        },
        // E|x| of a normal x is √(2/π) of its standard deviation.
        chanceDifference: chance && rounded(Math.sqrt((2 / Math.PI) * (chance[one]! + chance[other]!))),
      };
    }),
  );
}

/** @param everything - all items of the pool */
export function curvesSummary(
  { forms }: ParallelForms,
  answered: AnsweredItems,
  everything: Uint32Array,
): CurvesSummary {
  const grid = gridOf(answered);
  const list = (values: Float64Array): number[] => Array.from(values, rounded);
  const unit = forms[0]!.items.length * answered.abilities.sd ** 2;
  return {
    abilities: GRID,
    expectedScores: {
      pool: list(expectedScores(answered, everything, grid)),
      forms: forms.map(({ items }) => list(expectedScores(answered, items, grid))),
    },
    information: {
      pool: list(meanInformation(answered, everything, grid).map((value) => unit * value)),
      forms: forms.map(({ items }) => list(meanInformation(answered, items, grid).map((value) => unit * value))),
    },
  };
}

/**
 * Equated scores of every form.
 * @param everything - all items of the pool
 * @throws AnchorEvalError `invalid_data` where a form has no item with answers
 */
export function equatingSummary({ forms, difficulty }: ParallelForms, everything: Uint32Array): EquatingSummary {
  const { answered, source } = difficulty;
  if (source.kind !== "responses" || answered === null)
    return {
      method: "identity",
      verified: false,
      note: "no model's answers to these items are known: a form's score stands for the pool's as it is",
      poolScores: forms.map(({ items }) =>
        Array.from({ length: items.length + 1 }, (_, x) => rounded(x / items.length)),
      ),
    };
  if (forms.some(({ items }) => answeredAmong(answered, items).length === 0))
    throw new AnchorEvalError(
      "invalid_data",
      "a form has no item with answers: larger forms, or more answers, are needed",
    );
  return {
    method: "irt-true-score",
    verified: source.borrowed === "no",
    note: EQUATING_NOTES[source.borrowed],
    poolScores: forms.map(({ items }) => Array.from(equatedScores(answered, items, everything), rounded)),
  };
}

const EQUATING_NOTES = {
  no: "from answers to these very items",
  yes: "from answers to other texts than these, none to these",
  unknown: "from answers that aren't known to be to these very texts",
} as const;
