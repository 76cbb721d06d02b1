import { z } from "@hono/zod-openapi";
import { BENCHMARK_NAME, BUNDLE_FILES, VERSION } from "anchoreval/bundle";
import { LATEST } from "../bundles/bundle-reader.ts";

/** Path parameters. */
export const BenchmarkParams = z.object({
  benchmark: z.string().regex(BENCHMARK_NAME).openapi({ example: "helm-lite" }),
});

/** Of a GET: `latest` is redirected before. */
export const VersionParams = BenchmarkParams.extend({
  version: z
    .string()
    .regex(VERSION)
    .openapi({ example: "1.0.0", description: "A version's number; `latest` is redirected to its number." }),
});

export const FileParams = VersionParams.extend({ name: z.enum(BUNDLE_FILES) });

/** Of a POST: the answer names the version that `latest` was. */
export const VersionOrLatestParams = BenchmarkParams.extend({
  version: z
    .union([z.string().regex(VERSION), z.literal(LATEST)])
    .openapi({ type: "string", example: "1.0.0", description: "A version's number, or `latest`." }),
});
