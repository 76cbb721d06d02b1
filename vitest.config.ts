import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { configDefaults, defineConfig } from "vitest/config";
import { softwareVulkan } from "./test/support/software-vulkan.ts";

/** For what hangs: slow machines pass. A hook has 10 s by default, and what it began goes on into other tests. */
const LIMITS = { testTimeout: 60_000, hookTimeout: 60_000 };

/** Suites whose files leave nothing behind: no module that is replaced, no listener, no environment. */
const PURE = ["test/{unit,property,conformance}/**/*.test.ts"];
/** Files that replace modules (`vi.mock`) by their names. */
const ISOLATED = "test/unit/**/*.isolated.test.ts";

const PROPERTY_SEED = "test/support/property-seed.ts";

/** The program of the tests takes the trainer's sources, as the tests themselves do. */
const SOURCES = {
  alias: [
    {
      find: /^anchoreval-trainer\/internal\/features\/(.*)$/,
      replacement: fileURLToPath(new URL("features/$1.ts", import.meta.url)),
    },
    {
      find: /^anchoreval-trainer\/internal\/(.*)$/,
      replacement: fileURLToPath(new URL("offline-trainer/src/$1.ts", import.meta.url)),
    },
  ],
};

export default defineConfig({
  test: {
    // By default one core less: of two, half of them would stand idle.
    maxWorkers: availableParallelism(),
    projects: [
      {
        // One process after another file: to load the modules anew for each would take half of the time.
        resolve: SOURCES,
        test: {
          name: "pure",
          include: PURE,
          exclude: [...configDefaults.exclude, ISOLATED],
          isolate: false,
          setupFiles: PROPERTY_SEED,
          ...LIMITS,
        },
      },
      {
        resolve: SOURCES,
        test: {
          name: "node",
          include: [ISOLATED],
          setupFiles: PROPERTY_SEED,
          ...LIMITS,
        },
      },
      {
        resolve: SOURCES,
        test: {
          name: "whole",
          include: [
            "test/package/**/*.test.ts",
            "test/attacks/**/*.test.ts",
            "test/runtime/{node,browser}/**/*.test.ts",
          ],
          isolate: false,
          setupFiles: PROPERTY_SEED,
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
        plugins: [
          cloudflareTest({ wrangler: { configPath: "./wrangler.toml" }, miniflare: { bindings: { OPEN_JOBS: true } } }),
        ],
        test: {
          name: "workerd",
          include: ["test/runtime/workerd/**/*.test.ts"],
          isolate: false, // loading the Worker anew for each file would take three quarters of the time
          setupFiles: "test/runtime/workerd/support/empty-storage.ts",
          globalSetup: "test/support/golden-estimates.ts",
          ...LIMITS,
        },
      },
    ],
  },
});
