import { z } from "@hono/zod-openapi";
import { EstimateWarningSchema, IntervalSchema } from "./estimate.ts";
import { ANSWER_FIELDS } from "./estimate-request.ts";

const { responses, form, formDigest, digest, level, hashes, onChangedItem } = ANSWER_FIELDS;

/** Mirrors `ComparisonSide` of anchoreval. */
export const ComparisonSideSchema = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(512)
      .exactOptional()
      .openapi({ description: "Any name; messages and result carry it." }),
    version: z
      .string()
      .exactOptional()
      .openapi({ description: "Version whose anchors were asked: another major one than this bundle's is refused." }),
    responses,
    form,
    formDigest,
    digest,
    hashes,
  })
  .openapi("ComparisonSide", { example: { name: "new", responses: { "gsm/17": 1, "gsm/42": 0 } } });

/** Mirrors `ComparisonRequest` of anchoreval. */
export const ComparisonRequestSchema = z
  .strictObject({
    a: ComparisonSideSchema,
    b: ComparisonSideSchema,
    margin: z
      .number()
      .exactOptional()
      .openapi({ description: "The largest difference of scores that doesn't matter, in [0,1). Default 0." }),
    form,
    level,
    onChangedItem,
  })
  .openapi("ComparisonRequest");

const ModelScoreSchema = z
  .object({
    score: z.number().nullable(),
    interval: IntervalSchema.nullable(),
    correctedMean: z.number().nullable(),
    stratifiedMean: z.number().nullable(),
  })
  .openapi("ModelScore");

const difference = {
  difference: z.number().nullable().openapi({ description: "S_B − S_A." }),
  interval: IntervalSchema.nullable(),
  reason: z.string().nullable(),
  oneSidedConfidence: z.number().nullable().openapi({ description: "That B's full score is the higher." }),
  mcnemar: z
    .object({ aHigher: z.number().int(), bHigher: z.number().int(), pValue: z.number() })
    .openapi("McNemar", { description: "Mid-p test on the raw answers." }),
  scores: z.object({ a: ModelScoreSchema, b: ModelScoreSchema }),
  answered: z.number().int().openapi({ description: "Items that both answered: only these count." }),
  of: z.number().int(),
};

/** Mirrors `Comparison` of anchoreval. */
export const ComparisonSchema = z
  .object({
    ...difference,
    benchmark: z.string(),
    version: z.string(),
    form: z.string(),
    digest: z.string(),
    names: z.object({ a: z.string(), b: z.string() }),
    margin: z.number(),
    verdict: z.enum(["a-better", "b-better", "no-difference", "undecided"]).nullable(),
    moreItems: z
      .number()
      .nullable()
      .openapi({ description: "Items more at which it would be decided; for `undecided`." }),
    warnings: z.array(EstimateWarningSchema).readonly(),
    scenarios: z.record(z.string(), z.object(difference).openapi("Difference")),
  })
  .openapi("Comparison");
