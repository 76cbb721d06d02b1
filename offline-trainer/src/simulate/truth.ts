import type { Abilities } from "./abilities.ts";
import type { ScoresByWeighting } from "./full-scores.ts";
import type { ItemParameters } from "./item-parameters.ts";
import type { SimulateOptions } from "./options.ts";
import type { ScenarioPlan } from "./scenarios.ts";

/** A model in the order of the matrix's rows. */
export interface TrueModel {
  readonly name: string;
  /** Number of the family, from 0. */
  readonly family: number;
  /** ISO day. */
  readonly date: string;
  /** Row of the model of which this is a rerun; null for an original. */
  readonly replicateOf: number | null;
}

/** What the data were drawn from. Rows are the matrix's rows, items its columns. */
export interface SimulatedTruth {
  readonly options: SimulateOptions;
  readonly scenarios: readonly ScenarioPlan[];
  readonly models: readonly TrueModel[];
  readonly abilities: Abilities;
  readonly items: ItemParameters;
  /** Expected full scores, M × S: over the luck of the answers, given all else. */
  readonly expected: ScoresByWeighting;
  /** Full scores as drawn, before answers were deleted, M × S. */
  readonly realised: ScoresByWeighting;
}

/** Abilities with their rows in another order. */
export function reorderAbilities(abilities: Abilities, rows: readonly number[]): Abilities {
  return {
    general: reorder(abilities.general, rows),
    scenario: reorder(abilities.scenario, rows),
    skills: reorder(abilities.skills, rows),
    classes: reorder(abilities.classes, rows),
    chance: reorder(abilities.chance, rows),
    constantOption: reorder(abilities.constantOption, rows),
  };
}

function reorder<T extends Float64Array | Uint32Array>(values: T, rows: readonly number[]): T {
  const width = values.length / rows.length;
  const out = values.slice() as T;
  rows.forEach((from, to) => out.set(values.subarray(from * width, (from + 1) * width), to * width));
  return out;
}
