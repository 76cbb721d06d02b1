import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { drawClusters, drawItemKinds, kindCode } from "../../../offline-trainer/src/simulate/item-kinds.ts";
import { SIMULATE_DEFAULTS } from "../../../offline-trainer/src/simulate/options.ts";
import { planScenarios } from "../../../offline-trainer/src/simulate/scenarios.ts";
import { expectBinomial } from "../../support/binomial.ts";

const options = { ...SIMULATE_DEFAULTS, items: 20_000, redundantShare: 0.2, mislabelledShare: 0.1, memorisedShare: 0 };
const kinds = drawItemKinds(options, createRandom("kinds"));

test.each([
  ["regular", 0.67],
  ["redundant", 0.2],
  ["mislabelled", 0.1],
  ["non-monotone", 0.03],
  ["memorised", 0],
] as const)("%s items have the share %d", (kind, share) => {
  expectBinomial(kinds.filter((code) => code === kindCode(kind)).length, kinds.length, share);
});

test("redundant items, and they alone, are in clusters of at least 2 inside one subscenario", () => {
  const scenarios = planScenarios(options, createRandom("scenarios"));
  const clusters = drawClusters(kinds, scenarios, 4, createRandom("clusters"));
  const subscenarioOf = scenarios.flatMap(({ id, subscenarios }) =>
    subscenarios.flatMap(({ id: part, items }) => new Array<string>(items).fill(`${id} ${part ?? ""}`)),
  );
  const members = new Map<number, number[]>();
  clusters.forEach((cluster, i) => {
    expect(cluster > 0).toBe(kinds[i] === kindCode("redundant"));
    if (cluster > 0) members.set(cluster, [...(members.get(cluster) ?? []), i]);
  });
  const sizes = [...members.values()].map((items) => items.length);
  expect(Math.min(...sizes)).toBe(2);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
  for (const items of members.values()) expect(new Set(items.map((i) => subscenarioOf[i])).size).toBe(1);
});
