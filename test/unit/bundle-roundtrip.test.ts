import { estimateFromAnchors, loadBundle } from "anchoreval";
import { expect, test } from "vitest";
import { memorySource } from "../support/memory-source.ts";
import { sampleBundle } from "../support/sample-bundle.ts";

test("a bundle that was encoded loads, and estimates from its own anchors", async () => {
  const bundle = await loadBundle(memorySource(sampleBundle()));
  const answers: Record<string, number> = {};
  for (const scenario of bundle.scenarios.values())
    scenario.forms.get("20")!.itemIds.forEach((id, j) => (answers[id] = j < 12 ? 1 : 0));
  const estimate = estimateFromAnchors(bundle, answers);
  expect(estimate.form).toBe("20");
  expect(estimate.score).toBeGreaterThan(0.3);
  expect(estimate.score).toBeLessThan(0.9);
  expect(estimate.interval!.low).toBeLessThan(estimate.score!);
  console.log(JSON.stringify(estimate, null, 1));
});
