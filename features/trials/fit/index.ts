/** What a fit learns from several trials of an item. */
export { withComponents } from "./variance-components.ts";
