import { z } from "@hono/zod-openapi";

/** Mirrors `Issue` of anchoreval. */
export const IssueSchema = z
  .object({
    path: z
      .array(z.union([z.string(), z.number()]))
      .readonly()
      .openapi({ example: ["responses", "gsm/17"] }),
    code: z.string().openapi({ example: "out_of_range" }),
    message: z.string(),
  })
  .openapi("Issue");

/** What every refusal looks like (RFC 9457). */
export const ProblemSchema = z
  .object({
    type: z.string().openapi({ example: "urn:anchoreval:problem:invalid_answers" }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string().openapi({ example: "invalid_answers", description: "Stable: programs branch on it." }),
    issues: z.array(IssueSchema).readonly(),
    instance: z.string().openapi({ description: "The path that was asked." }),
    requestId: z.string().openapi({ description: "The request's id: `x-request-id`, and in the Worker's logs." }),
  })
  .openapi("Problem");
