import { z } from "@hono/zod-openapi";

/** Mirrors `BenchmarkSummary` of anchoreval. */
export const BenchmarkSchema = z
  .object({
    benchmark: z.string(),
    latest: z.string().nullable().openapi({ description: "The highest stable version." }),
    versions: z
      .array(z.object({ version: z.string(), digest: z.string() }))
      .readonly()
      .openapi({ description: "Ascending. Yanked versions aren't listed; they still answer by their number." }),
  })
  .openapi("Benchmark");

export const BenchmarkListSchema = z.object({ benchmarks: z.array(BenchmarkSchema).readonly() }).openapi("Benchmarks");
