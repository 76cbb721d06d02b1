import { createClient } from "anchoreval";
import { afterEach, describe, expect, test, vi } from "vitest";
import { expectRefusal, rejection } from "../../../../support/refusal.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** A client of a server that gives the same answer to everything, and what was sent to it. */
function clientOf(answer: unknown, code = 200): { client: ReturnType<typeof createClient>; sent: Sent[] } {
  const sent: Sent[] = [];
  const send = (url: unknown, init?: RequestInit): Promise<Response> => {
    sent.push({ url: String(url), init: init! });
    const body = answer instanceof Uint8Array ? (answer as Uint8Array<ArrayBuffer>) : JSON.stringify(answer);
    const type = code === 200 ? "application/json" : "application/problem+json";
    return Promise.resolve(new Response(body, { status: code, headers: { "content-type": type } }));
  };
  return { client: createClient({ baseUrl: "https://evals.example.com/", fetch: send }), sent };
}

const ref = { benchmark: "sample", version: "1.0.0" };
const root = "https://evals.example.com/v1/bundles";

afterEach(() => vi.unstubAllGlobals());

describe("each call asks one address", () => {
  test("list", async () => {
    const benchmarks = [{ benchmark: "sample", latest: "1.0.0", versions: [] }];
    const { client, sent } = clientOf({ benchmarks });
    expect(await client.bundles.list()).toEqual(benchmarks);
    expect(sent.map(({ url, init }) => [init.method, url])).toEqual([["GET", root]]);
  });

  test("one benchmark, null where there is none", async () => {
    const benchmark = { benchmark: "sample", latest: null, versions: [], yanked: [] };
    const { client, sent } = clientOf(benchmark);
    expect(await client.bundles.benchmark("sample")).toEqual(benchmark);
    expect(sent[0]!.url).toBe(`${root}/sample`);
  });

  test("manifest: parsed and checked like any other", async () => {
    const { client, sent } = clientOf(sampleBundle().get("manifest.json"));
    const manifest = await client.bundles.manifest(ref);
    expect(manifest).toMatchObject({ benchmark: "sample", defaultForm: "20" });
    expect(sent[0]!.url).toBe(`${root}/sample/1.0.0`);
    expectRefusal(
      await rejection(clientOf({ formatVersion: "9.0" }).client.bundles.manifest(ref)),
      "bundle_format_unsupported",
      "9.0",
    );
  });

  test("manifest: null where there is none", async () => {
    expect(await clientOf("", 404).client.bundles.manifest(ref)).toBeNull();
  });

  test("anchors, of the default form or another", async () => {
    const answer = { form: "20", digest: "x", anchors: [] };
    const { client, sent } = clientOf(answer);
    expect(await client.bundles.anchors(ref)).toEqual(answer);
    await client.bundles.anchors(ref, "50-b&x=1");
    expect(sent.map(({ url }) => url)).toEqual([
      `${root}/sample/1.0.0/anchors`,
      `${root}/sample/1.0.0/anchors?form=50-b%26x%3D1`,
    ]);
  });

  test("estimate and estimateBatch post JSON", async () => {
    const { client, sent } = clientOf({ results: [{ model: "m", estimate: { score: 0.5 } }] });
    await client.estimate(ref, { responses: { "gsm/17": 1 }, form: "20" });
    expect(await client.estimateBatch(ref, [{ model: "m", responses: [1, null], formDigest: "f" }])).toEqual([
      { model: "m", estimate: { score: 0.5 } },
    ]);
    expect(sent.map(({ url, init }) => [init.method, url, init.body])).toEqual([
      ["POST", `${root}/sample/1.0.0/estimates`, '{"responses":{"gsm/17":1},"form":"20"}'],
      [
        "POST",
        `${root}/sample/1.0.0/estimates/batch`,
        '{"models":[{"model":"m","responses":[1,null],"formDigest":"f"}]}',
      ],
    ]);
    expect(sent[0]!.init.headers).toMatchObject({ "content-type": "application/json" });
  });

  test("names in the address are encoded", async () => {
    const { client, sent } = clientOf({});
    await client.estimate({ benchmark: "../admin?x", version: "latest" }, { responses: {} });
    expect(sent[0]!.url).toBe(`${root}/..%2Fadmin%3Fx/latest/estimates`);
  });
});

describe("failures", () => {
  test("a version that isn't there is not_found where an answer is needed", async () => {
    const error = await rejection(clientOf("", 404).client.estimate(ref, { responses: {} }));
    expectRefusal(error, "not_found", `${root}/sample/1.0.0/estimates: nothing is published there`);
  });

  test("an answer that is no JSON", async () => {
    const page = new TextEncoder().encode("<!doctype html>");
    const error = await rejection(clientOf(page).client.bundles.list());
    expectRefusal(error, "unavailable", "is this an anchoreval Worker?");
    expect(error.cause).toBeInstanceOf(SyntaxError);
  });

  test("the server's issues come through", async () => {
    const issues = [{ path: ["responses", "x"], code: "unknown_item", message: "x is no anchor of this bundle" }];
    const { client } = clientOf({ code: "invalid_answers", detail: "1 answer cannot be scored", issues }, 422);
    const error = await rejection(client.estimate(ref, { responses: { x: 1 } }));
    expectRefusal(error, "invalid_answers", "422: 1 answer cannot be scored");
    expect(error.issues).toEqual(issues);
  });
});

test("a call's signal goes before the client's", async () => {
  const own = new AbortController();
  const { client } = clientOf({});
  own.abort();
  expectRefusal(await rejection(client.bundles.list({ signal: own.signal })), "aborted", "aborted by the caller");
});

test("without an injected fetch, the platform's is used", async () => {
  const send = vi.fn(() => Promise.resolve(new Response('{"benchmarks":[]}')));
  vi.stubGlobal("fetch", send);
  expect(await createClient({ baseUrl: "https://evals.example.com" }).bundles.list()).toEqual([]);
  expect(send).toHaveBeenCalledOnce();
});
