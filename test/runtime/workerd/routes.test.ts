import { reset } from "cloudflare:test";
import { createClient, type Routes, type RoutesRequest } from "anchoreval";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { RoutesSchema } from "../../../features/routing/http.ts";
import type {} from "../../support/golden-routes.ts";
import { routingBundle } from "../../support/routing-bundle.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { post, problemOf, publishFiles, publishSample, startApp, watchedBucket } from "./support/worker.ts";

beforeAll(async () => {
  await publishFiles(routingBundle("tf-idf", { benchmark: "by-text" }));
  await publishFiles(routingBundle("embeddings", { benchmark: "by-vector" }));
  await publishSample({ benchmark: "without" });
});
afterAll(() => reset());

const send = (benchmark: string, body: unknown, version = "1.0.0"): Promise<Response> =>
  startApp()(`/v1/bundles/${benchmark}/${version}/routes`, post(body));

test.each(inject("goldenRoutes"))("workerd gives the numbers of the SDK in Node: $benchmark", async (golden) => {
  const response = await send(golden.benchmark, golden.request);
  expect(response.status).toBe(200);
  const body: object = await response.json();
  expectSameNumbers(body, golden.routes, 1e-12);
  expect(RoutesSchema.parse(body)).toEqual(body);
});

test("the client sends what the Worker takes; latest is resolved; only two files are read, once", async () => {
  const bucket = watchedBucket();
  const app = startApp({}, { BUNDLES: bucket });
  const client = createClient({
    baseUrl: "http://localhost",
    fetch: (input, init) => app(new URL(input as string).pathname, init),
  });
  const request: RoutesRequest = { questions: [{ id: "q", text: "prime matrix" }], scenario: "alpha" };
  const routes: Routes = await client.routes({ benchmark: "by-text", version: "latest" }, request);
  expect(routes).toMatchObject({ version: "1.0.0", routes: [{ id: "q", unknown: false }] });
  const before = bucket.reads.length;
  expect(bucket.reads.filter((key) => key.includes("/blobs/"))).toHaveLength(1);
  await client.routes({ benchmark: "by-text", version: "1.0.0" }, request);
  expect(bucket.reads).toHaveLength(before);
});

describe("refuses", () => {
  const question = { text: "cell" };
  test.each([
    ["a bundle without routes", "without", { questions: [question] }, "unsupported"],
    ["no questions", "by-text", { questions: [] }, "invalid_request"],
    ["too many questions", "by-text", { questions: Array.from({ length: 21 }, () => question) }, "invalid_request"],
    ["a text that is too long", "by-text", { questions: [{ text: "x".repeat(10_001) }] }, "invalid_request"],
    ["a misspelt option", "by-text", { questions: [question], scenarios: "alpha" }, "invalid_request"],
    ["several scenarios, none named", "by-text", { questions: [question] }, "unknown_scenario"],
    ["a vector of another length", "by-vector", { questions: [{ embedding: [1] }], scenario: "alpha" }, "invalid_data"],
    [
      "a cost of an unknown model",
      "by-text",
      { questions: [question], scenario: "alpha", costs: { x: 1 } },
      "invalid_option",
    ],
  ])("%s", async (_, benchmark, body, code) => {
    expect(await problemOf(await send(benchmark, body))).toMatchObject({ status: 422, code });
  });

  test("a body that isn't JSON, and a bundle that isn't there", async () => {
    expect(await problemOf(await send("by-text", "{"))).toMatchObject({ status: 400, code: "malformed_json" });
    expect(await problemOf(await send("nobody", { questions: [question] }))).toMatchObject({ status: 404 });
  });
});
