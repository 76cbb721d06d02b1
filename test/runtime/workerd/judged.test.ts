import { estimateFromJudge } from "anchoreval";
import { describe, expect, test } from "vitest";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { JudgedEstimateSchema } from "../../../features/judge/http.ts";
import { post, problemOf, startApp, watchedBucket } from "./support/worker.ts";

const PATH = "/v1/judged-estimates";
const random = createRandom(7);
const IDS = Array.from({ length: 400 }, (_, k) => `q-${k}`);
const judge = Object.fromEntries(IDS.map((id) => [id, random.next()]));
const labelled = (count: number) =>
  Object.fromEntries(IDS.slice(0, count).map((id) => [id, Number(random.next() < judge[id]!)]));
const labels = labelled(60);
const send = (body: unknown): Promise<Response> => startApp()(PATH, post(body));

describe("gives the SDK's estimate, and reads no bundle", () => {
  const few = labelled(4);
  const unlike = Object.fromEntries(IDS.filter((id) => judge[id]! > 0.8).map((id) => [id, 1]));
  test.each<[string, Record<string, unknown>, string[]]>([
    ["of labels", { labels }, []],
    ["at another level, with the items to label next", { labels, level: 0.9, halfWidth: 0.03, seed: 4 }, []],
    ["before any label", { halfWidth: 0.05 }, []],
    ["of few labels", { labels: few }, ["few_labels"]],
    ["of labels that weren't drawn at random", { labels: unlike }, ["labels_unlike"]],
    ["of several labels, counts and none", { labels: { ...labels, "q-0": [1, 0], "q-1": null, "q-2": true } }, []],
    ["of all labels", { labels: labelled(400) }, []],
  ])("%s", async (_, request, codes) => {
    const { labels: said = {}, ...options } = request as { labels?: typeof labels };
    const here = estimateFromJudge(judge, said, options);
    const bucket = watchedBucket();
    const response = await startApp({}, { BUNDLES: bucket })(PATH, post({ judge, ...request }));
    expect(response.status).toBe(200);
    const body: object = await response.json();
    expect(body).toEqual(JSON.parse(JSON.stringify(here)));
    expect(JudgedEstimateSchema.parse(body)).toEqual(body);
    expect(here.warnings.map(({ code }) => code)).toEqual(codes);
    expect(bucket.reads).toEqual([]);
  });
});

test("a judge on a scale of its own, and ids that every object inherits", async () => {
  const own = `{"judge":{"__proto__":9,"constructor":3,"b":1},"labels":{"__proto__":1,"constructor":0}}`;
  expect(await (await send(own)).json()).toMatchObject({ items: 3, labelled: 2, score: 0.5, judge: { bias: null } });
});

describe("refused", () => {
  const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, k) => [k, 1]));
  test.each<[string, unknown, number, string, string]>([
    ["no judge", { labels }, 422, "invalid_request", "scores are missing"],
    ["a judge's scores in a list", { judge: [1, 0] }, 422, "invalid_answers", "`judge` goes by item id"],
    ["labels in a list", { judge, labels: [1, 0] }, 422, "invalid_answers", "`labels` goes by item id"],
    ["labels that are null", { judge, labels: null }, 422, "invalid_answers", "`labels` goes by item id"],
    ["no item", { judge: {} }, 422, "invalid_answers", "the judge has scored no item"],
    ["more items than a request may have", { judge: many }, 422, "invalid_request", "at most 20000 items, got 20001"],
    [
      "an item without the judge's score",
      { judge: { ...judge, x: null } },
      422,
      "invalid_answers",
      "no score of 1 item",
    ],
    ["a label of another item", { judge, labels: { x: 1 } }, 422, "invalid_answers", "without a score of the judge"],
    ["a label beyond the scale", { judge, labels: { "q-1": 4 } }, 422, "invalid_answers", "isn't a number in [0,1]"],
    ["an endless score", `{"judge":{"a":1e999}}`, 422, "invalid_answers", "isn't a finite number"],
    ["an item twice", `{"judge":{"a":1,"a":0}}`, 422, "invalid_answers", "a appears twice"],
    ["a half-width in points", { judge, halfWidth: 3 }, 422, "invalid_option", "below 0.5"],
    ["a level in percent", { judge, level: 95 }, 422, "invalid_option", "level"],
    ["a misspelt option", { judge, half_width: 0.1 }, 422, "invalid_request", "half_width"],
    ["no JSON", "{", 400, "malformed_json", ""],
    ["too long a body", { judge: { ["x".repeat(1 << 20)]: 1 } }, 413, "payload_too_large", "at most 1048576 bytes"],
  ])("%s", async (_, body, status, code, words) => {
    const problem = await problemOf(await send(body));
    expect(problem).toMatchObject({ status, code });
    expect(problem.detail).toContain(words);
  });

  test("each finding with the place that it stands at", async () => {
    const { issues } = await problemOf(await send({ judge, labels: { "q-1": 4, "q-2": -1 } }));
    expect(issues.map(({ path }) => path)).toEqual([
      ["labels", "q-1"],
      ["labels", "q-2"],
    ]);
  });

  test("a parameter, and another method", async () => {
    expect(await problemOf(await startApp()(`${PATH}?level=.9`, post({ judge })))).toMatchObject({ status: 422 });
    expect(await problemOf(await startApp()(PATH))).toMatchObject({ status: 405 });
  });
});

test("answers count against the caller", async () => {
  const counted: number[] = [];
  const limiter = { limit: () => Promise.resolve({ success: counted.push(1) < 2 }) };
  const request = { ...post({ judge: Object.fromEntries(Array.from({ length: 5000 }, (_, k) => [k, 1])) }) };
  const headers = { ...(request.headers as Record<string, string>), "cf-connecting-ip": "1.2.3.4" };
  const response = await startApp({}, { LIMITER: limiter })(PATH, { ...request, headers });
  expect(await problemOf(response)).toMatchObject({ status: 429 });
});
