/** Public functions of the features on the format of bundles, a line a feature. */
export * from "./publishing/sdk/index.ts";
