import { beforeAll, describe, expect, test } from "vitest";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { post, problemOf, publishSample, startApp, type Problem } from "./support/worker.ts";

const ESTIMATES = "/v1/bundles/sample/1.0.0/estimates";
const answers = sampleAnswers("20");
const [first] = Object.keys(answers) as [string];
let digest = "";
beforeAll(async () => {
  ({ digest } = await publishSample());
});

async function refusal(body: unknown, path = ESTIMATES): Promise<Problem> {
  return problemOf(await startApp()(path, post(body)));
}

test("a problem document says what, where and how to mend it", async () => {
  const problem = await refusal({ responses: { ...answers, [first]: 2 } });
  expect(problem).toEqual({
    type: "urn:anchoreval:problem:invalid_answers",
    title: "The answers cannot be scored",
    status: 422,
    detail: "1 answer cannot be scored: a score must be in [0,1], got 2",
    code: "invalid_answers",
    issues: [{ path: ["responses", first], code: "out_of_range", message: "a score must be in [0,1], got 2" }],
    instance: ESTIMATES,
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
});

describe("answers", () => {
  const json = JSON.stringify(answers);
  const cases: [string, string, string, string][] = [
    ["below 0", `{"responses":{"${first}":-0.5}}`, "invalid_answers", "out_of_range"],
    ["infinite", `{"responses":{"${first}":1e999}}`, "invalid_answers", "out_of_range"],
    ["as text", `{"responses":{"${first}":"1"}}`, "invalid_answers", "invalid_type"],
    ["as an object", `{"responses":{"${first}":{"score":1}}}`, "invalid_answers", "invalid_type"],
    ["to an unknown item", `{"responses":{"gsm/17":1}}`, "invalid_answers", "unknown_item"],
    ["twice", `{"responses":{"${first}":1,${json.slice(1)}}`, "invalid_answers", "duplicate"],
    ["twice, the same", `{"responses":{"${first}":${answers[first]},${json.slice(1)}}`, "invalid_answers", "duplicate"],
    [
      "twice, spelt with an escape",
      `{"responses":{"\\u0061${first.slice(1)}":1,${json.slice(1)}}`,
      "invalid_answers",
      "duplicate",
    ],
    ["to __proto__ twice", `{"responses":{"__proto__":1,"__proto__":0}}`, "invalid_answers", "duplicate"],
    ["in two lists", `{"responses":${json},"responses":${json}}`, "invalid_answers", "duplicate"],
    ["with a hash twice", `{"responses":${json},"hashes":{"a":"0","a":"1"}}`, "invalid_answers", "duplicate"],
    ["in an array without its form", `{"responses":[1,0,1]}`, "invalid_answers", "missing"],
  ];
  test.each(cases)("%s", async (_, body, code, issue) => {
    const problem = await refusal(body);
    expect(problem).toMatchObject({ status: 422, code });
    expect(problem.issues[0]!.code).toBe(issue);
  });

  test.each([
    ["nothing", {}],
    ["null", null],
    ["text", "all right"],
    ["a number", 1],
    ["only nulls", Object.fromEntries(Object.keys(answers).map((id) => [id, null]))],
  ])("that are %s", async (_, responses) => {
    expect(await refusal({ responses })).toMatchObject({ status: 422, code: "invalid_answers" });
  });

  test("every bad one has an issue, a hundred at most", async () => {
    const some = await refusal({ responses: { a: 1, b: 1, c: 1 } });
    expect(some.issues.map(({ path }) => path)).toEqual([
      ["responses", "a"],
      ["responses", "b"],
      ["responses", "c"],
    ]);
    const many = await refusal({ responses: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x${i}`, 1])) });
    expect(many.issues).toHaveLength(100);
    expect(many.detail).toContain("5000 answers");
  });

  test("of an array in the wrong number or for another form", async () => {
    expect(await refusal({ responses: [1], formDigest: "00" })).toMatchObject({ code: "invalid_answers" });
  });

  test("that fit two forms", async () => {
    const small = Object.keys(sampleAnswers("8"));
    const problem = await refusal({ responses: Object.fromEntries(small.slice(0, 3).map((id) => [id, 1])) });
    expect(problem).toMatchObject({ status: 422, code: "ambiguous_form" });
  });
});

test("true and false are 1 and 0", async () => {
  const truths = Object.fromEntries(Object.entries(answers).map(([id, score]) => [id, score === 1]));
  const [said, same] = await Promise.all(
    [truths, answers].map(async (responses) => (await startApp()(ESTIMATES, post({ responses }))).json()),
  );
  expect(said).toEqual(same);
});

describe("options", () => {
  const cases: [string, object, string, string][] = [
    ["a misspelt one", { onChangeditem: "drop" }, "invalid_request", "unrecognized_keys"],
    ["form as a number", { form: 20 }, "invalid_request", "invalid_type"],
    ["level as text", { level: "0.9" }, "invalid_request", "invalid_type"],
    ["onChangedItem of another value", { onChangedItem: "ignore" }, "invalid_request", "invalid_value"],
    ["hashes as an array of numbers", { hashes: [1] }, "invalid_request", "custom"],
  ];
  test.each(cases)("%s", async (_, options, code, issue) => {
    const problem = await refusal({ responses: answers, ...options });
    expect(problem).toMatchObject({ status: 422, code });
    expect(problem.issues[0]!.code).toBe(issue);
  });

  test("a level outside (0,1)", async () => {
    expect(await refusal({ responses: answers, level: 1 })).toMatchObject({ status: 422, code: "invalid_option" });
  });

  test("a form that isn't there", async () => {
    expect(await refusal({ responses: answers, form: "21" })).toMatchObject({ status: 422, code: "unknown_form" });
  });

  test("the digest of another bundle", async () => {
    const problem = await refusal({ responses: answers, digest: `sha256:${"0".repeat(64)}` });
    expect(problem).toMatchObject({ status: 409, code: "digest_mismatch" });
    expect((await startApp()(ESTIMATES, post({ responses: answers, digest }))).status).toBe(200);
  });

  test("no answers at all", async () => {
    const problem = await refusal({ form: "20" });
    expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
    expect(problem.issues[0]!.path).toEqual(["responses"]);
  });

  test.each(["null", "[]", "1", '"text"'])("a body that is %s", async (body) => {
    expect(await refusal(body)).toMatchObject({ status: 422, code: "invalid_request" });
  });
});

describe("a query that the route doesn't have", () => {
  test.each([
    ["/v1/bundles?q=gsm", "q", "there is none"],
    ["/v1/bundles/sample?latest=1", "latest", "there is none"],
    ["/v1/bundles/sample/1.0.0?form=20", "form", "there is none"],
    ["/v1/bundles/sample/1.0.0/anchors?froms=20", "froms", "there are form"],
    ["/v1/bundles/sample/1.0.0/plan?halfwidth=0.05", "halfwidth", "there are"],
    ["/v1/bundles/sample/1.0.0/files/items.jsonl?x", "x", "there is none"],
  ])("%s", async (path, name, words) => {
    const problem = await problemOf(await startApp()(path));
    expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
    expect(problem.detail).toContain(`there is no parameter ${name} here: ${words}`);
  });

  test("of a POST, too", async () => {
    const problem = await problemOf(await startApp()(`${ESTIMATES}?form=20`, post({ responses: answers })));
    expect(problem).toMatchObject({ status: 422, code: "invalid_request" });
  });

  test("one that it has, twice", async () => {
    const problem = await problemOf(await startApp()("/v1/bundles/sample/1.0.0/anchors?form=20&form=8"));
    expect(problem).toMatchObject({ status: 422, detail: "form is given twice" });
  });

  test("/healthz is asked as one likes", async () => {
    expect((await startApp()("/healthz?t=1")).status).toBe(200);
  });
});

describe("a compressed body", () => {
  const routes = async (): Promise<[string, string][]> => {
    const { paths } = await (await startApp()("/openapi.json")).json<{ paths: Record<string, object> }>();
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap((method): [string, string][] =>
        method === "get" ? [] : [[method.toUpperCase(), path]],
      ),
    );
  };

  test.each(["gzip", "br", "deflate", "zstd", "x-own", "GZIP", "gzip, identity"])(
    "is refused by every route that takes one: %s",
    async (encoding) => {
      const all = await routes();
      expect(all.length).toBeGreaterThan(10);
      for (const [method, path] of all) {
        const at = path
          .replace("{benchmark}", "sample")
          .replace("{version}", "1.0.0")
          .replace("{sha256}", "0".repeat(64));
        const headers = { "content-type": "application/json", "content-encoding": encoding };
        const body = new Uint8Array([31, 139, 8, 0]);
        const response = await startApp()(at, { method, headers, body });
        expect({ path, accepts: response.headers.get("accept-encoding") }).toEqual({ path, accepts: "identity" });
        expect(await problemOf(response)).toMatchObject({
          status: 415,
          code: "unsupported_media_type",
          detail: "compressed bodies aren't taken: send it without Content-Encoding",
        });
      }
    },
  );

  test.each(["identity", "Identity", ""])("is none where the encoding is %j", async (encoding) => {
    expect((await startApp()(ESTIMATES, post({ responses: answers }, { "content-encoding": encoding }))).status).toBe(
      200,
    );
  });
});

describe("bodies", () => {
  test.each(["", "{", '{"responses":{"a":NaN}}', "{'responses':{}}", '{"responses":{},}', "\u0000"])(
    "%j is not JSON",
    async (body) => {
      expect(await refusal(body)).toMatchObject({ status: 400, code: "malformed_json" });
    },
  );

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonl"])("of type %s", async (type) => {
    const response = await startApp()(ESTIMATES, post({ responses: answers }, { "content-type": type }));
    expect(await problemOf(response)).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  test("without a type", async () => {
    const body = new TextEncoder().encode(JSON.stringify({ responses: answers }));
    const problem = await problemOf(await startApp()(ESTIMATES, { method: "POST", body }));
    expect(problem).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  test("with a charset", async () => {
    const type = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await startApp()(ESTIMATES, post({ responses: answers }, type))).status).toBe(200);
  });

  const limit = 1 << 20;
  const padded = (bytes: number): string => {
    const body = JSON.stringify({ responses: answers });
    return body + " ".repeat(bytes - new TextEncoder().encode(body).length);
  };
  const stream = (text: string): ReadableStream =>
    new ReadableStream({
      start(controller) {
        const bytes = new TextEncoder().encode(text);
        for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.slice(at, at + 65_536));
        controller.close();
      },
    });

  test.each([
    ["with its length", (text: string) => text],
    ["in a stream of unknown length", stream],
  ])("up to the limit and not a byte more, %s", async (_, make) => {
    const request = startApp();
    const send = (bytes: number): Promise<Response> => request(ESTIMATES, { ...post(""), body: make(padded(bytes)) });
    expect((await send(limit)).status).toBe(200);
    expect(await problemOf(await send(limit + 1))).toMatchObject({ status: 413, code: "payload_too_large" });
  });

  test("the limit counts bytes, not characters", async () => {
    const body = JSON.stringify({ responses: { ["ä".repeat(600_000)]: 1 } });
    expect(body.length).toBeLessThan(limit);
    expect((await refusal(body)).code).toBe("payload_too_large");
  });

  test("one long item id doesn't make a longer answer", async () => {
    const response = await startApp()(ESTIMATES, post({ responses: { ["x".repeat(1_000_000)]: 1 } }));
    expect(response.status).toBe(422);
    expect((await response.text()).length).toBeLessThan(5000);
  });

  test("the limit is a setting", async () => {
    const request = startApp({}, { MAX_REQUEST_BYTES: 100 });
    expect((await request(ESTIMATES, post({ responses: answers }))).status).toBe(413);
  });

  test("a setting that can't be read refuses every request, by its name", async () => {
    const request = startApp({}, { MAX_REQUEST_BYTES: "1MB" as never });
    expect(await problemOf(await request("/v1/bundles"))).toMatchObject({
      status: 500,
      code: "misconfigured",
      detail: "the setting MAX_REQUEST_BYTES is not a whole number above 0",
    });
  });

  test("a version of a thousand characters is one that isn't there", async () => {
    const version = `1.0.0-${"a".repeat(1000)}`;
    expect((await startApp()(`/v1/bundles/sample/${version}/manifest.json`)).status).toBe(404);
    expect((await startApp()(`/v1/bundles/sample/${version}/estimates`, post({ responses: answers }))).status).toBe(
      404,
    );
  });

  test.each([
    ["arrays among the answers", '{"responses":', "[", "", "]", "}"],
    ["objects among the answers", '{"responses":', '{"a":', "1", "}", "}"],
    ["objects at the root", "", '{"a":', "1", "}", ""],
  ])("of deeply nested %s", async (_, before, open, inner, close, after) => {
    const depth = 100_000;
    const body = before + open.repeat(depth) + inner + close.repeat(depth) + after;
    expect((await refusal(body)).status).toBe(422);
  });
});

describe("routes", () => {
  test.each([
    "/",
    "/v1",
    "/v1/bundles/",
    "/v1/bundle",
    "/v2/bundles",
    "/v1/bundles/sample/1.0.0/estimate",
    "/wp-login.php",
  ])("%s isn't there", async (path) => {
    expect(await problemOf(await startApp()(path))).toMatchObject({ status: 404, code: "not_found", instance: path });
  });

  const wrong: [string, string, string][] = [
    ["DELETE", "/v1/bundles", "GET, HEAD, OPTIONS"],
    ["POST", "/v1/bundles/sample", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/bundles/sample/1.0.0", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/bundles/sample/latest", "GET, HEAD, OPTIONS"],
    ["POST", "/v1/bundles/sample/1.0.0/anchors", "GET, HEAD, OPTIONS"],
    ["PATCH", "/v1/bundles/sample/1.0.0/files/items.jsonl", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/bundles/sample/latest/files/items.jsonl", "GET, HEAD, OPTIONS"],
    ["GET", ESTIMATES, "POST, OPTIONS"],
    ["HEAD", ESTIMATES, "POST, OPTIONS"],
    ["PUT", `${ESTIMATES}/batch`, "POST, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
    ["POST", "/openapi.json", "GET, HEAD, OPTIONS"],
  ];
  test.each(wrong)("%s %s is not allowed", async (method, path, allow) => {
    const response = await startApp()(path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    if (method !== "HEAD") expect((await problemOf(response)).code).toBe("method_not_allowed");
  });
});
