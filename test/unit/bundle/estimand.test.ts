import { estimateFromAnchors, loadBundle } from "anchoreval";
import { encodeBundle, type Manifest } from "anchoreval/bundle";
import { estimandWords } from "anchoreval/internal/core/bundle/bundle";
import { expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleContent } from "../../support/sample-bundle.ts";

const { manifest } = sampleContent();
const scenario = (id: string, sizes: readonly number[], weight = 1): Manifest["scenarios"][number] => ({
  ...manifest.scenarios[0]!,
  id,
  weight,
  items: sizes.reduce((sum, items) => sum + items, 0),
  subscenarios: sizes.map((items, k) => ({ id: `${id}-${k}`, items })),
});
const words = (weighting: Manifest["weighting"], ...scenarios: Manifest["scenarios"][number][]): string | null =>
  estimandWords({ scenarios, weighting });

test("nothing is said where the score is the plain mean over the items", () => {
  expect(words("subscenarios", scenario("gsm", [40]))).toBeNull();
  expect(words("items", scenario("gsm", [40, 10]))).toBeNull();
  expect(words("subscenarios", scenario("gsm", [40, 40]))).toBeNull();
  expect(words("items", scenario("gsm", [40]), scenario("math", [40]))).toBeNull();
});

test("what counts the same is said where it isn't", () => {
  expect(words("subscenarios", scenario("math", [40, 10]))).toBe(
    "What is estimated: each subscenario counts the same: not the mean over items.",
  );
  expect(words("subscenarios", scenario("gsm", [100]), scenario("math", [40, 10]))).toBe(
    "What is estimated: in math each subscenario counts the same; overall each scenario counts the same: not the mean over items.",
  );
  expect(words("items", scenario("gsm", [50], 2), scenario("math", [40, 10], 1))).toBe(
    "What is estimated: overall the scenarios count by the weights 2, 1: not the mean over items.",
  );
});

test("an estimate has the words", async () => {
  const bundle = await loadBundle(memorySource(encodeBundle(sampleContent())));
  expect(estimateFromAnchors(bundle, sampleAnswers("20")).estimand).toBe(estimandWords(bundle.manifest) ?? undefined);
});
