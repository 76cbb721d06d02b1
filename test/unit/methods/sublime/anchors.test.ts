import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import type { PreparedAnchors } from "../../../../offline-trainer/src/anchors/anchor-method.ts";
import { typescriptBackend } from "../../../../offline-trainer/src/backends/typescript.ts";
import { fit } from "../../../../offline-trainer/src/fit/fit.ts";
import { customised } from "../../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../../offline-trainer/src/methods/method.ts";
import { smallLeaderboard } from "../../fit/small-leaderboard.ts";
import { stratified } from "../../../../offline-trainer/src/anchors/stratified.ts";
import {
  sublimeAnchors,
  type SubsetRanking,
  itemPoints,
} from "../../../../offline-trainer/src/methods/sublime/anchors.ts";
import { anchorInput, prepareWithKnowledge, selectAnchors } from "../../../support/select-anchors.ts";

const rankingsOf = async ({ notes }: PreparedAnchors): Promise<Record<string, SubsetRanking>> =>
  (await notes!())["rankings"] as Record<string, SubsetRanking>;

describe("sublime", () => {
  test("every draw has the same anchors, each standing for the same share, and says how they were chosen", async () => {
    const prepared = prepareWithKnowledge(sublimeAnchors, anchorInput());
    const { sets, nested } = await prepared.draw(createRandom(1));
    expect((await prepared.draw(createRandom(2))).sets).toEqual(sets);
    expect(nested).toBe(false);
    for (const [size, { mass, inclusion }] of sets) {
      expect(inclusion).toBeNull();
      expect(Array.from(mass)).toEqual(new Array(size).fill(1 / size));
    }
    const rankings = await rankingsOf(prepared);
    expect(Object.keys(rankings)).toEqual(["5", "10", "20"]);
    expect(rankings[10]).toMatchObject({ anchorModels: 2, candidates: 24 });
    expect(prepareWithKnowledge(stratified, anchorInput()).notes).toBeUndefined();
  });

  test("looks at answers and at texts, not at curves", async () => {
    const input = anchorInput();
    const { sets } = await selectAnchors(sublimeAnchors, input);
    const blind = { ...input, bank: { ...input.bank, a: input.bank.a.map(() => NaN) }, abilities: Float64Array.of() };
    expect((await selectAnchors(sublimeAnchors, blind)).sets).toEqual(sets);
    const items = input.items.map((item, i) => ({ ...item, text: `what of ${["rivers", "engines"][i % 2]!}, ${i}` }));
    expect((await selectAnchors(sublimeAnchors, { ...input, items })).sets).not.toEqual(sets);
  });
});

test("a bundle of sublime says how each size of each scenario was chosen, others say nothing", async () => {
  const matrix = smallLeaderboard({ models: 24, items: [30, 16] });
  const fitted = async (selection: string) => {
    const method = await customised(recommended, { dims: 1, folds: 2, draws: 1, selection });
    const named = { benchmark: "demo", version: "1.0.0", created: "2026-01-01T00:00:00Z" };
    const { content } = await fit(matrix, { ...named, method, sizes: [4], seed: 1, backend: typescriptBackend });
    return content.manifest;
  };
  const { fit: notes, scenarios } = await fitted("sublime");
  const { rankings } = notes as { rankings: Record<string, Record<string, SubsetRanking>> };
  expect(Object.keys(rankings)).toEqual(scenarios.map(({ id }) => id));
  for (const own of Object.values(rankings)) {
    expect(Object.keys(own)).toEqual(["4"]);
    expect(own["4"]).toMatchObject({ anchorModels: 6, candidates: 200, untouched: { models: 6 } });
  }
  expect((await fitted("random")).fit).not.toHaveProperty("rankings");
});

const TOPICS = ["river stone water", "engine wheel road", "flower garden seed"];
const items = Array.from({ length: 12 }, (_, i) => ({
  item_id: `q/${i}`,
  scenario: "a",
  text: `What about ${TOPICS[i % 3]!}, number ${i}? ${"It flows well. ".repeat(1 + (i % 4))}`,
}));

test("texts of one topic are near each other", () => {
  const { count, dims, values } = itemPoints(items, createRandom("points"))!;
  expect([count, dims, values.length]).toEqual([12, 16, 192]);
  const square = (i: number, j: number): number => {
    let sum = 0;
    for (let d = 0; d < dims; d++) sum += (values[i * dims + d]! - values[j * dims + d]!) ** 2;
    return sum;
  };
  for (let i = 0; i < 9; i++) expect(square(i, i + 3)).toBeLessThan(square(i, i + 1));
});

test("where an item has no text there is no space", () => {
  const bare = items.map((item, i) => ({ ...item, text: i === 7 ? " " : item.text }));
  expect(itemPoints(bare, createRandom("points"))).toBeNull();
});
