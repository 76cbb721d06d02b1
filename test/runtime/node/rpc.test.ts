import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  compareFromAnchors,
  estimateFromAnchors,
  loadBundle,
  planFromBundle,
  type AdaptiveTurn,
  type Bundle,
} from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWorker } from "../../support/built-worker.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";

/** Another Worker of the account: does the call that it is asked for. NaN has to come as text. */
const CALLER = `export default {
  async fetch(request, env) {
    const { method, args } = JSON.parse(await request.text(), (_, value) => (value === "NaN" ? NaN : value));
    return Response.json(await env.ANCHOREVAL[method](...args));
  },
};`;
const BUILT = fileURLToPath(new URL("../../../offline-trainer/dist/worker/", import.meta.url));
const TOKEN = "test-reader";
const REF = { benchmark: "sample", version: "1.0.0" };
const responses = sampleAnswers("20");

let miniflare: Miniflare;
let bundle: Bundle;

beforeAll(async () => {
  await buildWorker();
  const settings = JSON.parse(await readFile(`${BUILT}worker.json`, "utf8")) as { compatibilityDate: string };
  const { compatibilityDate } = settings;
  const sha256 = Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(TOKEN))).toString("hex");
  miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        name: "caller",
        modules: [{ type: "ESModule", path: "caller.js", contents: CALLER }],
        compatibilityDate,
        serviceBindings: { ANCHOREVAL: { name: "anchoreval", entrypoint: "AnchorEval" } },
      },
      {
        name: "anchoreval",
        modulesRoot: BUILT,
        modules: [{ type: "ESModule", path: `${BUILT}index.js` }],
        compatibilityDate,
        r2Buckets: ["BUNDLES"],
        bindings: {
          PROTECTED_BENCHMARKS: "closed",
          SESSION_KEYS: "ab".repeat(32),
          TOKENS: JSON.stringify([{ id: "reader", sha256, scopes: ["read:closed"], expires: null }]),
        },
      },
    ],
  });
  const store = r2Store(await miniflare.getR2Bucket("BUNDLES", "anchoreval"));
  await publishBundle(store, sampleBundle());
  await publishBundle(store, sampleBundle({ benchmark: "closed" }));
  bundle = await loadBundle(memorySource(sampleBundle()));
});
afterAll(() => miniflare.dispose());

type Result<T> = { ok: true; value: T } | { ok: false; problem: Record<string, unknown> };
async function call<T>(method: string, ...args: unknown[]): Promise<Result<T>> {
  const response = await miniflare.dispatchFetch("http://caller/", {
    method: "POST",
    body: JSON.stringify({ method, args }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Result<T>;
}
async function valueOf<T extends object>(method: string, ...args: unknown[]): Promise<T> {
  const result = await call<T>(method, ...args);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.value;
}

describe("another Worker gets the numbers of the SDK by", () => {
  test("estimate", async () => {
    expectSameNumbers(await valueOf("estimate", REF, { responses }), estimateFromAnchors(bundle, responses), 1e-12);
  });

  test("nextItems, from the first to the last", async () => {
    let turn = await valueOf<AdaptiveTurn>("nextItems", REF, { begin: { batch: 25, budget: 50 } });
    for (let asked = 25; turn.state !== null; asked += 25) {
      const own = Object.fromEntries(turn.items.map(({ item_id: id }) => [id, 1]));
      turn = await valueOf<AdaptiveTurn>("nextItems", REF, { state: turn.state, responses: own });
      expect(turn.asked).toBe(asked);
    }
    expect(turn).toMatchObject({ stopped: { rule: "budget" } });
    expect(turn.model!.score).toBeGreaterThan(0.97); // the draw is the session's: no two have the same score
  });

  test("estimate of latest, with options", async () => {
    const options = { level: 0.8, form: "20" };
    expectSameNumbers(
      await valueOf("estimate", { ...REF, version: "latest" }, { responses, ...options }),
      estimateFromAnchors(bundle, responses, options),
      1e-12,
    );
  });

  test("estimateBatch, where one model's answers are bad", async () => {
    const { results } = await valueOf<{ results: { model: string; problem?: object }[] }>("estimateBatch", REF, [
      { model: "good", responses },
      { model: "bad", responses: { "no/item": 1 } },
    ]);
    expect(results).toMatchObject([
      { model: "good", estimate: { score: estimateFromAnchors(bundle, responses).score } },
      { model: "bad", problem: { code: "invalid_answers" } },
    ]);
  });

  test("compare", async () => {
    const flipped = Object.fromEntries(Object.entries(responses).map(([item, score]) => [item, 1 - score]));
    const [a, b] = [{ responses }, { responses: flipped }];
    expectSameNumbers(await valueOf("compare", REF, { a, b }), compareFromAnchors(bundle, a, b), 1e-12);
  });

  test.each([REF, { ...REF, version: "latest" }])("plan and anchors of $version", async (ref) => {
    expectSameNumbers(await valueOf("plan", ref, { gap: 0.05 }), planFromBundle(bundle, { gap: 0.05 }), 1e-12);
    expectSameNumbers(await valueOf("plan", ref), planFromBundle(bundle), 1e-12);
    const { form, anchors } = await valueOf<{ form: string; anchors: object[] }>("anchors", ref, "8");
    expect([form, anchors.length]).toEqual(["8", 16]);
    expect(await valueOf("anchors", ref)).toMatchObject({ form: "20" });
  });
});

describe("what is refused over HTTP is refused here, by its code", () => {
  const cases: [string, unknown[], string, number][] = [
    ["estimate", [{ ...REF, version: "9.9.9" }, { responses }], "not_found", 404],
    ["estimate", [{ benchmark: "../x", version: "1.0.0" }, { responses }], "not_found", 404],
    ["estimate", [REF, { responses: { "no/item": 1 } }], "invalid_answers", 422],
    ["estimate", [REF, { responses, lavel: 0.9 }], "invalid_request", 422],
    ["estimate", [REF, { responses, digest: `sha256:${"0".repeat(64)}` }], "digest_mismatch", 409],
    ["estimate", [REF, { responses: { [Object.keys(responses)[0]!]: "NaN" } }], "invalid_answers", 422],
    ["estimateBatch", [REF, []], "invalid_request", 422],
    ["compare", [REF, { a: { responses } }], "invalid_request", 422],
    ["plan", [REF, { halfWidth: 7 }], "invalid_option", 422],
    ["plan", [{ ...REF, version: "9.9.9" }], "not_found", 404],
    ["anchors", [REF, "nine"], "unknown_form", 422],
    ["estimate", [{ ...REF, benchmark: "closed" }, { responses }], "unauthorized", 401],
    ["estimate", [{ ...REF, benchmark: "closed" }, { responses }, { token: "guess" }], "unauthorized", 401],
  ];
  test.each(cases)("%s %j: %s", async (method, args, code, status) => {
    const result = await call(method, ...args);
    expect(result).toMatchObject({
      ok: false,
      problem: {
        code,
        status,
        detail: expect.stringMatching(/./) as string,
        requestId: expect.stringMatching(/./) as string,
      },
    });
  });
});

test("a protected benchmark takes its token; the caller's request id comes back", async () => {
  const ref = { ...REF, benchmark: "closed" };
  expect(await valueOf("estimate", ref, { responses }, { token: TOKEN })).toMatchObject({ benchmark: "closed" });
  const options = { token: TOKEN, requestId: "caller-7" };
  expect(await call("anchors", ref, "nine", options)).toMatchObject({ ok: false, problem: { requestId: "caller-7" } });
});
