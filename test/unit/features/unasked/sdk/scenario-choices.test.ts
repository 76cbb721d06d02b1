import { estimateFromAnchors, loadBundle, type Manifest } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { withPart } from "anchoreval/internal/core/bundle/part";
import { unaskedPart } from "anchoreval/internal/features/unasked/core";
import { scenarioChoices } from "anchoreval/internal/features/unasked/sdk/scenario-choices";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const { manifest } = await loadBundle(memorySource(encodeBundle(sampleContent({ unasked: true }))));
/** Of an item by scenario. */
type Prices = Readonly<Record<string, number>>;
const prices: Prices = { alpha: 1, "beta/γ": 4 };
/** Of a form's anchors. */
const pricesOf =
  (own: Prices, { forms } = manifest) =>
  (form: string): Map<string, number> => {
    const { scenarios } = forms.find(({ id }) => id === form)!;
    return new Map(Object.entries(scenarios).map(([id, { items }]) => [id, own[id]! * items]));
  };
const choices = scenarioChoices(manifest, pricesOf(prices), 0.95);

test("a choice costs its anchors' prices; none is undercut by a cheaper one that is as narrow", () => {
  // Predictions were measured for the form of 20 alone; the form of 8 can only ask both.
  expect(choices.map(({ form, scenarios, cost }) => [form, scenarios, cost])).toEqual([
    ["20", ["alpha"], 20],
    ["8", ["alpha", "beta/γ"], 40],
  ]);
  expect(choices[1]!.halfWidth).toBeCloseTo(0.078, 12); // measured, of the overall score
  for (const [k, { cost, halfWidth }] of choices.slice(1).entries()) {
    expect(cost).toBeGreaterThan(choices[k]!.cost);
    expect(halfWidth).toBeLessThan(choices[k]!.halfWidth);
  }
});

test("the dearer scenario is asked where it tells more than it costs", () => {
  const [first] = scenarioChoices(manifest, pricesOf({ alpha: 4, "beta/γ": 1 }), 0.95);
  expect(first).toMatchObject({ form: "20", scenarios: ["beta/γ"], cost: 20 });
});

test("half-widths are about those that are served, and follow the level", async () => {
  const bundle = await loadBundle(memorySource(encodeBundle(sampleContent({ unasked: true }))));
  const served = Array.from({ length: 40 }, (_, seed) => {
    const answers = sampleAnswers("20", {}, { accuracy: 0.55, seed });
    const alpha = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("alpha")));
    const { interval } = estimateFromAnchors(bundle, alpha, { form: "20" });
    return interval === null ? [] : [(interval.high - interval.low) / 2];
  }).flat();
  const mean = served.reduce((sum, half) => sum + half, 0) / served.length;
  expect(choices[0]!.halfWidth / mean).toBeGreaterThan(0.85);
  expect(choices[0]!.halfWidth / mean).toBeLessThan(1.15);
  expect(scenarioChoices(manifest, pricesOf(prices), 0.8)[0]!.halfWidth).toBeLessThan(0.7 * choices[0]!.halfWidth);
});

describe("refused are", () => {
  const [forms, scenarios] = [[], Array.from({ length: 17 }, (_, s) => ({ ...manifest.scenarios[0]!, id: String(s) }))];
  const many = withPart({ ...manifest, forms, scenarios }, unaskedPart, {
    ...{ models: 50, mean: scenarios.map(() => 0), forms: {} },
    covariance: scenarios.flatMap((_, s) => scenarios.map((__, t) => Number(s === t))),
  });
  const plain = sampleContent().manifest as Manifest;
  test.each<[string, Manifest, string]>([
    ["a bundle that predicts nothing", plain, "this bundle predicts no scenarios from others"],
    ["more scenarios than can be looked through", many, "this bundle has 17"],
  ])("%s", (_, own, message) => {
    const error = refusal(() => scenarioChoices(own, pricesOf(prices), 0.95));
    expect(error.code).toBe("invalid_option");
    expect(error.message).toContain(message);
  });
});
