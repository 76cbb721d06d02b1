import { loadBundle, planFromBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { planTrials } from "anchoreval/internal/features/trials/sdk/plan-trials";
import { describe, expect, it, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleContent } from "../../../../support/sample-bundle.ts";

const own = { model: 0.02, item: 0.04, modelItem: 0.06, trial: 0.12, trials: 3, repeated: 900 };
const bundleOf = (varianceComponents: unknown) => {
  const content = sampleContent();
  const manifest = { ...content.manifest, fit: { ...content.manifest.fit, varianceComponents } };
  return loadBundle(memorySource(encodeBundle({ ...content, manifest })));
};
const bundle = await bundleOf({ alpha: own, "beta/γ": own });
const Z = 1.959964;
/** Σ W²Σw²: 40 items; 20 and 40 in two subscenarios that count the same. */
const SQUARES = 0.25 * (1 / 40 + (0.25 * 20) / 20 ** 2 + (0.25 * 40) / 40 ** 2);

describe("planTrials", () => {
  it("is the plan's half-width at the sources' number of trials, with a run's own noise added", () => {
    const { forms, of } = planTrials(bundle, { trials: [3] });
    expect(of).toBe(100);
    planFromBundle(bundle).forms.forEach(({ form, overall }, f) => {
      const [choice] = forms[f]!.choices;
      expect(forms[f]!.form).toBe(form);
      expect(choice!.halfWidth).toBeCloseTo(Math.hypot(overall.halfWidth, Z * Math.sqrt((SQUARES * 0.12) / 3)), 5);
      expect(choice).toMatchObject({ items: overall.items, trials: 3, answers: 3 * overall.items });
    });
  });

  it("gets narrower with every trial, down to the items that weren't asked", () => {
    const counts = [1, 2, 3, 5, 1_000_000_000];
    const [form] = planTrials(bundle, { trials: counts }).forms;
    const widths = form!.choices.map(({ halfWidth }) => halfWidth);
    expect([...widths].sort((x, y) => y - x)).toEqual(widths);
    const [{ overall }] = planFromBundle(bundle).forms as unknown as [{ overall: { halfWidth: number } }];
    // (σ²_mi)/(σ²_mi + σ²_ε/3)
    expect(widths.at(-1)).toBeCloseTo(overall.halfWidth * Math.sqrt(0.06 / 0.1), 4);
  });

  it("finds the fewest items for a half-width in each number of trials, the fewest answers first", () => {
    const wanted = 0.12;
    const { enough } = planTrials(bundle, { trials: [1, 2, 3, 5], halfWidth: wanted });
    expect(enough.length).toBeGreaterThan(1);
    for (const { items, trials, answers, halfWidth } of enough) {
      expect(halfWidth).toBeLessThanOrEqual(wanted + 1e-9);
      expect(answers).toBe(items * trials);
    }
    const answers = enough.map((choice) => choice.answers);
    expect([...answers].sort((x, y) => x - y)).toEqual(answers);
    const byTrials = [...enough].sort((x, y) => x.trials - y.trials).map(({ items }) => items);
    expect([...byTrials].sort((x, y) => y - x)).toEqual(byTrials); // more trials never take more items
  });

  it("plans the same where the default form asks all items", async () => {
    const content = sampleContent({ sizes: [8, 40], items: [40, 40] });
    const varianceComponents = { alpha: own, "beta/γ": own };
    const manifest = { ...content.manifest, defaultForm: "40", fit: { varianceComponents } };
    const whole = await loadBundle(memorySource(encodeBundle({ ...content, manifest })));
    const wanted = 0.14;
    for (const { items, trials, halfWidth } of planTrials(whole, { trials: [1, 3], halfWidth: wanted }).enough) {
      expect(halfWidth).toBeLessThanOrEqual(wanted + 1e-9);
      if (trials === 3) expect(items).toBeLessThan(80);
    }
    const { enough } = planTrials(whole, { trials: [1, 3], halfWidth: wanted });
    const [one, three] = [1, 3].map((count) => enough.find(({ trials }) => trials === count));
    expect(one!.items).toBeGreaterThan(three!.items);
  });

  it("is the plan's half-width in any number of trials where source models are too few to measure it", async () => {
    const { manifest, scenarios } = sampleContent();
    const none = { interpolation: null, extrapolation: null };
    const few = await loadBundle(
      memorySource(
        encodeBundle({
          manifest: {
            ...manifest,
            sources: { models: 11, names: null, note: null },
            fit: { ...manifest.fit, varianceComponents: { alpha: own, "beta/γ": own } },
            forms: manifest.forms.map((form) => ({
              ...form,
              overall: null,
              scenarios: Object.fromEntries(Object.entries(form.scenarios).map(([id, part]) => [id, { ...part, together: null, measured: none }])), // prettier-ignore
            })),
          },
          scenarios: scenarios.map((scenario) => ({ ...scenario, sourceScores: scenario.sourceScores.slice(0, 11) })),
        }),
      ),
    );
    const planned = planFromBundle(few).forms.map(({ overall }) => overall.halfWidth);
    const { forms, enough } = planTrials(few, { trials: [1, 3], halfWidth: planned[0]! + 1e-9 });
    forms.forEach(({ choices }, f) =>
      expect(choices.map(({ halfWidth }) => halfWidth)).toEqual([planned[f], planned[f]]),
    );
    expect(enough[0]).toMatchObject({ trials: 1, halfWidth: expect.closeTo(planned[0]!, 6) as number });
    expect(enough[1]).toMatchObject({ trials: 3, items: enough[0]!.items });
  });

  it("leaves out numbers of trials in which all items are too few", () => {
    const noise = Z * Math.sqrt(SQUARES * 0.12);
    const { enough } = planTrials(bundle, { trials: [1, 20], halfWidth: noise / 2 });
    // Half the noise takes four trials of every item: 20 are dearer.
    expect(enough.map(({ trials, answers }) => ({ trials, answers }))).toEqual([
      { trials: 4, answers: 400 },
      { trials: 20, answers: 20 * enough[1]!.items },
    ]);
    expect(planTrials(bundle, { trials: [1], halfWidth: noise / 2 }).enough).toEqual([]);
  });
});

test.each<[string, number[], number | undefined]>([
  ["no trials", [0], undefined],
  ["half a trial", [1.5], undefined],
  ["an empty list", [], undefined],
  ["a half-width in points", [1], 5],
])("%s is refused", (_, trials, halfWidth) => {
  const options = { trials, ...(halfWidth !== undefined && { halfWidth }) };
  expectRefusal(
    refusal(() => planTrials(bundle, options)),
    "invalid_option",
    "",
  );
});

test("a bundle that knows nothing of trials is refused", async () => {
  const single = await bundleOf({ alpha: own });
  expectRefusal(
    refusal(() => planTrials(single, { trials: [1] })),
    "unsupported",
    "knows nothing of trials (beta/γ)",
  );
});
