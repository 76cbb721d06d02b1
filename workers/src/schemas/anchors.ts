import { z } from "@hono/zod-openapi";

/** Mirrors `AnchorRecord` of anchoreval/bundle. */
export const AnchorSchema = z
  .object({
    item_id: z.string(),
    scenario: z.string(),
    index: z.number().int().openapi({ description: "Position among the scenario's items." }),
    subscenario: z.string().exactOptional(),
    hash: z.string().exactOptional().openapi({ description: "Content hash." }),
    task: z.string().exactOptional(),
    doc_id: z.union([z.number(), z.string()]).exactOptional(),
    text: z.string().exactOptional(),
    forms: z.array(z.string()).readonly(),
  })
  .openapi("Anchor");

export const AnchorsSchema = z
  .object({
    form: z.string(),
    digest: z.string().openapi({ description: "Digest of the form: `formDigest` of an array of answers." }),
    anchors: z.array(AnchorSchema).readonly().openapi({ description: "In the order in which they are asked." }),
  })
  .openapi("Anchors");
