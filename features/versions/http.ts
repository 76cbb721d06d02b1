import { z } from "@hono/zod-openapi";
import { answerSchema, described } from "../../workers/src/schemas/fields.ts";

const BridgedValueSchema = z.object({
  score: z.number(),
  interval: z.object({ low: z.number(), high: z.number(), level: z.number() }).nullable(),
});

const BridgedSchema = answerSchema(
  "BridgedScore",
  {
    benchmark: z.string(),
    version: described(z.string(), "The earlier version."),
    overall: described(BridgedValueSchema.nullable(), "null where it isn't known, or counts predicted scenarios."),
    scenarios: z.record(z.string(), BridgedValueSchema.nullable()),
  },
  { description: "The scores as an earlier version would have given them, if the bundle stands on one." },
);

/** Beside every estimate. */
export const bridgedField = { bridged: BridgedSchema.exactOptional() };
