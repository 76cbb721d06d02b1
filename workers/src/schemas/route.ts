import { z } from "@hono/zod-openapi";

/** Most questions of one request. */
export const MAX_QUESTIONS = 20;
/** Longest text of a question. @unit UTF-16 units */
const MAX_TEXT = 10_000;
/** Longest vector of a question. */
const MAX_WIDTH = 8192;

const QuestionSchema = z
  .strictObject({
    id: z.string().max(512).exactOptional().openapi({ description: "Any name; the route carries it." }),
    text: z
      .string()
      .max(MAX_TEXT)
      .exactOptional()
      .openapi({ description: "The question, where the bundle goes by texts (`coldStart.features`)." }),
    embedding: z
      .array(z.number())
      .max(MAX_WIDTH)
      .readonly()
      .exactOptional()
      .openapi({ description: "Its vector, where the bundle goes by embeddings; `coldStart.width` numbers." }),
  })
  .openapi("RoutedQuestion", { example: { id: "q1", text: "Which of 4, 9 and 11 is prime?" } });

/** Mirrors `RoutesRequest` of anchoreval. */
export const RoutesRequestSchema = z
  .strictObject({
    questions: z.array(QuestionSchema).min(1).max(MAX_QUESTIONS).readonly(),
    scenario: z.string().exactOptional().openapi({ description: "Needed where the bundle has routes of several." }),
    costs: z
      .record(z.string(), z.number())
      .exactOptional()
      .openapi({ description: "What one question costs, by model; others cost nothing." }),
    costWeight: z
      .number()
      .exactOptional()
      .openapi({ description: "Probability of a right answer that one unit of cost must bring. Default 1." }),
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
    leftOut: z
      .object({ questions: z.number().int(), right: z.number(), singleRight: z.number() })
      .openapi({ description: "Shares right of picks and of `single` there, each question foretold by the others." }),
    routes: z
      .array(
        z.object({
          id: z.string().nullable(),
          chances: z.array(z.number()).readonly(),
          pick: z.string(),
          pickLogitError: z.number().nullable(),
          unknown: z.boolean().openapi({ description: "No term of the text is known: chances of a mean question." }),
        }),
      )
      .readonly()
      .openapi({ description: "In the order of the questions." }),
  })
  .openapi("Routes");
