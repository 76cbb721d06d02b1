import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { drawClusters, drawItemKinds, kindCode } from "../../../../../features/simulate/fit/items.ts";
import { planScenarios } from "../../../../../features/simulate/fit/scenarios.ts";
import { SIMULATE_DEFAULTS } from "../../../../../features/simulate/fit/settings.ts";
import { simulateLeaderboard } from "../../../../../features/simulate/fit/simulate-leaderboard.ts";
import { expectBinomial } from "../../../../support/binomial.ts";

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

const SHAPE = { models: 10, items: 1500, scenarios: 3, seed: 5 };

test("every item has a question of its own, and only where text is asked for", () => {
  const { matrix, truth } = simulateLeaderboard({ ...SHAPE, text: true });
  const texts = matrix.items.map(({ text }) => text!);
  expect(new Set(texts).size).toBe(1500);
  texts.forEach((text, i) => {
    const { choices } = truth.scenarios[truth.items.scenario[i]!]!;
    expect(text).toMatch(choices > 0 ? /are there now\? A\) .* D\) -?\d+$/ : /are there now\?$/);
  });
  for (const item of simulateLeaderboard(SHAPE).matrix.items) expect(item).not.toHaveProperty("text");
});

test("near-copies are about the same person and thing", () => {
  const { matrix, truth } = simulateLeaderboard({ ...SHAPE, text: true, dims: 1 });
  const subjects = new Map<number, string>();
  truth.items.cluster.forEach((cluster, i) => {
    if (cluster === 0) return;
    const subject = matrix.items[i]!.text!.replace(/^Question \d+\. (\w+) has \d+ ([\w ]+)\..*$/, "$1 $2");
    expect(subjects.get(cluster) ?? subject).toBe(subject);
    subjects.set(cluster, subject);
  });
  expect(subjects.size).toBeGreaterThan(10);
});

test("text changes nothing else", () => {
  const [plain, told] = [simulateLeaderboard(SHAPE), simulateLeaderboard({ ...SHAPE, text: true })];
  expect(told.matrix.scores).toEqual(plain.matrix.scores);
});
