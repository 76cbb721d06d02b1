import { z } from "@hono/zod-openapi";
import { EstimateSchema } from "./estimate.ts";
import { BatchEntrySchema } from "./estimate-request.ts";
import { IssueSchema } from "./problem.ts";

/** Most models of one batch. */
export const MAX_BATCH_MODELS = 100;

export const BatchRequestSchema = z
  .strictObject({ models: z.array(BatchEntrySchema).min(1).max(MAX_BATCH_MODELS) })
  .openapi("BatchRequest");

/** Mirrors `BatchResult` of anchoreval. */
export const BatchResultSchema = z
  .union([
    z.object({ model: z.string(), estimate: EstimateSchema }),
    z.object({
      model: z.string(),
      problem: z.object({ code: z.string(), detail: z.string(), issues: z.array(IssueSchema).readonly() }),
    }),
  ])
  .openapi("BatchResult", { description: "A model's estimate, or why there is none." });

export const BatchResponseSchema = z
  .object({ results: z.array(BatchResultSchema).readonly().openapi({ description: "In the order of `models`." }) })
  .openapi("BatchResponse");
