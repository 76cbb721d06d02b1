import { compareFromAnchors, loadBundle, rankFromAnchors, type ComparedModel } from "anchoreval";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle()));
const models: ComparedModel[] = [0.1, 0.5, 0.65, 0.95].map((accuracy, seed) => ({
  name: `at ${accuracy}`,
  responses: sampleAnswers("20", {}, { accuracy, seed }),
}));

describe("several models", () => {
  const ranking = rankFromAnchors(bundle, models);

  test("stand in order of their stratified means, the plain mean of equally weighted anchors", () => {
    const means = ranking.models.map(({ stratifiedMean }) => stratifiedMean!);
    expect(means).toEqual([...means].sort((x, y) => y - x));
    for (const { index, stratifiedMean } of ranking.models) {
      const own = Object.values(models[index]!.responses as Record<string, number>);
      expect(stratifiedMean).toBeCloseTo(own.reduce((sum, score) => sum + score, 0) / own.length, 12);
    }
    expect(ranking.models[0]).toMatchObject({ name: "at 0.95", index: 3, rank: 1, rankInterval: { low: 1, high: 1 } });
    expect(ranking.models[3]).toMatchObject({ name: "at 0.1", index: 0, rank: 4, rankInterval: { low: 4, high: 4 } });
  });

  test("those that can't be told apart share places", () => {
    const middle = ranking.models.slice(1, 3).map(({ rankInterval }) => rankInterval);
    expect(middle).toEqual([
      { low: 2, high: 3 },
      { low: 2, high: 3 },
    ]);
  });

  test("the order in which they are given changes nothing else", () => {
    const turned = rankFromAnchors(bundle, [...models].reverse());
    const bare = ({ models: own }: typeof ranking): object[] => own.map((model) => ({ ...model, index: 0 }));
    expect(bare(turned)).toEqual(bare(ranking));
  });
});

test("of two, a place is sure just where the comparison is", () => {
  for (const level of [0.5, 0.8, 0.95, 0.99])
    for (const [i, j] of [
      [0, 1],
      [1, 2],
      [2, 3],
    ] as const) {
      const { verdict } = compareFromAnchors(bundle, models[i]!, models[j]!, { level });
      const { models: ranked } = rankFromAnchors(bundle, [models[i]!, models[j]!], { level });
      expect(ranked.every(({ rankInterval }) => rankInterval!.low === rankInterval!.high)).toBe(
        verdict !== "undecided",
      );
    }
});

test("ties share the better rank, and every place", () => {
  const twins = [models[1]!, { ...models[1]!, name: "twin" }, models[3]!];
  const { models: ranked } = rankFromAnchors(bundle, twins);
  expect(ranked.map(({ rank }) => rank)).toEqual([1, 2, 2]);
  expect(ranked.slice(1).map(({ rankInterval }) => rankInterval)).toEqual([
    { low: 2, high: 3 },
    { low: 2, high: 3 },
  ]);
});

test("items that one model skipped don't count for any", () => {
  const [[first], ...rest] = Object.entries(models[0]!.responses as Record<string, number>) as [[string, number]];
  const gap = { ...models[0]!, responses: Object.fromEntries([[first, null], ...rest]), form: "20" };
  expect(rankFromAnchors(bundle, [gap, ...models.slice(1)]).answered).toBe(39);
});

test("purposive anchors order models, and give no rank intervals", async () => {
  const purposive = await loadBundle(memorySource(sampleBundle({ purposive: true })));
  const ranking = rankFromAnchors(purposive, models);
  expect(ranking.reason).toContain("no interval for alpha");
  expect(ranking.models.map(({ rank, rankInterval }) => [rank, rankInterval])).toEqual(
    [1, 2, 3, 4].map((rank) => [rank, null]),
  );
});
