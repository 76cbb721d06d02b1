import { estimateFromAnchors, loadBundle, planFromBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { measuredScenarios } from "anchoreval/internal/words/measured-forms";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

/** A bundle of one scenario, its forms measured as a seed has it. */
function oneScenario(seed: number, purposive: boolean) {
  const content = sampleContent({ seed, items: [120, 60], sizes: [10, 30], purposive });
  const random = createRandom(seed);
  const own = content.manifest.scenarios.slice(0, 1);
  const forms = content.manifest.forms.map((form) => {
    const alpha = form.scenarios["alpha"]!;
    const { interpolation, extrapolation } = alpha.measured;
    const measured = {
      interpolation: { ...interpolation!, halfWidth95P90: 0.05 + 0.2 * random.next() },
      extrapolation,
    };
    return { ...form, overall: null, scenarios: { alpha: { ...alpha, measured } } };
  });
  const banks = content.manifest.banks.filter(({ scenarios }) => scenarios.includes("alpha"));
  const manifest = { ...content.manifest, scenarios: own, forms, banks: banks.map((bank) => ({ ...bank, scenarios: ["alpha"] })) }; // prettier-ignore
  return loadBundle(memorySource(encodeBundle({ ...content, manifest, scenarios: content.scenarios.slice(0, 1) })));
}

describe.each([1, 2, 3, 4, 5, 6])("a bundle of one scenario, seed %i", (seed) => {
  test.each([false, true])("has one figure for each quantity; anchors chosen: %s", async (purposive) => {
    const bundle = await oneScenario(seed, purposive);
    const random = createRandom(seed);
    const ids = bundle.scenarios.get("alpha")!.forms.get("30")!.itemIds;
    for (const answered of [30, 24, 10]) {
      const responses = new Map(ids.slice(0, answered).map((id) => [id, Number(random.next() < 0.6)]));
      const { score, interval, reason, scenarios } = estimateFromAnchors(bundle, responses, { form: "30" });
      expect({ score, interval, reason }).toEqual({
        score: scenarios["alpha"]!.score,
        interval: scenarios["alpha"]!.interval,
        reason: scenarios["alpha"]!.reason,
      });
    }
    for (const wanted of [{}, { halfWidth: 0.12 }, { halfWidth: 0.03 }, { gap: 0.05 }]) {
      const { forms, needed, enough } = planFromBundle(bundle, wanted);
      for (const { overall, scenarios } of [...forms, ...(needed ? [needed] : [])])
        expect(overall).toEqual(scenarios["alpha"]);
      for (const [k, { overall }] of forms.entries())
        expect(overall.halfWidth).toBe(bundle.manifest.forms[k]!.scenarios["alpha"]!.measured.interpolation!.halfWidth95P90); // prettier-ignore
      // What forms have measured and the number that is said to be needed don't contradict each other.
      if (needed === null) continue;
      const form = forms.find((own) => own.form === enough);
      if (form) expect(needed.overall.items).toBeLessThanOrEqual(form.overall.items);
      else expect(needed.overall.items).toBeGreaterThan(30);
    }
    expect(measuredScenarios(bundle.manifest).map(({ id }) => id)).toEqual(["alpha"]);
  });
});

test("of several scenarios the overall half-width is theirs where it wasn't measured", async () => {
  const content = sampleContent({ items: [400, 600], sizes: [20, 50] });
  const forms = content.manifest.forms.map((form) => ({ ...form, overall: null }));
  const bundle = await loadBundle(memorySource(encodeBundle({ ...content, manifest: { ...content.manifest, forms } })));
  for (const { overall, scenarios } of planFromBundle(bundle).forms) {
    const [alpha, beta] = Object.values(scenarios);
    expect(overall.basis).toBe("measured");
    expect(overall.halfWidth).toBeCloseTo(Math.hypot(alpha!.halfWidth, beta!.halfWidth) / 2, 12);
  }
});
