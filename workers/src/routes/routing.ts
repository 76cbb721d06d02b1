import { createRoute, z, type RouteHandler } from "@hono/zod-openapi";
import { routeFromBundle } from "anchoreval";
import type { AppEnv } from "../context.ts";
import { limitBody } from "../http/request-body.ts";
import { json, jsonBody, POST_PROBLEMS, VersionOrLatestParams } from "../schemas/contract.ts";

/** Most questions of one request. */
const MAX_QUESTIONS = 20;
/** Longest text of a question. @unit UTF-16 units */
const MAX_TEXT = 10_000;
/** Longest embedding of a question. */
const MAX_WIDTH = 8192;

const QuestionSchema = z
  .strictObject({
    id: z.string().max(512).exactOptional().openapi({ description: "Any name; the route repeats it." }),
    text: z
      .string()
      .max(MAX_TEXT)
      .exactOptional()
      .openapi({ description: "The question, if the bundle routes by text (`coldStart.features`)." }),
    embedding: z
      .array(z.number())
      .max(MAX_WIDTH)
      .readonly()
      .exactOptional()
      .openapi({ description: "Its embedding, if the bundle routes by embeddings: `coldStart.width` numbers." }),
  })
  .openapi("RoutedQuestion", { example: { id: "q1", text: "Which of 4, 9 and 11 is prime?" } });

/** Mirrors `RoutesRequest` of anchoreval. */
export const RoutesRequestSchema = z
  .strictObject({
    questions: z.array(QuestionSchema).min(1).max(MAX_QUESTIONS).readonly(),
    scenario: z.string().exactOptional().openapi({ description: "Required if the bundle has routes for several." }),
    costs: z
      .record(z.string(), z.number())
      .exactOptional()
      .openapi({ description: "Cost of one question by model; other models cost nothing." }),
    costWeight: z
      .number()
      .exactOptional()
      .openapi({ description: "Probability of a right answer that one unit of cost must be worth. Default 1." }),
  })
  .openapi("RoutesRequest");

/** Mirrors `Routes` of anchoreval. */
export const RoutesSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    digest: z.string(),
    scenario: z.string(),
    models: z.array(z.string()).readonly().openapi({ description: "In the order of `chances`." }),
    single: z.string().openapi({ description: "The model that was right most often on the questions with answers." }),
    leftOut: z.object({ questions: z.number().int(), right: z.number(), singleRight: z.number() }).openapi({
      description:
        "Shares of right answers of the picks and of `single` on those questions, each predicted from the others.",
    }),
    routes: z
      .array(
        z.object({
          id: z.string().nullable(),
          chances: z.array(z.number()).readonly(),
          pick: z.string(),
          pickLogitError: z.number().nullable(),
          unknown: z
            .boolean()
            .openapi({ description: "No term of the text is known: the chances are those of a mean question." }),
        }),
      )
      .readonly()
      .openapi({ description: "In the order of the questions." }),
  })
  .openapi("Routes");

const route = createRoute({
  method: "post",
  path: "/v1/bundles/{benchmark}/{version}/routes",
  operationId: "createRoutes",
  tags: ["routes"],
  summary: "Choose the model to ask for questions that no model has answered yet",
  middleware: limitBody,
  request: { params: VersionOrLatestParams, body: jsonBody(RoutesRequestSchema) },
  responses: { 200: json(RoutesSchema, "Every model's chance of a right answer, and the pick"), ...POST_PROBLEMS },
});

const handler: RouteHandler<typeof route, AppEnv> = async (c) => {
  const { questions, ...options } = c.req.valid("json");
  const routing = await c.var.bundles.routing(c.req.valid("param"));
  return c.json(routeFromBundle(routing, questions, options), 200);
};

export const createRoutes = { route, handler };
