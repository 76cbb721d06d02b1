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
    ],
  },
});
