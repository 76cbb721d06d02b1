import { decodeSafetensorsHeader, tensorData } from "anchoreval/internal/core/bundle/safetensors";
import { expect, test } from "vitest";
import { simulateLeaderboard } from "../../../../../features/simulate/fit/simulate-leaderboard.ts";
import { encodeTruth } from "../../../../../features/simulate/fit/truth.ts";

const SHAPE = { models: 40, items: 200, scenarios: 3, dims: 3, seed: 3, replicateShare: 0.2 };

test("the file has every array with its shape, and numbers of rows and clusters from 1", () => {
  const { truth } = simulateLeaderboard(SHAPE);
  const bytes = encodeTruth(truth);
  const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
  const read = (name: string): ArrayLike<number> => tensorData(tensors.get(name)!, bytes, 0);
  expect(read("model_scenario_ability")).toEqual(truth.abilities.scenario);
  expect(read("expected_score_by_subscenarios")).toEqual(truth.expected.subscenarios);
  expect(read("realised_score_by_items")).toEqual(truth.realised.items);
  expect(read("item_kind")).toEqual(truth.items.kind);
  expect(tensors.get("item_loadings")!.shape).toEqual([200, 2]);
  expect(tensors.get("model_chance")).toMatchObject({ type: "U32", shape: [40, 3] });
  const replicate = truth.models.findIndex(({ replicateOf }) => replicateOf !== null);
  expect(read("model_replicate_of")[replicate]).toBe(truth.models[replicate]!.replicateOf! + 1);
});

test("metadata name the codes, the scenarios and the options", () => {
  const bytes = encodeTruth(simulateLeaderboard(SHAPE).truth);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as {
    __metadata__: Record<string, string>;
  };
  const metadata = Object.fromEntries(
    Object.entries(header.__metadata__).map(([name, text]) => [name, JSON.parse(text) as unknown]),
  );
  expect(metadata).toMatchObject({
    options: SHAPE,
    scenarios: ["scenario-1", "scenario-2", "scenario-3"],
    item_kinds: ["regular", "redundant", "mislabelled", "non-monotone", "memorised"],
    chance: { none: 0, guesses: 1, constant: 2 },
  });
});

test("without skills there are no tensors of them", () => {
  const bytes = encodeTruth(simulateLeaderboard({ ...SHAPE, dims: 1 }).truth);
  const { tensors } = decodeSafetensorsHeader(bytes, bytes.length);
  expect(tensors.has("model_skills")).toBe(false);
  expect(tensors.has("item_difficulty")).toBe(true);
});
