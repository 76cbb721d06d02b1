import { estimate, type Estimate, estimateFromAnchors, loadBundle } from "anchoreval";
import { formItemIds } from "anchoreval/bundle";
import { describe, expect, test } from "vitest";
import { memorySource } from "../../../../support/memory-source.ts";
import { refusal } from "../../../../support/refusal.ts";
import { sampleAnswers } from "../../../../support/sample-answers.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

const bundle = await loadBundle(memorySource(sampleBundle({ grouped: true })), { items: true });
const answers = sampleAnswers("20");
const scoresOf = (responses: Record<string, number | null>, options = {}) =>
  Object.fromEntries(estimate(bundle, responses, { form: "20", subscores: true, ...options }).subscores!.map((group) => [group.name, group])); // prettier-ignore

describe("scores of groups", () => {
  test("stand beside the same estimate, only where they are asked for", () => {
    const { subscores, ...rest } = estimate(bundle, answers, { subscores: true });
    expect(subscores!.map(({ scenario, name }) => `${scenario} ${name}`)).toEqual(
      ["first", "second", "all", "some"].map((name) => `beta/γ ${name}`),
    );
    expect(rest).toEqual(estimateFromAnchors(bundle, answers));
    expect(estimate(bundle, answers)).not.toHaveProperty("subscores");
    expect(estimate(bundle, answers, { subscores: false })).not.toHaveProperty("subscores");
    expect(estimate(bundle, answers, { subscores: ["all"] }).subscores!.map(({ name }) => name)).toEqual(["all"]);
    expect(estimate(bundle, answers, { subscores: true }).subscores).toEqual(subscores);
  });

  test("a group of all items has its scenario's score and interval", () => {
    const { scenarios } = estimate(bundle, answers);
    const { score, interval } = scenarios["beta/γ"]!;
    expect(scoresOf(answers)["all"]).toMatchObject({ score, interval, status: "measured", items: 60, answered: 20 });
  });

  test("parts by their weights come to the whole, but for what is their own", () => {
    const { first, second, all } = scoresOf(answers);
    expect(first!.answered + second!.answered).toBe(all!.answered);
    // Subscenarios count the same; the shifts of groups are each drawn to the whole's: a few points stay between them.
    expect(Math.abs((first!.score! + second!.score!) / 2 - all!.score!)).toBeLessThan(0.03);
    for (const { score, interval } of [first!, second!]) {
      expect(interval!.low).toBeLessThan(score!);
      expect(interval!.high).toBeGreaterThan(score!);
      expect(interval).toMatchObject({ level: 0.95, method: "cross-validated" });
    }
  });

  test("the order of answers can't matter, and a missing answer is none, not a wrong one", () => {
    const reversed = Object.fromEntries(Object.entries(answers).reverse());
    expect(scoresOf(reversed)).toEqual(scoresOf(answers));
    const gone = Object.keys(answers).filter((id) => id.startsWith("beta")).slice(0, 3); // prettier-ignore
    const without = Object.fromEntries(Object.entries(answers).filter(([id]) => !gone.includes(id)));
    const missing = scoresOf({ ...answers, ...Object.fromEntries(gone.map((id) => [id, null])) });
    expect(missing).toEqual(scoresOf(without));
    const wrong = scoresOf({ ...answers, ...Object.fromEntries(gone.map((id) => [id, 0])) });
    expect(missing["all"]!.answered).toBe(17);
    expect(wrong["all"]!.answered).toBe(20);
    expect(missing["first"]!.score! + missing["second"]!.score!).toBeGreaterThan(wrong["first"]!.score! + wrong["second"]!.score!); // prettier-ignore
  });

  test("an array in the order of the form says the same", () => {
    const ids = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, "20"));
    const { digest: formDigest } = bundle.manifest.forms.find(({ id }) => id === "20")!;
    const { subscores } = estimate(bundle, ids.map((id) => answers[id]!), { formDigest, subscores: true }); // prettier-ignore
    expect(subscores).toEqual(Object.values(scoresOf(answers)));
  });

  test("where too few items were asked or answered there is no score, and a reason", () => {
    const { some } = scoresOf(answers);
    expect(some).toMatchObject({ score: null, interval: null, status: "too_few_items" });
    expect(some!.reason).toContain("half of all scores");
    const alpha = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("alpha")));
    expect(Object.values(scoresOf(alpha)).map(({ score, status }) => [score, status])).toEqual(
      new Array(4).fill([null, "too_few_items"]),
    );
    const few = Object.entries(answers).filter(([id], k) => id.startsWith("alpha") || k % 2 === 0);
    expect(scoresOf(Object.fromEntries(few))["second"]).toMatchObject({ score: null, status: "too_few_items" });
  });

  test("with every item answered they are exact, and intervals are said at the levels measured", () => {
    const full = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`beta/γ/${i}`, Number(i < 20)]));
    const exact = scoresOf({ ...answers, ...full });
    expect(exact["first"]).toMatchObject({ score: 1, status: "exact", interval: { low: 1, high: 1, method: "exact" } });
    expect(exact["some"]!.status).toBe("exact");
    expect(exact["some"]!.score).toBeCloseTo(2 / 3, 12); // items weigh as in their scenario, whose subscenarios count the same
    const [wide, narrow] = [0.95, 0.8].map((level) => scoresOf(answers, { level })["first"]!.interval!);
    expect(narrow!.high - narrow!.low).toBeLessThan(wide!.high - wide!.low);
    for (const level of [0.93, 0.99]) {
      const { score, interval, reason } = scoresOf(answers, { level })["first"]!;
      expect([interval, typeof score]).toEqual([null, "number"]);
      expect(reason).toContain(level === 0.99 ? "too few source models" : "the levels 0.5, 0.8");
    }
  });

  test("a model outside the range of those seen has wider intervals", () => {
    const right = Object.fromEntries(Object.keys(answers).map((id) => [id, 1]));
    const result = estimate(bundle, right, { subscores: true });
    const { above } = (result as Estimate).scenarios["beta/γ"]!.details!.outside;
    const { score, interval } = result.subscores![0]!;
    const plain = structuredClone(bundle.manifest);
    const tame = (plain.parts!["subscores"]!.value as { "beta/γ": { forms: { "20": { alone: { outside: number } } } } })["beta/γ"]; // prettier-ignore
    tame.forms["20"].alone.outside = 1;
    const narrow = estimate({ ...bundle, manifest: plain }, right, { subscores: true }).subscores![0]!;
    expect(above).toBeGreaterThan(0.5);
    expect(score).toBe(narrow.score);
    expect((score! - interval!.low) / (score! - narrow.interval!.low)).toBeCloseTo(1 + 0.25 * above, 2);
  });

  test.each<[string, () => unknown, string]>([
    [
      "a group that there isn't",
      () => estimate(bundle, answers, { subscores: ["frst"] }),
      'no group "frst": there are "first"',
    ],
    ["what is no list", () => estimate(bundle, answers, { subscores: "first" as never }), "a list of names"],
    [
      "another score than means",
      () => estimate(bundle, answers, { subscores: true, metric: "pass@1" }),
      "don't go with metric",
    ],
  ])("refuses %s", (_, call, message) => {
    const error = refusal(call);
    expect(error.code).toBe("invalid_option");
    expect(error.message).toContain(message);
  });

  test("refuses a bundle without groups", async () => {
    const plain = await loadBundle(memorySource(sampleBundle()));
    expect(refusal(() => estimate(plain, answers, { subscores: true })).message).toContain("wasn't fitted with any");
    const part = await loadBundle(memorySource(sampleBundle({ grouped: true })), { scenarios: ["alpha"] });
    const alpha = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith("alpha")));
    expect(refusal(() => estimate(part, alpha, { form: "20", subscores: true })).message).toContain(
      "no scenario that was loaded",
    );
  });
});
