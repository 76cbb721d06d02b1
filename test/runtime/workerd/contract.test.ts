import { Validator } from "@cfworker/json-schema";
import { reset } from "cloudflare:test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { AnchorsSchema, BenchmarkListSchema, BenchmarkSchema } from "../../../workers/src/routes/bundles.ts";
import { ManifestSchema } from "../../../workers/src/schemas/manifest.ts";
import { ProblemSchema } from "../../../workers/src/schemas/contract.ts";
import { sampleAnswers } from "../../support/sample-answers.ts";
import { expectDocumented } from "./support/documented.ts";
import { post, publishSample, startApp } from "./support/worker.ts";

beforeAll(() => publishSample());
afterAll(() => reset());

describe("answers are what the contract says", () => {
  const cases: [string, z.ZodType][] = [
    ["/v1/bundles", BenchmarkListSchema],
    ["/v1/bundles/sample", BenchmarkSchema],
    ["/v1/bundles/sample/1.0.0", ManifestSchema],
    ["/v1/bundles/sample/1.0.0/anchors", AnchorsSchema],
    ["/v1/bundles/sample/1.0.1", ProblemSchema],
    ["/nowhere", ProblemSchema],
  ];
  test.each(cases)("%s", async (path, schema) => {
    const body = await (await startApp()(path)).json();
    expect(schema.parse(body)).toEqual(body);
  });
});

describe("/openapi.json", () => {
  interface Document {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>;
    components: { schemas: Record<string, object> };
  }
  const load = async (): Promise<Document> => (await startApp()("/openapi.json")).json();

  test("has every route of the interface", async () => {
    const { openapi, paths } = await load();
    expect(openapi).toBe("3.1.0");
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes.sort()).toEqual([
      "get /healthz",
      "get /v1/bundles",
      "get /v1/bundles/{benchmark}",
      "get /v1/bundles/{benchmark}/log.jsonl",
      "get /v1/bundles/{benchmark}/trust.json",
      "get /v1/bundles/{benchmark}/{version}",
      "get /v1/bundles/{benchmark}/{version}/anchors",
      "get /v1/bundles/{benchmark}/{version}/estimates/jobs/{id}",
      "get /v1/bundles/{benchmark}/{version}/estimates/jobs/{id}/results",
      "get /v1/bundles/{benchmark}/{version}/files/{name}",
      "get /v1/bundles/{benchmark}/{version}/plan",
      "post /v1/bundles/{benchmark}/{version}/checks",
      "post /v1/bundles/{benchmark}/{version}/comparisons",
      "post /v1/bundles/{benchmark}/{version}/estimates",
      "post /v1/bundles/{benchmark}/{version}/estimates/batch",
      "post /v1/bundles/{benchmark}/{version}/estimates/jobs",
      "post /v1/bundles/{benchmark}/{version}/next-items",
      "post /v1/bundles/{benchmark}/{version}/publication",
      "post /v1/bundles/{benchmark}/{version}/routes",
      "post /v1/judged-estimates",
      "put /v1/bundles/{benchmark}/blobs/{sha256}",
      "put /v1/bundles/{benchmark}/{version}/card",
      "put /v1/bundles/{benchmark}/{version}/yank",
    ]);
  });

  test("refers only to what it has, and names every operation once", async () => {
    const document = await load();
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name!);
  });
});

test("every example keeps to its schema", async () => {
  const document: { components: object } = await (await startApp()("/openapi.json")).json();
  let count = 0;
  const check = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if ("example" in node) {
      // A parameter's stands beside its schema.
      const schema = "schema" in node ? (node.schema as object) : node;
      const { valid, errors } = new Validator({ ...schema, components: document.components }).validate(node.example);
      expect.soft(valid, `${JSON.stringify(node.example)}: ${errors.map(({ error }) => error).join("; ")}`).toBe(true);
      count++;
    }
    for (const [name, child] of Object.entries(node)) if (name !== "example") check(child);
  };
  check(document);
  expect(count).toBeGreaterThan(10);
});

describe("answers that /openapi.json doesn't have", () => {
  const request = new Request("http://localhost/v1/bundles/sample/1.0.0/plan");
  const answer = (status: number, type: string, body: unknown): Response =>
    new Response(JSON.stringify(body), { status, headers: { "content-type": type } });

  test.each([
    ["a status", answer(418, "application/json", {}), "418 isn't in"],
    ["a media type", answer(200, "text/plain", {}), "the media type text/plain isn't in"],
    ["a body", answer(200, "application/json", { benchmark: 1 }), "contradicts"],
    ["a problem", answer(404, "application/problem+json", { code: "not_found" }), "contradicts"],
  ])("every test refuses: %s", async (_, response, message) => {
    await expect(expectDocumented(request, response)).rejects.toThrow(message);
  });
});

describe("CORS", () => {
  const origin = { origin: "https://any.example" };

  test.each(["/v1/bundles", "/v1/bundles/sample/1.0.0/files/items.jsonl", "/nowhere", "/v1/bundles/sample/latest"])(
    "any origin may read %s and its headers",
    async (path) => {
      const { headers } = await startApp()(path, { headers: origin });
      expect(headers.get("access-control-allow-origin")).toBe("*");
      expect(headers.get("access-control-expose-headers")).toContain("ETag");
    },
  );

  test("any origin may send answers", async () => {
    const preflight = await startApp()("/v1/bundles/sample/1.0.0/estimates", {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET,HEAD,POST,OPTIONS");
    expect(preflight.headers.get("access-control-allow-headers")).toBe("content-type");
    const response = await startApp()(
      "/v1/bundles/sample/1.0.0/estimates",
      post({ responses: sampleAnswers("20") }, origin),
    );
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  });
});
