/** Variance components: what several trials of an item tell a fit. */
export { withComponents } from "./variance-components.ts";
