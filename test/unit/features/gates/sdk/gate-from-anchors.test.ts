import { loadBundle } from "anchoreval";
import {
  gateBaseline,
  gateFromAnchors,
  gatePower,
  mixtureHalfWidth,
} from "anchoreval/internal/features/gates/sdk/gate-from-anchors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle({ items: [100, 100], sizes: [8, 40] })));
const ids = [...bundle.scenarios.values()].flatMap((scenario) => scenario.forms.get("40")!.itemIds);
const random = createRandom("gate");
const run = (kept = 1): { responses: Record<string, number> } => ({
  responses: Object.fromEntries(ids.map((id, k) => [id, Number(random.next() < kept * (k % 4 === 0 ? 0.5 : 0.95))])),
});
const baselines = [run(), run(), run()];
const none = { replays: 0 };

describe("a gate", () => {
  test("alarms after a collapse, from which night on, and stays so", () => {
    const nights = [run(), run(), run(), ...Array.from({ length: 6 }, () => run(0.7)), run()];
    const { verdict, alarm, drop, threshold } = gateFromAnchors(bundle, nights, baselines, none);
    expect(verdict).toBe("regressed");
    expect(threshold).toBe(365);
    expect(alarm!.since).toBe(3);
    expect(alarm!.night).toBeGreaterThanOrEqual(3);
    expect(drop.low!).toBeLessThan(drop.drop!);
  });

  test("passes where a drop is ruled out, else can't tell; the order of baselines doesn't matter", () => {
    const nights = Array.from({ length: 20 }, () => run());
    const gate = gateFromAnchors(bundle, nights, baselines, { ...none, maxDrop: 0.3 });
    expect([gate.verdict, gate.alarm, gate.power, gate.nights]).toEqual(["passed", null, null, 20]);
    expect(gateFromAnchors(bundle, nights, baselines, { ...none, maxDrop: 0 }).verdict).toBe("undecided");
    expect(gateFromAnchors(bundle, nights, baselines.toReversed(), none).evidence).toBeCloseTo(gateFromAnchors(bundle, nights, baselines, none).evidence, 9); // prettier-ignore
  });

  test("its replays find larger drops more often, and by the same seed the same", () => {
    const own = gateBaseline(bundle, baselines, {});
    const at = (drop: number): number => gatePower(own, { drop, nights: 20, threshold: 365, replays: 20, seed: 1 });
    expect(at(0)).toBeLessThan(0.2); // 20 nights of 365: .05 allowed
    expect(at(0.2)).toBe(1);
    expect(at(0.05)).toBe(at(0.05));
  });

  const [first] = ids;
  test.each([
    ["one baseline", () => gateFromAnchors(bundle, [run()], [run()], none), "invalid_option", "two runs or more"],
    ["no night", () => gateFromAnchors(bundle, [], baselines, none), "invalid_option", "night"],
    ["a graded answer", () => gateFromAnchors(bundle, [{ responses: { ...run().responses, [first!]: 0.5 } }], baselines, none), "invalid_answers", first!], // prettier-ignore
    ["no drop", () => gateFromAnchors(bundle, [run()], baselines, { ...none, drop: 0 }), "invalid_option", "drop"],
  ] as const)("refused: %s", (_, act, code, words) => {
    expectRefusal(refusal(act), code, words);
  });
});

test("a confidence sequence of Gaussian means errs as seldom as stated, looked at every night", () => {
  const stream = createRandom("sequence");
  let wrong = 0;
  const times = 1000;
  for (let k = 0; k < times; k++) {
    let total = 0;
    const common = 0.005 * stream.normal(); // the baseline's noise, the same every night
    for (let night = 1; night <= 100; night++) {
      total += 0.02 * stream.normal();
      if (Math.abs(total / night + common) <= mixtureHalfWidth(0.005 ** 2 + 0.02 ** 2 / night, 0.03, 0.1)) continue;
      wrong++;
      break;
    }
  }
  expect(wrong / times).toBeLessThan(0.13); // .1 and three standard errors
  expect(wrong / times).toBeGreaterThan(0.01);
});
