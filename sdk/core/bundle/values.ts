import { BENCHMARK_NAME, idProblem, SHA256, VERSION } from "./names.ts";
import { list, type ListSchema, number, type Schema, text } from "./schema.ts";

// Values that stand in many places of a manifest. Scores and errors are fractions.

/** An item's or a scenario's. */
export const id: Schema<string> = /* @__PURE__ */ text({ problem: idProblem });
/** A benchmark's. */
export const name: Schema<string> = /* @__PURE__ */ text({ pattern: BENCHMARK_NAME });
/** Of a bundle. */
export const version: Schema<string> = /* @__PURE__ */ text({ pattern: VERSION });
/** Lowercase. */
export const sha256: Schema<string> = /* @__PURE__ */ text({ pattern: SHA256 });
/**
 * Beyond what any figure of a manifest is: products and sums of such ones stay far from what a number can hold. Chosen, not
 * measured.
 */
export const LARGEST = 1e6;
export const count: Schema<number> = /* @__PURE__ */ number({ min: 1, max: 2 ** 31, integer: true });
export const offset: Schema<number> = /* @__PURE__ */ number({ min: 0, max: 2 ** 53 - 1, integer: true });
/** Of a whole, in [0,1]. */
export const share: Schema<number> = /* @__PURE__ */ number({ min: 0, max: 1 });
export const size: Schema<number> = /* @__PURE__ */ number({ min: 0, max: LARGEST });
export const positive: Schema<number> = /* @__PURE__ */ number({ min: 1e-6, max: LARGEST });
export const real: Schema<number> = /* @__PURE__ */ number({ min: -LARGEST, max: LARGEST });
export const reals: ListSchema<Schema<number>> = /* @__PURE__ */ list(real, 1);
