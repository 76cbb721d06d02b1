import { createClient, estimateFromAnchors, loadBundle } from "anchoreval";
import { encodeBundle } from "anchoreval/bundle";
import { beforeAll, expect, inject, test } from "vitest";
import { EstimateSchema } from "../../../workers/src/schemas/estimate.ts";
import type {} from "../../support/golden-estimate.ts";
import { memorySource } from "../../support/memory-source.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { sampleContent } from "../../support/sample-bundle.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const golden = inject("goldenEstimates");
beforeAll(async () => {
  for (const { bundle } of golden) await publishSample(bundle);
});

test.each(golden)("workerd gives the numbers of the SDK in Node: $name", async ({ bundle, request, estimate }) => {
  const send = startApp();
  const path = `/v1/bundles/${bundle.benchmark}/1.0.0/estimates`;
  const response = await send(path, post(request));
  expect(response.status).toBe(200);
  const body: object = await response.json();
  expectSameNumbers(body, estimate, 1e-9);
  expect(EstimateSchema.parse(body)).toEqual(body);
});

test("a batch gives each model what it gets alone", async () => {
  const { bundle } = golden[0]!;
  const models = golden
    .filter((candidate) => candidate.bundle.benchmark === bundle.benchmark)
    .map(({ name, request }) => ({ model: name, ...request }));
  const client = createClient({
    baseUrl: "http://localhost",
    fetch: (input, init) => startApp({}, { MAX_BATCH_MODELS: models.length })(new URL(input as string).pathname, init),
  });
  const ref = { benchmark: bundle.benchmark!, version: "latest" };
  const results = await client.estimateBatch(ref, models);
  expect(results).toHaveLength(models.length);
  for (const [index, entry] of models.entries()) {
    const { model, ...request } = entry;
    expect(results[index]).toEqual({ model, estimate: await client.estimate(ref, request) });
  }
});

test("latest is resolved, and the answer names its version", async () => {
  await publishSample({ benchmark: "moving", version: "1.0.0" });
  await publishSample({ benchmark: "moving", version: "1.3.0" });
  await publishSample({ benchmark: "moving", version: "2.0.0-rc.1" });
  const response = await startApp()("/v1/bundles/moving/latest/estimates", post({ responses: sampleAnswers("20") }));
  expect(await response.json()).toMatchObject({ benchmark: "moving", version: "1.3.0", form: "20" });
});

test("a bundle that isn't there", async () => {
  for (const version of ["1.0.0", "latest"]) {
    const response = await startApp()(`/v1/bundles/nobody/${version}/estimates`, post({ responses: { x: 1 } }));
    expect(await problemOf(response)).toMatchObject({ status: 404, code: "not_found" });
  }
});

test("all items answered: exact as in the SDK, alone, in a batch and in lines; misspelt ids are named", async () => {
  const content = sampleContent({ benchmark: "complete-run" });
  await publishSample({ benchmark: "complete-run" });
  const bundle = await loadBundle(memorySource(encodeBundle(content)), { items: true });
  const ids = content.scenarios.flatMap(({ items }) => items.map(({ item_id }) => item_id));
  const responses = { ...Object.fromEntries(ids.map((id, i) => [id, i % 3 === 0 ? 0 : 1])), nobody: 1 };
  const expected: unknown = JSON.parse(JSON.stringify(estimateFromAnchors(bundle, responses)));
  expect(expected).toMatchObject({ answered: 100, interval: { method: "exact" }, warnings: expect.arrayContaining([expect.objectContaining({ code: "unknown_items", count: 1 })]) as unknown, }); // prettier-ignore
  const path = "/v1/bundles/complete-run/1.0.0/estimates";
  expect(await (await startApp()(path, post({ responses }))).json()).toEqual(expected);
  const entry = { model: "m", responses };
  const batch = await startApp()(`${path}/batch`, post({ models: [entry] }));
  expect(await batch.json()).toEqual({ results: [{ model: "m", estimate: expected }] });
  const lines = await startApp()(`${path}/batch`, {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: `${JSON.stringify(entry)}\n`,
  });
  expect(JSON.parse((await lines.text()).split("\n")[0]!)).toEqual({ index: 0, model: "m", estimate: expected });
  const compared = await startApp()("/v1/bundles/complete-run/1.0.0/comparisons", post({ a: { responses }, b: { responses }, over: "these-answers" })); // prettier-ignore
  expect(await compared.json()).toMatchObject({ answered: 100, difference: 0, interval: { method: "exact" } });
});
