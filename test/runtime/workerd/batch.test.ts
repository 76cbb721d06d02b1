import type { BatchResult, Estimate } from "anchoreval";
import { beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_BATCH_MODELS } from "../../../workers/src/platform/settings.ts";
import { BatchLineSchema, BatchResponseSchema, ResultsEndSchema } from "../../../workers/src/routes/estimates.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { post, problemOf, publishSample, startApp } from "./support/worker.ts";

const BATCH = "/v1/bundles/sample/1.0.0/estimates/batch";
const answers = sampleAnswers("20");
const [first] = Object.keys(answers) as [string];
beforeAll(() => publishSample());

async function resultsOf(body: unknown): Promise<BatchResult[]> {
  const response = await startApp({}, { MAX_BATCH_MODELS: 100 })(BATCH, post(body));
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
  ["too many models", { models: Array(DEFAULT_BATCH_MODELS + 1).fill({ model: "m", responses: {} }) }, ["models"]],
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
  const models = Array.from({ length: 100 }, (_, i) => ({ model: `m${i}`, responses: answers }));
  expect(await resultsOf({ models })).toHaveLength(100);
});

describe("lines", () => {
  const lines = (body: string, headers: Record<string, string> = { "content-type": "application/x-ndjson" }) => ({
    method: "POST",
    headers,
    body,
  });
  const good = (model: string): string => JSON.stringify({ model, responses: answers });
  const read = async (response: Response): Promise<Record<string, unknown>[]> => {
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
    const found = (await response.text()).trimEnd().split("\n");
    return found.map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const request = startApp({}, { MAX_BATCH_MODELS: 20 });

  test("give the numbers of single estimates, each with its index, then their counts", async () => {
    const others = sampleAnswers("20", {}, { seed: 2 });
    const [one, two, end] = await read(
      await request(BATCH, lines(`${good("a")}\n\n${JSON.stringify({ model: "b", responses: others })}\r\n`)),
    );
    const single = async (responses: object): Promise<Estimate> =>
      (await request(BATCH.replace("/batch", ""), post({ responses }))).json();
    expect(one).toEqual({ index: 0, model: "a", estimate: await single(answers) });
    expect(two).toEqual({ index: 1, model: "b", estimate: await single(others) });
    expect(end).toEqual({ done: true, results: 2, problems: 0 });
    for (const line of [one, two]) expect(BatchLineSchema.parse(line)).toEqual(line);
    expect(ResultsEndSchema.parse(end)).toEqual(end);
  });

  test.each(["application/jsonl", "application/ndjson", "Application/X-NDJSON; charset=utf-8"])(
    "may be called %s",
    async (type) => {
      expect(await read(await request(BATCH, lines(good("a"), { "content-type": type })))).toHaveLength(2);
    },
  );

  test("are given for JSON where Accept asks for them", async () => {
    const body = { models: [{ model: "a", responses: answers }] };
    const found = await read(await request(BATCH, post(body, { accept: "application/jsonl, */*;q=0.1" })));
    expect(found).toMatchObject([
      { index: 0, model: "a" },
      { done: true, results: 1 },
    ]);
  });

  test("a bad line is its own problem, and the others go on", async () => {
    const bad: [string, string, string | null, (string | number)[] | null][] = [
      ["{", "malformed_json", null, null],
      ["[]", "invalid_request", null, []],
      ["null", "invalid_request", null, []],
      ['{"model":3,"responses":{}}', "invalid_request", null, ["model"]],
      ['{"model":"m","responses":{},"levle":1}', "invalid_request", "m", []],
      [good("m").replace('{"model"', '{"model":"x","model"'), "invalid_answers", "m", ["model"]],
      [good("m").replace('"responses":{', `"responses":{"${first}":1,`), "invalid_answers", "m", ["responses", first]],
      ['{"model":"m","responses":{"__proto__":1}}', "invalid_answers", "m", ["responses", "__proto__"]],
      ['{"model":"m","responses":{"nobody":1}}', "invalid_answers", "m", ["responses", "nobody"]],
    ];
    const found = await read(await request(BATCH, lines([...bad.map(([line]) => line), good("last")].join("\n"))));
    bad.forEach(([line, code, model, path], index) => {
      expect(found[index], line).toMatchObject({ index, model, problem: { code } });
      const { issues } = found[index]!["problem"] as { issues: { path: unknown }[] };
      expect(issues[0]?.path ?? null, line).toEqual(path);
      expect(BatchLineSchema.parse(found[index])).toEqual(found[index]);
    });
    expect(found.slice(bad.length)).toMatchObject([
      { index: bad.length, model: "last", estimate: { form: "20" } },
      { done: true, results: 1, problems: bad.length },
    ]);
  });

  test("a hundred issues are listed at most", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, k) => [`nobody ${k}`, 1]));
    const [line] = await read(await request(BATCH, lines(JSON.stringify({ model: "m", responses: many }))));
    expect((line!["problem"] as { issues: unknown[] }).issues).toHaveLength(100);
  });

  test.each([
    ["no lines", "\n \n", 422, "invalid_request"],
    ["too many lines", `${good("a")}\n`.repeat(21), 422, "invalid_request"],
  ])("%s: refused as a whole", async (_, body, status, code) => {
    expect(await problemOf(await request(BATCH, lines(body)))).toMatchObject({
      status,
      code,
      issues: [{ path: ["models"] }],
    });
  });

  test("of a version that isn't there, or is no version", async () => {
    for (const version of ["9.9.9", "nine"])
      expect(await problemOf(await request(BATCH.replace("1.0.0", version), lines(good("a"))))).toMatchObject({
        status: 404,
        code: "not_found",
      });
  });

  test("over the limit of a body, or of another type", async () => {
    const small = startApp({}, { MAX_REQUEST_BYTES: 100 });
    expect(await problemOf(await small(BATCH, lines(good("a"))))).toMatchObject({ status: 413 });
    expect(await problemOf(await request(BATCH, lines(good("a"), { "content-type": "text/plain" })))).toMatchObject({
      status: 415,
    });
  });

  test("a reader that leaves ends the work", async () => {
    const response = await request(BATCH, lines(`${good("a")}\n`.repeat(20)));
    const reader = response.body!.getReader();
    expect((await reader.read()).done).toBe(false);
    await reader.cancel();
  });
});
