import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "./env.ts";

/** The OpenAPI 3.1 document of the routes that an app has registered. */
export function openapiDocument(app: OpenAPIHono<AppEnv>): object {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "anchoreval",
      version: "1",
      description:
        "Estimates what a language model would score on a whole benchmark from its answers to a few dozen anchor items, and says how sure that is.",
      license: { name: "Apache-2.0" },
    },
  });
}
