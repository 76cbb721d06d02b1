import { z } from "@hono/zod-openapi";
import { BENCHMARK_NAME, BUNDLE_FILES, SIGNATURE_FILE, VERSION } from "anchoreval/bundle";
import { LATEST } from "../bundles/bundle-reader.ts";

const NOT_A_VERSION = "a version is a number like 1.0.0 or 1.0.0-rc.1";

/** Path parameters. */
export const BenchmarkParams = z.object({
  benchmark: z
    .string()
    .regex(BENCHMARK_NAME, "a benchmark's name has at most 64 lowercase letters, digits, '.', '_' and '-'")
    .openapi({ example: "helm-lite" }),
});

/** Of a GET: `latest` is redirected before. */
export const VersionParams = BenchmarkParams.extend({
  version: z
    .string()
    .regex(VERSION, NOT_A_VERSION)
    .openapi({ example: "1.0.0", description: "A version's number; `latest` is redirected to its number." }),
});

export const FileParams = VersionParams.extend({ name: z.enum([...BUNDLE_FILES, SIGNATURE_FILE]) });

/** Of a POST: the answer names the version that `latest` was. */
export const VersionOrLatestParams = BenchmarkParams.extend({
  version: z
    .string()
    .refine((version) => version === LATEST || VERSION.test(version), NOT_A_VERSION)
    .openapi({ example: "1.0.0", description: "A version's number, or `latest`." }),
});
