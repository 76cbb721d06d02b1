import { createExecutionContext, createMessageBatch, getQueueResult, reset } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { BatchLine, JobStatus } from "anchoreval";
import { manifestKey } from "anchoreval/internal/core/bundle/names";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createCaches } from "../../../workers/src/bundles/bundle-caches.ts";
import { JOB_LIFETIME, jobKey, requestsKey, resultsKey, summaryKey } from "../../../features/jobs/http/job.ts";
import { consumeQueue } from "../../../features/jobs/http/consume-jobs.ts";
import { JobStatusSchema } from "../../../features/jobs/http/routes.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { testToken } from "./support/publish.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const JOBS = "/v1/bundles/sample/1.0.0/estimates/jobs";
const QUEUE = "anchoreval-jobs";
const MODELS = 7;
const answersOf = (k: number): Record<string, number> => sampleAnswers("20", {}, { seed: k + 1 });
const requests = Array.from({ length: MODELS }, (_, k) => JSON.stringify({ model: `m${k}`, responses: answersOf(k) }));
const body = `${requests.join("\n")}\n`;
const lines = (text: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: {
    "content-type": "application/x-ndjson",
    "content-length": String(new TextEncoder().encode(text).length),
    ...headers,
  },
  body: text,
});
/** Two models a shard. */
const LIMITS = { MAX_BATCH_MODELS: 2, OPEN_JOBS: true };

/** A queue that keeps what it is sent. */
function keptQueue(): { messages: string[]; sendBatch: (batch: Iterable<{ body: string }>) => Promise<void> } {
  const messages: string[] = [];
  return { messages, sendBatch: (batch) => (messages.push(...[...batch].map((own) => own.body)), Promise.resolve()) };
}

/** Sends a job to a queue that keeps its messages. */
async function submit(text = body, bindings: Parameters<typeof startApp>[1] = {}) {
  const queue = keptQueue();
  const response = await startApp({}, { ...LIMITS, JOBS: queue, ...bindings })(JOBS, lines(text));
  if (response.status !== 202) throw new Error(await response.text());
  const job: JobStatus = await response.json();
  return { job, messages: queue.messages, path: response.headers.get("location")! };
}

let counter = 0;
/** Delivers messages to an empty isolate. @returns which were acknowledged, which come again */
async function deliver(
  bodies: readonly unknown[],
  { bucket = env.BUNDLES as never, queue = QUEUE, now = Date.now, attempts = 1 } = {},
): Promise<{ acknowledged: number; again: number }> {
  const messages = bodies.map((own) => ({ id: `${counter++}`, timestamp: new Date(), attempts, body: own }));
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await consumeQueue(batch, { BUNDLES: bucket }, context, createCaches(), now);
  const { explicitAcks, retryMessages } = (await getQueueResult(batch, context)) as {
    explicitAcks: string[];
    retryMessages: object[];
  };
  return { acknowledged: explicitAcks.length, again: retryMessages.length };
}

async function statusOf(path: string): Promise<JobStatus> {
  const response = await startApp()(path);
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const status: JobStatus = await response.json();
  expect(JobStatusSchema.parse(status)).toEqual(status);
  return status;
}

async function resultsOf(path: string): Promise<Record<string, unknown>[]> {
  const response = await startApp()(`${path}/results`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const text = await response.text();
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The results are those of single estimates, each once and in order. */
async function expectRight(path: string): Promise<void> {
  expect(await statusOf(path)).toMatchObject({ state: "done", models: MODELS, results: MODELS, problems: 0 });
  const found = await resultsOf(path);
  expect(found.at(-1)).toEqual({ done: true, results: MODELS, problems: 0 });
  const single = startApp();
  const expected = await Promise.all(
    requests.map(async (_, index) => {
      const response = await single(JOBS.replace("/jobs", ""), post({ responses: answersOf(index) }));
      return { index, model: `m${index}`, estimate: await response.json() };
    }),
  );
  expect(found.slice(0, -1)).toEqual(expected);
}

const keys = async (): Promise<string[]> => (await env.BUNDLES.list({ prefix: "jobs/" })).objects.map(({ key }) => key);

beforeEach(async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  await publishSample();
});
afterEach(() => {
  vi.restoreAllMocks();
  return reset();
});

test("a job goes through Cloudflare's queue and gives what single estimates give", async () => {
  const own = exports.default;
  const response = await own.fetch(new Request(`http://localhost${JOBS}`, lines(body)));
  expect(response.status).toBe(202);
  const path = response.headers.get("location")!;
  await vi.waitUntil(async () => (await statusOf(path)).state === "done", { timeout: 20_000, interval: 100 });
  await expectRight(path);
});

test("what is stored: the requests as they came, the job, each part's results and a summary; messages are keys", async () => {
  const { job, messages, path } = await submit();
  expect(job).toMatchObject({ benchmark: "sample", version: "1.0.0", state: "running", models: MODELS, results: 0 });
  expect(JobStatusSchema.parse(job)).toEqual(job);
  expect(job.id).toMatch(/^[0-9a-f]{32}$/);
  expect(path).toBe(`${JOBS}/${job.id}`);
  expect(messages).toEqual([0, 1, 2, 3].map((shard) => resultsKey(job.id, shard)));
  expect(await (await env.BUNDLES.get(requestsKey(job.id)))!.text()).toBe(body);
  expect(await statusOf(path)).toEqual(job);
  expect(await problemOf(await startApp()(`${path}/results`))).toMatchObject({ status: 409, code: "job_running" });
  expect(await deliver(messages.slice(0, 2))).toEqual({ acknowledged: 2, again: 0 });
  expect(await statusOf(path)).toMatchObject({ state: "running", results: 4, problems: 0 });
  await deliver(messages.slice(2));
  await expectRight(path);
  expect(await keys()).toEqual([jobKey(job.id), requestsKey(job.id), ...messages, summaryKey(job.id)]);
});

test("latest is resolved once, when the job is sent", async () => {
  const queue = keptQueue();
  const response = await startApp({}, { OPEN_JOBS: true, JOBS: queue })(JOBS.replace("1.0.0", "latest"), lines(body));
  const path = response.headers.get("location")!;
  expect(path).toContain("/1.0.0/");
  await publishSample({ version: "1.1.0" });
  await deliver(queue.messages);
  await expectRight(path);
});

test("a line that can't be scored is its own problem; blank lines are none", async () => {
  const text = `\ufeff${requests[0]}\r\n\n{\n   \n${requests[1]}\n{"model":"x","responses":{"nobody":1}}`;
  const { path, messages } = await submit(text);
  await deliver(messages);
  const found = await resultsOf(path);
  expect(found).toMatchObject([
    { index: 0, model: "m0", estimate: {} },
    { index: 1, model: null, problem: { code: "malformed_json" } },
    { index: 2, model: "m1", estimate: {} },
    { index: 3, model: "x", problem: { code: "invalid_answers" } },
    { done: true, results: 2, problems: 2 },
  ]);
  expect(await statusOf(path)).toMatchObject({ state: "done", results: 2, problems: 2 });
});

test("a version that was taken back says so in every result", async () => {
  await env.BUNDLES.put("bundles/sample/1.0.0/yanked.json", '{"yanked":true,"reason":"wrong keys"}');
  await env.BUNDLES.delete("bundles/sample/index.json");
  const { path, messages } = await submit();
  await deliver(messages);
  for (const line of (await resultsOf(path)).slice(0, -1))
    expect((line as BatchLine & { estimate: object }).estimate).toMatchObject({
      warnings: expect.arrayContaining([expect.objectContaining({ code: "yanked_version" })]) as unknown,
    });
});

describe("messages", () => {
  test("twice, out of order and at the same time change nothing", async () => {
    const { path, messages } = await submit();
    const many = [...messages, ...messages.toReversed(), ...messages];
    await Promise.all([deliver(many), deliver(many.toReversed()), deliver([many[2], many[2], many[1]])]);
    await expectRight(path);
    const before = (await env.BUNDLES.list({ prefix: "jobs/" })).objects.map(({ key, version }) => [key, version]);
    expect(await deliver(many)).toEqual({ acknowledged: many.length, again: 0 });
    const after = (await env.BUNDLES.list({ prefix: "jobs/" })).objects.map(({ key, version }) => [key, version]);
    expect(after).toEqual(before);
  });

  test.each([
    [null],
    [17],
    [""],
    ["bundles/sample/index.json"],
    [`jobs/${"0".repeat(32)}/results/00000`],
    [`jobs/${"0".repeat(32)}/../../x/results/00000`],
  ])("that name nothing of ours are dropped: %s", async (own) => {
    expect(await deliver([own])).toEqual({ acknowledged: 1, again: 0 });
    expect(await keys()).toEqual([]);
  });

  test("of a shard that the job hasn't are dropped", async () => {
    const { job } = await submit();
    expect(await deliver([resultsKey(job.id, 4)])).toEqual({ acknowledged: 1, again: 0 });
  });

  test("that come after the job has expired do nothing", async () => {
    const { job, path, messages } = await submit();
    const late = (): number => Date.parse(job.created) + JOB_LIFETIME;
    expect(await deliver(messages, { now: late })).toEqual({ acknowledged: 4, again: 0 });
    expect(await keys()).toHaveLength(2);
    const request = startApp({ now: late });
    for (const own of [path, `${path}/results`])
      expect(await problemOf(await request(own))).toMatchObject({ status: 410, code: "job_expired" });
    expect((await startApp({ now: () => late() - 1 })(path)).status).toBe(200);
  });
});

describe("consumers that die", () => {
  /** The real bucket, whose nth write of these keys fails, before it is done or after. */
  const dying = (step: number, after: boolean, only: (key: string) => boolean = () => true): never => {
    let writes = 0;
    const bucket = watchedBucket();
    return {
      ...bucket,
      put: async (key: string, value: Uint8Array, options: R2PutOptions) => {
        const dies = only(key) && writes++ === step;
        if (dies && !after) throw new Error("gone");
        const put = await env.BUNDLES.put(key, value, options);
        if (dies) throw new Error("gone");
        return put;
      },
    } as never;
  };

  test.each([false, true])("at any write (done: %s): the message comes again, and all is right", async (after) => {
    for (let step = 0; step < 5; step++) {
      const { path, messages } = await submit();
      const { again } = await deliver(messages, { bucket: dying(step, after) });
      expect(again).toBe(1);
      await deliver(messages);
      await expectRight(path);
    }
  });

  test("after the last results: a reader writes the summary", async () => {
    const { job, path, messages } = await submit();
    await deliver(messages, { bucket: dying(0, false, (key) => key === summaryKey(job.id)) });
    expect(await keys()).not.toContain(summaryKey(job.id));
    await expectRight(path);
    expect(await keys()).toContain(summaryKey(job.id));
  });

  test("at any read: nothing is written, and the message comes again", async () => {
    const { job, path, messages } = await submit();
    for (const part of [jobKey(job.id), requestsKey(job.id), manifestKey("sample", "1.0.0")]) {
      const bucket = watchedBucket((key) => key === part) as never;
      expect(await deliver(messages.slice(0, 1), { bucket })).toEqual({ acknowledged: 0, again: 1 });
      expect(await keys()).toHaveLength(2);
    }
    await deliver(messages);
    await expectRight(path);
  });

  test("requests that are gone in storage are no results", async () => {
    const { job, messages } = await submit();
    for (const damaged of ["\n".repeat(body.length), ""]) {
      await env.BUNDLES.put(requestsKey(job.id), damaged);
      expect(await deliver(messages)).toEqual({ acknowledged: 0, again: 4 });
    }
    expect(await keys()).toHaveLength(2);
  });

  test("for good: the queue of dead letters gives each model a problem, and the job ends", async () => {
    const { path, messages } = await submit();
    await deliver(messages.slice(0, 3));
    const whole = await (await env.BUNDLES.get(manifestKey("sample", "1.0.0")))!.arrayBuffer();
    await env.BUNDLES.delete(manifestKey("sample", "1.0.0"));
    expect(await deliver(messages.slice(3), { attempts: 5 })).toEqual({ acknowledged: 0, again: 1 });
    expect(await deliver(messages.slice(3), { queue: `${QUEUE}-dead` })).toEqual({ acknowledged: 1, again: 0 });
    await env.BUNDLES.put(manifestKey("sample", "1.0.0"), whole);
    expect(await deliver(messages)).toEqual({ acknowledged: 4, again: 0 }); // too late: results stay as they are
    expect(await statusOf(path)).toMatchObject({ state: "done", results: 6, problems: 1 });
    expect((await resultsOf(path)).slice(-2)).toMatchObject([
      { index: 6, model: "m6", problem: { code: "unavailable" } },
      { done: true, results: 6, problems: 1 },
    ]);
  });

  test("a message of dead letters doesn't touch results that are there", async () => {
    const { path, messages } = await submit();
    await deliver(messages);
    await deliver(messages, { queue: `${QUEUE}-dead` });
    await expectRight(path);
  });
});

describe("readers", () => {
  test("see that results broke off: no last line", async () => {
    const { job, path, messages } = await submit();
    await deliver(messages);
    await env.BUNDLES.delete(resultsKey(job.id, 2));
    const response = await startApp()(`${path}/results`);
    await expect(response.text()).rejects.toThrow("are gone");
  });

  test("of another benchmark, version or id find nothing", async () => {
    const { job, path } = await submit();
    await publishSample({ version: "1.1.0" });
    for (const other of [
      path.replace("/sample/", "/other/"),
      path.replace("1.0.0", "1.1.0"),
      path.replace(job.id, "0".repeat(32)),
      path.replace(job.id, "../job.json"),
      path.replace(job.id, job.id.toUpperCase()),
    ])
      expect((await problemOf(await startApp()(other))).status, other).toBe(404);
  });

  test("of a protected benchmark need its scope, as its senders do", async () => {
    const reader = testToken("reader", ["read:sample"]);
    const guarded = { PROTECTED_BENCHMARKS: "sample", TOKENS: JSON.stringify([reader.record]) };
    const { path, messages } = await submit();
    await deliver(messages);
    const request = startApp({}, { ...guarded, OPEN_JOBS: true, JOBS: keptQueue() });
    for (const own of [path, `${path}/results`]) {
      expect((await request(own)).status).toBe(401);
      const response = await request(own, { headers: reader.bearer });
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
      await response.body!.cancel();
    }
    expect((await request(JOBS, lines(body))).status).toBe(401);
    expect((await request(JOBS, lines(body, reader.bearer))).status).toBe(202);
  });

  test("are told when storage doesn't answer", async () => {
    const { path } = await submit();
    const failing = startApp({}, { BUNDLES: watchedBucket((key) => key.startsWith("jobs/")) });
    expect(await problemOf(await failing(path))).toMatchObject({ status: 503 });
  });
});

describe("what is refused", () => {
  const JSON_BODY = post({ models: [{ model: "a", responses: {} }] });
  const long = JSON.stringify({
    model: "m",
    responses: Object.fromEntries(Array.from({ length: 99 }, (_, k) => [k, 1])),
  });
  test.each<[string, RequestInit, Parameters<typeof startApp>[1], number, string]>([
    ["without a queue", lines(body), { JOBS: undefined as never }, 501, "not_implemented"],
    ["JSON", JSON_BODY, {}, 415, "unsupported_media_type"],
    ["no models", lines("\n \n"), {}, 422, "invalid_request"],
    ["too many bytes", lines(body), { MAX_JOB_BYTES: 100 }, 413, "payload_too_large"],
    ["too many models", lines(body), { MAX_JOB_MODELS: MODELS - 1 }, 413, "payload_too_large"],
    ["more models than parts hold", lines("{}\n".repeat(401)), {}, 413, "payload_too_large"],
    ["too many models, by a setting that is text", lines(body), { MAX_JOB_MODELS: "6" }, 413, "payload_too_large"],
    ["a setting that is no number", lines(body), { MAX_BATCH_MODELS: "many" }, 500, "misconfigured"],
    ["a setting that lets nothing in", lines(body), { MAX_BATCH_MODELS: 0 }, 500, "misconfigured"],
    ["a line that is too long", lines(`${long}\n`), { MAX_REQUEST_BYTES: 500 }, 413, "payload_too_large"],
    ["fewer bytes than announced", lines(body, { "content-length": "999999" }), {}, 422, "content_mismatch"],
    ["more bytes than announced", lines(body, { "content-length": "50" }), {}, 422, "content_mismatch"],
  ])("%s", async (_, init, bindings, status, code) => {
    const queue = keptQueue();
    const request = startApp({}, { ...LIMITS, JOBS: queue, ...bindings });
    expect(await problemOf(await request(JOBS, init))).toMatchObject({ status, code });
    expect(queue.messages).toEqual([]);
    expect((await keys()).filter((key) => key.endsWith("job.json"))).toEqual([]);
  });

  test("whoever has no token, unless jobs are open", async () => {
    const writer = testToken("writer", ["publish:other"]);
    const request = startApp({}, { JOBS: keptQueue(), TOKENS: JSON.stringify([writer.record]) });
    const response = await request(JOBS, lines(body));
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    expect(await problemOf(response)).toMatchObject({ status: 401, code: "unauthorized" });
    expect(await keys()).toEqual([]);
    expect((await request(JOBS, lines(body, writer.bearer))).status).toBe(202);
    for (const open of ["yes", 1, "open"]) {
      const unsure = startApp({}, { JOBS: keptQueue(), OPEN_JOBS: open as never });
      expect(await problemOf(await unsure(JOBS, lines(body)))).toMatchObject({ status: 500, code: "misconfigured" });
    }
  });

  test("a body without length; a version that isn't there; another method", async () => {
    const request = startApp({}, { OPEN_JOBS: true, JOBS: keptQueue() });
    const headers = { "content-type": "application/x-ndjson" };
    const chunked = { method: "POST", headers, body: new Blob([body]).stream(), duplex: "half" };
    expect(await problemOf(await request(JOBS, chunked))).toMatchObject({ status: 411 });
    expect(await problemOf(await request(JOBS.replace("1.0.0", "9.9.9"), lines(body)))).toMatchObject({ status: 404 });
    expect(await problemOf(await request(JOBS, { method: "DELETE" }))).toMatchObject({ status: 405 });
  });

  test("storage or a queue that fails: 503, and no job that anybody was told of", async () => {
    for (const part of ["requests.jsonl", "job.json"]) {
      const bucket = watchedBucket();
      const put = (key: string, value: Uint8Array, options: R2PutOptions): Promise<unknown> =>
        key.endsWith(part) ? Promise.reject(new Error("gone")) : env.BUNDLES.put(key, value, options);
      const request = startApp({}, { OPEN_JOBS: true, JOBS: keptQueue(), BUNDLES: { ...bucket, put } as never });
      expect(await problemOf(await request(JOBS, lines(body)))).toMatchObject({ status: 503, code: "unavailable" });
    }
    const full = { sendBatch: () => Promise.reject(new Error("full")) };
    expect(await problemOf(await startApp({}, { OPEN_JOBS: true, JOBS: full })(JOBS, lines(body)))).toMatchObject({
      status: 503,
    });
  });
});
