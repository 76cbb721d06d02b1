import { loadBundle } from "anchoreval/node";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { bundleFacts, headlineFacts, noiseWords, sizeWords } from "anchoreval/internal/words/bundle-words";
import { describe, expect, test } from "vitest";
import { sampleContent } from "../../support/sample-bundle.ts";

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

const { manifest } = sampleContent();
const factsOf = (change: Partial<typeof manifest>): Record<string, string> =>
  Object.fromEntries(bundleFacts({ ...manifest, ...change }).map(({ label, value }) => [label, value]));

test("what a manifest says of itself, and that it doesn't say whose data they are", () => {
  expect(factsOf({ protocol: { shots: 5, "shots/a": 3 }, benchmarkVersion: "2.1" })).toEqual({
    "benchmark version": "2.1",
    created: "2026-01-01",
    "source models": "50",
    items: "100",
    weighting: "each subscenario counts the same",
    licence: "CC0-1.0",
    source: "drawn by a test",
    protocol: "shots 5",
    "answer check": expect.stringContaining("loose") as string,
  });
  const bare = factsOf({ data: { source: null, licence: null }, protocol: {}, weighting: "items" });
  expect(bare).toMatchObject({ source: "not stated", licence: "not stated", weighting: "each item counts the same" });
  expect(bare).not.toHaveProperty("protocol");
});

test("sizes with the note on the models", () => {
  const sources = { models: 1, names: null, note: "newest of 2026-01" };
  expect(sizeWords({ ...manifest, sources })).toBe("100 items in 2 scenarios, 1 model, newest of 2026-01");
  expect(sizeWords({ ...manifest, scenarios: manifest.scenarios.slice(1) })).toBe("60 items, 50 models");
});

test("a form in four figures; what isn't measured is a dash, and of all items there is no error", () => {
  const form = { items: 40, whole: false, typical: 0.031, within95: null, random: 0.05 };
  expect(headlineFacts(form, 1200, " of the overall score")).toEqual([
    { label: "items asked", value: "40", unit: "of 1\u202f200" },
    { label: "typical error of the overall score", value: "3.1", unit: "points" },
    { label: "95 % within", value: "–", unit: "points" },
    { label: "typical error of as many random items", value: "5.0", unit: "points" },
  ]);
  expect(headlineFacts({ ...form, whole: true }, 40)[1]).toEqual({
    ...{ label: "error", value: "none", unit: "every item is asked" },
  });
});
