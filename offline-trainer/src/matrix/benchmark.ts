import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import type { SeenScores } from "anchoreval/internal/core/estimators/types";
import { numbers, mean } from "../numeric/statistics.ts";
import { LEAST_MODELS, type ResponseMatrix, scoreAt, submatrix } from "./response-matrix.ts";
import { fullScores, type ScenarioSlice, scenarioSlices, sliceColumns } from "./scenarios.ts";
import { withoutCopies } from "./alike/copies.ts";
import { replicateGroups } from "./alike/replicates.ts";
import { eligibleTargets, type Split, TARGET_OBSERVED } from "./splits.ts";
import { familyNumbers } from "./families.ts";

/** A scenario with its responses, a matrix of its items alone: the unit of calibration, with an ability of its own. */
export interface Scenario extends ScenarioSlice {
  readonly matrix: ResponseMatrix;
  /** Family of every model, by row. */
  readonly families: Int32Array;
}

/** Models and their answers to the items of some scenarios. Plain data, which can be sent to a thread. */
export interface Benchmark {
  readonly models: readonly string[];
  /** Family of every model. */
  readonly families: Int32Array;
  /** Replicate group of every model: models that answer the same are held out together. */
  readonly replicates: Int32Array;
  readonly scenarios: readonly Scenario[];
}

interface BenchmarkOptions {
  readonly weighting: Weighting;
  /** These scenarios only. @default all */
  readonly scenarios?: readonly string[];
  /** Family by model name; where it has none, the name tells. */
  readonly families?: ReadonlyMap<string, string>;
}

/**
 * The scenarios of a response matrix.
 * @param matrix - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `unknown_scenario`, `invalid_data`
 */
export function matrixScenarios(
  matrix: ResponseMatrix,
  { weighting, scenarios = [], families: table }: BenchmarkOptions,
): Scenario[] {
  const all = scenarioSlices(matrix.items, weighting);
  const unknown = scenarios.filter((id) => !all.some((slice) => slice.id === id));
  if (unknown.length > 0)
    throw new AnchorEvalError(
      "unknown_scenario",
      `there is no scenario ${unknown.join(", ")}: there are ${all.map((slice) => slice.id).join(", ")}`,
    );
  const chosen = scenarios.length > 0 ? all.filter((slice) => scenarios.includes(slice.id)) : all;
  const families = familyNumbers(matrix.subjects, table);
  return chosen.map((slice) => ({ ...slice, begin: 0, matrix: sliceColumns(matrix, slice), families }));
}

/** A benchmark as responses have it. */
interface DescribedBenchmark extends Benchmark {
  /** Of models that answer every item as an earlier one does, and count as one with it: the earlier one by their names. */
  readonly copies: ReadonlyMap<string, string>;
}

/**
 * The benchmark of some responses: {@link matrixScenarios}, and which models are alike. Copies of models are left out
 * ({@link withoutCopies}): positions are among the others.
 */
export function describeBenchmark(responses: ResponseMatrix, options: BenchmarkOptions): DescribedBenchmark {
  const { matrix, copies } = withoutCopies(responses);
  const scenarios = matrixScenarios(matrix, options);
  const { families } = scenarios[0]!;
  return { models: matrix.subjects, families, replicates: replicateGroups(matrix), scenarios, copies };
}

/** Parts whose scenarios are pooled: the whole benchmark, or each scenario by itself. */
export function pooledParts(benchmark: Benchmark, pooled: boolean): Benchmark[] {
  return pooled ? [benchmark] : benchmark.scenarios.map((scenario) => ({ ...benchmark, scenarios: [scenario] }));
}

/**
 * The benchmark with the answers of some models and no other's: what these teach can't rest on anybody else.
 * @param models - positions, ascending
 */
export function onlyModels(benchmark: Benchmark, models: readonly number[]): Benchmark {
  if (models.length === benchmark.models.length) return benchmark;
  const families = Int32Array.from(models, (m) => benchmark.families[m]!);
  return {
    models: models.map((m) => benchmark.models[m]!),
    families,
    replicates: Int32Array.from(models, (m) => benchmark.replicates[m]!),
    scenarios: benchmark.scenarios.map((scenario) => ({
      ...scenario,
      families,
      matrix: submatrix(scenario.matrix, models, [...scenario.matrix.items.keys()]),
    })),
  };
}

/** One model's scores on some items of a scenario; NaN where there is none. */
export function scoresOn({ matrix }: Pick<Scenario, "matrix">, model: number, items: ArrayLike<number>): Float64Array {
  return Float64Array.from(items, (item) => scoreAt(matrix, model, item));
}

/** Models that answered something in a scenario. */
export function answeringModels(scenario: Omit<Scenario, "families">): number[] {
  const { items } = fullScores(scenario.matrix, scenario);
  return [...items.keys()].filter((m) => !Number.isNaN(items[m]!));
}

/** {@link answeringModels}, enough to calibrate. @throws AnchorEvalError `invalid_data` for fewer than five */
export function calibratedModels(scenario: Omit<Scenario, "families">): number[] {
  const models = answeringModels(scenario);
  if (models.length < LEAST_MODELS)
    throw new AnchorEvalError(
      "invalid_data",
      `only ${models.length} models have answers in ${scenario.id}, at least ${LEAST_MODELS} are needed: add models, or leave its items out`,
    );
  return models;
}

/**
 * Full scores and observed shares of all models, as their splits look at them.
 * @param least - share of every scenario's weight that a target has observed; where full scores were given, nearly all
 */
export function observedModels(
  { models, scenarios }: Pick<Benchmark, "models" | "scenarios">,
  least: number = TARGET_OBSERVED,
) {
  const observed = scenarios.map((scenario) => {
    const { matrix } = scenario;
    const full = fullScores(matrix, scenario);
    return { full, eligible: eligibleTargets([full], matrix.fullScores ? TARGET_OBSERVED : least) };
  });
  return {
    /** In every scenario. */
    full: observed.map(({ full }) => full),
    /** Models that are observed well enough to be targets in one scenario at least. */
    eligible: models.map((_, m) => observed.some(({ eligible }) => eligible[m]!)),
    /** Each scenario's part of a split: sources with a score in it, and targets that are well enough observed. */
    scenarioSplits: ({ sources, targets }: Split): Split[] =>
      observed.map(({ full, eligible }) => ({
        sources: sources.filter((m) => !Number.isNaN(full.score[m]!)),
        targets: targets.filter((m) => eligible[m]),
      })),
  };
}

/** The range and the mean of the sources' full scores. */
export interface SourceScores extends SeenScores {
  readonly average: number;
}

/** The sources' full scores by scenario, and the range of their means over all where several are pooled. */
export function sourceScores(sources: Benchmark): {
  readonly scenarios: ReadonlyMap<string, SourceScores>;
  readonly overall: SeenScores | null;
} {
  const full = sources.scenarios.map((scenario) => [scenario.id, fullScores(scenario.matrix, scenario).score] as const);
  const scenarios = full.map(
    ([id, scores]) => [id, { ...scoresSeen(scores), average: mean(numbers(scores)) }] as const,
  );
  return { scenarios: new Map(scenarios), overall: scoresSeen(overallScores(full.map(([, scores]) => scores))) };
}

/** Mean of the full scores over all scenarios, by model; NaN where one isn't known. */
export function overallScores(scores: readonly Float64Array[]): Float64Array {
  return scores[0]!.map((_, m) => scores.reduce((sum, scenario) => sum + scenario[m]! / scores.length, 0));
}

/** The range of those scores that are known. */
export function scoresSeen(scores: Iterable<number>): SeenScores {
  const seen = numbers(scores);
  return { worst: Math.min(...seen), best: Math.max(...seen) };
}
