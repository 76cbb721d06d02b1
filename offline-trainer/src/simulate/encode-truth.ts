import { encodeSafetensors, type Tensor } from "anchoreval/bundle";
import { CHANCE } from "./abilities.ts";
import { ITEM_KINDS } from "./item-kinds.ts";
import { SCENARIO_KINDS } from "./scenarios.ts";
import type { SimulatedTruth } from "./truth.ts";

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
      data: Uint32Array.from(models, ({ replicateOf }) => (replicateOf === null ? 0 : replicateOf + 1)),
    },
    {
      name: "scenario_kind",
      shape: [S],
      data: Uint32Array.from(scenarios, ({ kind }) => SCENARIO_KINDS.indexOf(kind)),
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
