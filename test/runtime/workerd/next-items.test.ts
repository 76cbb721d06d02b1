import { env } from "cloudflare:workers";
import { reset } from "cloudflare:test";
import { adaptiveEvaluation, createClient, type AdaptiveOptions, type AdaptiveTurn } from "anchoreval";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAX_STATE } from "../../../features/adaptive/http/adaptive-session.ts";
import { post, problemOf, publishSample, startApp, watchedBucket } from "./support/worker.ts";

const NEXT = "/v1/bundles/sample/1.0.0/next-items";
const [OLD, NEW] = ["ab".repeat(32), "01".repeat(32)];
const DAY = 86_400_000;
const request = startApp({}, { SESSION_KEYS: OLD });
const client = createClient({
  baseUrl: "http://localhost",
  fetch: (input, init) => request((input as string).replace("http://localhost", ""), init),
});
const REF = { benchmark: "sample", version: "latest" };

beforeEach(() => publishSample());
afterEach(() => reset());

/** Right on two items of three. */
const score = (id: string): number => ((id.length + id.charCodeAt(id.length - 1)) % 3 === 0 ? 0 : 1);
const answersTo = (items: AdaptiveTurn["items"], of = score): Record<string, number> =>
  Object.fromEntries(items.map(({ item_id }) => [item_id, of(item_id)]));

async function begin(options: AdaptiveOptions = {}, send = request): Promise<AdaptiveTurn> {
  const response = await send(NEXT, post({ begin: options }));
  expect(response.status).toBe(200);
  return response.json();
}

describe("POST …/next-items", () => {
  test("an evaluation from its beginning to its end, by the SDK's client", async () => {
    const evaluation = adaptiveEvaluation(client.adaptive(REF), { batch: 10, budget: 100, stop: { halfWidth: 0.12 } });
    const asked: string[] = [];
    for await (const items of evaluation) {
      asked.push(...items.map(({ item_id }) => item_id));
      evaluation.answer(new Map(Object.entries(answersTo(items))));
    }
    const { step } = evaluation;
    expect(new Set(asked).size).toBe(step!.asked);
    expect(step).toMatchObject({ benchmark: "sample", version: "1.0.0", stopped: { rule: "half-width" }, state: null });
    const { low, high } = step!.model!.interval!;
    expect((high - low) / 2).toBeLessThanOrEqual(0.12);
  });

  test("two models at once, until one is better", async () => {
    const evaluation = adaptiveEvaluation(client.adaptive(REF), { models: 2, budget: 100, stop: { better: true } });
    for await (const items of evaluation)
      evaluation.answer(
        answersTo(items, () => 0),
        answersTo(items),
      );
    expect(evaluation.step).toMatchObject({ stopped: { rule: "better", verdict: "b-better" }, model: null });
  });

  test("the same state and answers give the same turn again, byte by byte, from another isolate too", async () => {
    const first = await begin();
    const body = post({ state: first.state, responses: answersTo(first.items) });
    const once = await (await request(NEXT, body)).text();
    const elsewhere = startApp({}, { SESSION_KEYS: OLD });
    expect(await (await elsewhere(NEXT, body)).text()).toBe(once);
  });

  test("sessions differ in what they draw", async () => {
    const [one, other] = [await begin(), await begin()];
    expect(one.items).not.toEqual(other.items);
  });

  test("of a yanked version carries the warning", async () => {
    const { state, items } = await begin();
    await publishSample({ version: "1.1.0", seed: 8 });
    await env.BUNDLES.put("bundles/sample/1.0.0/yanked.json", JSON.stringify({ yanked: true, reason: "wrong key" }));
    await env.BUNDLES.delete("bundles/sample/index.json");
    const send = startApp({}, { SESSION_KEYS: OLD });
    const turn: AdaptiveTurn = await (await send(NEXT, post({ state, responses: answersTo(items) }))).json();
    expect(turn.warnings).toMatchObject([{ code: "yanked_version" }]);
  });
});

describe("states", () => {
  test("are accepted while their key is one of the Worker's, first or not", async () => {
    const { state, items } = await begin();
    const body = post({ state, responses: answersTo(items) });
    for (const keys of [`${NEW},${OLD}`, `${OLD},${NEW}`, OLD.toUpperCase()])
      expect((await startApp({}, { SESSION_KEYS: keys })(NEXT, body)).status).toBe(200);
    expect(await problemOf(await startApp({}, { SESSION_KEYS: NEW })(NEXT, body))).toMatchObject({
      status: 422,
      code: "invalid_state",
    });
  });

  test("end after seven days", async () => {
    const now = Date.parse("2026-11-22T12:00:00Z");
    const { state, items } = await begin({}, startApp({ now: () => now }, { SESSION_KEYS: OLD }));
    const body = post({ state, responses: answersTo(items) });
    expect((await startApp({ now: () => now + 7 * DAY }, { SESSION_KEYS: OLD })(NEXT, body)).status).toBe(200);
    expect(
      await problemOf(await startApp({ now: () => now + 7 * DAY + 1 }, { SESSION_KEYS: OLD })(NEXT, body)),
    ).toMatchObject({ status: 410, code: "state_expired" });
  });

  test("belong to their bundle", async () => {
    const { state, items } = await begin();
    await publishSample({ version: "1.1.0", seed: 8 });
    const response = await request("/v1/bundles/sample/1.1.0/next-items", post({ state, responses: answersTo(items) }));
    expect(await problemOf(response)).toMatchObject({ status: 409, code: "digest_mismatch" });
  });

  test("stay short: a thousand items of two models and graded scores", async () => {
    await publishSample({ version: "2.0.0", items: [400, 600], seed: 9 });
    const path = "/v1/bundles/sample/2.0.0/next-items";
    let turn: AdaptiveTurn = await (
      await request(path, post({ begin: { models: 2, batch: 100, budget: 1000 } }))
    ).json();
    let longest = 0;
    while (turn.state !== null) {
      longest = Math.max(longest, turn.state.length);
      const side = (k: number): object => ({
        responses: answersTo(turn.items, (id) => (score(id) + Math.sqrt(k + id.length)) / 9),
      });
      turn = await (await request(path, post({ state: turn.state, a: side(1), b: side(2) }))).json();
    }
    expect(turn.stopped).toMatchObject({ rule: "all-items" });
    expect(longest).toBeLessThan(MAX_STATE);
  });

  test.each<[string, (state: string) => string]>([
    ["cut", (state) => state.slice(0, -3)],
    ["with another signature", (state) => `${state.slice(0, -4)}AAAA`],
    ["with another beginning", (state) => `AAAA${state.slice(4)}`],
    ["of three parts", (state) => `${state}.AAAA`],
    ["without a signature", (state) => state.split(".")[0]!],
    ["of other characters", () => "näh.näh"],
    ["empty", () => ""],
  ])("%s are refused", async (_, spoil) => {
    const { state, items } = await begin();
    const response = await request(NEXT, post({ state: spoil(state!), responses: answersTo(items) }));
    expect(await problemOf(response)).toMatchObject({ status: 422, code: "invalid_state" });
  });
});

describe("what is refused", () => {
  const responses = {};
  test.each<[string, unknown, number, string]>([
    ["nothing", {}, 422, "invalid_request"],
    ["a beginning with answers", { begin: {}, responses }, 422, "invalid_request"],
    ["answers without a state", { responses }, 422, "invalid_request"],
    ["a misspelt option", { begin: { bugdet: 10 } }, 422, "invalid_request"],
    ["a misspelt rule", { begin: { stop: { halfwidth: 0.1 } } }, 422, "invalid_request"],
    ["an unknown scenario", { begin: { scenarios: ["gamma"] } }, 422, "unknown_scenario"],
    ["a budget above all items", { begin: { budget: 1e9 } }, 422, "invalid_option"],
    ["a state of a megabyte", { state: "A".repeat(40_000), responses }, 422, "invalid_request"],
    ["no JSON", "{", 400, "malformed_json"],
  ])("%s", async (_, body, status, code) => {
    expect(await problemOf(await request(NEXT, post(body)))).toMatchObject({ status, code });
  });

  test.each<[string, (ids: string[]) => unknown]>([
    ["an item left out", (ids) => ({ responses: Object.fromEntries(ids.slice(1).map((id) => [id, 1])) })],
    ["an item that wasn't asked", (ids) => ({ responses: Object.fromEntries([...ids, "x"].map((id) => [id, 1])) })],
    ["a score above 1", (ids) => ({ responses: Object.fromEntries(ids.map((id) => [id, 2])) })],
    ["null for all", () => ({ responses: null })],
    ["a number for all", () => ({ responses: 7 })],
    [
      "two models' answers",
      (ids) => {
        const own = { responses: Object.fromEntries(ids.map((id) => [id, 1])) };
        return { a: own, b: own };
      },
    ],
  ])("answers: %s", async (_, answers) => {
    const { state, items } = await begin();
    const body = { state, ...(answers(items.map(({ item_id }) => item_id)) as object) };
    expect(await problemOf(await request(NEXT, post(body)))).toMatchObject({ status: 422, code: "invalid_answers" });
  });

  test("an answer given twice", async () => {
    const { state, items } = await begin();
    const id = JSON.stringify(items[0]!.item_id);
    const body = `{"state":${JSON.stringify(state)},"responses":{${id}:1,${id}:0}}`;
    expect(await problemOf(await request(NEXT, post(body)))).toMatchObject({ status: 422, code: "invalid_answers" });
  });

  test("without keys there are no evaluations, with broken ones it says so and shows nothing", async () => {
    expect(await problemOf(await startApp()(NEXT, post({ begin: {} })))).toMatchObject({
      status: 501,
      code: "not_implemented",
    });
    const broken = await problemOf(await startApp({}, { SESSION_KEYS: "secret!" })(NEXT, post({ begin: {} })));
    expect(broken).toMatchObject({ status: 500, code: "misconfigured" });
    expect(JSON.stringify(broken)).not.toContain("secret!");
  });
});

test("storage that fails is 503, and the next request works", async () => {
  let failing = true;
  const bucket = watchedBucket((key) => failing && key.includes("blobs"));
  const send = startApp({}, { SESSION_KEYS: OLD, BUNDLES: bucket });
  expect(await problemOf(await send(NEXT, post({ begin: {} })))).toMatchObject({ status: 503 });
  failing = false;
  expect((await send(NEXT, post({ begin: {} }))).status).toBe(200);
});

test("the bundle and its items are read once", async () => {
  const bucket = watchedBucket();
  const send = startApp({}, { SESSION_KEYS: OLD, BUNDLES: bucket });
  const { state, items } = await begin({}, send);
  const before = bucket.reads.length;
  await send(NEXT, post({ state, responses: answersTo(items) }));
  expect(bucket.reads.length).toBe(before);
});
