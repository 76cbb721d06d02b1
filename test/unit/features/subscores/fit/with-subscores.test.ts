import { estimate, loadBundle } from "anchoreval";
import {
  bundleFiles,
  customised,
  fit,
  recommended,
  resolveBackend,
  responseMatrix,
  withSubscores,
  type AskedGroups,
} from "anchoreval-trainer";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { itemsOf, subscoresPart } from "anchoreval/internal/features/subscores/core/part";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { refusal } from "../../../../support/refusal.ts";

const random = createRandom("subscores");
const [MODELS, ITEMS] = [30, 120];
const items = Array.from({ length: ITEMS }, (_, i) => ({ item_id: `quiz/${i}`, scenario: i < 90 ? "quiz" : "other" }));
const difficulties = items.map(() => random.normal());
/** The answers of a model, which has more or less of odd items than of even ones. */
const drawModel = (): number[] => {
  const [theta, odd] = [random.normal(), 0.8 * random.normal()];
  return items.map((_, i) =>
    Number(random.next() < 1 / (1 + Math.exp(difficulties[i]! - theta - (i % 2 ? odd : -odd)))),
  );
};
const models = Array.from({ length: MODELS }, drawModel);
const matrix = responseMatrix(
  models.map((_, m) => `m${m}`),
  items,
  Float64Array.from(models.flat()),
);
const some = (keep: (i: number) => boolean): string[] => items.filter((item, i) => item.scenario === "quiz" && keep(i)).map(({ item_id: id }) => id); // prettier-ignore
const GROUPS: AskedGroups = {
  groups: [
    { name: "odd", items: some((i) => i % 2 === 1) },
    { name: "even", items: some((i) => i % 2 === 0) },
    { name: "all", items: some(() => true) },
    { name: "two", items: ["quiz/3", "quiz/5"] },
  ],
  difficulty: true,
};
const { backend } = await resolveBackend("typescript", { threads: 1 });
const facts = { benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [30], seed: 1, backend };
const method = await customised(recommended, { dims: 1 });
const fitted = async (asking: AskedGroups, board = matrix) =>
  bundleFiles(await fit(board, { ...facts, method, parts: [withSubscores(items, asking)] }));

test("a fit learns scores of groups that overlap, of thirds by difficulty, and tells where too few items were asked", async () => {
  const files = await fitted(GROUPS);
  expect(await fitted(GROUPS)).toEqual(files);
  const bundle = await loadBundle(memorySource(files));
  const noted = partOf(bundle.manifest, subscoresPart)!;
  const thirds = ["easiest third", "middle third", "hardest third"];
  expect(noted["quiz"]!.groups.map(({ name }) => name)).toEqual(["odd", "even", "all", "two", ...thirds]);
  expect(noted["other"]!.groups.map(({ name }) => name)).toEqual(thirds);
  const members = noted["quiz"]!.groups.map(({ items: runs }) => Array.from(itemsOf(runs)));
  expect(members.slice(4).flat().sort((x, y) => x - y)).toEqual(Array.from({ length: 90 }, (_, i) => i)); // prettier-ignore
  const mean = (asking: readonly number[]): number =>
    asking.reduce((sum, i) => sum + difficulties[i]!, 0) / asking.length;
  expect(mean(members[4]!)).toBeLessThan(mean(members[6]!) - 1);
  const { alone, together } = noted["quiz"]!.forms["30"]!;
  const figures = (together ?? alone).groups;
  expect(figures.map(({ says }) => says)).toEqual([
    "score",
    "score",
    "score",
    "too_few_items",
    ...thirds.map(() => "score"),
  ]);
  // Models do differ in odd items beside all; the scenario's own score leaves nothing of the kind.
  expect(figures[0]!.figures!.variance).toBeGreaterThan(2 * figures[2]!.figures!.variance);

  let held = 0;
  const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("30")!.itemIds);
  const NEW = 60;
  for (const scores of Array.from({ length: NEW }, drawModel)) {
    const answers = Object.fromEntries(asked.map((id) => [id, scores[Number(id.slice(5))]!]));
    const { subscores, scenarios } = estimate(bundle, answers, { subscores: true });
    const [odd, even, all, two] = subscores!;
    expect(all).toMatchObject({ score: scenarios["quiz"]!.score, interval: (scenarios["quiz"] as { interval: unknown }).interval }); // prettier-ignore
    expect(two!.status).toBe(two!.answered === 2 ? "exact" : "too_few_items");
    expect(Math.abs((odd!.score! + even!.score!) / 2 - all!.score!)).toBeLessThan(0.06);
    for (const [k, { score, interval }] of [odd!, even!].entries()) {
      const truth = members[k]!.reduce((sum, i) => sum + scores[i]!, 0) / members[k]!.length;
      expect(score).toBeGreaterThanOrEqual(interval!.low);
      if (interval!.low <= truth && truth <= interval!.high) held++;
    }
  }
  expect(held / (2 * NEW)).toBeGreaterThan(0.88); // .95 but for what 30 models to learn from, and 60 new ones, leave to chance
});

test("without enough models to hold out, nothing is said", async () => {
  const few = responseMatrix(
    matrix.subjects.slice(0, 12),
    items,
    Float64Array.from(matrix.scores.slice(0, 12 * ITEMS)),
  );
  const bundle = await loadBundle(memorySource(await fitted(GROUPS, few)));
  const asked = [...bundle.scenarios.values()].flatMap(({ forms }) => forms.get("30")!.itemIds);
  const { subscores } = estimate(bundle, Object.fromEntries(asked.map((id, k) => [id, k % 2])), { subscores: ["odd"] });
  expect(subscores).toMatchObject([{ score: null, status: "too_few_models" }]);
});

describe("refuses", () => {
  test.each<[string, AskedGroups, string]>([
    ["nothing", {}, "need groups of items"],
    ["a group without items", { groups: [{ name: "none", items: [] }] }, '"none" has no items'],
    ["an item that there isn't", { groups: [{ name: "odd", items: ["quiz/1", "quiz/x"] }] }, 'no item "quiz/x"'],
    ["a group of two scenarios", { groups: [{ name: "odd", items: ["quiz/1", "quiz/99"] }] }, "items of 2 scenarios"],
    [
      "two of one name",
      { groups: [1, 2].map((i) => ({ name: "odd", items: [`quiz/${i}`] })) },
      'two groups called "odd"',
    ],
    [
      "the name of a third",
      { groups: [{ name: "middle third", items: ["quiz/1"] }], difficulty: true },
      "two groups called",
    ],
  ])("%s", (_, asking, message) => {
    const error = refusal(() => withSubscores(items, asking));
    expect(error.code).toBe("invalid_option");
    expect(error.message).toContain(message);
  });
});
