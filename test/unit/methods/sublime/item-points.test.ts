import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { itemPoints } from "../../../../offline-trainer/src/methods/sublime/anchors.ts";

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
