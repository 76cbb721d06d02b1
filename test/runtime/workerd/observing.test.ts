import { reset } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const ESTIMATES = "/v1/bundles/sample/latest/estimates";
const answers = sampleAnswers("20");
const ask = post({ responses: answers });
const reader = testToken("reader", ["read:sample"]);

let log: MockInstance<typeof console.log>;
let errors: MockInstance<typeof console.error>;
beforeEach(async () => {
  await publishSample();
  log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

const linesOf = (spy: MockInstance<typeof console.log>): Record<string, unknown>[] =>
  spy.mock.calls.map(([line]) => JSON.parse(line as string) as Record<string, unknown>);

describe("a request's id", () => {
  test.each([
    ["/v1/bundles", 200],
    ["/v1/bundles/sample/latest", 307],
    ["/v1/bundles/sample/1.0.0/files/items.jsonl", 200],
    ["/nowhere", 404],
    ["/v1/bundles/sample/9.9.9", 404],
  ])("%s: the caller's is in the answer, another one without", async (path, status) => {
    const request = startApp();
    const given = await request(path, { headers: { "x-request-id": "job-17" } });
    expect([given.status, given.headers.get("x-request-id")]).toEqual([status, "job-17"]);
    const made = (await request(path, { headers: { "x-request-id": "no good" } })).headers.get("x-request-id");
    expect(made).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("is in the problem, and in the log of what went wrong here", async () => {
    const request = startApp({}, { BUNDLES: watchedBucket(() => true) });
    const problem = await problemOf(await request("/v1/bundles", { headers: { "x-request-id": "job-18" } }));
    expect(problem).toMatchObject({ status: 503, requestId: "job-18" });
    expect(linesOf(errors)).toEqual([
      { event: "error", requestId: "job-18", code: "unavailable", error: expect.any(String) as string },
    ]);
    expect(linesOf(errors)[0]!.error).toContain("caused by Error: internal details of the storage");
    expect(log).not.toHaveBeenCalled();
  });

  test("may be read by pages of other origins, Server-Timing too", async () => {
    const { headers } = await startApp()("/healthz", { headers: { origin: "https://any.example" } });
    expect(headers.get("access-control-expose-headers")).toMatch(/X-Request-Id.*Server-Timing/);
  });
});

describe("Server-Timing", () => {
  test.each([
    ["/healthz", undefined, null],
    ["/v1/bundles", undefined, ["names", "index"]],
    ["/v1/bundles/sample", undefined, ["index"]],
    ["/v1/bundles/sample/1.0.0", undefined, ["index", "manifest"]],
    ["/v1/bundles/sample/1.0.0/files/items.jsonl", undefined, ["index", "manifest", "file"]],
    ["/v1/bundles/sample/1.0.0/anchors", undefined, ["index", "manifest", "bundle"]],
    [ESTIMATES, ask, ["index", "manifest", "bundle"]],
  ])("%s names what was waited for", async (path, init, phases) => {
    const header = (await startApp()(path, init)).headers.get("server-timing");
    const entries = header?.split(", ").map((entry) => /^([a-z]+);dur=\d+$/.exec(entry)?.[1]);
    expect(entries?.toSorted() ?? null).toEqual(phases?.toSorted() ?? null);
  });
});

describe("the log of requests", () => {
  const settings = { LOG_REQUESTS: true, TOKENS: JSON.stringify([reader.record]) };

  test("has one line for each, with names and numbers", async () => {
    const request = startApp({}, settings);
    await request(ESTIMATES, post({ responses: answers }, { ...reader.bearer, "x-request-id": "job-1" }));
    expect(linesOf(log)).toEqual([
      {
        event: "request",
        requestId: "job-1",
        method: "POST",
        route: "/v1/bundles/:benchmark/:version/estimates",
        benchmark: "sample",
        version: "1.0.0",
        status: 200,
        token: "reader",
        answers: Object.keys(answers).length,
        milliseconds: expect.any(Number) as number,
        waits: {
          index: expect.any(Number) as number,
          manifest: expect.any(Number) as number,
          bundle: expect.any(Number) as number,
        },
      },
    ]);
  });

  test.each([
    ["/v1/bundles/sample/9.9.9", {}, { route: "/v1/bundles/:benchmark/:version", status: 404, code: "not_found" }],
    ["/v1/bundles/sample/1.0.0/files/passwd", {}, { status: 404, code: "not_found", benchmark: "sample" }],
    ["/nowhere/at-all?token=secret", {}, { route: null, status: 404, code: "not_found" }],
    ["/v1/bundles/sample/1.0.0", { method: "DELETE" }, { status: 405, code: "method_not_allowed" }],
    [ESTIMATES, post({ responses: { "no/item": 1 } }), { status: 422, code: "invalid_answers", answers: 1 }],
    [ESTIMATES, post('{"resp'), { status: 400, code: "malformed_json" }],
    ["/healthz", { headers: { authorization: "Bearer wrong" } }, { status: 401, code: "unauthorized", token: null }],
  ] as [string, RequestInit, object][])("%s is refused, and the line says why", async (path, init, line) => {
    await startApp({}, settings)(path, init);
    expect(linesOf(log)).toEqual([expect.objectContaining(line)]);
  });

  test("names the token whose requests are too many", async () => {
    const LIMITER = { limit: () => Promise.resolve({ success: false }) };
    await startApp({}, { ...settings, LIMITER })("/healthz", { headers: reader.bearer });
    expect(linesOf(log)).toEqual([expect.objectContaining({ status: 429, code: "rate_limited", token: "reader" })]);
  });

  test("has no contents, tokens, queries or paths that name nothing", async () => {
    const request = startApp({}, settings);
    const secret = "SENSITIVE";
    await request(ESTIMATES, post({ responses: { [secret]: 1 } }, reader.bearer));
    await request(ESTIMATES, post({ responses: answers, [secret]: 1 }, reader.bearer));
    await request(ESTIMATES, post(`{"${secret}`, { authorization: `Bearer ${secret}` }));
    await request(`/v1/bundles/${secret}/1.0.0?${secret}=1`, { headers: { "user-agent": secret } });
    await request(`/v1/bundles/sample/${secret}/anchors?form=${secret}`);
    await request(`/${secret}`, { headers: { "x-request-id": `${secret} 1` } });
    expect(log).toHaveBeenCalledTimes(6);
    expect(log.mock.calls.flat().join("\n")).not.toMatch(/SENSITIVE|test-reader/i);
  });

  test("may be set as text, as the dashboard does", async () => {
    await startApp({}, { LOG_REQUESTS: "true" })("/healthz");
    expect(linesOf(log)).toMatchObject([{ route: "/healthz", status: 200 }]);
  });

  test("is silent unless it is set", async () => {
    await startApp()(ESTIMATES, ask);
    for (const LOG_REQUESTS of [false, "false", ""]) await startApp({}, { LOG_REQUESTS })("/nowhere");
    expect(log).not.toHaveBeenCalled();
  });
});
