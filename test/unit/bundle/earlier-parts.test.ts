/* eslint-disable @typescript-eslint/no-unsafe-member-access -- manifests are edited as loose JSON */
import { estimateFromAnchors, loadAdaptive, loadBundle } from "anchoreval";
import { expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { withManifest, withTensors, type Loose } from "../../support/tamper.ts";

test("a bundle with exposure limits is estimated as one without, and its adaptive evaluations are refused", async () => {
  const plain = sampleBundle();
  const factors = (scenario: number, items: number) => ({
    name: `scenario.${scenario}.exposure`,
    shape: [items],
    data: new Float32Array(items).fill(0.5),
  });
  const tensors = withTensors(plain, (all) =>
    all.flatMap((own) => {
      const s = ["scenario.0.b", "scenario.1.b"].indexOf(own.name);
      return s < 0 ? [own] : [own, factors(s, own.data.length)];
    }),
  );
  const simulated = { budget: 44, batch: 10, models: 60, evaluations: 200 };
  const exposure = { limit: 0.5, reached: 0.505, unlimited: 0.58, simulated };
  const limited = withManifest(tensors, (manifest: Loose) => (manifest.exposure = exposure));
  const [bundle, other] = [await loadBundle(memorySource(limited)), await loadBundle(memorySource(plain))];
  expect([...bundle.scenarios]).toEqual([...other.scenarios]);
  const answers = sampleAnswers("20");
  const own = { bundle: null, digest: null };
  expect({ ...estimateFromAnchors(bundle, answers, { form: "20" }), ...own }).toEqual({
    ...estimateFromAnchors(other, answers, { form: "20" }),
    ...own,
  });
  expectRefusal(await rejection(loadAdaptive(memorySource(limited))), "unsupported", "limits how often");
});
