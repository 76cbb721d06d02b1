import { reset } from "cloudflare:test";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const reader = testToken("reader", ["read:sample"]);
const other = testToken("other", ["read:else"]);
const settings = { TOKENS: JSON.stringify([reader.record, other.record]), PROTECTED_BENCHMARKS: "sample" };
const ask = post({ responses: sampleAnswers("20") });
const PATHS: [string, RequestInit?][] = [
  ["/v1/bundles/sample"],
  ["/v1/bundles/sample/1.0.0"],
  ["/v1/bundles/sample/latest"],
  ["/v1/bundles/sample/latest/publication"],
  ["/v1/bundles/s%61mple/1.0.0"],
  ["/v1/bundles/sample/1.0.0/anchors"],
  ["/v1/bundles/sample/1.0.0/files/anchors.jsonl"],
  ["/v1/bundles/sample/1.0.0/estimates", ask],
];

beforeEach(async () => {
  await publishSample();
  await publishSample({ benchmark: "open" });
});
afterEach(() => reset());

test.each(PATHS)("%s of a protected benchmark takes its scope, before anything is read", async (path, init = {}) => {
  const headers = init.headers as Record<string, string>;
  const bucket = watchedBucket();
  const request = startApp({}, { ...settings, BUNDLES: bucket });
  expect(await problemOf(await request(path, init))).toMatchObject({ status: 401, code: "unauthorized" });
  const wrong = await request(path, { ...init, headers: { ...headers, ...other.bearer } });
  expect(await problemOf(wrong)).toMatchObject({ status: 403, code: "forbidden" });
  expect(bucket.reads).toEqual([]);
  const right = await request(path, { ...init, headers: { ...headers, ...reader.bearer } });
  expect(right.status).toBeLessThan(400);
  expect(right.headers.get("cache-control")).toBe("private, no-store");
  // The isolate has it now: the next one without the scope is refused all the same.
  expect((await request(path, init)).status).toBe(401);
});

test("other benchmarks stay open, and cacheable", async () => {
  const request = startApp({}, settings);
  const response = await request("/v1/bundles/open/1.0.0");
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toContain("public");
  expect((await request("/v1/bundles/open/1.0.0/estimates", ask)).status).toBe(200);
});

test("the list shows a protected benchmark to those who may read it", async () => {
  const request = startApp({}, settings);
  const names = async (headers: Record<string, string>): Promise<string[]> =>
    (await (await request("/v1/bundles", { headers })).json<{ benchmarks: { benchmark: string }[] }>()).benchmarks.map(
      ({ benchmark }) => benchmark,
    );
  expect(await names({})).toEqual(["open"]);
  expect(await names(reader.bearer)).toEqual(["open", "sample"]);
  expect(await names(other.bearer)).toEqual(["open"]);
});

test("a token in the query is no token", async () => {
  const request = startApp({}, settings);
  expect((await request("/v1/bundles/sample/1.0.0?access_token=test-reader")).status).toBe(401);
});
