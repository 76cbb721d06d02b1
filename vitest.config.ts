import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
import { softwareVulkan } from "./test/support/software-vulkan.ts";

/** For what hangs: slow machines pass. A hook has 10 s by default, and what it began goes on into other tests. */
const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    // By default one core less: of two, half of them would stand idle.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          name: "node",
          include: [
            "test/{unit,property,conformance,package}/**/*.test.ts",
            "test/runtime/node/**/*.test.ts",
            "test/runtime/browser/**/*.test.ts",
          ],
          ...LIMITS,
        },
      },
      {
        test: {
          name: "webgpu",
          include: ["test/runtime/webgpu/**/*.test.ts"],
          env: softwareVulkan(),
          ...LIMITS,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "workerd",
          include: ["test/runtime/workerd/**/*.test.ts"],
          globalSetup: "test/support/golden-estimates.ts",
          ...LIMITS,
        },
      },
    ],
  },
});
