import { z } from "@hono/zod-openapi";
import { checkFromAnchors, compareFromAnchors } from "anchoreval";
import { OTHERWISE } from "../../workers/src/schemas/contract.ts";
import {
  answerSchema,
  described,
  IntervalSchema,
  json,
  optional,
  requestSchema,
} from "../../workers/src/schemas/fields.ts";
import { TRIAL_FIELDS } from "../trials/http.ts";
import { ANSWER_FIELDS, EstimateWarningSchema } from "../../workers/src/schemas/estimate.ts";
import { bundleForAnswers } from "../../workers/src/routes/estimates.ts";
import { operation, postToBundle, route } from "../../workers/src/routes/route.ts";

const { form, formDigest, digest, level, hashes, onChangedItem } = ANSWER_FIELDS;
const { responses } = TRIAL_FIELDS;
const OverSchema = z.enum(["runs", "tasks", "these-answers"]);

const ComparisonSideSchema = requestSchema(
  "ComparisonSide",
  {
    name: optional(z.string().min(1).max(512), "Any name; messages and results repeat it."),
    version: optional(
      z.string(),
      "Version whose anchors were asked; another major version than the bundle's is refused.",
    ),
    responses,
    form,
    formDigest,
    digest,
    hashes,
  },
  { example: { name: "new", responses: { "gsm/17": 1, "gsm/42": 0 } } },
);

export const ComparisonRequestSchema = requestSchema("ComparisonRequest", {
  a: ComparisonSideSchema,
  b: ComparisonSideSchema,
  margin: optional(z.number(), "Largest difference of scores that doesn't matter, in [0,1). Default 0."),
  over: optional(
    OverSchema,
    "What is said of: the models over runs, over tasks like these, or these answers alone. Default runs where trials tell, else tasks.",
  ),
  form,
  level,
  onChangedItem,
});

const figure = z.number().nullable();
const count = z.number().int();

const ModelScoreSchema = answerSchema("ModelScore", {
  score: figure,
  interval: IntervalSchema.nullable(),
  stratifiedMean: figure,
});

const difference = {
  difference: described(figure, "S_B − S_A."),
  interval: IntervalSchema.nullable(),
  reason: z.string().nullable(),
  oneSidedConfidence: described(figure, "Confidence that B is better, in what `over` says."),
  mcnemar: z
    .object({ aHigher: count, bHigher: count, pValue: z.number() })
    .openapi("McNemar", { description: "Mid-p test on the raw answers." }),
  scores: z.object({ a: ModelScoreSchema, b: ModelScoreSchema }),
  subtraction: described(figure, "S_B − S_A of the two scores as each model by itself gives them."),
  answered: described(count, "Items that both answered; only these count."),
  of: count,
};

export const ComparisonSchema = answerSchema("Comparison", {
  ...difference,
  benchmark: z.string(),
  version: z.string(),
  form: z.string(),
  digest: z.string(),
  names: z.object({ a: z.string(), b: z.string() }),
  margin: z.number(),
  over: described(OverSchema, "What difference, interval and verdict are said of."),
  verdict: z.enum(["a-better", "b-better", "no-difference", "undecided"]).nullable(),
  moreItems: described(
    figure,
    "Number of further items that would decide it; for `undecided`, null where all items wouldn't.",
  ),
  warnings: z.array(EstimateWarningSchema).readonly(),
  scenarios: z.record(z.string(), z.object(difference).openapi("Difference")),
});

export const createComparison = route(
  {
    ...postToBundle("comparisons", ComparisonRequestSchema),
    ...operation("estimates", "createComparison", "Compare two models by their answers to the same anchors"),
    responses: { 200: json(ComparisonSchema, "The difference of their full scores"), ...OTHERWISE.answers },
  },
  async (c) => {
    const body = c.req.valid("json");
    const { a, b, ...options } = body;
    const bundle = await bundleForAnswers(c, c.req.valid("param"), body, [a, b]);
    return c.json(compareFromAnchors(bundle, a, b, options), 200);
  },
);

/** At most one a night for a month. */
const RunsSchema = z.array(ComparisonSideSchema).max(31);

export const CheckRequestSchema = requestSchema("CheckRequest", {
  current: described(RunsSchema.min(1).readonly(), "The runs to check; of several the mean counts."),
  baselines: optional(RunsSchema.readonly(), "Earlier runs on the same form; of several the mean counts."),
  maxDrop: optional(z.number(), "Largest allowed drop from the baselines, in [0,1). Default 0.01."),
  minScore: optional(z.number(), "Lowest allowed score, in [0,1]."),
  alarmsPerYear: optional(z.number(), "Accepted false alarms per year. Default 1."),
  runsPerYear: optional(z.number(), "Checks per year. Default 365."),
  form,
  level: optional(z.number(), "One-sided confidence required to pass, in (0.5,1). Default 0.95."),
  onChangedItem,
  allowYanked: optional(z.boolean(), "Check also on a version that its publisher took back. Default false."),
});

const VerdictSchema = z
  .enum(["passed", "regressed", "undecided"])
  .openapi("CheckVerdict", { description: "`undecided`: the answers neither show a violation nor rule one out." });

const bounds = { low: figure, high: figure, reason: z.string().nullable() };

export const CheckSchema = answerSchema("CheckResult", {
  benchmark: z.string(),
  version: z.string(),
  form: z.string(),
  digest: z.string(),
  verdict: VerdictSchema,
  drop: z
    .object({
      verdict: VerdictSchema,
      drop: described(figure, "S_before − S_now."),
      ...bounds,
      maxDrop: z.number(),
      alarmsWithoutChange: described(figure, "Alarms per year for a model that didn't change."),
      found: described(figure, "Drop that is detected in four cases out of five."),
    })
    .openapi("DropCheck")
    .nullable(),
  minimum: z
    .object({ verdict: VerdictSchema, score: figure, ...bounds, minScore: z.number() })
    .openapi("MinimumCheck")
    .nullable(),
  alarms: z.object({ perYear: z.number(), runsPerYear: z.number(), probability: z.number() }),
  level: z.number(),
  answered: described(count, "Items that a run on either side answered."),
  of: count,
  warnings: z.array(EstimateWarningSchema).readonly(),
});

export const createCheck = route(
  {
    ...postToBundle("checks", CheckRequestSchema),
    ...operation("estimates", "createCheck", "Check whether a model got worse, at a stated rate of false alarms"),
    responses: { 200: json(CheckSchema, "A verdict for each rule and for all"), ...OTHERWISE.answers },
  },
  async (c) => {
    const body = c.req.valid("json");
    const { current, ...options } = body;
    const runs = [...current, ...(options.baselines ?? [])];
    const bundle = await bundleForAnswers(c, c.req.valid("param"), body, runs);
    return c.json(checkFromAnchors(bundle, current, options), 200);
  },
);
