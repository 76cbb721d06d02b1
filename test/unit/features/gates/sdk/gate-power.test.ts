import { gateBaseline, gatePower } from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { nightlyGate } from "anchoreval/internal/features/gates/sdk/nightly-gate";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { loadBundle } from "anchoreval/node";
import { expect, test } from "vitest";
import { askAll, fallen, servedModel } from "../../../../support/served-model.ts";

const bundle = await loadBundle("gsm8k@1.0.0", { items: true });
const [nights, threshold] = [30, 365];
/** Models, and replays of each: by the models' differences and the baselines' luck a gap has a standard error of .04. */
const [MODELS, REPLAYS] = [80, 4];

test("what a gate promises is found, on models whose score on the whole benchmark falls by so much", () => {
  const { itemIds, anchors } = bundle.scenarios.get("gsm8k")!.forms.get("100")!;
  let [promised, found] = [0, 0];
  for (let k = 0; k < MODELS; k++) {
    const random = createRandom(`promised and found ${k}`);
    const before = servedModel(bundle, "gsm8k", random);
    const after = fallen(before, 0.03);
    const [own, worse] = [before, after].map((all) => Float64Array.from(anchors.items, (item) => all[item]!));
    const runs = Array.from({ length: 7 }, () => {
      const scores = askAll(own!, random);
      return { responses: new Map(itemIds.map((id, j) => [id, scores[j]!])) };
    });
    const gate = gateBaseline(bundle, runs, { form: "100" });
    promised += gatePower(gate, { drop: 0.03, nights, threshold, replays: REPLAYS, seed: k }) / MODELS;
    for (let r = 0; r < REPLAYS; r++) {
      const replayed = nightlyGate(gate.model, gate.evidence, gate.items.map(({ counts }) => counts)); // prettier-ignore
      for (let night = 0; night < nights; night++) {
        const scores = askAll(worse!, random);
        if (replayed.add(Float64Array.from(gate.items, ({ place }) => scores[place]!)).statistic < Math.log(threshold)) continue; // prettier-ignore
        found += 1 / REPLAYS / MODELS;
        break;
      }
    }
  }
  expect(promised).toBeGreaterThan(0.5);
  expect(Math.abs(promised - found)).toBeLessThan(0.1);
}, 120_000);
