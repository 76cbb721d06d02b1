import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { type FloatArray, itemBank } from "anchoreval/internal/core/irt/item-bank";
import { itemInformation } from "anchoreval/internal/core/irt/response";
import { applyMonotoneMap } from "anchoreval/internal/core/numeric/functions";
import { predictedScores } from "anchoreval/internal/core/scoring/predicted-scores";
import { rounded } from "../../../offline-trainer/src/fit/held-out-scores.ts";
import { mean } from "../../../offline-trainer/src/numeric/statistics.ts";
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
  const places = answeredAmong(answered, items);
  if (places.length === 0) return abilities.map(() => NaN);
  const select = (values: FloatArray): Float64Array => Float64Array.from(places, (k) => values[k]!);
  const bank = itemBank(select(answered.bank.a), select(answered.bank.b));
  return abilities.map((theta) => mean(predictedScores(Float64Array.of(theta), bank, answered.scoreMap)));
}

/** Mean Fisher information of the items that have a curve; times their number it is the test information. */
export function meanInformation(
  answered: AnsweredItems,
  items: ArrayLike<number>,
  abilities: Float64Array,
): Float64Array {
  const places = answeredAmong(answered, items);
  return abilities.map((theta) =>
    mean(Array.from(places, (k) => itemInformation(Float64Array.of(theta), answered.bank, k))),
  );
}

/**
 * Variance of a model's score on these items about its expectation, from the response model in all its dimensions:
 * Σ(P(1−P) + the part of the curve not explained by the components)/n², on average over the models.
 */
function chanceVariance(answered: AnsweredItems, items: ArrayLike<number>): number {
  const places = answeredAmong(answered, items);
  return mean(Array.from(places, (k) => answered.curves.noise[k]!)) / places.length;
}

/** Positions in the bank of the items that are in it. */
function answeredAmong({ items: answered }: AnsweredItems, items: ArrayLike<number>): Uint32Array {
  const among = new Set(Array.from(items));
  return Uint32Array.from(answered.keys()).filter((k) => among.has(answered[k]!));
}

/** Half-width of the grid of abilities, in standard deviations of the models', and its points. */
const SPAN = 8;
const POINTS = 321;

/**
 * IRT true-score equating of a form to the pool: for every raw score 0 … n, the expected score on the whole pool of a model
 * with that expected raw score, Pool(Form⁻¹(x/n)), both curves means of the items' predicted scores. Beyond the curves'
 * range on eight standard deviations it is linear to 0 and to 1. It never decreases. Items without a curve count as the
 * others do on average.
 * @param form - indices into the pool, ascending @param pool - likewise, all of them
 * @returns n + 1 scores in [0,1]
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §6.5
 */
export function equatedScores(answered: AnsweredItems, form: ArrayLike<number>, pool: ArrayLike<number>): Float64Array {
  const { mean: middle, sd } = answered.abilities;
  const abilities = Float64Array.from({ length: POINTS }, (_, k) => middle + SPAN * sd * ((2 * k) / (POINTS - 1) - 1));
  const from = rising(expectedScores(answered, form, abilities));
  const to = rising(expectedScores(answered, pool, abilities));
  const map = { x: Float64Array.of(0, ...from, 1), y: Float64Array.of(0, ...to, 1) };
  return Float64Array.from({ length: form.length + 1 }, (_, raw) => applyMonotoneMap(map, raw / form.length));
}

/** The largest value so far: curves only fall because of items that strong models miss. */
function rising(curve: Float64Array): Float64Array {
  let largest = 0;
  return curve.map((value) => (largest = Math.max(largest, value)));
}

/** The grid: −3 to 3 standard deviations by halves. */
const GRID = Array.from({ length: 13 }, (_, k) => -3 + k / 2);

function gridOf({ abilities }: AnsweredItems): Float64Array {
  return Float64Array.from(GRID, (z) => abilities.mean + z * abilities.sd);
}

/** Compares every two forms. @param drawn - items of every form in every stratum */
export function pairSummaries({ forms, strata, difficulty }: ParallelForms, drawn: readonly Int32Array[]) {
  const { answered } = difficulty;
  const curves = answered && {
    models: forms.map(({ items }) => expectedScores(answered, items, answered.abilities.values)),
    grid: forms.map(({ items }) => expectedScores(answered, items, gridOf(answered))),
  };
  // For graded scores the response model describes only the binarised ones' chance.
  const chance = answered?.scoreMap === null ? forms.map(({ items }) => chanceVariance(answered, items)) : null;
  const pairs = forms.flatMap((_, one) => forms.slice(one + 1).map((__, k) => [one, one + 1 + k] as const));
  return pairs.map(([one, other]) => {
    const apart = (axis: "subject" | "bucket"): number =>
      rounded(shareDistance(marginCounts(strata, axis, drawn[one]), marginCounts(strata, axis, drawn[other])));
    const gaps = (values: readonly Float64Array[]): Float64Array =>
      values[one]!.map((value, at) => Math.abs(value - values[other]![at]!));
    return {
      forms: [one + 1, other + 1],
      distance: { subjects: apart("subject"), difficulty: apart("bucket") },
      /**
       * Of the expected scores, in fractions: absolutely, over the models' abilities on average, and at most between the
       * grid's ends. Null without answers.
       */
      expectedScoreDifference: curves && {
        mean: rounded(mean(gaps(curves.models))),
        largest: rounded(Math.max(...gaps(curves.grid))),
      },
      /**
       * Mean absolute difference of one model's two scores by chance alone, however alike the forms: E|x| of a normal x is
       * √(2/π) of its standard deviation. Null as for `chance`.
       */
      chanceDifference: chance && rounded(Math.sqrt((2 / Math.PI) * (chance[one]! + chance[other]!))),
    };
  });
}

/**
 * Expected scores and test information on a grid of abilities, in standard deviations of the models' about their mean, by
 * the 2PL in one dimension. Information is about the ability in those units, so that 1/√information is the standard error
 * in them. The pool's is that of as many of its items as a form has, on average.
 * @param everything - all items of the pool
 */
export function curvesSummary({ forms }: ParallelForms, answered: AnsweredItems, everything: Uint32Array) {
  const grid = gridOf(answered);
  const unit = forms[0]!.items.length * answered.abilities.sd ** 2;
  const scores = (items: Uint32Array): number[] => Array.from(expectedScores(answered, items, grid), rounded);
  const information = (items: Uint32Array): number[] =>
    Array.from(meanInformation(answered, items, grid), (value) => rounded(unit * value));
  return {
    abilities: GRID,
    expectedScores: { pool: scores(everything), forms: forms.map(({ items }) => scores(items)) },
    information: { pool: information(everything), forms: forms.map(({ items }) => information(items)) },
  };
}

/**
 * Conversion of every form's scores to the pool's: at place x of `poolScores` the expected score in [0,1] on the whole pool
 * of a model that got x items right.
 * @param everything - all items of the pool
 * @throws AnchorEvalError `invalid_data` where a form has no item with answers
 */
export function equatingSummary({ forms, difficulty }: ParallelForms, everything: Uint32Array) {
  const { answered, source } = difficulty;
  if (source.kind !== "responses" || answered === null)
    return {
      method: "identity" as const,
      verified: false,
      note: "no model's answers to these items are known: a form's score stands for the pool's as it is",
      poolScores: forms.map(({ items: { length } }) =>
        Array.from(Array(length + 1).keys(), (x) => rounded(x / length)),
      ),
    };
  if (forms.some(({ items }) => answeredAmong(answered, items).length === 0))
    throw new AnchorEvalError(
      "invalid_data",
      "a form has no item with answers: larger forms, or more answers, are needed",
    );
  return {
    method: "irt-true-score" as const,
    /** Based on answers to these very items. */
    verified: source.borrowed === "no",
    note: EQUATING_NOTES[source.borrowed],
    poolScores: forms.map(({ items }) => Array.from(equatedScores(answered, items, everything), rounded)),
  };
}

const EQUATING_NOTES = {
  no: "from answers to these very items",
  yes: "from answers to other texts than these, none to these",
  unknown: "from answers that aren't known to be to these very texts",
};
