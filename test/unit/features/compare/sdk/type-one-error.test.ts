import { loadBundle, type Bundle, type BundleScenario } from "anchoreval";
import { pairedInterval } from "anchoreval/internal/core/inference/paired-difference";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { modelEvidence } from "anchoreval/internal/features/compare/sdk/model-evidence";
import { pairDifferences, type PairDifference } from "anchoreval/internal/features/compare/sdk/scenario-difference";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const RUNS = 1000;
const FORM = "20";
const bundle = await loadBundle(memorySource(sampleBundle({ items: [400, 600], sizes: [8, 20] })));

/** The same bundle with a fresh random form of n items a scenario, in order of difficulty. */
function withForm(n: number, random: RandomSource): Bundle {
  const scenarios = new Map<string, BundleScenario>();
  for (const [id, scenario] of bundle.scenarios) {
    const { weights, bank, forms } = scenario;
    const order = random.shuffle(Array.from(weights, (_, i) => i)).slice(0, n);
    const items = Uint32Array.from(order).sort((i, j) => bank.b[i]! - bank.b[j]!);
    const inclusion = new Float64Array(n).fill(n / weights.length);
    const anchors = { items, inclusion, mass: Float64Array.from(items, (i, j) => weights[i]! / inclusion[j]!) };
    scenarios.set(id, { ...scenario, forms: new Map([[FORM, { ...forms.get(FORM)!, anchors }]]) });
  }
  return { ...bundle, scenarios };
}

/** Two models' scores on every item; `foreign` ones answer as no response model of the bundle says. */
function answersOf(theta: Float64Array, foreign: boolean, random: RandomSource): Map<string, Float64Array> {
  return new Map(
    [...bundle.scenarios].map(([id, { bank }]) => {
      const chances = itemResponses(theta, bank);
      if (foreign) chances.reverse();
      return [id, chances.map((chance) => (random.next() < chance ? 1 : 0))];
    }),
  );
}

// 1000 forms and pairs know a type-I error of .05 to ±.02 (three standard errors).
test.each([
  ["30 items", 30, 0.3, false],
  ["100 items", 100, 0.3, false],
  ["30 items, two strong models", 30, 1.2, false],
  ["30 items, models that the response model doesn't fit", 30, 0.3, true],
])("a true difference is outside of about 5 of 100 intervals: %s", (name, n, level, foreign) => {
  const random = createRandom(name);
  const errors = { alpha: 0, overall: 0 };
  for (let r = 0; r < RUNS; r++) {
    const drawn = withForm(n, random);
    const [a, b] = [0, 1].map(() => {
      const theta = Float64Array.of(level + 0.5 * random.normal(), level + 0.5 * random.normal());
      const answers = answersOf(theta, foreign, random);
      const asked = new Map(
        [...answers].map(([id, own]) => [
          id,
          Float64Array.from(drawn.scenarios.get(id)!.forms.get(FORM)!.anchors.items, (item) => own[item]!),
        ]),
      );
      return { answers, evidence: modelEvidence(drawn, FORM, asked) };
    }) as [Side, Side];
    const pairs = pairDifferences(drawn, a.evidence, b.evidence, { interval: "design", overall: null });
    const truths = new Map(
      [...drawn.scenarios].map(([id, { weights }]) => [
        id,
        weights.reduce((sum, weight, i) => sum + weight * (b.answers.get(id)![i]! - a.answers.get(id)![i]!), 0),
      ]),
    );
    const outside = (pair: PairDifference, truth: number): number => {
      const { low, high } = pairedInterval(pair.sampled!, 0.95);
      return truth < low || truth > high ? 1 : 0;
    };
    errors.alpha += outside(pairs.scenarios.get("alpha")!, truths.get("alpha")!);
    const whole = (truths.get("alpha")! + truths.get("beta/γ")!) / 2;
    errors.overall += outside(pairs.overall, whole);
  }
  for (const count of Object.values(errors)) {
    expect(count / RUNS).toBeGreaterThan(0.03);
    expect(count / RUNS).toBeLessThan(0.07);
  }
});

interface Side {
  readonly answers: Map<string, Float64Array>;
  readonly evidence: ReturnType<typeof modelEvidence>;
}
