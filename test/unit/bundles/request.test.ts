import { AnchorEvalError } from "anchoreval";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { atMost } from "../../../sdk/bundles/body.ts";
import { requestBytes, type RequestPolicy } from "../../../sdk/bundles/request.ts";
import { expectRefusal, rejection, type Refusal } from "../../support/refusal.ts";

const url = "https://evals.example.com/v1/bundles/a/1.0.0";

/** A fetch that answers from a list; the last answer repeats. */
function scripted(
  ...answers: (Response | Error | (() => Response))[]
): RequestPolicy["fetch"] & { calls: RequestInit[] } {
  const calls: RequestInit[] = [];
  const send = (_: unknown, init?: RequestInit): Promise<Response> => {
    const answer = answers[Math.min(calls.length, answers.length - 1)]!;
    calls.push(init!);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(typeof answer === "function" ? answer() : answer.clone());
  };
  return Object.assign(send as typeof fetch, { calls });
}

const ok = (): Response => new Response("fine");
const status = (code: number, body: unknown = "", headers: Record<string, string> = {}): Response =>
  new Response(typeof body === "string" ? body : JSON.stringify(body), { status: code, headers });
/** An error as a Worker of ours answers it. */
const problem = (code: number, body: unknown): Response =>
  status(code, body, { "content-type": "application/problem+json; charset=utf-8" });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs a request to its end, waits included. @returns its outcome and how long it took */
async function run(policy: RequestPolicy, input = {}): Promise<{ outcome: unknown; waited: number }> {
  const begin = Date.now();
  const settled: unknown[] = [];
  void requestBytes(url, input, policy, atMost(1 << 20, url)).then(
    (value) => settled.push(value),
    (error: unknown) => settled.push(error),
  );
  while (settled.length === 0) await vi.advanceTimersByTimeAsync(10);
  return { outcome: settled[0], waited: Date.now() - begin };
}

describe("an answer", () => {
  test("is status and bytes, at the first attempt", async () => {
    const send = scripted(ok());
    const { outcome } = await run({ fetch: send });
    expect(outcome).toEqual({ status: 200, bytes: new TextEncoder().encode("fine"), fileLength: 4 });
    expect(send.calls).toHaveLength(1);
  });

  test("carries the policy's headers, the call's own before them", async () => {
    const send = scripted(ok());
    await run(
      { fetch: send, headers: { authorization: "Bearer t", range: "no" } },
      { method: "POST", body: "{}", headers: { range: "bytes=0-1" } },
    );
    expect(send.calls[0]).toMatchObject({
      method: "POST",
      body: "{}",
      headers: { authorization: "Bearer t", range: "bytes=0-1" },
    });
  });

  test("404 is null: without a code, with not_found, and with another server's code", async () => {
    for (const body of ["", "<html>", { code: "not_found" }, { code: "NoSuchKey" }, { code: 10007 }, null])
      expect((await run({ fetch: scripted(status(404, body)) })).outcome).toBeNull();
    expect((await run({ fetch: scripted(problem(404, { code: "not_found" })) })).outcome).toBeNull();
  });

  test("404 with a code of ours is that error", async () => {
    const { outcome } = await run({ fetch: scripted(problem(404, { code: "unknown_form", detail: "no form 50" })) });
    expect(outcome).toMatchObject({ code: "unknown_form", message: expect.stringContaining("no form 50") as string });
  });
});

describe("a refusal", () => {
  test("has the problem's code, detail and issues, and is not repeated", async () => {
    const issues = [{ path: ["responses", "a/1"], code: "out_of_range", message: "a score must be in [0,1], got 2" }];
    const send = scripted(problem(422, { code: "invalid_answers", title: "Bad answers", detail: "1 answer", issues }));
    const { outcome } = await run({ fetch: send });
    expect(outcome).toMatchObject({ code: "invalid_answers", message: `${url}: 422: 1 answer`, issues });
    expect(send.calls).toHaveLength(1);
  });

  test.each<[unknown, string]>([
    ["plain text", "plain text"],
    [{ title: "Teapot" }, "Teapot"],
    [{ code: "invalid_answers", detail: "another server's own code", issues: [{}] }, "another server's own code"],
    ["", "418"],
  ])("that is no problem document of ours is request_refused: %j", async (body, fragment) => {
    const { outcome } = await run({ fetch: scripted(status(418, body)) });
    expect(outcome).toMatchObject({
      code: "request_refused",
      message: expect.stringContaining(fragment) as string,
      issues: [],
    });
  });
});

describe("retries", () => {
  test.each([408, 429, 500, 502, 503, 599])("status %i is tried again, with growing waits", async (code) => {
    const send = scripted(status(code), status(code), ok());
    const { outcome, waited } = await run({ fetch: send });
    expect(outcome).toMatchObject({ status: 200 });
    expect(send.calls).toHaveLength(3);
    expect(waited).toBeGreaterThanOrEqual(200 + 400);
    expect(waited).toBeLessThan(700);
  });

  test("a network failure is tried again", async () => {
    const send = scripted(new TypeError("fetch failed"), ok());
    expect((await run({ fetch: send })).outcome).toMatchObject({ status: 200 });
  });

  test("tell what is wrong with the bundle where the server says so", async () => {
    const issues = [{ path: ["items.jsonl"], code: "missing", message: "items.jsonl is missing" }];
    const send = scripted(problem(500, { code: "bundle_corrupt", detail: "items.jsonl is missing", issues }));
    const { outcome } = await run({ fetch: send, maxRetries: 0 });
    expectRefusal(outcome as Refusal, "bundle_corrupt", "500: items.jsonl is missing");
    expect((outcome as Refusal).issues).toEqual(issues);
  });

  test("give up as unavailable, with the last reason and the number of attempts", async () => {
    const send = scripted(status(500), status(503, { detail: "the bucket is down" }));
    const { outcome } = await run({ fetch: send });
    expectRefusal(outcome as Refusal, "unavailable", "503: the bucket is down (3 attempts)");
    const cause = new TypeError("fetch failed");
    const failed = (await run({ fetch: scripted(cause), maxRetries: 1 })).outcome;
    expect(failed).toMatchObject({ code: "unavailable", message: `${url}: fetch failed (2 attempts)`, cause });
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const told = scripted(new TypeError("fetch failed", { cause: refused }));
    expect((await run({ fetch: told, maxRetries: 0 })).outcome).toMatchObject({
      message: `${url}: fetch failed: ECONNREFUSED (1 attempts)`,
    });
  });

  test("maxRetries 0 means one attempt", async () => {
    const send = scripted(status(500));
    await run({ fetch: send, maxRetries: 0 });
    expect(send.calls).toHaveLength(1);
  });

  test.each([
    ["2", 2000, 2100],
    ["0", 0, 100],
    ["-5", 0, 100],
    ["soon", 200, 300],
    ["3600", 20_000, 20_100],
  ])("Retry-After: %s waits from %i to %i ms", async (value, least, most) => {
    const { waited } = await run({ fetch: scripted(status(429, "", { "retry-after": value }), ok()) });
    expect(waited).toBeGreaterThanOrEqual(least);
    expect(waited).toBeLessThan(most);
  });

  test("Retry-After may be a date", async () => {
    vi.setSystemTime(new Date("2026-11-21T10:00:00Z"));
    const { waited } = await run({
      fetch: scripted(status(503, "", { "retry-after": "Sat, 21 Nov 2026 10:00:03 GMT" }), ok()),
    });
    expect(waited).toBeGreaterThanOrEqual(2900);
    expect(waited).toBeLessThan(3100);
  });

  test("maxWait bounds every wait", async () => {
    const send = scripted(status(503, "", { "retry-after": "3600" }), ok());
    expect((await run({ fetch: send, maxWait: 50 })).waited).toBeLessThan(100);
  });
});

describe("aborts", () => {
  /** A fetch that never answers, as long as nobody aborts it. */
  const silent = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      init!.signal!.addEventListener("abort", () => reject(init!.signal!.reason as Error));
    });

  test("before the first attempt", async () => {
    const send = scripted(ok());
    const { outcome } = await run({ fetch: send, signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ code: "aborted", message: `${url}: the request was aborted by the caller` });
    expect(send.calls).toHaveLength(0);
  });

  test("while the server is silent; the attempt is not repeated", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const { outcome, waited } = await run({ fetch: silent, signal: controller.signal });
    expect(outcome).toMatchObject({ code: "aborted" });
    expect(waited).toBeLessThan(400);
  });

  test("during the wait between attempts", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 300);
    const send = scripted(status(503, "", { "retry-after": "10" }));
    const { outcome, waited } = await run({ fetch: send, signal: controller.signal });
    expect(outcome).toMatchObject({ code: "aborted" });
    expect(waited).toBeLessThan(400);
    expect(send.calls).toHaveLength(1);
  });

  test("while an error's body was read: no wait begins", async () => {
    const controller = new AbortController();
    const send = scripted(() => {
      controller.abort();
      return status(503, "", { "retry-after": "10" });
    });
    const { outcome, waited } = await run({ fetch: send, signal: controller.signal });
    expect(outcome).toMatchObject({ code: "aborted" });
    expect(waited).toBeLessThan(100);
  });

  test("leave no listener behind after an answer", async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, "removeEventListener");
    await run({ fetch: scripted(status(500), ok()), signal: controller.signal });
    expect(remove).toHaveBeenCalledWith("abort", expect.any(Function));
  });
});

test("what is thrown is the project's one error class", async () => {
  vi.useRealTimers();
  const error = await rejection(requestBytes(url, {}, { fetch: scripted(status(418)) }, atMost(1 << 20, url)));
  // The source's class and the built package's are two in tests; users see one. Name and fields are the contract.
  expect(error).toMatchObject({ name: new AnchorEvalError("unavailable", "").name, issues: [] });
});
