import { z } from "@hono/zod-openapi";
import { EstimateSchema } from "./estimate.ts";
import { BatchEntrySchema } from "./estimate-request.ts";
import { IssueSchema } from "./problem.ts";

export const BatchRequestSchema = z.strictObject({ models: z.array(BatchEntrySchema) }).openapi("BatchRequest");

const BatchProblemSchema = z.object({ code: z.string(), detail: z.string(), issues: z.array(IssueSchema).readonly() });

/** Mirrors `BatchResult` of anchoreval. */
export const BatchResultSchema = z
  .union([
    z.object({ model: z.string(), estimate: EstimateSchema }),
    z.object({ model: z.string(), problem: BatchProblemSchema }),
  ])
  .openapi("BatchResult", { description: "A model's estimate, or why there is none." });

export const BatchResponseSchema = z
  .object({ results: z.array(BatchResultSchema).readonly().openapi({ description: "In the order of `models`." }) })
  .openapi("BatchResponse");

const INDEX = { index: z.number().int().openapi({ description: "Place among the request's models, from 0." }) };

/** Mirrors `BatchLine` of anchoreval. */
export const BatchLineSchema = z
  .union([
    z.object({ ...INDEX, model: z.string(), estimate: EstimateSchema }),
    z.object({
      ...INDEX,
      model: z.string().nullable().openapi({ description: "null where the line names none." }),
      problem: BatchProblemSchema,
    }),
  ])
  .openapi("BatchLine", { description: "A line of results: a model's estimate, or why there is none." });

/** The last line of results. */
export const ResultsEndSchema = z
  .object({ done: z.literal(true), results: z.number().int(), problems: z.number().int() })
  .openapi("ResultsEnd", { description: "The last line: without it, the answer was cut off." });
