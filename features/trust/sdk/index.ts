/** A root of trust. */
export { trustRoot } from "./trust-root.ts";
