import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";

export default tseslint.config(
  {
    ignores: [
      "**/dist/**",
      "out/**",
      "**/.wrangler/**",
      "workers/public/**",
      "offline-trainer/assets/**",
      "python/src/anchoreval/_node/**",
      "test/fixtures/openapi-client/**",
    ],
  },
  js.configs.recommended,
  { rules: { "no-duplicate-imports": "error" } },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Kernels index typed arrays whose bounds their loops state.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      "@typescript-eslint/no-invalid-void-type": [
        "error",
        { allowAsThisParameter: true, allowInGenericTypeArguments: true },
      ],
      "no-restricted-properties": [
        "error",
        { object: "Math", property: "random", message: "randomness is an argument: createRandom(seed)" },
      ],
    },
  },
  // Published coefficients stand as they were printed.
  { files: ["sdk/core/numeric/*.ts"], rules: { "no-loss-of-precision": "off" } },
  {
    files: ["**/*.js"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        performance: "readonly",
        fetch: "readonly",
        Buffer: "readonly",
      },
    },
  },
  prettier,
);
