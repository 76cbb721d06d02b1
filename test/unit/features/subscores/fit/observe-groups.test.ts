import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import { expect, test } from "vitest";
import { planGroups } from "../../../../../features/subscores/fit/groups.ts";
import { groupObserver, observeGroups } from "../../../../../features/subscores/fit/observe-groups.ts";
import type { HeldOutView } from "../../../../../offline-trainer/src/fit/observer.ts";
import { responseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";

const COUNT = 100;
const items = Array.from({ length: COUNT }, (_, i) => ({ item_id: `quiz/${i}`, scenario: "quiz" }));
const half = (name: string, begin: number) => ({ name, items: items.slice(begin, begin + 50).map(({ item_id: id }) => id) }); // prettier-ignore
const plan = planGroups(items, { groups: [half("first", 0), half("last", 50)] });
const bank = itemBank(new Float32Array(COUNT).fill(1), new Float32Array(COUNT));

/** A model that answered every second item right, and of the last ten none. */
const scores = Float64Array.from({ length: COUNT }, (_, i) => (i < 90 ? i % 2 : NaN));
const asked = [0, 1, 2, 3, 50, 51];
const view = {
  learned: { scenario: { id: "quiz", count: COUNT }, trained: { bank, scoreMap: null } },
  scenario: { matrix: responseMatrix(["m"], items, scores), weights: new Float64Array(COUNT).fill(1 / COUNT) },
  model: 0,
  ability: { theta: Float64Array.of(0) },
  estimate: { sample: { items: asked, scores: asked.map((i) => i % 2) }, leverages: asked.map(() => 0.2) },
} as unknown as HeldOutView;

test("a model's groups are seen from its anchors, and their truth is known where it answered nearly all", () => {
  const { whole, groups, scatter } = observeGroups(view, plan);
  expect(groups[0]!.truth).toBeCloseTo(0.5, 12);
  expect(groups[1]!.truth).toBeNaN();
  expect(groups.map(({ sums }) => sums.answered)).toEqual([4, 2]);
  expect(whole).toMatchObject({ answered: 6, residual: 0 });
  // Of the 90 answered, 84 weren't asked, at p = ½ each.
  expect(whole.rest).toBeCloseTo(84 / 90, 12);
  expect(whole.expected).toBeCloseTo(42 / 90, 12);
  expect(whole.information).toBeCloseTo(6 * 0.25 * 0.8, 12);
  expect(scatter).toEqual({ squares: 84 / 4, binomial: 84 / 4 });
});

test("threads find the same function by its source", async () => {
  const { source, observe, data } = groupObserver(plan);
  const module = (await import("../../../../../features/subscores/fit/observe-groups.ts")) as Record<string, unknown>;
  expect(module[source.name]).toBe(observe);
  expect(structuredClone(data)).toEqual(plan);
});
