/** Public functions of the features on the trainer's floor, a line a feature. */
export * from "./forms/fit/index.ts";
