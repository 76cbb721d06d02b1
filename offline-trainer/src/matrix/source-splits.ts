import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { observedModels, type Scenario } from "./benchmark.ts";
import { joinGroups, LEAST_FAMILIES } from "./families.ts";
import { extrapolationSplit, folds, HELD_OUT_OBSERVED, strength, type BenchmarkSplit, type Split } from "./splits.ts";

/**
 * Splits source models into sources and targets, the same for all scenarios, with replicates together; parts hold out whole
 * families where there are {@link LEAST_FAMILIES}, and strong and weak are so by their {@link strength} over all scenarios.
 * Models that have answered {@link HELD_OUT_OBSERVED} of a scenario are held out: estimated on what they answered.
 * @param rows - the source models; no other's answers are read
 * @param k - random parts, as many as there are models at most
 */
export function sourceSplits(
  scenarios: readonly Scenario[],
  rows: readonly number[],
  replicates: ArrayLike<number>,
  k: number,
  random: RandomSource,
) {
  const { subjects } = scenarios[0]!.matrix;
  const { full, eligible, scenarioSplits } = observedModels({ models: subjects, scenarios }, HELD_OUT_OBSERVED);
  const input = { groups: rows.map((m) => replicates[m]!), eligible: rows.map((m) => eligible[m]!) };
  const among = full.map(({ score }) => ({ score: Float64Array.from(rows, (m) => score[m]!) }));
  const names = rows.map((m) => subjects[m]!);
  const families = rows.map((m) => scenarios[0]!.families[m]!);
  const apart =
    new Set(families).size < LEAST_FAMILIES ? input : { ...input, groups: joinGroups(families, input.groups) };
  const lift = ({ sources, targets }: Split): BenchmarkSplit => {
    const lifted = { sources: sources.map((at) => rows[at]!), targets: targets.map((at) => rows[at]!) };
    return { ...lifted, scenarios: scenarioSplits(lifted) };
  };
  return {
    /** Models like the others, of makers that aren't among them: random parts that keep families together. */
    folds: folds(apart, Math.min(k, rows.length), random).map(lift),
    /** Models better than the others: the strongest by the weakest, {@link strongShares} of them. */
    strong: lift(extrapolationSplit({ ...input, scores: strength(among), names }, strongShares)),
  };
}

/** Source models of a weak-to-strong fold below which errors fall much with one more. */
const ENOUGH_SOURCES = 50;

/** Its targets at which the next stronger ones say more than as many again. */
const ENOUGH_TARGETS = 30;

/**
 * Shares of the models that a weak-to-strong fold learns from and holds out: the weakest half, more where that is few
 * models, and the strongest 30 %, fewer, farther away, where those are many.
 */
function strongShares(models: number): { weakest: number; strongest: number } {
  return {
    weakest: Math.max(0.5, Math.min(0.7, ENOUGH_SOURCES / models)),
    strongest: Math.min(0.3, Math.max(0.15, ENOUGH_TARGETS / models)),
  };
}
