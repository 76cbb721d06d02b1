import { z } from "@hono/zod-openapi";
import { answerSchema, described, optional } from "../../workers/src/schemas/fields.ts";

const KnownScoredSchema = answerSchema(
  "KnownScored",
  {
    by: described(z.string(), "The benchmark whose score is used: of several, the one that leaves the least open."),
    score: described(z.number(), "A fraction in [0,1]."),
    interval: z.strictObject({ low: z.number(), high: z.number(), level: z.number() }).readonly(),
    predicted: described(z.number(), "The score that the known one alone predicts."),
    deviation: described(z.number(), "Standard deviation of its error."),
    share: described(z.number(), "The part that the known score has in `score`."),
    models: described(z.number().int(), "Source models that tell how both scores go together."),
    status: z.enum(["combined", "contradicted"]),
  },
  { description: "A score by a model's answers and by its score on another benchmark together." },
);

/** Scores by the answers and by known ones together, beside an estimate. */
export const knownScoresField = {
  withKnownScores: z
    .strictObject({
      overall: KnownScoredSchema.nullable(),
      scenarios: z.record(z.string(), KnownScoredSchema.nullable()).readonly(),
    })
    .readonly()
    .exactOptional(),
};

/** The field of a request that gives them. */
export const knownScoresAsked = {
  knownScores: optional(
    z.record(z.string(), z.number()).readonly(),
    "The model's scores on other benchmarks, in [0,1], by the names that the bundle has them under.",
  ),
};
