import js from "@eslint/js";
import prettier from "eslint-config-prettier";
import tseslint from "typescript-eslint";
import { outsideNames } from "./.ci/outside-names.js";

/** Files that take a body without the one reader, sdk/bundles/body.ts, and why that is bounded. */
const BODIES = [
  ["sdk/bundles/body.ts", "the one reader"],
  ["sdk/bundles/request.ts", "hands on an answer in lines piece by piece; each line has a bound"],
  ["sdk/tables/chunk-lines.ts", "hands on a file of a page's reader piece by piece; each line has a bound"],
  ["offline-trainer/browser/instead-of-node.ts", "reads the places of a file that Parquet asks for"],
  ["features/serve/fit/local-gate.ts", "drops what it reads, and no more than 16 MiB"],
  ["workers/src/http/request-body.ts", "drops what it reads, and no more than 16 MiB"],
  ["workers/src/bundles/open-file.ts", "hands on a file piece by piece"],
  ["workers/src/platform/deadline.ts", "hands on an object of R2, to readObject"],
  ["workers/src/rpc.ts", "reads the Worker's own answer"],
];

/** Files that read whole files of their own package, or one that the user names when nothing can wait. */
const OWN_FILES = [
  "cli/src/program/trainer.ts",
  "features/{trust/cli/trusted-root,serve/fit/local-worker}.ts",
  "offline-trainer/src/matrix/data-digests.ts",
  "sdk/node/{owner,shipped-bundles}.ts",
];

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
      // There are no enums: `erasableSyntaxOnly`. To look for them takes a tenth of the linting.
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
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
  {
    files: [
      "{sdk,features}/**/*.ts",
      "cli/src/**/*.ts",
      "offline-trainer/{src,browser}/**/*.ts",
      "workers/{src,page}/**/*.ts",
    ],
    ignores: BODIES.map(([file]) => file),
    rules: {
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "CallExpression[arguments.length=0] > MemberExpression.callee[property.name=/^(arrayBuffer|blob|bytes|formData|json|text)$/]:not([object.object.name='c'][object.property.name='req'])",
          message: "a body has a bound: readBody, readReason or readObject of sdk/bundles/body.ts",
        },
        {
          selector: "CallExpression > MemberExpression.callee[property.name='getReader']",
          message: "a body has a bound: readBody of sdk/bundles/body.ts",
        },
      ],
    },
  },
  {
    files: ["{sdk,features,cli,offline-trainer,workers}/**/*.ts"],
    plugins: { anchoreval: { rules: { "outside-names": outsideNames } } },
    rules: { "anchoreval/outside-names": "error" },
  },
  {
    // Names of our own: fields of a schema, tensors, options, stages, variables of a graph.
    files: [
      "sdk/core/bundle/{names,schema,safetensors}.ts",
      "sdk/tables/json-records.ts",
      "features/opencompass/sdk/python-literal.ts",
      "cli/src/{program/parse,commands/fit,options/provenance}.ts",
      "offline-trainer/src/{fit/{learn,bundle},threads/stages}.ts",
      "offline-trainer/src/{matrix/families,methods/method}.ts",
      "workers/src/openapi.ts",
      "features/routing/fit/sentence-encoder.ts",
    ],
    rules: { "anchoreval/outside-names": "off" },
  },
  {
    files: ["{sdk,features}/**/*.ts", "cli/src/**/*.ts", "offline-trainer/src/**/*.ts"],
    ignores: OWN_FILES,
    rules: {
      "no-restricted-imports": [
        "error",
        ...["node:fs", "node:fs/promises"].map((name) => ({
          name,
          importNames: ["readFile", "readFileSync"],
          message: "a file that is held has a bound: readNamed or readFound of sdk/node/whole-file.ts",
        })),
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
