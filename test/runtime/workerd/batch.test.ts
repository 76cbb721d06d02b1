import type { BatchResult } from "anchoreval";
import { beforeAll, expect, test } from "vitest";
import { BatchResponseSchema, MAX_BATCH_MODELS } from "../../../workers/src/schemas/batch.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const BATCH = "/v1/bundles/sample/1.0.0/estimates/batch";
const answers = sampleAnswers("20");
const [first] = Object.keys(answers) as [string];
beforeAll(() => publishSample());

async function resultsOf(body: unknown): Promise<BatchResult[]> {
  const response = await startApp()(BATCH, post(body));
  expect(response.status).toBe(200);
  const parsed: { results: BatchResult[] } = await response.json();
  expect(BatchResponseSchema.parse(parsed)).toEqual(parsed);
  return parsed.results;
}

test("one model's bad answers don't fail the others", async () => {
  const results = await resultsOf({
    models: [
      { model: "good", responses: answers },
      { model: "out of range", responses: { ...answers, [first]: 2 } },
      { model: "unknown item", responses: { nobody: 1 } },
      { model: "no object", responses: 5 },
      { model: "other bundle", responses: answers, digest: "sha256:00" },
      { model: "no such form", responses: answers, form: "9" },
      { model: "good again", responses: answers },
    ],
  });
  expect(results.map((result) => ("problem" in result ? result.problem.code : result.estimate.form))).toEqual([
    "20",
    "invalid_answers",
    "invalid_answers",
    "invalid_answers",
    "digest_mismatch",
    "unknown_form",
    "20",
  ]);
  expect(results.map(({ model }) => model)).toEqual([
    "good",
    "out of range",
    "unknown item",
    "no object",
    "other bundle",
    "no such form",
    "good again",
  ]);
  expect(results[1]).toMatchObject({ problem: { issues: [{ path: ["responses", first], code: "out_of_range" }] } });
});

test("an answer that stands twice fails its own model", async () => {
  const json = JSON.stringify(answers);
  const results = await resultsOf(
    `{"models":[{"model":"a","responses":${json}},{"model":"b","responses":{"${first}":1,${json.slice(1)}},{"model":"c","responses":${json}}]}`,
  );
  expect(results.map((result) => "problem" in result)).toEqual([false, true, false]);
  expect(results[1]).toMatchObject({
    problem: { code: "invalid_answers", issues: [{ path: ["responses", first], code: "duplicate" }] },
  });
});

test("two lists of models are refused", async () => {
  const models = JSON.stringify([{ model: "a", responses: answers }]);
  const problem = await problemOf(await startApp()(BATCH, post(`{"models":${models},"models":${models}}`)));
  expect(problem).toMatchObject({ status: 422, issues: [{ path: ["models"], code: "duplicate" }] });
});

test.each([
  ["no models", { models: [] }, ["models"]],
  ["too many models", { models: Array(MAX_BATCH_MODELS + 1).fill({ model: "m", responses: {} }) }, ["models"]],
  ["a model without a name", { models: [{ responses: answers }] }, ["models", 0, "model"]],
  [
    "a model without answers",
    { models: [{ model: "a", responses: answers }, { model: "b" }] },
    ["models", 1, "responses"],
  ],
  ["a misspelt option", { models: [{ model: "a", responses: answers, levle: 0.9 }] }, ["models", 0]],
])("a request of the wrong shape is refused as a whole: %s", async (_, body, path) => {
  const problem = await problemOf(await startApp()(BATCH, post(body)));
  expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
  expect(problem.issues[0]!.path).toEqual(path);
});

test("a hundred models read storage once", async () => {
  const models = Array.from({ length: MAX_BATCH_MODELS }, (_, i) => ({ model: `m${i}`, responses: answers }));
  expect(await resultsOf({ models })).toHaveLength(MAX_BATCH_MODELS);
});
