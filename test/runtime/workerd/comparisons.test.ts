import { reset } from "cloudflare:test";
import {
  checkFromAnchors,
  compareFromAnchors,
  createClient,
  loadBundle,
  planFromBundle,
  type Bundle,
} from "anchoreval";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const COMPARISONS = "/v1/bundles/sample/1.0.0/comparisons";
const PLAN = "/v1/bundles/sample/1.0.0/plan";
const a = { name: "old", responses: sampleAnswers("20") };
/** The same answers with every third one right. */
const b = {
  name: "new",
  responses: Object.fromEntries(Object.entries(a.responses).map(([id, score], k) => [id, k % 3 === 0 ? 1 : score])),
};
const request = startApp();
const client = createClient({
  baseUrl: "http://localhost",
  fetch: (input, init) => request((input as string).replace("http://localhost", ""), init),
});
const REF = { benchmark: "sample", version: "1.0.0" };
let bundle: Bundle;
beforeAll(async () => {
  bundle = await loadBundle(memorySource(sampleBundle()));
});
beforeEach(() => publishSample());
afterEach(() => reset());

describe("POST …/checks", () => {
  const CHECKS = "/v1/bundles/sample/1.0.0/checks";
  test.each([
    { baselines: [a] },
    { baselines: [a, b], maxDrop: 0.05, alarmsPerYear: 12, runsPerYear: 52, level: 0.9 },
    { minScore: 0.4, form: "20" },
  ])("gives the SDK's check: %#", async (options) => {
    const here = checkFromAnchors(bundle, [b], options);
    expect(await client.check(REF, { current: [b], ...options })).toEqual(JSON.parse(JSON.stringify(here)));
  });

  test.each<[string, unknown, number, string]>([
    ["no run", { current: [], minScore: 0.5 }, 422, "invalid_request"],
    ["more than a month of runs", { current: Array(32).fill(a), minScore: 0.5 }, 422, "invalid_request"],
    ["no rule", { current: [a] }, 422, "invalid_option"],
    ["a drop in points", { current: [a], baselines: [b], maxDrop: 3 }, 422, "invalid_option"],
    ["a misspelt option", { current: [a], baseline: [b] }, 422, "invalid_request"],
    ["an unknown item", { current: [{ responses: { nowhere: 1 } }], baselines: [b] }, 422, "invalid_answers"],
    ["another major version", { current: [{ ...a, version: "2.0.0" }], baselines: [b] }, 409, "digest_mismatch"],
    [
      "an item twice",
      `{"current":[{"responses":{"x":1,"x":0}}],"baselines":[{"responses":{}}]}`,
      422,
      "invalid_answers",
    ],
  ])("%s is refused", async (_, body, status, code) => {
    expect(await problemOf(await request(CHECKS, post(body)))).toMatchObject({ status, code });
  });
});

describe("POST …/comparisons", () => {
  test.each([
    {},
    { margin: 0.02, level: 0.9 },
    { form: "20" },
    { over: "tasks" as const },
    { over: "these-answers" as const },
  ])("gives the SDK's comparison: %j", async (options) => {
    const here = compareFromAnchors(bundle, a, b, options);
    expect(await client.compare(REF, { a, b, ...options })).toEqual(JSON.parse(JSON.stringify(here)));
  });

  test("takes trials, and says what holds of the models over runs", async () => {
    const tried = Object.fromEntries(Object.entries(a.responses).map(([id, score], k) => [id, [score, k % 2]]));
    const here = compareFromAnchors(bundle, { responses: tried }, b);
    expect(here.over).toBe("runs");
    expect(await client.compare(REF, { a: { responses: tried }, b })).toEqual(JSON.parse(JSON.stringify(here)));
  });

  test("A and B swapped is the same difference the other way round", async () => {
    const [there, back] = [await client.compare(REF, { a, b }), await client.compare(REF, { a: b, b: a })];
    expect(there.difference).toBeCloseTo(-back.difference!, 12);
    expect(there.mcnemar.pValue).toBeCloseTo(back.mcnemar.pValue, 12);
  });

  test.each<[string, unknown, number, string]>([
    ["one model alone", { a }, 422, "invalid_request"],
    ["a misspelt option", { a, b, margins: 0.1 }, 422, "invalid_request"],
    ["a margin of points", { a, b, margin: 2 }, 422, "invalid_option"],
    ["runs of models asked once", { a, b, over: "runs" }, 422, "invalid_option"],
    ["another over", { a, b, over: "models" }, 422, "invalid_request"],
    [
      "a score above 1",
      { a, b: { responses: { ...b.responses, [Object.keys(b.responses)[0]!]: 7 } } },
      422,
      "invalid_answers",
    ],
    ["an unknown item", { a, b: { responses: { nowhere: 1 } } }, 422, "invalid_answers"],
    ["another major version", { a, b: { ...b, version: "2.0.0" } }, 409, "digest_mismatch"],
    ["no JSON", "{", 400, "malformed_json"],
    ["an item twice", `{"a":{"responses":{"x":1,"x":0}},"b":{"responses":{}}}`, 422, "invalid_answers"],
  ])("%s is refused", async (_, body, status, code) => {
    expect(await problemOf(await request(COMPARISONS, post(body)))).toMatchObject({ status, code });
  });
});

describe("GET …/plan", () => {
  test.each([{}, { halfWidth: 0.05 }, { gap: 0.03, rankedRight: 0.9, level: 0.9 }])(
    "gives the SDK's plan: %j",
    async (options) => {
      const here = planFromBundle(bundle, options);
      expect(await client.plan(REF, options)).toEqual(JSON.parse(JSON.stringify(here)));
    },
  );

  test("is kept for good under its number, and found under latest", async () => {
    const response = await request(`${PLAN}?gap=0.03`);
    expect(response.headers.get("cache-control")).toContain("immutable");
    const latest = await request("/v1/bundles/sample/latest/plan?gap=0.03");
    expect([latest.status, latest.headers.get("location")]).toEqual([307, "/v1/bundles/sample/1.0.0/plan?gap=0.03"]);
  });

  test.each(["?gap=x", "?gap=0.03&halfWidth=0.05", "?halfWidth=5", "?gaps=0.03", "?gap="])(
    "%s is refused",
    async (query) => {
      expect((await problemOf(await request(PLAN + query))).status).toBe(422);
    },
  );
});
