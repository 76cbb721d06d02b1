import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/{unit,property,conformance,package}/**/*.test.ts", "test/runtime/node/**/*.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [cloudflareTest({ wrangler: { configPath: "./wrangler.toml" } })],
        test: {
          name: "workerd",
          include: ["test/runtime/workerd/**/*.test.ts"],
          globalSetup: "test/support/golden-estimates.ts",
          testTimeout: 30_000,
        },
      },
    ],
  },
});
