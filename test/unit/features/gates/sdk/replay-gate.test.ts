import { loadBundle } from "anchoreval";
import { replayGate } from "anchoreval/internal/features/gates/sdk/replay-check";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle({ items: [60, 60], sizes: [10, 30] })));
const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get("30")!.itemIds);

/** Three runs of a model a fifth of whose items flip: a random half of them may have few that do, or many. */
function baselines(seed: string) {
  const random = createRandom(seed);
  const chances = ids.map((_, i) => (i % 5 === 0 ? 0.5 : Number(i % 4 > 0)));
  return [0, 1, 2].map(() => ({
    form: "30",
    responses: new Map(ids.map((id, i) => [id, Number(random.next() < chances[i]!)])),
  }));
}

test("a gate on half of the items finds about the same whatever the seed, and no more than one on all of them", () => {
  const options = { drops: [0.15], nights: 300, within: 12, form: "30" };
  const found = [1, 2].map((seed) => {
    const [half, whole] = replayGate(bundle, baselines("model"), { ...options, seed });
    expect({ half: half!.items, whole: whole!.items }).toEqual({ half: 30, whole: 60 });
    // of 40 and 30 replays: four standard errors of a difference are .48 at most
    expect(half!.power[0]!).toBeLessThan(whole!.power[0]! + 0.3);
    return half!.power[0]!;
  });
  expect(Math.abs(found[0]! - found[1]!)).toBeLessThan(0.4);
});
