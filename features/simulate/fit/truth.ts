import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { encodeSafetensors, type Tensor } from "anchoreval/internal/core/bundle/safetensors";
import type { ScenarioSlice } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { ITEM_KINDS, type ItemParameters } from "./items.ts";
import { type Abilities, CHANCE, type SimulatedModel } from "./models.ts";
import { SCENARIO_KINDS, type ScenarioPlan } from "./scenarios.ts";
import type { SimulateOptions } from "./settings.ts";

/** A model in the order of the matrix's rows; `replicateOf` is a row. */
export type TrueModel = Omit<SimulatedModel, "time">;

/** The truth behind simulated data. Rows are the matrix's rows, items its columns. */
export interface SimulatedTruth {
  readonly options: SimulateOptions;
  readonly scenarios: readonly ScenarioPlan[];
  readonly models: readonly TrueModel[];
  readonly abilities: Abilities;
  readonly items: ItemParameters;
  /** Expected full scores, M × S row-major, under either weighting: given everything but the chance of the answers. */
  readonly expected: Readonly<Record<Weighting, Float64Array>>;
  /** Full scores as drawn, before answers were deleted, likewise. */
  readonly realised: SimulatedTruth["expected"];
}

/** Abilities with their rows in another order. */
export function reorderAbilities(abilities: Abilities, rows: readonly number[]): Abilities {
  const reorder = <T extends Float64Array | Uint32Array>(values: T): T => {
    const width = values.length / rows.length;
    const out = values.slice() as T;
    rows.forEach((from, to) => out.set(values.subarray(from * width, (from + 1) * width), to * width));
    return out;
  };
  return {
    general: reorder(abilities.general),
    scenario: reorder(abilities.scenario),
    skills: reorder(abilities.skills),
    classes: reorder(abilities.classes),
    chance: reorder(abilities.chance),
    constantOption: reorder(abilities.constantOption),
  };
}

/**
 * The truth as a safetensors file: F64 arrays, then U32 ones; codes, scenario names and options in the metadata.
 * Numbers of clusters and rows in `item_cluster` and `model_replicate_of` count from 1, 0 is none.
 */
export function encodeTruth(truth: SimulatedTruth): Uint8Array<ArrayBuffer> {
  const { abilities, items, models, scenarios, options } = truth;
  const [M, N, S, K] = [models.length, items.kind.length, scenarios.length, options.dims - 1];
  const tensors: Tensor[] = [
    { name: "model_general_ability", shape: [M], data: abilities.general },
    { name: "model_scenario_ability", shape: [M, S], data: abilities.scenario },
    { name: "model_skills", shape: [M, K], data: abilities.skills },
    { name: "expected_score_by_items", shape: [M, S], data: truth.expected.items },
    { name: "expected_score_by_subscenarios", shape: [M, S], data: truth.expected.subscenarios },
    { name: "realised_score_by_items", shape: [M, S], data: truth.realised.items },
    { name: "realised_score_by_subscenarios", shape: [M, S], data: truth.realised.subscenarios },
    { name: "item_discrimination", shape: [N], data: items.discrimination },
    { name: "item_difficulty", shape: [N], data: items.difficulty },
    { name: "item_loadings", shape: [N, K], data: items.loadings },
    { name: "item_lower", shape: [N], data: items.lower },
    { name: "item_upper", shape: [N], data: items.upper },
    { name: "item_class_shift", shape: [N], data: items.classShift },
    { name: "item_trait", shape: [N], data: items.trait },
    { name: "item_kind", shape: [N], data: items.kind },
    { name: "item_cluster", shape: [N], data: items.cluster },
    { name: "item_key", shape: [N], data: items.key },
    { name: "item_scenario", shape: [N], data: items.scenario },
    { name: "model_class", shape: [M], data: abilities.classes },
    { name: "model_chance", shape: [M, S], data: abilities.chance },
    { name: "model_family", shape: [M], data: Uint32Array.from(models, ({ family }) => family) },
    {
      name: "model_replicate_of",
      shape: [M],
      data: Uint32Array.from(models, (model) => (model.replicateOf ?? -1) + 1),
    },
    {
      name: "scenario_kind",
      shape: [S],
      data: Uint32Array.from(scenarios, (scenario) => SCENARIO_KINDS.indexOf(scenario.kind)),
    },
    { name: "scenario_choices", shape: [S], data: Uint32Array.from(scenarios, ({ choices }) => choices) },
  ];
  return encodeSafetensors(
    // A dimension of size 0 is one that not every reader takes.
    tensors.filter(({ data }) => data.length > 0),
    {
      options: JSON.stringify(options),
      scenarios: JSON.stringify(scenarios.map(({ id }) => id)),
      item_kinds: JSON.stringify(ITEM_KINDS),
      scenario_kinds: JSON.stringify(SCENARIO_KINDS),
      chance: JSON.stringify(CHANCE),
    },
  );
}

/** Adds one model's scores Σ w·y, with weights that sum to 1, from a complete row of scores or probabilities. */
export function setFullScores(
  scores: Float64Array,
  model: number,
  slices: readonly ScenarioSlice[],
  row: ArrayLike<number>,
): void {
  slices.forEach(({ begin, count, weights }, s) => {
    let sum = 0;
    for (let i = 0; i < count; i++) sum += weights[i]! * row[begin + i]!;
    scores[model * slices.length + s] = sum;
  });
}
