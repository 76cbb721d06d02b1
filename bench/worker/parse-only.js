// A Worker that reads an estimate's request as the real one does and answers nothing of it: what the estimate itself
// costs is what the real one takes beyond that. Bundled by bench/throughput.js.
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { duplicateKeys, readBody, refuseDuplicates } from "../../workers/src/http/request-body.ts";
import { EstimateRequestSchema } from "../../workers/src/schemas/estimate.ts";
import { VersionOrLatestParams } from "../../workers/src/schemas/contract.ts";
import { settingsOf } from "../../workers/src/platform/settings.ts";

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/estimates",
  middleware: readBody,
  request: {
    params: VersionOrLatestParams,
    body: { required: true, content: { "application/json": { schema: EstimateRequestSchema } } },
  },
  responses: {
    200: { description: "Read", content: { "application/json": { schema: z.object({ answers: z.number() }) } } },
  },
});

const app = new OpenAPIHono();
app.use(async (c, next) => {
  c.set("settings", settingsOf(c.env));
  await next();
});
app.openapi(route, async (c) => {
  const body = c.req.valid("json");
  refuseDuplicates(duplicateKeys(await c.req.text(), body));
  return c.json({ answers: Object.keys(body.responses).length }, 200);
});

export default app;
