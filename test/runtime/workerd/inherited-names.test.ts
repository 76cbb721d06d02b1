import { reset } from "cloudflare:test";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { INHERITED_NAMES, type OpenApiDocument } from "../../support/openapi-requests.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { publishOverHttp, put, testToken } from "./support/publish.ts";
import { post, publishSample, startApp } from "./support/worker.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

// What every object inherits is a name like another: nothing is found under it, and what is kept under it isn't lost.
const publisher = testToken("publisher", ["publish:*"]);
const SHIPPED = { fetch: () => Promise.resolve(Response.json({ objects: {}, versions: {} })) };
const start = () => startApp({}, { SHIPPED, TOKENS: JSON.stringify([publisher.record]) });
const digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";

let document: OpenApiDocument;
beforeAll(async () => {
  await publishSample();
  document = await (await startApp()("/openapi.json")).json();
});
afterAll(() => reset());
beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));

describe.each(INHERITED_NAMES)("%s", (name) => {
  test("in every place of every path there is nothing, and an answer that says so", async () => {
    const request = start();
    const right: Record<string, string> = { benchmark: "sample", version: "1.0.0", name: "items.jsonl" };
    for (const [template, methods] of Object.entries(document.paths))
      for (const parameter of template.match(/(?<=\{)\w+/g) ?? [])
        for (const method of Object.keys(methods).filter((key) => /^(?:get|post|put)$/.test(key))) {
          const path = template.replace(/\{(\w+)\}/g, (_, key: string) =>
            key === parameter ? name : (right[key] ?? digest),
          );
          const body =
            method === "get" ? {} : { ...post({ responses: {} }, publisher.bearer), method: method.toUpperCase() };
          const { status } = await request(path, body);
          expect(`${method} ${path} ${status < 500 || status === 501}`).toBe(`${method} ${path} true`);
          if (method === "get") expect(`${path} ${status}`).toMatch(/ 4\d\d$/);
        }
  });

  test("as a form, a scenario, a model, an item, a field", async () => {
    const request = start();
    const responses = sampleAnswers("20");
    const estimates = "/v1/bundles/sample/1.0.0/estimates";
    const statusOf = async (path: string, body?: object) => (await request(path, body && post(body))).status;
    expect(await statusOf(`/v1/bundles/sample/1.0.0/anchors?form=${name}`)).toBe(422);
    expect(await statusOf(estimates, { responses, form: name })).toBe(422);
    expect(await statusOf(estimates, { responses: Object.fromEntries([[name, 1]]) })).toBe(422);
    expect(await statusOf(`${estimates}/batch`, { models: [{ model: name, responses }] })).toBe(200);
  });
});

const ALLOWED = INHERITED_NAMES.filter((name) => /^[a-z0-9][a-z0-9._-]*$/.test(name));
test.each(ALLOWED)("a benchmark called %s is published, listed and asked like any other", async (benchmark) => {
  const request = start();
  expect(
    (await request(`/v1/bundles/${benchmark}/blobs/${digest}`, put(new Uint8Array([120]), publisher.bearer))).status,
  ).toBe(201);
  expect((await request("/v1/bundles")).status).toBe(200);
  expect((await publishOverHttp(request, sampleBundle({ benchmark }), publisher.bearer)).status).toBe(201);
  const { benchmarks } = await (await start()("/v1/bundles")).json<{ benchmarks: { benchmark: string }[] }>();
  expect(benchmarks.map((entry) => entry.benchmark)).toContain(benchmark);
  const estimate = await (
    await request(`/v1/bundles/${benchmark}/latest/estimates`, post({ responses: sampleAnswers("20") }))
  ).json();
  expect(estimate).toMatchObject({ benchmark });
});
