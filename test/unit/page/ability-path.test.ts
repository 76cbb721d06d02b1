import { loadBundle } from "anchoreval";
import { describe, expect, test } from "vitest";
import { abilityPath, formInformation, itemCurve, typicalChances } from "../../../workers/page/parts/ability-path.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

describe.each([1, 3])("in %d dimensions", async (dims) => {
  const bundle = await loadBundle(memorySource(sampleBundle({ dims })));
  const scenarios = [...bundle.scenarios.values()];

  test("models on the path get stronger", () => {
    for (const scenario of scenarios) {
      const { scores } = abilityPath(bundle, scenario);
      expect(scores).toEqual([...scores].sort((x, y) => x - y));
      expect(scores.at(-1)! - scores[0]!).toBeGreaterThan(0.3);
    }
  });

  test("the full score is the weighted mean of the items' curves, where scores aren't mapped", () => {
    for (const scenario of scenarios.filter(({ scoreMap }) => scoreMap === null)) {
      const path = abilityPath(bundle, scenario);
      const sums = path.scores.map(() => 0);
      for (let i = 0; i < scenario.bank.count; i++)
        itemCurve(scenario, i, path).forEach((p, k) => (sums[k] = sums[k]! + scenario.weights[i]! * p));
      sums.forEach((sum, k) => expect(sum).toBeCloseTo(path.scores[k]!, 10));
    }
  });

  test("a typical model is the middle of the path; larger forms say more everywhere", () => {
    for (const scenario of scenarios) {
      const path = abilityPath(bundle, scenario);
      const middle = (path.thetas.length - 1) / 2;
      expect(itemCurve(scenario, 0, path)[middle]).toBeCloseTo(typicalChances(bundle, scenario)(0), 10);
      const [small, large] = [...scenario.forms.keys()].map((form) => formInformation(scenario, form, path));
      small!.forEach((value, k) => expect(large![k]).toBeGreaterThanOrEqual(value));
    }
  });
});
