import { estimateFromAnchors, loadBundle } from "anchoreval";
import { describe, expect, test } from "vitest";
import { exampleAnswers } from "../../../workers/page/parts/examples.ts";
import { parseSharedScore, shareScore } from "../../../workers/page/views/shared-score.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const known = new Map([["a", 1]]);

test("a result comes back from its link to a hundredth of a point, without the answers", async () => {
  const bundle = await loadBundle(memorySource(sampleBundle()));
  const result = estimateFromAnchors(bundle, exampleAnswers(bundle, bundle.manifest.defaultForm, 1, 0.5));
  const text = shareScore(result, "a model & its “name”");
  const shared = parseSharedScore(text, bundle.scenarios)!;
  expect(shared.model).toBe("a model & its “name”");
  expect(shared.overall!.score).toBeCloseTo(result.score!, 4);
  expect([...shared.scenarios.keys()]).toEqual(Object.keys(result.scenarios));
  for (const [id, { score, interval }] of shared.scenarios) {
    const own = result.scenarios[id]!;
    expect(score).toBeCloseTo(own.score!, 4);
    expect(interval === null).toBe(own.interval === null);
    if (interval) expect(interval.low).toBeCloseTo(own.interval!.low, 4);
  }
  for (const id of bundle.scenarios.get([...bundle.scenarios.keys()][0]!)!.anchors.keys())
    expect(text).not.toContain(id);
});

describe("what is no result of this bundle is none", () => {
  const valid = { model: "m", overall: [0.5, 0.4, 0.6], scenarios: { a: [0.5] } };
  test("but this is one", () => {
    expect(parseSharedScore(JSON.stringify(valid), known)).toEqual({
      model: "m",
      overall: { score: 0.5, interval: { low: 0.4, high: 0.6 } },
      scenarios: new Map([["a", { score: 0.5, interval: null }]]),
    });
  });
  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["no model", JSON.stringify({ ...valid, model: 1 })],
    ["no scenario", JSON.stringify({ ...valid, scenarios: {} })],
    ["another bundle's scenario", JSON.stringify({ ...valid, scenarios: { b: [0.5] } })],
    ["points", JSON.stringify({ ...valid, scenarios: { a: [50] } })],
    ["text", JSON.stringify({ ...valid, scenarios: { a: ["0.5"] } })],
    ["a score outside of its interval", JSON.stringify({ ...valid, overall: [0.7, 0.4, 0.6] })],
    ["half an interval", JSON.stringify({ ...valid, overall: [0.5, 0.4] })],
  ])("%s", (_, text) => expect(parseSharedScore(text, known)).toBeNull());
});
