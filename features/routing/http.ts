import { z } from "@hono/zod-openapi";
import { routeFromBundle } from "anchoreval";
import { OTHERWISE } from "../../workers/src/schemas/contract.ts";
import { answerSchema, described, json, optional, requestSchema } from "../../workers/src/schemas/fields.ts";
import { operation, postToBundle, route } from "../../workers/src/routes/route.ts";

/** Most questions of one request. */
const MAX_QUESTIONS = 20;
/** Longest text of a question. @unit UTF-16 units */
const MAX_TEXT = 10_000;
/** Longest embedding of a question. */
const MAX_WIDTH = 8192;

const QuestionSchema = requestSchema(
  "RoutedQuestion",
  {
    id: optional(z.string().max(512), "Any name; the route repeats it."),
    text: optional(z.string().max(MAX_TEXT), "The question, if the bundle routes by text (`coldStart.features`)."),
    embedding: optional(
      z.array(z.number()).max(MAX_WIDTH).readonly(),
      "Its embedding, if the bundle routes by embeddings: `coldStart.width` numbers.",
    ),
  },
  { example: { id: "q1", text: "Which of 4, 9 and 11 is prime?" } },
);

export const RoutesRequestSchema = requestSchema("RoutesRequest", {
  questions: z.array(QuestionSchema).min(1).max(MAX_QUESTIONS).readonly(),
  scenario: optional(z.string(), "Required if the bundle has routes for several."),
  costs: optional(z.record(z.string(), z.number()), "Cost of one question by model; other models cost nothing."),
  costWeight: optional(z.number(), "Probability of a right answer that one unit of cost must be worth. Default 1."),
});

const RouteSchema = z.object({
  id: z.string().nullable(),
  chances: z.array(z.number()).readonly(),
  pick: z.string(),
  pickLogitError: z.number().nullable(),
  unknown: described(z.boolean(), "No term of the text is known: the chances are those of a mean question."),
});

export const RoutesSchema = answerSchema("Routes", {
  benchmark: z.string(),
  version: z.string(),
  digest: z.string(),
  scenario: z.string(),
  models: described(z.array(z.string()).readonly(), "In the order of `chances`."),
  single: described(z.string(), "The model that was right most often on the questions with answers."),
  leftOut: described(
    z.object({ questions: z.number().int(), right: z.number(), singleRight: z.number() }),
    "Shares of right answers of the picks and of `single` on those questions, each predicted from the others.",
  ),
  routes: described(z.array(RouteSchema).readonly(), "In the order of the questions."),
});

export const createRoutes = route(
  {
    ...postToBundle("routes", RoutesRequestSchema),
    ...operation("routes", "createRoutes", "Choose the model to ask for questions that no model has answered yet"),
    responses: { 200: json(RoutesSchema, "Every model's chance of a right answer, and the pick"), ...OTHERWISE.post },
  },
  async (c) => {
    const { questions, ...options } = c.req.valid("json");
    const routing = await c.var.bundles.routing(c.req.valid("param"));
    return c.json(routeFromBundle(routing, questions, options), 200);
  },
);
