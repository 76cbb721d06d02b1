import type { RandomSource } from "anchoreval/core";
import { fullScores } from "../prepare/full-scores.ts";
import { eligibleTargets } from "../splits/eligible.ts";
import { extrapolationSplit } from "../splits/extrapolation.ts";
import { folds } from "../splits/interpolation.ts";
import type { Split } from "../splits/types.ts";
import type { BankTask } from "./train-bank.ts";

/** Splits of the source models themselves. */
export interface SourceSplits {
  /** Models like the others: random parts. */
  readonly folds: readonly Split[];
  /** Models better than the others: the strongest 30 % by the weakest half. */
  readonly strong: Split;
}

/**
 * Splits a bank's source models into sources and targets, by mean score over the bank's scenarios and with replicates
 * together; rows are the task's.
 * @param rows - the source models; no other's answers are read
 * @param groups - replicate group of every model
 * @param k - random parts, as many as there are models at most
 */
export function sourceSplits(
  task: BankTask,
  rows: readonly number[],
  groups: ArrayLike<number>,
  k: number,
  random: RandomSource,
): SourceSplits {
  const full = task.scenarios.map((slice) => fullScores(task.matrix, slice));
  const eligible = eligibleTargets(full);
  const input = { groups: rows.map((m) => groups[m]!), eligible: rows.map((m) => eligible[m]!) };
  const scores = rows.map((m) => full.reduce((sum, { score }) => sum + score[m]! / full.length, 0));
  const names = rows.map((m) => task.matrix.subjects[m]!);
  const lift = ({ sources, targets }: Split): Split => ({
    sources: sources.map((at) => rows[at]!),
    targets: targets.map((at) => rows[at]!),
  });
  return {
    folds: folds(input, Math.min(k, rows.length), random).map(lift),
    strong: lift(extrapolationSplit({ ...input, scores, names })),
  };
}
