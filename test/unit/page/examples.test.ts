import { loadBundle } from "anchoreval";
import { describe, expect, test } from "vitest";
import { exampleAnswers } from "../../../workers/page/parts/examples.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

describe.each([1, 3])("in %d dimensions", async (dims) => {
  const bundle = await loadBundle(memorySource(sampleBundle({ dims })));

  test("made-up answers are those of their seed: to each anchor one, more of them right where the model is stronger", () => {
    const form = bundle.manifest.defaultForm;
    const answers = exampleAnswers(bundle, form, 1, 0);
    expect(answers).toEqual(exampleAnswers(bundle, form, 1, 0));
    expect([...answers.keys()]).toEqual(
      [...bundle.scenarios.values()].flatMap((own) => [...own.forms.get(form)!.itemIds]),
    );
    const right = (strength: number): number =>
      [...exampleAnswers(bundle, form, 2, strength).values()].reduce((sum, score) => sum + score, 0);
    expect(right(3)).toBeGreaterThan(right(-3));
  });
});
