import { fileURLToPath } from "node:url";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { readFixture } from "../../support/fixture.ts";

/** Two scenarios whose banks are linked; the first is served from the answers to both, the second from its own. */
const source = folderSource(fileURLToPath(new URL("../../fixtures/golden-bundle/bundle", import.meta.url)));
const bundle = await loadBundle(source);
const [first, second] = bundle.manifest.scenarios.map(({ id }) => id) as [string, string];
const answers = readFixture<Record<string, number | null>>("golden-bundle/answers.json");
const options = { form: "12" };

/** The answers with those to the second scenario changed. */
function changed(change: (score: number | null, position: number) => number | null): Record<string, number | null> {
  let position = 0;
  return Object.fromEntries(
    Object.entries(answers).map(([id, score]) => [id, id.startsWith(second) ? change(score, position++) : score]),
  );
}

describe("answers to another scenario", () => {
  const whole = estimateFromAnchors(bundle, answers, options).scenarios;

  test("count in one that is served together; in one that is served alone, for the model's place alone", () => {
    expect(whole[first]!.details!.evidence).toBe("together");
    expect(whole[second]!.details!.evidence).toBe("alone");
    const wrong = estimateFromAnchors(
      bundle,
      changed((score) => (score === null ? null : 0)),
      options,
    ).scenarios;
    expect(wrong[first]!.score).toBeLessThan(whole[first]!.score!);
    expect(wrong[first]!.details!.theta).not.toEqual(whole[first]!.details!.theta);
    const others = Object.fromEntries(
      Object.entries(answers).map(([id, score]) => [id, id.startsWith(first) && score !== null ? 0 : score]),
    );
    const weaker = estimateFromAnchors(bundle, others, options).scenarios[second]!;
    const here = whole[second]!;
    for (const id of ["anchor-mean", "p-irt", "gp-irt", "p-irt-dr", "gaussian", "stack"] as const)
      expect(weaker.details!.estimators[id]).toBe(here.details!.estimators[id]);
    expect(weaker.details!.theta).toEqual(here.details!.theta);
    // By the mean over both it was stronger than any model seen, and is no longer.
    expect([here.range, weaker.range]).toEqual(["outside", "inside"]);
    expect(weaker.details!.estimators.gate).not.toBe(here.details!.estimators.gate);
  });

  test("count where 70 % of them are there; else each scenario stands alone", () => {
    const missing = (count: number) =>
      estimateFromAnchors(
        bundle,
        changed((score, position) => (position < count ? null : score)),
        options,
      ).scenarios[first]!.details!.evidence;
    expect([0, 1].map(missing)).toEqual(["together", "together"]);
    expect([8, 11, 12].map(missing)).toEqual(["alone", "alone", "alone"]);
  });

  test("a scenario with too few is named where it keeps the others from being read jointly", () => {
    const said = (given: typeof answers) =>
      estimateFromAnchors(bundle, given, options).warnings.filter(({ code }) => code === "estimated_separately");
    expect(said(answers)).toEqual([]);
    const few = changed((score, position) => (position < 8 ? null : score));
    expect(said(few).map(({ message }) => message)).toEqual([expect.stringContaining(` answered in ${second}.`)]);
  });

  test("don't count where their scenario isn't loaded: the estimate is that of the scenario by itself", async () => {
    const part = await loadBundle(source, { scenarios: [first] });
    const own = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith(first)));
    const alone = estimateFromAnchors(part, own, options).scenarios[first]!;
    expect(alone.details!.evidence).toBe("alone");
    const unanswered = estimateFromAnchors(bundle, own, options).scenarios[first]!;
    expect(unanswered).toEqual(alone);
    expect(alone.details!.lambda).not.toBe(whole[first]!.details!.lambda);
  });

  test("an answer pattern is judged by the scenario's own ability, whatever serves", async () => {
    const part = await loadBundle(source, { scenarios: [first] });
    const own = Object.fromEntries(Object.entries(answers).filter(([id]) => id.startsWith(first)));
    const { pattern } = estimateFromAnchors(part, own, options).scenarios[first]!.details!;
    expect(whole[first]!.details!.pattern.lzStar).toBe(pattern.lzStar);
  });
});
