import type { RandomSource } from "anchoreval/core";
import { fullScores, type FullScores } from "../prepare/full-scores.ts";
import { eligibleTargets } from "../splits/eligible.ts";
import { extrapolationSplit } from "../splits/extrapolation.ts";
import { folds } from "../splits/interpolation.ts";
import { LEAST_FAMILIES } from "../splits/families.ts";
import { joinGroups } from "../splits/join-groups.ts";
import { strength } from "../splits/strength.ts";
import type { Split } from "../splits/types.ts";
import type { BankTask } from "./train-bank.ts";

/** Splits of the source models themselves, each by bank. */
export interface SourceSplits {
  /** Models like the others, of makers that aren't among them: random parts that keep families together. */
  readonly folds: readonly (readonly Split[])[];
  /** Models better than the others: the strongest 30 % by the weakest half. */
  readonly strong: readonly Split[];
}

/**
 * Splits the source models of some banks into sources and targets, the same for all banks, with replicates together;
 * parts hold out whole families where there are {@link LEAST_FAMILIES}, and strong and weak are so by their
 * {@link strength} over all scenarios. Rows are the matrix's; each bank has its own
 * part of a split ({@link BankModels.ownSplits}).
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
  const { full, eligible, ownSplits } = modelsOf(tasks);
  const input = { groups: rows.map((m) => groups[m]!), eligible: rows.map((m) => eligible[m]!) };
  const among = full.map(({ score }) => ({ score: Float64Array.from(rows, (m) => score[m]!) }));
  const names = rows.map((m) => tasks[0]!.matrix.subjects[m]!);
  const families = rows.map((m) => tasks[0]!.families[m]!);
  const apart =
    new Set(families).size < LEAST_FAMILIES ? input : { ...input, groups: joinGroups(families, input.groups) };
  const lift = ({ sources, targets }: Split): Split[] =>
    ownSplits({ sources: sources.map((at) => rows[at]!), targets: targets.map((at) => rows[at]!) });
  return {
    folds: folds(apart, Math.min(k, rows.length), random).map(lift),
    strong: lift(extrapolationSplit({ ...input, scores: strength(among), names })),
  };
}

/** The models of some banks, as splits see them. */
export interface BankModels {
  /** Full scores in every scenario. */
  readonly full: readonly FullScores[];
  /** Models that are well enough observed to be targets in one bank at least. */
  readonly eligible: readonly boolean[];
  /** Every bank's part of a split: sources with a score in it, and targets that are well enough observed. */
  readonly ownSplits: (split: Split) => Split[];
}

/** Looks at the models of some banks once, for all their splits. */
export function modelsOf(tasks: readonly BankTask[]): BankModels {
  const banks = tasks.map(({ matrix, scenarios }) => {
    const full = scenarios.map((slice) => fullScores(matrix, slice));
    return { full, eligible: eligibleTargets(full) };
  });
  return {
    full: banks.flatMap(({ full }) => full),
    eligible: tasks[0]!.matrix.subjects.map((_, m) => banks.some(({ eligible }) => eligible[m]!)),
    ownSplits: ({ sources, targets }) =>
      banks.map(({ full, eligible }) => ({
        sources: sources.filter((m) => full.some(({ score }) => !Number.isNaN(score[m]!))),
        targets: targets.filter((m) => eligible[m]),
      })),
  };
}
