import { loadBundle } from "anchoreval/node";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { noiseWords } from "anchoreval/internal/words/bundle-words";
import { describe, expect, test } from "vitest";

const scenario = (id: string, items: number[]) =>
  ({
    id,
    weight: 1,
    items: items.reduce((sum, own) => sum + own, 0),
    subscenarios: items.map((own, k) => ({ id: `${k}`, items: own })),
    binarizationThreshold: null,
  }) as unknown as Parameters<typeof noiseWords>[0]["scenarios"][number];

describe("scores that spread no further than chance", () => {
  /** Mean scores of models on items that all of them get right with the same chance, .2 to 1 by item. */
  const chance = (models: number, items: number[], seed: number): number[] => {
    const random = createRandom(`chance ${seed}`);
    return Array.from({ length: models }, () => {
      const means = items.map((own) => {
        let right = 0;
        for (let i = 0; i < own; i++) if (random.next() < 0.2 + (0.8 * i) / own) right++;
        return right / own;
      });
      return means.reduce((sum, own) => sum + own, 0) / means.length;
    });
  };
  const words = (items: number[], scores: number[]): string[] =>
    noiseWords({ scenarios: [scenario("a", items)], weighting: "subscenarios" }, [
      { sourceScores: Float64Array.from(scores) },
    ]);

  test.each([
    [5, [100]],
    [40, [300]],
    [200, [20, 200]],
  ])("are found out: %i models, items %j", (models, items) => {
    for (let seed = 0; seed < 30; seed++) expect(words(items, chance(models, items, seed))).toHaveLength(1);
    expect(words(items, chance(models, items, 1))[0]).toMatch(/^a: the \d+ source models' scores spread no further /);
  });

  test("are no scores of models a few points apart", () => {
    const scores = chance(40, [300], 1).map((score, m) => score + 0.005 * (m - 20));
    expect(words([300], scores)).toEqual([]);
  });

  test("all right, or all the same, is noise; a bundle of scores on other items says nothing", () => {
    expect(words([50], [0.5, 0.5, 0.5, 0.5, 0.5])).toHaveLength(1);
    const other = { ...scenario("a", [50]), fullScore: { slope: 1 } } as never;
    expect(
      noiseWords({ scenarios: [other], weighting: "items" }, [{ sourceScores: Float64Array.of(0.5, 0.5, 0.5) }]),
    ).toEqual([]);
  });

  test.each(shippedBundles().map(({ benchmark }) => benchmark))("aren't those of %s", async (name) => {
    const { manifest, scenarios } = await loadBundle(name);
    expect(noiseWords(manifest, scenarios.values())).toEqual([]);
  });
});
