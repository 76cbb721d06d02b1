import { z } from "@hono/zod-openapi";
import { ComparisonSideSchema } from "./comparison.ts";
import { EstimateWarningSchema } from "./estimate.ts";
import { ANSWER_FIELDS } from "./estimate-request.ts";

/** Runs on a side of a check, at most: a month of nights. */
const MOST_RUNS = 31;

/** Mirrors `CheckRequest` of anchoreval. */
export const CheckRequestSchema = z
  .strictObject({
    current: z
      .array(ComparisonSideSchema)
      .min(1)
      .max(MOST_RUNS)
      .readonly()
      .openapi({ description: "The runs to be checked: one, or several whose mean counts." }),
    baselines: z
      .array(ComparisonSideSchema)
      .max(MOST_RUNS)
      .readonly()
      .exactOptional()
      .openapi({ description: "Earlier runs on the same form; of several the mean counts." }),
    maxDrop: z
      .number()
      .exactOptional()
      .openapi({ description: "The largest drop against the baselines that is allowed, in [0,1). Default 0.01." }),
    minScore: z.number().exactOptional().openapi({ description: "The lowest score that is allowed, in [0,1]." }),
    alarmsPerYear: z.number().exactOptional().openapi({ description: "False alarms accepted a year. Default 1." }),
    runsPerYear: z.number().exactOptional().openapi({ description: "Checks a year. Default 365." }),
    form: ANSWER_FIELDS.form,
    level: z
      .number()
      .exactOptional()
      .openapi({ description: "One-sided confidence that passing needs, in (0.5,1). Default 0.95." }),
    onChangedItem: ANSWER_FIELDS.onChangedItem,
  })
  .openapi("CheckRequest");

const VerdictSchema = z
  .enum(["passed", "regressed", "undecided"])
  .openapi("CheckVerdict", { description: "`undecided`: the answers neither show what is forbidden nor rule it out." });

/** Mirrors `CheckResult` of anchoreval. */
export const CheckSchema = z
  .object({
    benchmark: z.string(),
    version: z.string(),
    form: z.string(),
    digest: z.string(),
    verdict: VerdictSchema,
    drop: z
      .object({
        verdict: VerdictSchema,
        drop: z.number().nullable().openapi({ description: "S_before − S_now." }),
        low: z.number().nullable(),
        high: z.number().nullable(),
        reason: z.string().nullable(),
        maxDrop: z.number(),
        alarmsWithoutChange: z.number().nullable().openapi({ description: "A year, of a model that didn't change." }),
        found: z.number().nullable().openapi({ description: "The drop that is found in four cases of five." }),
      })
      .openapi("DropCheck")
      .nullable(),
    minimum: z
      .object({
        verdict: VerdictSchema,
        score: z.number().nullable(),
        low: z.number().nullable(),
        high: z.number().nullable(),
        reason: z.string().nullable(),
        minScore: z.number(),
      })
      .openapi("MinimumCheck")
      .nullable(),
    alarms: z.object({ perYear: z.number(), runsPerYear: z.number(), probability: z.number() }),
    level: z.number(),
    answered: z.number().int().openapi({ description: "Items that a run of either side answered." }),
    of: z.number().int(),
    warnings: z.array(EstimateWarningSchema).readonly(),
  })
  .openapi("CheckResult");
