import type { OpenAPIHono, RouteConfig, z } from "@hono/zod-openapi";
import { componentSchemas } from "./component-schemas.ts";
import type { AppEnv } from "./env.ts";
import { LINE_SCHEMAS } from "./schemas/responses.ts";

/** Every answer has it. */
const REQUEST_ID = {
  description: "The caller's own, or a new one: names the request in logs",
  schema: { type: "string" },
};

/** The OpenAPI 3.1 document of the routes that an app has registered. */
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
    security: [{}, { bearer: [] }], // protected benchmarks take a token
  });
  for (const methods of Object.values(document.paths ?? {}))
    for (const { responses } of Object.values(methods) as { responses: Record<string, { headers?: object }> }[])
      for (const answer of Object.values(responses))
        answer.headers = { ...answer.headers, "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  const routes = registry.definitions.flatMap((own) => ("type" in own && own.type === "route" ? [own.route] : []));
  return {
    ...document,
    components: { ...document.components, schemas: componentSchemas([...routes.flatMap(schemasOf), ...LINE_SCHEMAS]) },
  };
}

/** Of a route's bodies. */
function schemasOf({ request, responses }: RouteConfig): z.ZodType[] {
  const bodies = [request?.body ?? {}, ...Object.values(responses)] as {
    content?: Record<string, { schema: object }>;
  }[];
  const schemas = bodies.flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema));
  return schemas.filter((schema): schema is z.ZodType => "def" in schema);
}
