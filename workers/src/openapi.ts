import { getOpenApiMetadata, getRefId } from "@asteasolutions/zod-to-openapi";
import { z, type OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { AppEnv } from "./routes/route.ts";
import { LINE_SCHEMAS } from "./routes/estimates.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

const REQUEST_ID = {
  description: "The caller's own id or a new one; names the request in logs",
  schema: { type: "string" },
};

export function openapiDocument(app: OpenAPIHono<AppEnv>): object {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  registry.registerComponent("headers", "X-Request-Id", REQUEST_ID as never);
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "anchoreval",
      version: "1",
      description:
        "Estimates what a language model would score on a whole benchmark from its answers to a few dozen anchor items, and says how sure that is.",
      license: { name: "Apache-2.0" },
    },
    security: [{}, { bearer: [] }], // protected benchmarks require a token
  });
  for (const methods of Object.values(document.paths ?? {}))
    for (const { responses } of Object.values(methods) as { responses: Record<string, { headers?: object }> }[])
      for (const answer of Object.values(responses))
        answer.headers = { ...answer.headers, "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  const routes = registry.definitions.flatMap((entry) =>
    "type" in entry && entry.type === "route" ? [entry.route] : [],
  );
  const schemas = componentSchemas([...routes.flatMap(bodySchemas), ...LINE_SCHEMAS]);
  return { ...document, components: { ...document.components, schemas } };
}

function bodySchemas({ request, responses }: RouteConfig): z.ZodType[] {
  const bodies = [request?.body ?? {}, ...Object.values(responses)] as {
    content?: Record<string, { schema: object }>;
  }[];
  const schemas = bodies.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
  return schemas.filter((schema): schema is z.ZodType => "def" in schema);
}

/**
 * JSON Schemas of all named schemas in these, by name, as zod itself writes them. zod-to-openapi would make properties
 * required that may be absent (`exactOptional`), and would never let a named schema be null.
 */
function componentSchemas(roots: readonly z.ZodType[]): Record<string, JsonSchema> {
  const named = new Map<string, z.ZodType>();
  for (const root of roots) jsonSchema(root, named);
  const schemas: Record<string, JsonSchema> = {};
  for (const [name, schema] of named) schemas[name] = jsonSchema(schema, named); // adds to `named` as it goes
  return schemas;
}

/** Types that wrap a named schema and seem to have its name. */
const WRAPPERS: readonly string[] = ["nullable", "optional", "readonly"];

/** @param named - collects the named schemas inside, which are written as references */
function jsonSchema(root: z.ZodType, named: Map<string, z.ZodType>): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(root, {
    io: "input", // for answers too, which may gain properties
    unrepresentable: "any", // refinements are explained in descriptions
    override: ({ zodSchema, jsonSchema: written, path }) => {
      const source = zodSchema as unknown as z.ZodType;
      const name = WRAPPERS.includes(source.def.type) ? undefined : getRefId(source);
      if (name !== undefined) named.set(name, source);
      if (name !== undefined && path.length > 0) {
        for (const key of Object.keys(written)) Reflect.deleteProperty(written, key);
        written.$ref = `#/components/schemas/${name}`;
        return;
      }
      Object.assign(written, getOpenApiMetadata(source));
      delete written.readOnly; // of the TypeScript types, not of the interface
      delete written.propertyNames; // names are strings anyway
      if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum;
      if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum;
    },
  });
  delete schema.$schema;
  return schema;
}
