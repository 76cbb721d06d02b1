import { rounded } from "../fit/held-out-scores.ts";
import type { ParallelForms } from "./build-parallel-forms.ts";
import type { AnsweredItems } from "./difficulty.ts";
import { chanceVariance, expectedScores, meanInformation } from "./form-curves.ts";
import { marginCounts, shareDistance } from "./quotas.ts";
import type { CurvesSummary, PairSummary } from "./summary-types.ts";

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
