import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { AnchorEvalError } from "anchoreval";
import type { AppEnv } from "../env.ts";
import { IMMUTABLE } from "../http/send-content.ts";
import { AnchorsSchema } from "../schemas/anchors.ts";
import { VersionParams } from "../schemas/params.ts";
import { ANCHORS_PROBLEMS, json, MOVED } from "../schemas/responses.ts";

const route = createRoute({
  method: "get",
  path: "/v1/bundles/{benchmark}/{version}/anchors",
  operationId: "readAnchors",
  tags: ["bundles"],
  summary: "The anchors of a form: the items to ask",
  request: {
    params: VersionParams,
    query: z.object({
      form: z.string().optional().openapi({ description: "Default: the bundle's default form.", example: "50" }),
    }),
  },
  responses: { 200: json(AnchorsSchema, "The form"), ...MOVED, ...ANCHORS_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { manifest, scenarios } = await c.var.bundles.bundle(c.req.valid("param"));
  const id = c.req.valid("query").form ?? manifest.defaultForm;
  const form = manifest.forms.find((candidate) => candidate.id === id);
  if (!form)
    throw new AnchorEvalError(
      "unknown_form",
      `this bundle has no form ${id}: it has ${manifest.forms.map((candidate) => candidate.id).join(", ")}`,
    );
  const anchors = [...scenarios.values()].flatMap((scenario) =>
    [...scenario.anchors.values()].filter((anchor) => anchor.forms.includes(id)),
  );
  c.header("cache-control", IMMUTABLE);
  return c.json({ form: id, digest: form.digest, anchors }, 200);
};

export const readAnchors = { route, handler };
