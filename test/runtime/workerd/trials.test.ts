import { createClient } from "anchoreval";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { BatchResponseSchema } from "../../../workers/src/routes/estimates.ts";
import { AnyEstimateSchema } from "../../../workers/src/routes/batch.ts";
import type {} from "../../support/golden-estimate.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { expectSameNumbers } from "../../support/same-numbers.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const { bundle, estimates, plans } = inject("goldenTrials");
const PATH = "/v1/bundles/repeated/1.0.0/estimates";
const answers = sampleAnswers("20", bundle);
const [first, second] = Object.keys(answers) as [string, string];
beforeAll(async () => {
  await publishSample(bundle);
  await publishSample();
});

test.each(estimates)("workerd gives the numbers of the SDK in Node: $name", async ({ request, estimate }) => {
  const response = await startApp()(PATH, post(request));
  expect(response.status).toBe(200);
  const body: object = await response.json();
  expectSameNumbers(body, estimate, 1e-9);
  expect(AnyEstimateSchema.parse(body)).toEqual(body);
});

test("a batch gives each model what it gets alone, in JSON and in lines", async () => {
  const models = estimates.map(({ name, request }) => ({ model: name, ...request }));
  const client = createClient({
    baseUrl: "http://localhost",
    fetch: (input, init) => startApp({}, { MAX_BATCH_MODELS: models.length })(new URL(input as string).pathname, init),
  });
  const ref = { benchmark: "repeated", version: "1.0.0" };
  const results = await client.estimateBatch(ref, models);
  expect(BatchResponseSchema.parse({ results })).toEqual({ results });
  for (const [k, { model, ...request }] of models.entries())
    expect(results[k]).toEqual({ model, estimate: await client.estimate(ref, request) });
  let lines = 0;
  for await (const { index, ...line } of client.estimateLines(ref, models)) {
    expect(line).toEqual(results[index]);
    lines++;
  }
  expect(lines).toBe(models.length);
});

test.each(plans)("plans are those of the SDK in Node: $query", async ({ query, plan }) => {
  const response = await startApp()(`/v1/bundles/repeated/1.0.0/plan${query}`);
  expect(response.status).toBe(200);
  expectSameNumbers(await response.json(), plan, 1e-9);
});

describe("bad input names its place", () => {
  const cases: [string, object, string, (string | number)[] | null, string | null][] = [
    ["more passed than tried", { responses: { ...answers, [first]: { passed: 4, of: 3 } } }, "invalid_answers", ["responses", first], "out_of_range"], // prettier-ignore
    ["counts that are none", { responses: { ...answers, [first]: { passed: 0.5, of: 3 } } }, "invalid_answers", ["responses", first], "wrong_type"], // prettier-ignore
    ["counts without their total", { responses: { ...answers, [first]: { passed: 1 } } }, "invalid_answers", ["responses", first], "wrong_type"], // prettier-ignore
    ["no trial", { responses: { ...answers, [first]: [] } }, "invalid_answers", ["responses", first], "empty"],
    ["a trial above 1", { responses: { ...answers, [first]: [0, 2] } }, "invalid_answers", ["responses", first, 1], "out_of_range"], // prettier-ignore
    ["trials of an unknown item", { responses: { nobody: [0, 1] } }, "invalid_answers", ["responses", "nobody"], "unknown_item"], // prettier-ignore
    ["a trial as text", { responses: { [first]: ["1"] } }, "invalid_answers", ["responses", first, 0], "out_of_range"],
    ["graded trials of passes", { responses: { ...answers, [first]: [0.5, 1] }, metric: "pass@4" }, "invalid_answers", ["responses", first], "graded"], // prettier-ignore
    ["another metric", { responses: answers, metric: "f1" }, "invalid_option", null, null],
    ["no k", { responses: answers, metric: "pass@0" }, "invalid_option", null, null],
    ["a metric over runs", { responses: answers, metric: "pass@4", over: "runs" }, "invalid_option", null, null],
    ["an unknown draw", { responses: answers, over: "days" }, "invalid_request", ["over"], "invalid_value"],
    ["groups that are no texts", { responses: answers, clusters: { [first]: 1 } }, "invalid_request", ["clusters"], "custom"], // prettier-ignore
    ["groups in a list", { responses: answers, clusters: ["a"] }, "invalid_request", ["clusters"], "custom"],
  ];
  test.each(cases)("%s", async (_, body, code, path, issue) => {
    const problem = await problemOf(await startApp()(PATH, post(body)));
    expect(problem).toMatchObject({ status: 422, code });
    if (path !== null) expect(problem.issues[0]).toMatchObject({ path, code: issue });
  });

  test("an item that is there twice", async () => {
    const problem = await problemOf(await startApp()(PATH, post(`{"responses":{"${first}":[1],"${first}":[0]}}`)));
    expect(problem).toMatchObject({ status: 422, issues: [{ path: ["responses", first], code: "duplicate" }] });
  });

  test.each([
    ["?trials=1,x", "trials"],
    ["?trials=0", "at least 1"],
    ["?trials=1&gap=0.1", "gap"],
    ["?trials=1&budget=3", "budget"],
    ["?budget=-1", "budget"],
    ["?budget=1&gap=0.1", "budget"],
  ])("a plan %s", async (query, words) => {
    const problem = await problemOf(await startApp()(`/v1/bundles/repeated/1.0.0/plan${query}`));
    expect(problem.status).toBe(422);
    expect(problem.detail).toContain(words);
  });

  test("a budget without prices, trials without components", async () => {
    const plan = (query: string) => startApp()(`/v1/bundles/sample/1.0.0/plan${query}`);
    expect(await problemOf(await plan("?budget=1"))).toMatchObject({ status: 422, code: "invalid_option" });
    expect(await problemOf(await plan("?trials=1"))).toMatchObject({ status: 422, code: "unsupported" });
  });
});

test("comparisons and checks take trials, by their means", async () => {
  const tried = { responses: { ...answers, [second]: [1, 0] } };
  const mean = { responses: { ...answers, [second]: 0.5 } };
  const asked = async (path: string, body: object): Promise<object> =>
    (await startApp()(`/v1/bundles/repeated/1.0.0/${path}`, post(body))).json();
  const compared = await asked("comparisons", { a: tried, b: { responses: answers }, over: "tasks" });
  expect(compared).toEqual(await asked("comparisons", { a: mean, b: { responses: answers }, over: "tasks" }));
  const checked = await asked("checks", { current: [tried], baselines: [{ responses: answers }] });
  expect(checked).toEqual(await asked("checks", { current: [mean], baselines: [{ responses: answers }] }));
  expect(checked).toHaveProperty("drop.drop");
});

test("answers to a bundle without prices have no cost, and single ones no trials", async () => {
  const own = sampleAnswers("20");
  const body: object = await (await startApp()("/v1/bundles/sample/1.0.0/estimates", post({ responses: own }))).json();
  expect(Object.keys(body)).not.toContain("cost");
  expect(Object.keys(body)).not.toContain("trials");
});
