import type { Weighting } from "anchoreval/internal/core/bundle/names";
import { encodeSafetensors, tensor } from "anchoreval/internal/core/bundle/safetensors";
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
  return Object.fromEntries(Object.entries(abilities).map(([name, values]) => [name, reorder(values)])) as Abilities;
}

/**
 * The truth as a safetensors file: F64 arrays, then U32 ones; codes, scenario names and options in the metadata.
 * Numbers of clusters and rows in `item_cluster` and `model_replicate_of` count from 1, 0 is none.
 */
export function encodeTruth(truth: SimulatedTruth): Uint8Array<ArrayBuffer> {
  const { abilities, items, models, scenarios, options } = truth;
  const [M, N, S, K] = [models.length, items.kind.length, scenarios.length, options.dims - 1];
  const tensors = [
    tensor("model_general_ability", abilities.general),
    tensor("model_scenario_ability", abilities.scenario, [M, S]),
    tensor("model_skills", abilities.skills, [M, K]),
    tensor("expected_score_by_items", truth.expected.items, [M, S]),
    tensor("expected_score_by_subscenarios", truth.expected.subscenarios, [M, S]),
    tensor("realised_score_by_items", truth.realised.items, [M, S]),
    tensor("realised_score_by_subscenarios", truth.realised.subscenarios, [M, S]),
    tensor("item_discrimination", items.discrimination),
    tensor("item_difficulty", items.difficulty),
    tensor("item_loadings", items.loadings, [N, K]),
    tensor("item_lower", items.lower),
    tensor("item_upper", items.upper),
    tensor("item_class_shift", items.classShift),
    tensor("item_drift", items.drift),
    tensor("item_time", items.time),
    tensor("item_trait", items.trait),
    tensor("item_kind", items.kind),
    tensor("item_cluster", items.cluster),
    tensor("item_key", items.key),
    tensor("item_scenario", items.scenario),
    tensor("model_class", abilities.classes),
    tensor("model_chance", abilities.chance, [M, S]),
    tensor(
      "model_family",
      Uint32Array.from(models, ({ family }) => family),
    ),
    tensor(
      "model_replicate_of",
      Uint32Array.from(models, (model) => (model.replicateOf ?? -1) + 1),
    ),
    tensor(
      "scenario_kind",
      Uint32Array.from(scenarios, (scenario) => SCENARIO_KINDS.indexOf(scenario.kind)),
    ),
    tensor(
      "scenario_choices",
      Uint32Array.from(scenarios, ({ choices }) => choices),
    ),
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
