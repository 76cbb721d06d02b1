import { loadBundle } from "anchoreval";
import { normalCdf } from "anchoreval/internal/core/numeric/distributions";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { replayCheck } from "anchoreval/internal/features/gates/sdk/replay-check";
import { replayThreshold } from "anchoreval/internal/features/gates/sdk/replay-threshold";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const ITEMS = 800;
const bundle = await loadBundle(memorySource(sampleBundle({ items: [ITEMS / 2, ITEMS / 2], sizes: [8, 100] })), { items: true }); // prettier-ignore
const ids = [...bundle.scenarios.keys()].flatMap((scenario) => Array.from({ length: ITEMS / 2 }, (_, k) => `${scenario}/${k}`)); // prettier-ignore
const options = { form: "100", drops: [0.02, 0.05], nights: 4000, seed: 1 };

/** Runs of a model that answers a fifth of all items by a coin, the others as always. */
function runs(count: number): { responses: Record<string, number> }[] {
  const random = createRandom("coins");
  const answer = (k: number): number => (k % 5 === 0 ? Math.round(random.next()) : Number(k % 3 > 0));
  return Array.from({ length: count }, () => ({ responses: Object.fromEntries(ids.map((id, k) => [id, answer(k)])) }));
}

describe("a threshold on one score, replayed", () => {
  const thresholds = [0.01, 0.02, 0.03];
  const replayed = replayThreshold(bundle, runs(20), { ...options, thresholds });

  test("alarms as often as the difference of two noisy scores lies so low: 365·Φ(−t/√(2·Σp(1−p)/n²))", () => {
    expect(replayed.map(({ items, below }) => [items, below])).toEqual([200, ITEMS].flatMap((n) => thresholds.map((below) => [n, below]))); // prettier-ignore
    for (const { items, below, alarmsAYear } of replayed) {
      const probability = normalCdf(-below / Math.sqrt((2 * 0.2 * 0.25) / items));
      expect(Math.abs(alarmsAYear / 365 - probability)).toBeLessThan(0.02);
    }
  });

  test("finds a drop as large as itself about every second time, larger ones more often", () => {
    const { power } = replayed.find(({ items, below }) => items === ITEMS && below === 0.02)!;
    expect(Math.abs(power[0]! - 0.5)).toBeLessThan(0.2);
    expect(power[1]).toBeGreaterThan(0.95);
  });

  test("the check that is replayed beside it counts all items where every run has them", () => {
    const asked = { ...options, nights: 100, runs: [1], alarmsPerYear: 36.5 };
    const [whole] = replayCheck(bundle, runs(5), asked).checks;
    const part = runs(5).map(({ responses }) => ({
      responses: Object.fromEntries(Object.entries(responses).slice(1)),
    }));
    const [form] = replayCheck(bundle, part, asked).checks;
    expect(whole!.items).toBe(ITEMS);
    expect(form!.items).toBeLessThan(ITEMS);
    expect(whole!.power[0]).toBeGreaterThan(form!.power[0]!);
  });
});
