import type { RandomSource } from "anchoreval/core";
import { fullScores } from "../prepare/full-scores.ts";
import { eligibleTargets } from "../splits/eligible.ts";
import { extrapolationSplit } from "../splits/extrapolation.ts";
import { folds } from "../splits/interpolation.ts";
import { strength } from "../splits/strength.ts";
import type { Split } from "../splits/types.ts";
import type { BankTask } from "./train-bank.ts";

/** Splits of the source models themselves, each by bank. */
export interface SourceSplits {
  /** Models like the others: random parts. */
  readonly folds: readonly (readonly Split[])[];
  /** Models better than the others: the strongest 30 % by the weakest half. */
  readonly strong: readonly Split[];
}

/**
 * Splits the source models of some banks into sources and targets, the same for all banks, with replicates together;
 * strong and weak by their {@link strength} over all scenarios. Rows are the matrix's; each bank has its own
 * part of a split ({@link ownSplits}).
 * @param rows - the source models; no other's answers are read
 * @param groups - replicate group of every model
 * @param k - random parts, as many as there are models at most
 */
export function sourceSplits(
  tasks: readonly BankTask[],
  rows: readonly number[],
  groups: ArrayLike<number>,
  k: number,
  random: RandomSource,
): SourceSplits {
  const full = tasks.map(({ matrix, scenarios }) => scenarios.map((slice) => fullScores(matrix, slice)));
  const eligible = full.map((own) => eligibleTargets(own));
  const input = {
    groups: rows.map((m) => groups[m]!),
    eligible: rows.map((m) => eligible.some((own) => own[m]!)),
  };
  const among = full.flat().map(({ score }) => ({ score: Float64Array.from(rows, (m) => score[m]!) }));
  const names = rows.map((m) => tasks[0]!.matrix.subjects[m]!);
  const lift = ({ sources, targets }: Split): Split[] =>
    ownSplits(tasks, { sources: sources.map((at) => rows[at]!), targets: targets.map((at) => rows[at]!) });
  return {
    folds: folds(input, Math.min(k, rows.length), random).map(lift),
    strong: lift(extrapolationSplit({ ...input, scores: strength(among), names })),
  };
}

/** Every bank's part of a split: sources with a score in it, and targets that are well enough observed. */
export function ownSplits(tasks: readonly BankTask[], { sources, targets }: Split): Split[] {
  return tasks.map(({ matrix, scenarios }) => {
    const full = scenarios.map((slice) => fullScores(matrix, slice));
    const eligible = eligibleTargets(full);
    return {
      sources: sources.filter((m) => full.some(({ score }) => !Number.isNaN(score[m]!))),
      targets: targets.filter((m) => eligible[m]),
    };
  });
}
