import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { BadRequest } from "./bad-requests.ts";

/** A schema of /openapi.json, as far as values are drawn from it. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly example?: unknown;
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

/** /openapi.json. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

/** Names that every object has, beside those that schemas leave open. */
export const INHERITED_NAMES = [...Object.getOwnPropertyNames(Object.prototype), "prototype"];

const NASTY_TEXT = [
  ...INHERITED_NAMES,
  ...["", "../../etc/passwd", "..%2f..%2f", "%00", "a\u0000b", "<img src=x onerror=alert(1)>", "'; DROP TABLE x;--"],
  ...["\u001b[2J", "\u202e", "e\u0301", "\ud800", "a".repeat(5000), "NaN", "Infinity", "1e999", "null", "${7*7}"],
];
const NASTY: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1e308, 1e-320, 2 ** 53, [], {}, [[]], "", [1, 2], { a: {} }],
  ...NASTY_TEXT,
];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  authorization: ["Bearer test-all", "Bearer test-old", "Bearer test-reader", "Bearer x", "Basic eDp5", "Bearer"],
  range: [
    "bytes=0-10",
    "bytes=-5",
    "bytes=5-",
    "bytes=0-0,2-3",
    "bytes=99999999-",
    "bytes=-0",
    "bytes=5-2",
    "items=0-1",
  ],
  "if-none-match": ["*", '"x"', 'W/"x"'],
  "if-range": ['"x"', "Wed, 21 Oct 2015 07:28:00 GMT"],
  accept: ["*/*", "application/x-ndjson", "text/html", "application/xml;q=0.1"],
  "x-request-id": ["ok.1", "bad id", "<script>", "a".repeat(65)],
  "anchoreval-signature": ["a.b", "x".repeat(2000), ","],
  "x-http-method-override": ["DELETE", "PUT"],
  "cf-connecting-ip": ["::1", "1.2.3.4", "x"],
};

/** What stands in paths, the right ones first. */
export interface PathValues {
  readonly [parameter: string]: readonly string[];
}

/**
 * Draws a request from the document: every operation, its parameters and its body by their schemas, with some of it nasty.
 * @param paths - values of path parameters
 * @param ids - of items, so that some answers come far
 */
export function openApiRequest(
  { paths: routes, components }: OpenApiDocument,
  random: RandomSource,
  { paths, ids }: { readonly paths: PathValues; readonly ids: readonly string[] },
): BadRequest {
  const pick = <T>(of: readonly T[]): T => of[random.below(of.length)]!;
  const resolved = (schema: Schema | undefined): Schema => {
    const name = schema?.$ref?.split("/").at(-1);
    if (name === undefined) return schema ?? {};
    return resolved((components as { schemas: Record<string, Schema> }).schemas[name]);
  };
  const answers = (): object =>
    Object.fromEntries(
      Array.from({ length: pick([0, 1, 5, 20, 40]) }, () => [
        random.next() < 0.97 ? pick(ids) : pick(NASTY_TEXT),
        random.next() < 0.95 ? pick([0, 1, 0.5]) : pick(NASTY),
      ]),
    );
  const draw = (from: Schema | undefined, depth: number): unknown => {
    const schema = resolved(from);
    if (depth > 6 || random.next() < 0.06) return pick(NASTY);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return pick(schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return draw(pick(alternatives), depth + 1);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => draw(part, depth + 1)));
    const type = Array.isArray(schema.type) ? pick(schema.type as string[]) : schema.type;
    if (type === "object" || schema.properties) {
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([key]) => random.next() < (schema.required?.includes(key) ? 0.95 : 0.4),
      );
      const drawn = fields.map(([key, of]): [string, unknown] => [
        key,
        key === "responses" && random.next() < 0.8 ? answers() : draw(of, depth + 1),
      ]);
      const more = typeof schema.additionalProperties === "object" ? random.below(4) : 0;
      for (let k = 0; k < more; k++)
        drawn.push([pick([...ids, ...NASTY_TEXT]), draw(schema.additionalProperties as Schema, depth + 1)]);
      if (random.next() < 0.08) drawn.push([pick(NASTY_TEXT), pick(NASTY)]);
      return Object.fromEntries(drawn);
    }
    if (type === "array") return Array.from({ length: random.below(4) }, () => draw(schema.items, depth + 1));
    if (type === "number" || type === "integer") {
      if (random.next() < 0.5) return random.below(100) / (type === "integer" ? 1 : 100);
      return pick([0, -1, 1, schema.minimum ?? 0, schema.maximum ?? 1, 1e308, 1e-308, 2 ** 53, 0.5, 3.7]);
    }
    if (type === "boolean") return random.next() < 0.5;
    if (type === "null") return null;
    return pick([schema.example ?? "a", "20", "sample", ...NASTY_TEXT]);
  };

  const [template, methods] = pick(Object.entries(routes));
  const [name, operation] = pick(Object.entries(methods).filter(([, own]) => typeof own.responses === "object"));
  const path = template.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const values = paths[parameter] ?? ["x"];
    return random.next() < 0.7 ? values[0]! : pick([...values, ...INHERITED_NAMES]);
  });
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && random.next() < 0.6)
    .map((parameter) => `${parameter.name}=${encodeURIComponent(pick(["20", ...NASTY_TEXT]).replace(/\ud800/, "x"))}`);
  if (random.next() < 0.05) query.push("__proto__[x]=1&form=20&form=50");
  const headers: Record<string, string> = {};
  for (const [header, values] of Object.entries(HEADERS)) if (random.next() < 0.25) headers[header] = pick(values);
  const types = Object.entries(operation.requestBody?.content ?? {});
  const method =
    random.next() < 0.93 ? name.toUpperCase() : pick(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]);
  let body: string | null = null;
  if (types.length > 0 && method !== "GET" && method !== "HEAD") {
    const [type, content] = pick(types);
    headers["content-type"] =
      random.next() < 0.93 ? type : pick(["text/plain", "", "application/JSON", "multipart/form-data; boundary=x"]);
    const kind = random.below(14);
    if (kind < 10) body = JSON.stringify(draw(content.schema, 0));
    else if (kind === 10)
      body = Array.from({ length: random.below(6) }, () => JSON.stringify({ model: pick(NASTY_TEXT), responses: answers() })).join("\n"); // prettier-ignore
    else if (kind === 11)
      body = '{"__proto__":{"responses":{}},"constructor":{"prototype":{"x":1}},"responses":{"__proto__":1}}';
    else if (kind === 12) body = `{"responses":{${Array.from({ length: 60_000 }, (_, k) => `"k${k}":1`).join(",")}}}`;
    else body = pick(["", "x".repeat((1 << 20) + 10), '{"responses":'.repeat(5000), "[".repeat(20_000), "\ufeff{}"]);
  }
  return { method, path: path + (query.length > 0 ? `?${query.join("&")}` : ""), headers, body };
}
