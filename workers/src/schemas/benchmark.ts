import { z } from "@hono/zod-openapi";

/** Mirrors `BenchmarkSummary` of anchoreval. */
export const BenchmarkSchema = z
  .object({
    benchmark: z.string(),
    latest: z.string().nullable().openapi({ description: "The highest stable version." }),
    versions: z
      .array(z.object({ version: z.string(), digest: z.string() }))
      .readonly()
      .openapi({ description: "Ascending. Without the yanked ones." }),
    yanked: z
      .array(
        z.object({
          version: z.string(),
          digest: z.string(),
          reason: z.string().optional().openapi({ description: "In its publisher's words." }),
        }),
      )
      .readonly()
      .openapi({ description: "Versions that were taken back; they still answer by their number. Ascending." }),
  })
  .openapi("Benchmark");

export const BenchmarkListSchema = z.object({ benchmarks: z.array(BenchmarkSchema).readonly() }).openapi("Benchmarks");
