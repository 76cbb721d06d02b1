import { itemWeights } from "anchoreval/internal/core/bundle/bundle";
import { type Weighting, WEIGHTINGS } from "anchoreval/internal/core/bundle/names";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { total } from "../numeric/statistics.ts";
import type { ItemInfo, ResponseMatrix } from "./response-matrix.ts";

/** A run of columns that is one scenario. */
export interface ScenarioSlice {
  readonly id: string;
  /** First column. */
  readonly begin: number;
  /** Items N. */
  readonly count: number;
  /** Runs of subscenarios, in order. */
  readonly subscenarios: readonly { readonly id: string | null; readonly items: number }[];
  /** Item weights, summing to 1. */
  readonly weights: Float64Array;
}

/**
 * The scenarios of a matrix whose columns are grouped by scenario and, within it, by subscenario.
 * @throws AnchorEvalError `invalid_data` where they are not grouped
 */
export function scenarioSlices(items: readonly ItemInfo[], weighting: Weighting): ScenarioSlice[] {
  const refused = (what: string): AnchorEvalError =>
    new AnchorEvalError("invalid_data", `the items ${what}: group them first`);
  const scenarios = runs(items, ({ scenario }) => scenario);
  if (!areDifferent(scenarios)) throw refused("are not grouped by scenario");
  return scenarios.map(({ id, begin, items: count }) => {
    const parts = runs(items.slice(begin, begin + count), ({ subscenario }) => subscenario ?? null);
    if (!areDifferent(parts)) throw refused(`of ${id} are not grouped by subscenario`);
    const subscenarios = parts.map((run) => ({ id: run.id, items: run.items }));
    return { id, begin, count, subscenarios, weights: itemWeights({ items: count, subscenarios }, weighting) };
  });
}

function areDifferent(runs: readonly { readonly id: unknown }[]): boolean {
  return new Set(runs.map(({ id }) => id)).size === runs.length;
}

/** The columns of a scenario as a matrix of its own, with the cells where they are. */
export function sliceColumns(matrix: ResponseMatrix, { begin, count }: ScenarioSlice): ResponseMatrix {
  const { subjects, items, stride, scores, observed } = matrix;
  const hasGaps = (_: string, m: number): boolean =>
    observed!.subarray(m * stride + begin, m * stride + begin + count).includes(0);
  return {
    ...matrix,
    items: items.slice(begin, begin + count),
    scores: scores.subarray(begin),
    observed: observed !== null && subjects.some(hasGaps) ? observed.subarray(begin) : null,
  };
}

/** Runs of items of the same key. */
function runs<Id>(items: readonly ItemInfo[], key: (item: ItemInfo) => Id): { id: Id; begin: number; items: number }[] {
  const out: { id: Id; begin: number; items: number }[] = [];
  items.forEach((item, index) => {
    const id = key(item);
    const last = out.at(-1);
    if (last && last.id === id) last.items++;
    else out.push({ id, begin: index, items: 1 });
  });
  return out;
}

/** Full scores of a scenario's models. */
export interface FullScores {
  /** The full score that was given, where any were; else `items`. NaN where it isn't known, or nothing was observed. */
  readonly score: Float64Array;
  /** Σ w·y / Σ w over the observed items; NaN where nothing was observed. */
  readonly items: Float64Array;
  /** Share of the scenario's weight, in [0,1]. */
  readonly observed: Float64Array;
}

/** By matrix and weights: many steps of a fit ask for them, and each time every cell would be read. */
const computed = new WeakMap<ResponseMatrix, Map<Float64Array, FullScores>>();

/**
 * Every model on a scenario: its full score, its mean over the observed items, and the share observed. Computed once for a
 * matrix and a slice.
 */
export function fullScores(matrix: ResponseMatrix, slice: ScenarioSlice): FullScores {
  const byWeights = computed.get(matrix) ?? new Map<Float64Array, FullScores>();
  computed.set(matrix, byWeights);
  const scores = byWeights.get(slice.weights) ?? computeFullScores(matrix, slice);
  byWeights.set(slice.weights, scores);
  return scores;
}

function computeFullScores(matrix: ResponseMatrix, { id, begin, count, weights }: ScenarioSlice): FullScores {
  const models = matrix.subjects.length;
  const items = new Float64Array(models);
  const observed = new Float64Array(models);
  for (let m = 0; m < models; m++) {
    let sum = 0;
    let mass = 0;
    const row = m * matrix.stride + begin;
    for (let i = 0; i < count; i++) {
      if (matrix.observed !== null && matrix.observed[row + i] === 0) continue;
      sum += weights[i]! * matrix.scores[row + i]!;
      mass += weights[i]!;
    }
    items[m] = mass > 0 ? sum / mass : NaN;
    observed[m] = matrix.observed === null ? 1 : mass;
  }
  const reported = matrix.fullScores?.get(id);
  const score = reported ? items.map((mean, m) => (Number.isNaN(mean) ? NaN : reported[m]!)) : items;
  return { score, items, observed };
}

/** Relative difference of weights that are the same. */
const TOLERANCE = 1e-6;

/**
 * The weighting that given weights come to, in every scenario: each subscenario the same, or each item.
 * @param items - grouped by scenario and subscenario
 * @param weights - of each item, any scale within a scenario
 * @returns null where they are neither: a bundle keeps no other weights
 */
export function givenWeighting(items: readonly ItemInfo[], weights: ArrayLike<number>): Weighting | null {
  const fits = (weighting: Weighting): boolean =>
    scenarioSlices(items, weighting).every(({ begin, count, weights: expected }) => {
      const part = Array.from({ length: count }, (_, i) => weights[begin + i]!);
      const sum = total(part);
      return part.every((weight, i) => Math.abs(weight / sum - expected[i]!) <= TOLERANCE * expected[i]!);
    });
  return WEIGHTINGS.find(fits) ?? null;
}
