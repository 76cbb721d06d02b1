import { loadBundle } from "anchoreval";
import { loadBundle as loadShipped } from "anchoreval/node";
import { replayCheck, type ReplayOptions } from "anchoreval/internal/features/gates/sdk/replay-check";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { askAll, servedModel } from "../../../../support/served-model.ts";

const bundle = await loadBundle(memorySource(sampleBundle({ items: [400, 600], sizes: [8, 100] })));
const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get("100")!.itemIds);
const options: ReplayOptions = {
  maxDrop: 0.01,
  alarmsPerYear: 36.5,
  level: 0.95,
  drops: [0.02, 0.06, 0.2],
  runs: [1, 7],
  nights: 200,
  seed: 1,
};

/** Runs of one model: a share of the items is answered by a coin, the others as always. */
function runs(count: number, coins: number): { responses: Record<string, number> }[] {
  const random = createRandom(`runs ${coins}`);
  const chances = ids.map((_, k) => (k % 100 < 100 * coins ? 0.5 : Number(k % 3 > 0)));
  return Array.from({ length: count }, () => ({
    responses: Object.fromEntries(ids.map((id, k) => [id, Number(random.next() < chances[k]!)])),
  }));
}

describe("a check, replayed", () => {
  const replayed = replayCheck(bundle, runs(6, 0.2), options);

  test("knows how often runs differ", () => {
    expect(replayed).toMatchObject({ form: "100", baselines: 6 });
    expect(replayed.flips).toBeCloseTo(0.2 / 2, 1); // two coins differ half of the time
    expect(replayCheck(bundle, runs(6, 0), { ...options, nights: 10 }).flips).toBeLessThan(0.02);
  });

  test("keeps to the false alarms that are allowed, and finds larger drops and means of more runs more often", () => {
    const [one, seven] = replayed.checks;
    expect([one!.items, one!.runs, seven!.runs]).toEqual([ids.length, 1, 7]);
    for (const { alarmsAYear, power } of replayed.checks) {
      expect(alarmsAYear / 365).toBeLessThan(0.15); // .1 allowed, of 200
      expect(power).toEqual(power.toSorted((x, y) => x - y));
      expect(power.at(-1)).toBe(1);
    }
    const found = ({ power }: { power: readonly number[] }): number => power[0]! + power[1]!;
    expect(found(seven!)).toBeGreaterThan(found(one!));
  });

  test("is the same by the same seed, and another by another", () => {
    const few = { ...options, nights: 50 };
    expect(replayCheck(bundle, runs(3, 0.3), few)).toEqual(replayCheck(bundle, runs(3, 0.3), few));
    expect(replayCheck(bundle, runs(3, 0.3), { ...few, seed: 2 })).not.toEqual(replayCheck(bundle, runs(3, 0.3), few));
  });

  test("takes two runs or more", () => {
    expectRefusal(refusal(() => replayCheck(bundle, runs(1, 0.2), options)), "invalid_option", "two runs or more"); // prettier-ignore
  });
});

test("items of a form that weigh much flip as seldom in replays as in truth: unchanged models raise as many alarms as are allowed", async () => {
  const gsm8k = await loadShipped("gsm8k@1.0.0", { items: true });
  const { itemIds, anchors } = gsm8k.scenarios.get("gsm8k")!.forms.get("100")!;
  const asked = { form: "100", maxDrop: 0, alarmsPerYear: 36.5, drops: [], runs: [7], nights: 30, seed: 1 };
  const models = 16;
  let alarms = 0;
  for (let k = 0; k < models; k++) {
    const random = createRandom(`alarms promised ${k}`);
    const chances = servedModel(gsm8k, "gsm8k", random);
    const baselines = [0, 1].map(() => {
      const scores = askAll(chances, random);
      return { responses: new Map(itemIds.map((id, j) => [id, scores[anchors.items[j]!]!])) };
    });
    alarms += replayCheck(gsm8k, baselines, asked).checks[0]!.alarmsAYear / models;
  }
  // a tenth of the nights is allowed; two of five were promised where all items' chances were spread alike
  expect(alarms / 365).toBeLessThan(0.2);
  expect(alarms / 365).toBeGreaterThan(0.02);
}, 120_000);
