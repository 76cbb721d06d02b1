import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import type { Manifest } from "anchoreval/bundle";
import { checkPart } from "anchoreval/internal/core/bundle/part";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { componentsPart } from "anchoreval/internal/features/trials/core";
import { bundleComponents, componentWords, trialShare } from "anchoreval/internal/features/trials/sdk/components";
import { describe, expect, it } from "vitest";
import { varianceComponents, withComponents } from "../../../../../features/trials/fit/variance-components.ts";
import type { CellTrials } from "../../../../../offline-trainer/src/matrix/readers/score-table.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

/** Cells of y = ½ + m + i + (mi) + ε, normal, with so many trials each. */
function drawCells(
  models: number,
  items: number,
  deviations: readonly [model: number, item: number, both: number, trial: number],
  trialsOf: (model: number, item: number) => number,
  seed = 1,
): CellTrials[] {
  const random = createRandom(seed);
  const [ofModels, ofItems] = [models, items].map((count, k) =>
    Array.from({ length: count }, () => deviations[k]! * random.normal()),
  ) as [number[], number[]];
  return ofModels.flatMap((m, model) =>
    ofItems.flatMap((i, item) => {
      const mean = 0.5 + m + i + deviations[2] * random.normal();
      const scores = Array.from({ length: trialsOf(model, item) }, () => mean + deviations[3] * random.normal());
      return scores.length > 0 ? [{ model: `m${model}`, item: `i${item}`, scores }] : [];
    }),
  );
}

const NAMES = ["model", "item", "modelItem", "trial"] as const;

describe("varianceComponents", () => {
  it("is the analysis of variance of a full table", () => {
    const [a, b, n] = [7, 9, 3];
    const cells = drawCells(a, b, [0.3, 0.4, 0.2, 0.25], () => n);
    const mean = (own: readonly number[]): number => own.reduce((sum, one) => sum + one, 0) / own.length;
    const square = (own: readonly number[], about: (k: number) => number): number =>
      own.reduce((sum, one, k) => sum + (one - about(k)) ** 2, 0);
    const means = cells.map(({ scores }) => mean(scores));
    const whole = mean(means);
    const byModel = Array.from({ length: a }, (_, m) => mean(means.slice(m * b, (m + 1) * b)));
    const byItem = Array.from({ length: b }, (_, i) => mean(means.filter((__, k) => k % b === i)));
    const within = cells.reduce((sum, { scores }, k) => sum + square(scores, () => means[k]!), 0) / (a * b * (n - 1));
    const ofModels = (n * b * square(byModel, () => whole)) / (a - 1);
    const ofItems = (n * a * square(byItem, () => whole)) / (b - 1);
    const left = square(means, (k) => byModel[Math.floor(k / b)]! + byItem[k % b]! - whole);
    const ofBoth = (n * left) / ((a - 1) * (b - 1));
    const found = varianceComponents(cells)!;
    expect(found.trial).toBeCloseTo(within, 12);
    expect(found.modelItem).toBeCloseTo((ofBoth - within) / n, 12);
    expect(found.model).toBeCloseTo((ofModels - ofBoth) / (n * b), 12);
    expect(found.item).toBeCloseTo((ofItems - ofBoth) / (n * a), 12);
    expect(found).toMatchObject({ repeated: 63 });
    expect(found.trials).toBeCloseTo(3, 12);
  });

  it("recovers the truth where cells are missing and trials differ in number", () => {
    const deviations = [0.3, 0.4, 0.2, 0.25] as const;
    const sums = new Map<string, number>();
    for (let seed = 0; seed < 40; seed++) {
      const pattern = createRandom(`pattern ${seed}`);
      const cells = drawCells(30, 30, deviations, () => Math.floor(5 * pattern.next()), seed); // 0 to 4
      const found = varianceComponents(cells)!;
      for (const name of NAMES) sums.set(name, (sums.get(name) ?? 0) + found[name] / 40);
    }
    NAMES.forEach((name, k) => {
      const ratio = sums.get(name)! / deviations[k]! ** 2;
      expect(ratio, name).toBeGreaterThan(0.9);
      expect(ratio, name).toBeLessThan(1.1);
    });
  });

  it("recovers a beta-binomial's: chances that differ by cell, and the trials between", () => {
    const random = createRandom(11);
    // Cells' chances are even over (0,1): σ²_mi = 1/12, σ²_ε = 1/6, and nothing else.
    const cells = Array.from({ length: 80 }, (_, m) =>
      Array.from({ length: 80 }, (__, i): CellTrials => {
        const chance = random.next();
        const scores = Array.from({ length: 1 + ((m + i) % 4) }, () => Number(random.next() < chance));
        return { model: `m${m}`, item: `i${i}`, scores };
      }),
    ).flat();
    const found = varianceComponents(cells)!;
    expect(found.trial).toBeCloseTo(1 / 6, 2);
    expect(found.modelItem).toBeCloseTo(1 / 12, 2);
    expect(found.model).toBeLessThan(0.002);
    expect(found.item).toBeLessThan(0.002);
  });

  it("doesn't hang on the order of cells and trials", () => {
    const cells = drawCells(6, 8, [0.3, 0.4, 0.2, 0.25], (m, i) => 1 + ((m * i) % 3));
    const turned = [...cells].reverse().map((cell) => ({ ...cell, scores: [...cell.scores].reverse() }));
    for (const name of NAMES)
      expect(varianceComponents(turned)![name]).toBeCloseTo(varianceComponents(cells)![name], 12);
  });

  it("is none of single trials, of one model, or of one item", () => {
    const deviations = [0.3, 0.4, 0.2, 0.25] as const;
    expect(varianceComponents(drawCells(6, 8, deviations, () => 1))).toBeNull();
    expect(varianceComponents(drawCells(1, 8, deviations, () => 3))).toBeNull();
    expect(varianceComponents(drawCells(6, 1, deviations, () => 3))).toBeNull();
    expect(varianceComponents([])).toBeNull();
  });
});

describe("a bundle's notes", () => {
  const FITTED = { learned: [], parts: [], method: recommended, forms: [] };
  const items = ["x", "y", "z"].map((id) => ({ item_id: id, scenario: "alpha" }));
  const cells = ["a", "b"].flatMap((model, m) =>
    items.map(({ item_id: item }, i): CellTrials => ({ model, item, scores: [1, Number(i > m), 1] })),
  );

  it("have the components of the scenarios that were tried more than once, and say them in a sentence", async () => {
    const noted = (own: CellTrials[]) => withComponents(own, items).add!({ ...FITTED, content: sampleContent() });
    const { manifest } = await noted(cells);
    const found = bundleComponents(manifest);
    expect([...found.keys()]).toEqual(["alpha"]);
    expect(found.get("alpha")!.trial).toBeCloseTo(varianceComponents(cells)!.trial, 5);
    expect(componentWords(manifest)).toEqual([
      expect.stringMatching(/^alpha: 3 trials an item; a single answer's variance is .* from trial to trial\.$/),
    ]);
    const single = await noted(cells.map((cell) => ({ ...cell, scores: [1] })));
    expect(single.manifest).toEqual(sampleContent().manifest);
  });

  it("are none where there are none, and damaged ones are refused", () => {
    expect(bundleComponents({ fit: {} }).size).toBe(0);
    expect(componentWords({ fit: {} })).toEqual([]);
    const { manifest } = sampleContent();
    for (const components of [3, { alpha: 1 }, { alpha: { model: -1 } }, [1]]) {
      const damaged = { ...manifest, fit: { varianceComponents: components } } as unknown as Manifest;
      expect(() => checkPart(damaged, componentsPart)).toThrow("varianceComponents can't be read");
    }
  });

  it("tell what of an answer's variance another trial draws anew", () => {
    const own = { model: 0.1, item: 0.1, modelItem: 0.05, trial: 0.15, trials: 3, repeated: 9 };
    expect(trialShare(own)).toBeCloseTo(0.75, 12);
    expect(trialShare(undefined)).toBe(1);
    expect(trialShare({ ...own, modelItem: 0, trial: 0 })).toBe(0); // no trial differed from another
  });
});
