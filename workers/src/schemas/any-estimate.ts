import { z } from "@hono/zod-openapi";
import { ESTIMATE_FIELDS, OTHER_ESTIMATES, REQUEST_FIELDS } from "../../../features/http-answers.ts";
import { EstimateSchema } from "./estimate.ts";
import { described, requestSchema } from "./fields.ts";

/** An estimate as it is served, with what features add to it. */
const ServedEstimateSchema = EstimateSchema.extend(ESTIMATE_FIELDS).openapi("ServedEstimate");

/** Any estimate: one with `metric` is of that. */
export const AnyEstimateSchema = z.union([...OTHER_ESTIMATES, ServedEstimateSchema]);

export const EstimateRequestSchema = requestSchema("EstimateRequest", REQUEST_FIELDS, {
  example: { responses: { "gsm/17": 1, "gsm/42": 0 } },
});

export const BatchEntrySchema = requestSchema(
  "BatchEntry",
  {
    model: described(z.string().min(1), "Any name; the results repeat it."),
    ...REQUEST_FIELDS,
  },
  { example: { model: "my-model", responses: { "gsm/17": 1, "gsm/42": 0 } } },
);
