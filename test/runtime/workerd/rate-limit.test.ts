import { reset } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RateLimiter } from "../../../workers/src/platform/env.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const PATH = "/v1/bundles/sample/1.0.0";
const [first, second] = [testToken("first", ["read:*"]), testToken("second", ["read:*"])];
const TOKENS = JSON.stringify([first.record, second.record]);
const from = (address: string): Record<string, string> => ({ "cf-connecting-ip": address });

beforeEach(() => publishSample());
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

/** Lets so many requests of a key through, and notes the keys. */
function limiterOf(most: number): RateLimiter & { keys: string[] } {
  const keys: string[] = [];
  return {
    keys,
    limit: ({ key }) => {
      keys.push(key);
      return Promise.resolve({ success: keys.filter((own) => own === key).length <= most });
    },
  };
}

test("the platform's own limiter: 429 with Retry-After beyond what wrangler.toml allows", async () => {
  const request = startApp({}, { LIMITER: (env as unknown as { LIMITER: RateLimiter }).LIMITER });
  const statuses: number[] = [];
  for (let k = 0; k < 310; k++) {
    const response = await request("/healthz", { headers: from("203.0.113.77") });
    statuses.push(response.status);
    if (response.status !== 429) continue;
    expect(response.headers.get("retry-after")).toBe("10");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await problemOf(response)).toMatchObject({
      code: "rate_limited",
      detail: expect.stringContaining("10 s") as string,
    });
    break;
  }
  // The window may turn while this runs: then twice as many come through.
  expect([
    statuses.length > 300 || statuses.at(-1) === 429,
    statuses.filter((status) => status === 200).length >= 300,
  ]).toEqual([true, true]);
  expect((await request("/healthz", { headers: from("203.0.113.78") })).status).toBe(200);
});

describe("who is counted", () => {
  test("a token by its id, wherever it calls from; without one the network", async () => {
    const LIMITER = limiterOf(100);
    const request = startApp({}, { LIMITER, TOKENS });
    await request(PATH, { headers: { ...first.bearer, ...from("203.0.113.1") } });
    await request(PATH, { headers: { ...first.bearer, ...from("203.0.113.2") } });
    await request(PATH, { headers: from("203.0.113.1") });
    await request(PATH, { headers: from("2001:db8:1:2:3::4") });
    expect(LIMITER.keys).toEqual(["token:first", "token:first", "network:203.0.113.1", "network:2001:db8:1:2::/64"]);
  });

  test("a wrong token by the network, so that guesses are counted too", async () => {
    const LIMITER = limiterOf(2);
    const request = startApp({}, { LIMITER, TOKENS });
    const guess = (k: number): Promise<Response> =>
      request(PATH, { headers: { authorization: `Bearer guess-${k}`, ...from("203.0.113.1") } });
    expect([(await guess(1)).status, (await guess(2)).status, (await guess(3)).status]).toEqual([401, 401, 429]);
  });

  test("nobody who comes from another Worker of the account, without address and token", async () => {
    const LIMITER = limiterOf(0);
    expect((await startApp({}, { LIMITER })(PATH)).status).toBe(200);
    expect(LIMITER.keys).toEqual([]);
  });

  test("one caller's flood isn't another's", async () => {
    const request = startApp({}, { LIMITER: limiterOf(1), TOKENS });
    const statuses = [first, first, second].map(
      async ({ bearer }) => (await request(PATH, { headers: bearer })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 429, 200]);
  });
});

describe("work is counted, not requests alone", () => {
  const answers = sampleAnswers("20");
  const models = (count: number) => Array.from({ length: count }, (_, k) => ({ model: `m${k}`, responses: answers }));
  const lines = (count: number): RequestInit => {
    const body = models(count)
      .map((own) => `${JSON.stringify(own)}\n`)
      .join("");
    const headers = {
      "content-type": "application/x-ndjson",
      "content-length": String(new TextEncoder().encode(body).length),
    };
    return { method: "POST", headers: { ...headers, ...from("203.0.113.1") }, body };
  };
  const json = (body: unknown): RequestInit => post(body, from("203.0.113.1"));
  const queue = { sendBatch: () => Promise.resolve() };

  test.each<[string, string, RequestInit, number]>([
    ["an estimate", "estimates", json({ responses: answers }), 1],
    ["a batch of JSON", "estimates/batch", json({ models: models(100) }), 28],
    ["a batch of lines", "estimates/batch", lines(100), 26],
    ["a job", "estimates/jobs", lines(400), 63],
    ["a comparison", "comparisons", json({ a: { responses: answers }, b: { responses: answers } }), 1],
    ["an adaptive evaluation's beginning", "next-items", json({ begin: {} }), 31],
  ])("%s", async (_, path, init, counts) => {
    const LIMITER = limiterOf(100);
    const bindings = { LIMITER, JOBS: queue, OPEN_JOBS: true, MAX_BATCH_MODELS: 100, SESSION_KEYS: "ab".repeat(32) };
    const request = startApp({}, bindings);
    expect((await request(`${PATH}/${path}`, init)).status).toBeLessThan(300);
    expect(LIMITER.keys).toEqual(Array.from({ length: counts }, () => "network:203.0.113.1"));
  });

  test("the platform's own limiter: nine beginnings in its period, then 429 with Retry-After", async () => {
    const { LIMITER } = env as unknown as { LIMITER: RateLimiter };
    const request = startApp({}, { LIMITER, SESSION_KEYS: "ab".repeat(32) });
    const begin = (): Promise<Response> => request(`${PATH}/next-items`, post({ begin: {} }, from("203.0.113.79")));
    let begun = 0;
    for (let response = await begin(); ; response = await begin()) {
      if (response.status === 429) {
        expect(response.headers.get("retry-after")).toBe("10");
        expect(await problemOf(response)).toMatchObject({ code: "rate_limited" });
        break;
      }
      begun++;
      await response.body!.cancel();
    }
    expect(begun).toBeGreaterThan(8); // more where the window turns while this runs
    expect(begun).toBeLessThan(30);
  });

  test("a batch that is too much is refused whole, and a job isn't begun", async () => {
    const sent: unknown[] = [];
    const JOBS = { sendBatch: (batch: Iterable<unknown>) => (sent.push(...batch), Promise.resolve()) };
    const bindings = { JOBS, OPEN_JOBS: true, MAX_BATCH_MODELS: 100 };
    for (const [path, init] of [
      ["estimates/batch", json({ models: models(100) })],
      ["estimates/batch", lines(100)],
      ["estimates/jobs", lines(400)],
    ] as const) {
      const response = await startApp({}, { ...bindings, LIMITER: limiterOf(20) })(`${PATH}/${path}`, init);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "10"]);
    }
    expect(sent).toEqual([]);
  });
});

test("it is refused before anything is read or stored", async () => {
  const bucket = watchedBucket();
  const request = startApp({}, { LIMITER: limiterOf(0), BUNDLES: bucket });
  for (const path of [PATH, "/v1/bundles", `${PATH}/files/items.jsonl`, `${PATH}/estimates`])
    expect((await request(path, { headers: from("203.0.113.1") })).status).toBe(429);
  expect(bucket.reads).toEqual([]);
});

test.each([
  ["hangs", (): Promise<never> => new Promise(() => undefined)],
  ["rejects", (): Promise<never> => Promise.reject(new Error("limiter is down"))],
  [
    "throws",
    (): never => {
      throw new Error("limiter is down");
    },
  ],
])("a limiter that %s lets requests through, and the log says so", async (_, limit) => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const response = await startApp({}, { LIMITER: { limit } })(PATH, { headers: from("203.0.113.1") });
  expect(response.status).toBe(200);
  expect(log.mock.calls.flat().join()).toMatch(/"event":"rate_limiter_failed".*limiter/);
});

test("without a limiter there is no limit", async () => {
  const request = startApp();
  for (let k = 0; k < 5; k++) expect((await request("/healthz", { headers: from("203.0.113.1") })).status).toBe(200);
});
