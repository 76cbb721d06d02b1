import { z } from "@hono/zod-openapi";
import type { EstimateRequest } from "anchoreval";

const SCORE = { type: ["number", "null"] as ["number", "null"], minimum: 0, maximum: 1 };

/**
 * Answers by item id, or in the order of a form. They pass as they are: `estimateFromAnchors` checks every one, with one
 * issue for each bad answer, and zod's records would drop `__proto__` in silence.
 */
const ResponsesSchema = z
  .custom<EstimateRequest["responses"]>((value) => value !== undefined, "answers are missing")
  .openapi({
    type: ["object", "array"],
    description:
      "Scores in [0,1] by item id, null = no answer; or an array in the order of the form's anchors, with `formDigest`.",
    additionalProperties: SCORE,
    items: SCORE,
  });

const HashesSchema = z
  .custom<Record<string, string>>(
    (value) =>
      typeof value === "object" && value !== null && Object.values(value).every((hash) => typeof hash === "string"),
    "hashes are an object of item id → SHA-256",
  )
  .openapi({
    type: "object",
    description: "Content hashes of the answered items, where the harness knows them.",
    additionalProperties: { type: "string" },
  });

/** What answers come with. */
export const ANSWER_FIELDS = {
  responses: ResponsesSchema,
  form: z.string().exactOptional().openapi({ description: "Inferred where the answered items leave no doubt." }),
  formDigest: z.string().exactOptional().openapi({ description: "Needed with an array of answers." }),
  digest: z
    .string()
    .exactOptional()
    .openapi({ description: "Digest of the bundle that the answers belong to; another is refused (409)." }),
  level: z.number().exactOptional().openapi({ description: "Confidence level, in (0,1). Default 0.95." }),
  hashes: HashesSchema.exactOptional(),
  onChangedItem: z
    .enum(["error", "drop"])
    .exactOptional()
    .openapi({ description: "What another content hash does: an error (default), or the answer counts as missing." }),
};

/** Mirrors `EstimateRequest` of anchoreval. Unknown fields are refused: a misspelt option must not be ignored. */
export const EstimateRequestSchema = z
  .strictObject(ANSWER_FIELDS)
  .openapi("EstimateRequest", { example: { responses: { "gsm/17": 1, "gsm/42": 0 } } });

/** One model of a batch. */
export const BatchEntrySchema = z
  .strictObject({
    model: z.string().min(1).openapi({ description: "Any name; the results carry it." }),
    ...ANSWER_FIELDS,
  })
  .openapi("BatchEntry", { example: { model: "my-model", responses: { "gsm/17": 1, "gsm/42": 0 } } });
